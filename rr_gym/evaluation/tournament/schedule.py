"""The schedule of a tournament: line-ups, courses and order, determined by its arguments alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

BLOCK_GAMES = 128  # the most games that are played in one batch
_LEAST_BLOCKS = 8  # enough for several processes to share a small tournament


@dataclass(frozen=True, slots=True)
class Deal:
    """The randomness of a game, played once in every rotation of a line-up.

    Attributes:
        course: The index of its course.
        lineup: The players by their indices in the pool, in their order around the table.
    """

    course: int
    lineup: tuple[int, ...]

    def rotations(self) -> list[tuple[int, ...]]:
        """Return every rotation of the line-up: for each game, the index of the player in each seat."""
        return [self.lineup[first:] + self.lineup[:first] for first in range(len(self.lineup))]


@dataclass(frozen=True, slots=True)
class DealBlock:
    """Deals that are played in one batch.

    Attributes:
        number: The number of the block, from 0; the randomness of its games depends on it.
        first: The number of its first deal.
        deals: The deals in order.
    """

    number: int
    first: int
    deals: tuple[Deal, ...]


def make_schedule(players: int, seats: int, courses: int, games: int, seed: int) -> tuple[Deal, ...]:
    """Return all deals of a tournament.

    If there are enough `games` for every line-up to get a deal on every course (with three or more seats: one in each
    direction around the table), all of them get the same number. Otherwise line-ups are sampled so that on every course
    the players' numbers of deals differ by at most one, and all pairs meet about equally often. The order around the
    table is drawn every time.

    Args:
        players: The number of players, 2 or more.
        seats: The number of seats at a table. With fewer players than seats, the players' numbers of seats differ by at
            most one.
        courses: The number of courses.
        games: The number of games; rounded up to whole rounds.
        seed: The seed of the order and of the draws.
    """
    rng = np.random.default_rng([seed, 0])
    directions = (1, -1) if seats > 2 else (1,)
    deals_of_lineup = seats * courses * len(directions)
    whole_round = comb(players, seats % players) * deals_of_lineup
    draws = _Draws(players, seats, courses, rng)
    deals: list[Deal] = []
    for _ in range(-(-games // (whole_round if whole_round <= games else deals_of_lineup))):
        if whole_round <= games:
            tables = [(course, some) for course in range(courses) for some in _all_lineups(players, seats)]
            rng.shuffle(tables)
        else:
            tables = [(course, draws.lineup(course)) for course in range(courses)]
        orders = [(course, tuple(rng.permutation(some).tolist())) for course, some in tables]
        deals += [Deal(course, order[::direction]) for direction in directions for course, order in orders]
    return tuple(deals)


def make_blocks(deals: Sequence[Deal]) -> tuple[DealBlock, ...]:
    """Divide deals into blocks; their number depends only on the schedule, never on who plays them."""
    size = max(1, min(BLOCK_GAMES // len(deals[0].lineup), len(deals) // _LEAST_BLOCKS))
    return tuple(
        DealBlock(number, first, tuple(deals[first : first + size]))
        for number, first in enumerate(range(0, len(deals), size))
    )


def _all_lineups(players: int, seats: int) -> Iterator[list[int]]:
    everybody = [*range(players)] * (seats // players)
    return ([*everybody, *more] for more in combinations(range(players), seats % players))


class _Draws:
    """Draws line-ups of the players with the fewest deals on a course, and among them those that met least often."""

    def __init__(self, players: int, seats: int, courses: int, rng: np.random.Generator) -> None:
        self.everybody = [*range(players)] * (seats // players)
        self.more = seats % players
        self.dealt = np.zeros((courses, players), np.int64)
        self.met = np.zeros((players, players), np.int64)
        self.rng = rng

    def lineup(self, course: int) -> list[int]:
        chosen: list[int] = []
        for _ in range(self.more):
            free = [player for player in range(self.met.shape[0]) if player not in chosen]
            luck = dict(zip(free, self.rng.random(len(free)).tolist(), strict=True))
            keys = {p: (int(self.dealt[course, p]), int(self.met[p, chosen].sum()), luck[p]) for p in free}
            chosen.append(min(free, key=keys.__getitem__))
        self.dealt[course, chosen] += 1
        self.met[np.ix_(chosen, chosen)] += 1
        return [*self.everybody, *chosen]
