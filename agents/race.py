"""Many races between the players of one configuration: ``python -m agents.race configs/demo.yaml --games 20``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rr_gym.errors import RoboRallyError
from rr_gym.race import RaceConfig, race
from rr_gym.render.pieces import labels


def rotated(config: RaceConfig, number: int) -> RaceConfig:
    """The race number `number` of a series: another seed, and everybody one seat further."""
    by = number % len(config.players)
    return replace(config, seed=config.seed + number, players=config.players[by:] + config.players[:by])


def series(config: RaceConfig, games: int) -> list[tuple[str, float, int]]:
    """Race again and again.

    Args:
        config: The first race; later ones have other seeds and seats.
        games: How many races.

    Returns:
        (player, mean place, wins) for every player of the configuration, in its order.
    """
    names = labels(config.players)
    places: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    for number in range(games):
        replay = race(rotated(config, number))
        by = number % len(names)
        for seat, name in enumerate(names[by:] + names[:by]):
            places[name] += replay.placements[seat]
            wins[name] += seat in replay.winners
        print(f"\rrace {number + 1} of {games}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return [(name, places[name] / games, wins[name]) for name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m agents.race", description="Race players of a configuration.")
    parser.add_argument("config", type=Path, help="a race in YAML, such as configs/demo.yaml")
    parser.add_argument("--games", type=int, default=10, help="how many races (default: %(default)s)")
    args = parser.parse_args(arguments)
    if args.games < 1:
        parser.error(f"--games {args.games}: expected 1 or more")
    try:
        results = series(RaceConfig.load(args.config), args.games)
    except RoboRallyError as error:
        print(f"agents.race: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nagents.race: interrupted", file=sys.stderr)
        return 130
    width = max(len(name) for name, _, _ in results)
    print(f"{'player':{width}}  mean place  wins")
    for name, place, wins in results:
        print(f"{name:{width}}  {place:10.2f}  {wins:4}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
