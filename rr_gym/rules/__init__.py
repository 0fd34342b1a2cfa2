"""The rules of the game as kernels, a room for each part of them; `fast` replaces some of them with faster kernels."""
