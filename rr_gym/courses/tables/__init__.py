"""Compile courses to the flat numeric tables that kernels read."""
