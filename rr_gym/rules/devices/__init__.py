"""Devices on the board: how they are laid and found, what sets them off, and the queue of explosions."""
