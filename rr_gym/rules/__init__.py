"""The rules of the game as kernels, room by room; `fast` has what takes the place of some of them in machine code."""
