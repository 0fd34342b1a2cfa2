"""What a robot can do if it is alone on the board: its states, its programs, and what they are worth."""
