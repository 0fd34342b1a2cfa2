"""Compile kernels, Python functions over records and arrays, to libraries of machine code that are kept.

The package uses nothing else of `rr_gym`; docs/compilation.md explains how another project uses it. A project states
its name and the forms of its tables (`rr_gym.compilation.settings`), declares records (`rr_gym.compilation.records`)
and kernels (`rr_gym.compilation.kernels`), and calls kernels like functions.
"""
