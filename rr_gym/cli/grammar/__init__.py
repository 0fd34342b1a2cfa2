"""The words that all commands share, how they are read, and what every command does alike (docs/commands.md)."""
