"""The rules of the game as kernels, in one package for each part; `fast` replaces some of them with faster kernels."""
