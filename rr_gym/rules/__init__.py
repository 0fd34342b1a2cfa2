"""The rules of the game as kernels, room by room."""
