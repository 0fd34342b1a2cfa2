"""Observers: the observations of batches of games by name, with their spaces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.board import board_sheets, check_window
from rr_gym.encoding.flat import FLAT_WINDOW, flat_features, observe_flat
from rr_gym.encoding.planes import NUM_PLANES, PLANES_WINDOW, observe_planes
from rr_gym.errors import RoboRallyError
from rr_gym.jit import run
from rr_gym.rules.arena import Arena

Array = np.ndarray[Any, Any]


class Observer(ABC):
    """Writes one kind of observation of games on one arena.

    Args:
        arena: Where the games are played.
        num_robots: Robots of each game; every seat is observed.
        window: Odd width of the part of the board that is seen.
        low: Lowest values, of the shape and type of one observation.
        high: Highest values.
    """

    def __init__(self, arena: Arena, num_robots: int, window: int, low: Array, high: Array) -> None:
        self.num_seats = num_robots
        self.window = window
        self.low = low
        self.high = high
        self.tables = arena.tables
        self.sheets = board_sheets(arena.tables, window)

    @abstractmethod
    def write(self, games: Array, out: Array) -> None:
        """Write the observations of games into an array of shape (n, seats, ...)."""

    def observe(self, games: Array) -> Array:
        """A new array, shape (n, seats, ...)."""
        out = np.empty((len(games), self.num_seats, *self.low.shape), self.low.dtype)
        self.write(games, out)
        return out

    def space(self) -> spaces.Box:
        """A new space of one observation."""
        return spaces.Box(self.low, self.high, dtype=self.low.dtype.type)

    def joint_space(self) -> spaces.Box:
        """A new space of the observations of all seats, one after the other in one dimension."""
        low, high = (np.tile(bound.ravel(), self.num_seats) for bound in (self.low, self.high))
        return spaces.Box(low, high, dtype=self.low.dtype.type)


class FlatObserver(Observer):
    """Writes `flat`: int16, (features,)."""

    def __init__(self, arena: Arena, num_robots: int, window: int = FLAT_WINDOW) -> None:
        low, high = np.array([bounds for _, *bounds in flat_features(num_robots, window)], np.int16).T
        super().__init__(arena, num_robots, window, low, high)

    def write(self, games: Array, out: Array) -> None:
        """Write the observations of games into an int16 array of shape (n, seats, features)."""
        run(observe_flat, games, self.tables, self.sheets, self.window, out)


class PlanesObserver(Observer):
    """Writes `planes`: int8, (NUM_PLANES, window, window)."""

    def __init__(self, arena: Arena, num_robots: int, window: int = PLANES_WINDOW) -> None:
        high = np.full((NUM_PLANES, check_window(window), window), 127, np.int8)
        super().__init__(arena, num_robots, window, -high, high)

    def write(self, games: Array, out: Array) -> None:
        """Write the observations of games into an int8 array of shape (n, seats, planes, window, window)."""
        run(observe_planes, games, self.tables, self.sheets, out)


OBSERVERS: dict[str, type[FlatObserver] | type[PlanesObserver]] = {"flat": FlatObserver, "planes": PlanesObserver}
OBSERVATIONS = tuple(OBSERVERS)


def make_observer(name: str, arena: Arena, num_robots: int, window: int | None = None) -> Observer:
    """The observer of a name of `OBSERVATIONS`; its own default window where none is given.

    Raises:
        RoboRallyError: There is no such observation, or the window is not odd or too large.
    """
    if name not in OBSERVERS:
        raise RoboRallyError(f"observation: {name!r}: expected {' | '.join(OBSERVATIONS)}")
    observer = OBSERVERS[name]
    return observer(arena, num_robots) if window is None else observer(arena, num_robots, window)
