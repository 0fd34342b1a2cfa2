"""``rr-gym dataset``: games of players as data for behaviour cloning and offline reinforcement learning."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.words import names
from rr_gym.training import agents_module

_IGNORED = ("num_games", "num_robots", "opponents", "seat")  # keys of a configuration's environment
_PLAYED_ONLY = ("course", "set", "max_cycles", "games", "seed", "workers", "ray")  # options not for --replays


@command(examples=(
    "rr-gym dataset --players greedy,racer --games 200 --out data",
    "rr-gym dataset --replays race/replay.json --out data",
))  # fmt: skip
@shared("--players", note="one per robot, 1 to 8; they change seats from game to game")
@option(
    "--replays", **names(paths=True), metavar="FILE,...", section="Games",
    help="recorded games, instead of --players; repeatable",
)  # fmt: skip
@shared("--config", note="its environment and gamma, unless others are named here")
@shared("--course")
@shared("--set")
@shared("--max-cycles", note="100 by default")
@shared("--games", note="100 by default")
@shared("--seed", note="0 by default")
@shared("--observation", note="by default flat")
@shared("--action", note="a row is a turn (draw), or one decision of it (cards)")
@option("--reward", metavar="NAME", help="sparse (the default) or shaped")
@option("--format", default="npz", metavar="NAME", help="npz or safetensors")
@option("--minari", metavar="ID", help="also a data set of Minari (extra minari), such as rr_gym/races-v0")
@shared("--sandbox")
@shared("--max-faults")
@shared("--workers", note="1 by default")
@shared("--ray")
@shared("--out", required=True, note="a new or empty folder")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Write games of players as data to learn from.

    Plays games, or reads replays, and writes what every robot observed, which actions were legal, what its player did
    and what it was rewarded with, in shards that NumPy or safetensors read (docs/datasets.md).
    """
    from rr_gym.datasets import Dataset, convert_replays, minari_for, record_dataset
    from rr_gym.errors import RoboRallyError
    from rr_gym.players.notes import Losses, above, loss_lines
    from rr_gym.players.sandbox import choose_kind
    from rr_gym.progress import Progress
    from rr_gym.registry import open_player

    output = Output(args.json)
    if args.minari:
        minari_for(args.minari)  # reports errors before anything is played
    if bool(args.players) == bool(args.replays):
        raise RoboRallyError("expected either --players or --replays")
    options = _options(args)
    with Progress() as progress:
        if args.replays:
            given = [name for name in _PLAYED_ONLY if getattr(args, name)]
            if given:
                raise RoboRallyError(f"--{given[0].replace('_', '-')}: expected none with --replays")
            options = {name: options[name] for name in options if name not in ("course", "settings", "max_cycles")}
            description = convert_replays(args.out, args.replays, form=args.format, report=progress, **options)
        else:
            description = record_dataset(
                Path(args.out), args.players, games=100 if args.games is None else args.games, seed=args.seed or 0,
                form=args.format, report=progress, ray=args.ray,
                make=partial(open_player, sandbox=choose_kind(args.sandbox)),
                workers=1 if args.workers is None and args.ray is None else args.workers, **options,
            )  # fmt: skip
    shards = len(description["shards"])
    output.show(
        f"{description['rows']:,} rows of {description['episodes']:,} episodes in {shards} shard{'s' * (shards != 1)}: "
        f"{args.out}"
    )
    if args.minari:
        Dataset.open(args.out).to_minari(args.minari)
        output.show(f"Minari: {args.minari}")
    output.write(description)
    losses = [Losses(**one) for one in description["losses"]]
    for line in loss_lines(losses, args.max_faults):
        output.show(line)
    return 1 if above(losses, args.max_faults) else 0


def _options(args: SimpleNamespace) -> dict[str, Any]:
    """Return the keyword arguments of the environment: those of the configuration, replaced by given options."""
    options: dict[str, Any] = {}
    if args.config:
        from rr_gym.config_files import find_config

        config = agents_module("config").TrainConfig.load(find_config(args.config))
        options = agents_module("environment").environment_arguments(config)
        options = {name: value for name, value in options.items() if name not in _IGNORED}
    given = {
        "course": args.course, "max_cycles": args.max_cycles, "observation": args.observation, "action": args.action,
        "reward": args.reward,
    }  # fmt: skip
    options |= {name: value for name, value in given.items() if value is not None}
    settings = dict(options.get("settings") or {}) | (args.set or {})
    return {name: value for name, value in options.items() if value is not None} | {"settings": settings or None}
