"""The commands of ``rr-gym``: every module here except `main` is the command of its name.

What several commands share, and how words are read, is in `rr_gym.cli.grammar`.

A command module has ``run``, a command of click whose decorators are its arguments and whose docstring is its help. It
does the work, imports what is heavy, and returns the exit status.
"""
