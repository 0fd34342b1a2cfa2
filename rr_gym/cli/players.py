"""``rr-gym players``: the registered players."""

from __future__ import annotations

import argparse
from typing import Any

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.output import Output


def add_parser(subparsers: Any) -> None:
    """Register ``players``."""
    parser = subparsers.add_parser("players", help="list the players that can be named")
    add(parser, "--json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List them."""
    from rr_gym.registry import list_players

    output = Output(args.json)
    for player in list_players():
        output.show(f"{player.name:12} {player.doc}")
    output.write([{"name": player.name, "doc": player.doc} for player in list_players()])
    return 0
