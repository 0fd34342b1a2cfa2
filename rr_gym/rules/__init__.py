"""The rules of the game as kernels, with a subpackage for each part; `fast` replaces some kernels with faster ones."""
