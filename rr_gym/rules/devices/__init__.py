"""Devices on the board: laying and finding them, what sets them off, and the queue of explosions."""
