"""Games in the memory of a GPU: kernels, drivers, arrays, and the arena (docs/gpu.md)."""
