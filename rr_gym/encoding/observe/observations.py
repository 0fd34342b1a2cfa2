"""Observers by name: they write the observations of batches of games, and make their spaces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.observe.board import NUM_FEATURES, board_sheets
from rr_gym.encoding.observe.changes import ExtraFeatures, extra_features
from rr_gym.encoding.observe.elements import changes_boards, check_elements
from rr_gym.encoding.observe.entities import (
    ENTITIES,
    ENTITIES_WINDOW,
    OF_BOARD,
    EntityRows,
    entity_bounds,
    observe_entities,
)
from rr_gym.encoding.observe.features import robot_features
from rr_gym.encoding.observe.flat import FLAT_WINDOW, flat_features, observe_flat
from rr_gym.encoding.observe.planes import MAX_VALUE, NUM_PLANES, PLANES_WINDOW, observe_planes, plane_names
from rr_gym.encoding.observe.seats import all_seats, check_seats
from rr_gym.encoding.observe.way import FARTHEST_WAY, WAY, cut_ways, way_sheets
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr, whole_number
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.game_checks import check_games
from rr_gym.rules.arena.ranges import course_limits
from rr_gym.rules.state.constants import MAX_ROBOTS

Array = np.ndarray[Any, Any]
Observation = Any  # an array, or arrays by name


class Observer(ABC):
    """Writes one kind of observation of games on one arena.

    Args:
        arena: The arena of the games.
        num_robots: Robots of each game.
        window: Odd width, in squares, of the observed part of the board; None for `usual_window`.
        elements: Groups of elements to observe; see `rr_gym.encoding.observe.elements`; None for those that the courses
          have.

    Attributes:
        elements: Names of the groups that are observed, in order.
        boards: `board_sheets` of the arena for this window: int8, (courses, 4, size, size, features).
        low: Lowest values, of the shape and dtype of one observation: an array, or arrays by name.
        high: Highest values.

    Raises:
        RoboRallyError: The window is not odd or too large, or `elements` are not names of groups that include those
            that the courses have.
    """

    low: Observation
    high: Observation
    usual_window: int
    whole = True  # whether all elements of the courses must be observed
    shift = 0  # see `extra_features`

    def __init__(
        self, arena: Arena, num_robots: int, window: int | None = None, elements: Iterable[str] | None = None
    ) -> None:
        self.num_robots = num_robots
        self.window = window = self.usual_window if window is None else window
        self.tables = arena.tables
        self.elements = check_elements(elements, arena.tables, self.whole)
        self.boards = board_sheets(arena.tables, window, self.elements)
        self._extra = extra_features(arena.tables, self.elements, self.shift)
        # With the last two axes merged, each line of a window is contiguous.
        self._lines = self.boards.reshape(*self.boards.shape[:3], -1)
        self.low, self.high = self._bounds()

    @abstractmethod
    def _bounds(self) -> tuple[Observation, Observation]:
        """Return `low` and `high`."""

    def write(self, games: Array, seats: Array, out: Observation) -> None:
        """Write observations.

        Args:
            games: (n,), dtype `GAME`, each with `num_robots` robots.
            seats: (n, k), int8: the seats that observe.
            out: Made by `buffer(n, k)`; overwritten.

        Raises:
            RoboRallyError: An array of `out` is not C-contiguous, or a game has more robots, or a number out of its
                range.
        """
        check_games(games, course_limits(self.tables), RoboRallyError)
        crowded = np.flatnonzero(games["num_robots"] > self.num_robots)
        if crowded.size:
            found = games["num_robots"][crowded[0]]
            raise RoboRallyError(f"games: game {crowded[0]}: num_robots: {found}: expected at most {self.num_robots}")
        self.write_own(games, seats, out)

    def write_own(self, games: Array, seats: Array, out: Observation) -> None:
        """Write observations without checking the games first.

        Only the rules may have changed the games since they began or were last checked.
        """
        kernel, arguments = self.kernel_call(games, seats, out)
        kernel(*arguments)

    @abstractmethod
    def kernel_call(self, games: Array, seats: Array, out: Observation) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the kernel that writes these observations, and its arguments.

        The first, second and fourth are the games, the tables and the seats; the last is the buffer, with one row of
        numbers for each observation.
        """

    def buffer(self, num_games: int, num_seats: int) -> Observation:
        """Allocate an uninitialised array (num_games, num_seats, ...) for observations, or such arrays by name."""
        if isinstance(self.low, dict):
            return {name: _empty(num_games, num_seats, low) for name, low in self.low.items()}
        return _empty(num_games, num_seats, self.low)

    def observe(self, games: Array, seats: Array | None = None) -> Observation:
        """Return new observations of given seats, (n, k); by default of all seats in order.

        Raises:
            RoboRallyError: The seats have a wrong shape or type, or the games do not have such a seat.
        """
        if seats is None:
            seats = all_seats(len(games), self.num_robots)
        else:
            seats = check_seats(seats, len(games), self.num_robots)
        out = self.buffer(*seats.shape)
        self.write(games, seats, out)
        return out

    def space(self) -> spaces.Space[Any]:
        """Make a new space for one observation."""
        if isinstance(self.low, dict):
            return spaces.Dict({name: _box(low, self.high[name]) for name, low in self.low.items()})
        return _box(self.low, self.high)


def _empty(num_games: int, num_seats: int, low: Array) -> Array:
    return np.empty((num_games, num_seats, *low.shape), low.dtype)


def _box(low: Array, high: Array) -> spaces.Box:
    return spaces.Box(low, high, dtype=low.dtype.type)


def _rows(array: Array, *last: int) -> Array:
    """Reshape all axes after games and seats; raise a RoboRallyError if that would need a copy."""
    if not array.flags.c_contiguous:
        raise RoboRallyError("observations: expected C-contiguous arrays to write to, such as a buffer's")
    return array.reshape(*array.shape[:2], *last)


class FlatObserver(Observer):
    """Writes `flat`: int16, (features,)."""

    usual_window = FLAT_WINDOW

    def _bounds(self) -> tuple[Observation, Observation]:
        features = flat_features(self.num_robots, self.window, self.elements)
        low, high = np.array([bounds for _, *bounds in features], np.int16).T
        return low, high

    def kernel_call(self, games: Array, seats: Array, out: Observation) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the call that writes into an int16 array of shape (n, k, features)."""
        lines, num_robots, window, extra = self.arguments()
        rows = _rows(out, len(self.low))
        return observe_flat, (games, self.tables, lines, seats, num_robots, window, extra, rows)

    def arguments(self) -> tuple[Array, int, int, ExtraFeatures]:
        """Return the boards, the number of robots, the window, and `ExtraFeatures`, for kernels."""
        return self._lines, self.num_robots, self.window, self._extra

    def joint_space(self) -> spaces.Box:
        """Make a new space for the concatenated observations of all seats."""
        return _box(*(np.tile(bound, self.num_robots) for bound in (self.low, self.high)))


class PlanesObserver(Observer):
    """Writes `planes`: int8, (planes, window, window)."""

    usual_window = PLANES_WINDOW
    shift = NUM_PLANES - NUM_FEATURES

    def _bounds(self) -> tuple[Observation, Observation]:
        self._layers = np.ascontiguousarray(np.moveaxis(self.boards, -1, 2))
        high = np.full((len(plane_names(self.elements)), self.window, self.window), MAX_VALUE, np.int8)
        return -high, high

    def kernel_call(self, games: Array, seats: Array, out: Observation) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the call that writes into an int8 array of shape (n, k, planes, window, window)."""
        layers, window, extra = self.arguments()
        written = _rows(out, len(self.high), window**2)
        return observe_planes, (games, self.tables, layers, seats, window, extra, written)

    def arguments(self) -> tuple[Array, int, ExtraFeatures]:
        """Return the layers of the boards, the window, and `ExtraFeatures`, for kernels."""
        return self._layers, self.window, self._extra


class EntitiesObserver(Observer):
    """Writes `entities`: the int16 tables `game`, `robots`, `cards`, `flags`, `devices` and `board`.

    Attributes:
        expanded: Whether observations also contain `planes`, int8, (window, window, features). They do if games can
          change the boards of the arena.
    """

    usual_window = ENTITIES_WINDOW
    expanded = False

    def _bounds(self) -> tuple[Observation, Observation]:
        self.expanded = self.expanded or changes_boards(self.elements)
        low, high = entity_bounds(self.num_robots, self.boards, self.window, self.expanded, self.elements)
        return low, high

    def kernel_call(self, games: Array, seats: Array, out: Observation) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the call that writes into a dict of arrays of shape (n, k, ...)."""
        sheets, num_robots, window, extra = self.arguments()
        rows = self.rows(seats.shape, out)
        return observe_entities, (games, self.tables, sheets, seats, num_robots, window, extra, rows)

    def arguments(self) -> tuple[Array, int, int, ExtraFeatures]:
        """Return the sheets, the number of robots, the window, and `ExtraFeatures`, for kernels."""
        return self._lines, self.num_robots, self.window, self._extra

    def rows(self, shape: tuple[int, ...], out: dict[str, Array]) -> EntityRows:
        """Return a buffer in the form that `observe_entities` takes, for seats of the given shape."""
        # Missing tables are empty arrays of their dtype, so that one compiled kernel serves all observations.
        tables = {
            name: _rows(out[name], self.low[name].size)
            if name in self.low
            else np.empty((*shape, 0), np.int8 if name == "planes" else np.int16)
            for name in ENTITIES
        }
        return EntityRows(**tables)


class TablesObserver(EntitiesObserver):
    """Writes the tables of `entities` except those that show the board; groups of elements may be left out."""

    whole = False

    def _bounds(self) -> tuple[Observation, Observation]:
        low, high = ({name: b for name, b in bounds.items() if name not in OF_BOARD} for bounds in super()._bounds())
        self.expanded = False
        return low, high


class EntitiesPlanesObserver(EntitiesObserver):
    """Writes `entities+planes`: the tables of `entities`, always with `planes`."""

    expanded = True


class WayObserver(EntitiesPlanesObserver):
    """Writes `entities+way`: `entities+planes`, and the distance of each square of the window from the next flag."""

    def _bounds(self) -> tuple[Observation, Observation]:
        self._ways = way_sheets(self.tables, self.window, self.boards.shape[2])
        self._flag = [name for name, _, _ in robot_features(self.elements)].index("flag")
        squares = np.ones((self.window, self.window, 1), np.int16)
        low, high = super()._bounds()
        return low | {WAY: 0 * squares}, high | {WAY: FARTHEST_WAY * squares}

    def write_own(self, games: Array, seats: Array, out: Observation) -> None:
        """Write into a dict of arrays of shape (n, k, ...)."""
        super().write_own(games, seats, out)
        out[WAY][:] = cut_ways(self._ways, out["board"], out["robots"][:, :, 0, self._flag], self.window)


OBSERVERS: dict[str, Callable[..., Observer]] = {
    "flat": FlatObserver,
    "planes": PlanesObserver,
    "entities": EntitiesObserver,
    "entities+planes": EntitiesPlanesObserver,
    "entities+way": WayObserver,
}
WITH_WAY = "entities+way"
OBSERVATIONS = tuple(name for name in OBSERVERS if name != WITH_WAY)  # those without precomputed distances


def make_observer(
    name: str, arena: Arena, num_robots: int, window: int | None = None, elements: Iterable[str] | None = None
) -> Observer:
    """Make the observer of a kind of observation.

    Args:
        name: One of `OBSERVERS`.
        arena: The arena of the games.
        num_robots: Robots of each game.
        window: Odd width, in squares, of the observed part of the board; None for the observer's default.
        elements: Groups of elements to observe; None for those that the courses have.

    Raises:
        RoboRallyError: There is no such observation or number of robots, the window is not odd or too large, or
            `elements` are wrong.
    """
    if not isinstance(name, str) or name not in OBSERVERS:
        hint = did_you_mean(name, OBSERVERS) or f"expected {' | '.join(OBSERVERS)}"
        raise RoboRallyError(f"observation: {short_repr(name)}: {hint}")
    observer = OBSERVERS[name]
    num_robots = whole_number("num_robots", num_robots, 1, MAX_ROBOTS)
    return observer(arena, num_robots, window, elements)
