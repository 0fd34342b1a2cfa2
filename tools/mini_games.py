"""Measure exactly how exploitable players are in mini games: the table of docs/exploitability.md.

    python tools/mini_games.py
    python tools/mini_games.py --players racer,planner:500 --seeds 5

Prints the NashConv of each player's strategies, with 95 % intervals over the mini games of the first seeds. Seeds
without a mini game are left out: in these a robot is destroyed before it begins.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from rr_gym.equilibrium import solve
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.statistics.intervals import ratio_stat
from rr_gym.exploit import MiniGame
from rr_gym.progress import Progress
from rr_gym.rules.arena.arena import Arena

PLAYERS = (
    "planner:500", "racer", "veteran", "champion", "strategist:300", "equilibrium:500", "random", "greedy",
)  # fmt: skip
SAMPLES = {"random": 40, "equilibrium": 16}  # how often players that mix their programs are asked with each hand


def mini_games(course: str, hands: int, seeds: int) -> Iterator[MiniGame]:
    """Yield the mini games of the first seeds."""
    Arena(course)  # raises the errors of a course that cannot be read
    with Progress("seeds") as progress:
        for seed in range(seeds):
            with suppress(RoboRallyError):
                yield MiniGame(course, hands, seed)
            progress(seed + 1, seeds)


def conv_of(mini: MiniGame, name: str) -> float:
    """Return the NashConv of a player's strategies in a mini game."""
    return mini.game.nash_conv(mini.strategies(name, SAMPLES.get(name.partition(":")[0], 1)))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=lambda text: text.split(","), default=PLAYERS)
    parser.add_argument("--course", default="risky_exchange")
    parser.add_argument("--hands", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    found: dict[str, list[float]] = {}
    for mini in mini_games(given.course, given.hands, given.seeds):
        game = mini.game
        found.setdefault("predictive regret matching", []).append(game.nash_conv(solve(game)))
        found.setdefault("uniform", []).append(game.nash_conv((game.uniform(0), game.uniform(1))))
        for name in given.players:
            found.setdefault(f"`{name}`", []).append(conv_of(mini, name))
    print("| strategy | games | NashConv |\n|---|---|---|")
    for name, values in found.items():
        print(f"| {name} | {len(values)} | {ratio_stat(np.array(values), np.ones(len(values)), 0, 2).words('.3f')} |")


if __name__ == "__main__":
    main()
