"""Base of players that decide by arrays: one seat of each game in a batch, with tables that are made once per arena."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from rr_gym.players.protocol import BatchPlayer
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders, take_games

Array = np.ndarray[Any, Any]
T = TypeVar("T")


class ByArena(Generic[T]):
    """Caches tables by the number of robots, for the last arena they were needed on.

    Args:
        make: Makes the table for an arena and a number of robots.
    """

    def __init__(self, make: Callable[[Arena, int], T]) -> None:
        self._make = make
        self._arena: Arena | None = None
        self._found: dict[int, T] = {}

    def __call__(self, arena: Arena, num_robots: int) -> T:
        """Return the table for games on an arena with a number of robots."""
        if arena is not self._arena:
            self._arena, self._found = arena, {}
        if num_robots not in self._found:
            self._found[num_robots] = self._make(arena, num_robots)
        return self._found[num_robots]


class ArrayPlayer(BatchPlayer):
    """A player that decides at once for all games with the same number of robots."""

    @abstractmethod
    def _decide(self, arena: Arena, games: Array, seats: Array) -> Array:
        """Return the orders of one seat in each game; see `Player.act_seats`. All games have as many robots."""

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """Return the orders of one seat in a batch; see `Player.act`."""
        return self.act_seats(arena, games, np.full(len(games), seat))

    def act_seats(self, arena: Arena, games: Array, seats: Array) -> Array:
        """Return the orders of one seat in each game of a batch; see `Player.act_seats`."""
        arena.check(games)
        numbers = np.unique(games["num_robots"])
        if len(numbers) == 1:
            return self._decide(arena, games, seats)
        orders = no_orders(len(games), full=True)
        for number in numbers:
            rows = np.flatnonzero(games["num_robots"] == number)
            orders[rows] = self._decide(arena, take_games(games, rows), seats[rows])
        return orders
