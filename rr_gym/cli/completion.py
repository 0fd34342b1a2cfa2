"""``rr-gym completion``: the script that completes commands in a shell."""

from __future__ import annotations

import argparse
from typing import Any

from rr_gym.cli.grammar.shells import SHELLS


def add_parser(subparsers: Any) -> None:
    """Register ``completion``."""
    parser = subparsers.add_parser(
        "completion",
        help="print what completes commands in bash, zsh or fish",
        description='Prints a script for a shell (extra completion). In bash: eval "$(rr-gym completion bash)". In '
        "zsh: rr-gym completion zsh > FOLDER/_rr-gym, for a folder of fpath. In fish: rr-gym completion fish > "
        "~/.config/fish/completions/rr-gym.fish. Names of courses and players are those of today.",
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=" | ".join(SHELLS))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from rr_gym.cli.grammar.shells import script
    from rr_gym.cli.main import build_parser, command_names

    print(script(args.shell, build_parser(command_names())), end="")
    return 0
