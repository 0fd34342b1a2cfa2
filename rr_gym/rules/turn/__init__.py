"""The turn: its timing table, the segments, dealing, programming, the end of a turn."""
