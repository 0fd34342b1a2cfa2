"""Segment D: aiming, lasers of the board and of robots, and optional weapons."""
