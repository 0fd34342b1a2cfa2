"""The current state of squares and of the bodies on them: ground, levels, elevators, copies, sight."""
