"""Who meets whom, where and in which order: fixed by the arguments of a tournament alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

BLOCK_GAMES = 128  # games that are played at a time, at most
_LEAST_BLOCKS = 8  # so that a small tournament can be shared among processes too


@dataclass(frozen=True, slots=True)
class Deal:
    """The chance of a game, played once in every rotation of a line-up.

    Attributes:
        course: Its place among the courses.
        lineup: The players by their places in the pool, in their order around the table.
    """

    course: int
    lineup: tuple[int, ...]

    def rotations(self) -> list[tuple[int, ...]]:
        """Who sits on each seat, by game."""
        return [self.lineup[first:] + self.lineup[:first] for first in range(len(self.lineup))]


@dataclass(frozen=True, slots=True)
class Block:
    """Deals that are played at a time.

    Attributes:
        number: Of the block, from 0; its games draw their chance from it.
        first: The number of its first deal.
        deals: One after the other.
    """

    number: int
    first: int
    deals: tuple[Deal, ...]


def make_schedule(players: int, seats: int, courses: int, games: int, seed: int) -> tuple[Deal, ...]:
    """All deals of a tournament.

    If `games` are enough for every line-up to be dealt one on every course (with three seats and more: one for either
    way around the table), all of them are dealt as many. Otherwise line-ups are drawn so that on every course
    everybody has as many deals, to one, and meets all others about as often. Whoever comes next around the table is
    drawn anew every time.

    Args:
        players: How many there are, 2 or more.
        seats: At a table. With fewer players than seats everybody sits there as often, to one.
        courses: How many there are.
        games: How many are wanted; rounded up to whole rounds.
        seed: Of the order and of the draws.
    """
    chance = np.random.default_rng([seed, 0])
    ways = (1, -1) if seats > 2 else (1,)
    together = seats * courses * len(ways)
    whole_round = comb(players, seats % players) * together
    draws = _Draws(players, seats, courses, chance)
    deals: list[Deal] = []
    for _ in range(-(-games // (whole_round if whole_round <= games else together))):
        if whole_round <= games:
            tables = [(course, some) for course in range(courses) for some in _all_lineups(players, seats)]
            chance.shuffle(tables)
        else:
            tables = [(course, draws.lineup(course)) for course in range(courses)]
        orders = [(course, tuple(chance.permutation(some).tolist())) for course, some in tables]
        deals += [Deal(course, order[::way]) for way in ways for course, order in orders]
    return tuple(deals)


def make_blocks(deals: Sequence[Deal]) -> tuple[Block, ...]:
    """Deals in blocks; how many depends on the schedule alone, never on who plays them."""
    size = max(1, min(BLOCK_GAMES // len(deals[0].lineup), len(deals) // _LEAST_BLOCKS))
    return tuple(
        Block(number, first, tuple(deals[first : first + size]))
        for number, first in enumerate(range(0, len(deals), size))
    )


def _all_lineups(players: int, seats: int) -> Iterator[list[int]]:
    everybody = [*range(players)] * (seats // players)
    return ([*everybody, *more] for more in combinations(range(players), seats % players))


class _Draws:
    """Line-ups of those who had the fewest deals on a course, and of these who met the others least."""

    def __init__(self, players: int, seats: int, courses: int, chance: np.random.Generator) -> None:
        self.everybody = [*range(players)] * (seats // players)
        self.more = seats % players
        self.dealt = np.zeros((courses, players), np.int64)
        self.met = np.zeros((players, players), np.int64)
        self.chance = chance

    def lineup(self, course: int) -> list[int]:
        chosen: list[int] = []
        for _ in range(self.more):
            free = [player for player in range(self.met.shape[0]) if player not in chosen]
            luck = dict(zip(free, self.chance.random(len(free)).tolist(), strict=True))
            keys = {p: (int(self.dealt[course, p]), int(self.met[p, chosen].sum()), luck[p]) for p in free}
            chosen.append(min(free, key=keys.__getitem__))
        self.dealt[course, chosen] += 1
        self.met[np.ix_(chosen, chosen)] += 1
        return [*self.everybody, *chosen]
