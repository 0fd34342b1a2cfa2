"""The game of a robot that is alone on the board: its states, its programs, and their values."""
