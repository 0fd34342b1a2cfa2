"""``rr-gym dataset``: games of players as data for behaviour cloning and offline reinforcement learning."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.output import Output


def add_parser(subparsers: Any) -> None:
    """Register ``dataset``."""
    parser = subparsers.add_parser(
        "dataset",
        help="write games of players as data to learn from",
        description="Plays games and writes what every robot observed, which actions were legal, what its player did "
        "and what it was rewarded with, in shards that NumPy or safetensors read (docs/datasets.md).",
    )
    add(parser, "--players", required=True, note="one per robot, 1 to 8; they change seats from game to game")
    add(parser, "--course")
    add(parser, "--set")
    add(parser, "--max-cycles", default=100)
    add(parser, "--games", default=100)
    add(parser, "--seed", default=0)
    add(parser, "--observation", default="flat")
    parser.add_argument("--reward", default="sparse", metavar="NAME", help="sparse or shaped (%(default)s)")
    parser.add_argument("--format", default="npz", metavar="NAME", help="npz or safetensors (%(default)s)")
    parser.add_argument(
        "--minari", metavar="ID", help="also a data set of Minari (extra minari), such as rr_gym/races-v0"
    )
    add(parser, "--out", required=True, note="new or empty")
    add(parser, "--json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play and write."""
    from rr_gym.datasets import Dataset, record_dataset
    from rr_gym.errors import require
    from rr_gym.progress import Progress
    from rr_gym.registry import open_player

    output = Output(args.json)
    if args.minari:
        require("minari", extra="minari")
    names = list(dict.fromkeys(args.players))
    made = {name: open_player(name) for name in names}
    with Progress() as progress:
        description = record_dataset(
            Path(args.out), [made[name] for name in args.players], games=args.games,
            course=args.course or "risky_exchange", seed=args.seed, form=args.format, max_cycles=args.max_cycles,
            observation=args.observation, reward=args.reward, settings=args.set, report=progress,
        )  # fmt: skip
    for player in made.values():
        player.close()
    output.show(
        f"{description['rows']:,} rows of {description['episodes']:,} episodes in {len(description['shards'])} shards: "
        f"{args.out}"
    )
    if args.minari:
        Dataset.open(args.out).to_minari(args.minari)
        output.show(f"Minari: {args.minari}")
    output.write(description)
    return 0
