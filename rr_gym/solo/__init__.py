"""Search for a robot as if it were alone on the board: its states, its programs, and their values."""
