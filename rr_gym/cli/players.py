"""``rr-gym players``: the registered players."""

from __future__ import annotations

import argparse
import json
from typing import Any


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("players", help="list the players that can be named")
    parser.add_argument("--json", action="store_true", help="one JSON object per player and line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.registry import list_players

    for player in list_players():
        print(json.dumps({"name": player.name, "doc": player.doc}) if args.json else f"{player.name:12} {player.doc}")
    return 0
