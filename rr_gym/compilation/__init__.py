"""A compiler for kernels: functions of Python over records and arrays, kept as libraries of machine code.

It is a package by itself that uses nothing else of `rr_gym`; docs/compilation.md says how another project uses it. A
project says what it is called and which forms its tables have (`rr_gym.compilation.settings`), declares records
(`rr_gym.compilation.records`) and kernels (`rr_gym.compilation.kernels`), and calls these like functions.
"""
