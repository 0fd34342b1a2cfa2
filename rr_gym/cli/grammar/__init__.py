"""The words that all commands share, how they are read, and what all commands have in common (docs/commands.md)."""
