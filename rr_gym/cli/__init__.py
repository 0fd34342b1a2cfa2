"""The commands of ``rr-gym``: every module here except `main` is the command of its name.

What several commands share, and how words are read, is in `rr_gym.cli.grammar`.

A command module has ``add_parser(subparsers)``, which describes its arguments and sets ``run`` as a default, and
``run(args) -> int``, which does the work, imports what is heavy, and returns the exit status.
"""
