"""``rr-gym train``: train a policy."""

from __future__ import annotations

from typing import Any

from rr_gym.training import agents_module


def add_parser(subparsers: Any) -> None:
    """Register ``train``."""
    program = agents_module("train")
    parser = subparsers.add_parser(
        "train",
        help="train a policy",
        description="Trains a policy by a configuration (docs/training.md). Ctrl-C saves a checkpoint; --resume "
        "resumes exactly from it, or from the last one before a crash.",
    )
    program.add_arguments(parser)
    parser.set_defaults(run=program.run)
