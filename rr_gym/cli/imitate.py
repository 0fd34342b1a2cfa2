"""``rr-gym imitate``: a policy that learns to decide as a player does."""

from __future__ import annotations

from typing import Any

from rr_gym.training import agents_module


def add_parser(subparsers: Any) -> None:
    """Register ``imitate``."""
    program = agents_module("imitate")
    parser = subparsers.add_parser(
        "imitate",
        help="teach a policy to play as a player does",
        description="Plays games of a player with itself in the environment of a configuration, and teaches the "
        "configuration's network its decisions (docs/training.md). rr-gym train --from starts from the policy.",
    )
    program.add_arguments(parser)
    parser.set_defaults(run=program.run)
