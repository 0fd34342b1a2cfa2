"""Observers: the observations of batches of games by name, with their spaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.board import board_sheets
from rr_gym.encoding.flat import FLAT_WINDOW, flat_features, observe_flat
from rr_gym.encoding.planes import NUM_PLANES, PLANES_WINDOW, observe_planes
from rr_gym.jit import run
from rr_gym.rules.arena import Arena

Array = np.ndarray[Any, Any]

OBSERVATIONS = ("flat", "planes")


@dataclass(frozen=True)
class Observer:
    """Writes one kind of observation.

    Attributes:
        num_seats: Seats that are observed, those of all robots of the games.
        low: Lowest values, of the shape of one observation.
        high: Highest values.
        write: Writes the observations of games into an array of shape (n, seats, ...).
    """

    num_seats: int
    low: Array
    high: Array
    write: Callable[[Array, Array], None]

    def space(self) -> spaces.Box:
        """A new space of one observation."""
        return spaces.Box(self.low, self.high, dtype=self.low.dtype.type)

    def joint_space(self) -> spaces.Box:
        """A new space of the observations of all seats, one after the other in one dimension."""
        low, high = (np.tile(bound.ravel(), self.num_seats) for bound in (self.low, self.high))
        return spaces.Box(low, high, dtype=self.low.dtype.type)

    def observe(self, games: Array) -> Array:
        """A new array, shape (n, seats, ...)."""
        out = np.empty((len(games), self.num_seats, *self.low.shape), self.low.dtype)
        self.write(games, out)
        return out


def flat_observer(arena: Arena, num_robots: int, window: int = FLAT_WINDOW) -> Observer:
    """The observer of `flat`: int16, (features,)."""
    features = flat_features(num_robots, window)
    low, high = np.array([f[1:] for f in features], np.int16).T
    sheets = board_sheets(arena.tables, window)

    def write(games: Array, out: Array) -> None:
        run(observe_flat, games, arena.tables, sheets, window, out)

    return Observer(num_robots, low, high, write)


def planes_observer(arena: Arena, num_robots: int, window: int = PLANES_WINDOW) -> Observer:
    """The observer of `planes`: int8, (NUM_PLANES, window, window)."""
    sheets = board_sheets(arena.tables, window)
    shape = (NUM_PLANES, window, window)

    def write(games: Array, out: Array) -> None:
        run(observe_planes, games, arena.tables, sheets, out)

    return Observer(num_robots, np.full(shape, -127, np.int8), np.full(shape, 127, np.int8), write)


def make_observer(name: str, arena: Arena, num_robots: int, window: int | None = None) -> Observer:
    """The observer of a name of `OBSERVATIONS`; its own default window where none is given."""
    make = {"flat": flat_observer, "planes": planes_observer}[name]
    return make(arena, num_robots) if window is None else make(arena, num_robots, window)
