"""From Python to machine code: kernels, forms of the tables, separate functions, the cache on disk."""
