"""The current state of squares and bodies on them: ground, levels, elevators, copies, sight."""
