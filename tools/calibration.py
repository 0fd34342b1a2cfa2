"""How well values of positions are calibrated: the table and the diagram of docs/replay.md.

    python tools/calibration.py              print the table
    python tools/calibration.py --write      draw docs/images/calibration.svg too

Games are played on several courses, and the value of a seat is asked for before every turn. A value is an expected
result: in a duel the chance to win. Values are calibrated if positions with the value x end with x on average.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym import arena_of, make_player
from rr_gym.evaluation.statistics.intervals import Stat, ratio_stat
from rr_gym.files import write_file
from rr_gym.players import Player
from rr_gym.policies.position_values import PositionValues
from rr_gym.progress import Progress
from rr_gym.registry import SHIPPED
from rr_gym.rules.arena.arena import Arena
from rr_gym.runner import Batch, Seats, play_out

Array = np.ndarray[Any, Any]

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "calibration.svg"
COURSES = ("risky_exchange", "dizzy_dash", "island_hop", "death_trap")
BINS = 10
MAX_CYCLES = 100
SEED = 11
SIZE, MARGIN = 320, 46  # of a diagram, in pixels
DARK, BLUE, GREY = "#1d2430", "#1d4ed8", "#8a94a3"


@dataclass(frozen=True)
class Setting:
    """Who plays the games, and whose values are asked for."""

    title: str
    values: str  # a policy of the package
    players: tuple[str, ...]
    games: int  # on each course


MIXED = ("champion", "veteran", "racer", "greedy")
SETTINGS = (
    Setting("duels of champions", "champion", ("champion",) * 2, 60),
    Setting("duels with racer", "champion", ("champion", "racer"), 60),
    Setting("fours, values of champion", "champion", MIXED, 30),
    Setting("fours, values of veteran", "veteran", MIXED, 30),
)


@dataclass(frozen=True)
class Bin:
    """Positions with similar values."""

    value: float
    result: Stat
    positions: int


def results_of(arena: Arena, games: Array) -> Array:
    """Return the result of each seat by its place, 1 for the first and 0 for the last: float64, (games, seats)."""
    seats = int(games["num_robots"][0])
    ranked = arena.placements(games)[:, :seats]
    # Ties share the mean of the places that they take up.
    behind = (ranked[:, None, :] > ranked[:, :, None]).sum(-1)
    level = (ranked[:, None, :] == ranked[:, :, None]).sum(-1) - 1
    shares: Array = (behind + level / 2) / (seats - 1)
    return shares


def positions(setting: Setting, course: str, progress: Progress, before: int) -> tuple[Array, Array, Array]:
    """Play games, and return values and results of all positions, with the numbers of their games."""
    arena = arena_of(course)
    seats = len(setting.players)
    values = PositionValues(SHIPPED / setting.values)
    batch = Batch(arena, arena.new_games(setting.games, seats, seed=SEED), MAX_CYCLES)
    names = sorted(set(setting.players))
    players: list[Player] = [make_player(name) for name in names]
    for player in players:
        player.reset(SEED)
    seating = np.array([
        [names.index(setting.players[(seat + game) % seats]) for seat in range(seats)] for game in range(setting.games)
    ])  # fmt: skip
    asked = Seats(batch, players, seating)
    found: list[tuple[int, int, float]] = []

    def ask() -> Array:
        for seat in range(seats):
            worth = values.worth(arena, batch.records, seat)
            racing = batch.records["robots"]["out"][:, seat] == 0
            found.extend(
                (int(game), seat, float(value))
                for game, value, counts in zip(batch.running, worth, racing, strict=True)
                if counts
            )
        progress(before + batch.num_over, total_games())
        return asked.ask()

    play_out(batch, ask, lambda over: None)
    results = results_of(arena, batch.games)
    games, sitting, worths = (np.array(column) for column in zip(*found, strict=True))
    return worths, results[games, sitting], games


def total_games() -> int:
    """Return how many games are played."""
    return sum(setting.games for setting in SETTINGS) * len(COURSES)


def bins_of(values: Array, results: Array, games: Array) -> list[Bin]:
    """Sort positions into bins of equal width; intervals take the positions of a game as one observation."""
    which = np.minimum((values * BINS).astype(int), BINS - 1)
    found = []
    for number in range(BINS):
        inside = which == number
        if len(np.unique(games[inside])) < 5:
            continue
        sums = np.bincount(games[inside], results[inside])
        counts = np.bincount(games[inside]).astype(float)
        there = counts > 0
        stat = ratio_stat(sums[there], counts[there], 0.0, 1.0)
        found.append(Bin(float(values[inside].mean()), stat, int(inside.sum())))
    return found


def diagram(title: str, bins: list[Bin], left: float) -> str:
    """Return a reliability diagram: results over values, with intervals, and the line where both are equal."""

    def x(value: float) -> float:
        return left + MARGIN + (SIZE - MARGIN - 10) * value

    def y(value: float) -> float:
        return 26 + (SIZE - 72) * (1 - value)

    parts = [
        f'<text x="{x(0.5):.0f}" y="16" text-anchor="middle" font-weight="600" fill="{DARK}">{title}</text>',
        f'<path d="M{x(0):.1f} {y(0):.1f}L{x(1):.1f} {y(1):.1f}" stroke="{GREY}" stroke-dasharray="4 4"/>',
    ]
    for mark in (0, 0.5, 1):
        label = f"{mark:g}"
        parts.append(f'<text x="{x(mark):.1f}" y="{y(0) + 16:.1f}" text-anchor="middle" fill="{GREY}">{label}</text>')
        parts.append(f'<text x="{x(0) - 8:.1f}" y="{y(mark) + 4:.1f}" text-anchor="end" fill="{GREY}">{label}</text>')
    parts.append(f'<text x="{x(0.5):.1f}" y="{y(0) + 32:.1f}" text-anchor="middle" fill="{DARK}">value</text>')
    for one in bins:
        at = x(one.value)
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y(one.result.low):.1f}" y2="{y(one.result.high):.1f}" '
            f'stroke="{BLUE}" stroke-opacity=".5" stroke-width="2"/>'
            f'<circle cx="{at:.1f}" cy="{y(one.result.value):.1f}" r="3.5" fill="{BLUE}"/>'
        )
    return "".join(parts)


def main() -> None:
    """Play the games and print the table; draw the picture if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="draw the picture")
    arguments = parser.parse_args()
    drawn = []
    before = 0
    with Progress("games") as progress:
        for number, setting in enumerate(SETTINGS):
            parts = []
            for course in COURSES:
                parts.append(positions(setting, course, progress, before))
                before += setting.games
            values, results = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
            games = np.concatenate([part[2] + k * setting.games for k, part in enumerate(parts)])
            bins = bins_of(values, results, games)
            drawn.append(diagram(setting.title, bins, number * SIZE))
            progress.clear()
            error = float(np.average([abs(one.value - one.result.value) for one in bins],
                                     weights=[one.positions for one in bins]))  # fmt: skip
            print(f"\n{setting.title}: {len(values):,} positions, {games.max() + 1} games, mean error {error:.3f}")
            for one in bins:
                print(f"| {one.value:.2f} | {one.result.words()} | {one.positions:,} |")
    if arguments.write:
        width = SIZE * len(SETTINGS)
        write_file(
            PICTURE, f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {SIZE}" font-family="sans-serif" '
            f'font-size="12"><rect width="{width}" height="{SIZE}" fill="#fff"/>{"".join(drawn)}</svg>\n',
        )  # fmt: skip


if __name__ == "__main__":
    main()
