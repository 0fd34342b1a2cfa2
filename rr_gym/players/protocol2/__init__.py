"""Protocol 2 between games and programs: its messages, one module for each part (docs/protocol.md)."""
