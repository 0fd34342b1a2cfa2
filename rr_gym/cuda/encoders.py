"""Observations, masks and actions of games on a GPU, by the kernels of `rr_gym.encoding`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rr_gym.cuda.arena import DeviceArena
from rr_gym.cuda.device import DeviceArray, DeviceError, adopt
from rr_gym.encoding.act.actions import action_layout, course_features
from rr_gym.encoding.observe.observations import WITH_WAY, make_observer
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, ORDERS, no_orders

Array = np.ndarray[Any, Any]
Observation = Any  # a DeviceArray, or DeviceArrays by name


class _Seats:
    """The seats that observe or act: all of each game, or those that a call names."""

    def __init__(self, arena: DeviceArena, num_robots: int) -> None:
        self._arena, self._robots, self._all = arena, num_robots, arena.copy(all_seats(0, num_robots))

    def of(self, num_games: int, seats: Any) -> DeviceArray:
        """Return seats on the device: int8, (num_games, k)."""
        if seats is not None:
            return adopt(self._arena.device, "seats", seats, np.int8, (num_games, np.shape(seats)[-1]))
        if len(self._all) != num_games:
            self._all = self._arena.copy(all_seats(num_games, self._robots))
        return self._all


class DeviceObserver:
    """Writes one kind of observation of games on a device.

    Args:
        arena: The arena of the games.
        kind: ``"flat"``, ``"planes"``, ``"entities"`` or ``"entities+planes"``.
        num_robots: Robots of each game.
        window: As for `rr_gym.encoding.observe.observations.make_observer`.
        elements: As there.

    Attributes:
        host: The observer on this computer, with its space.

    Raises:
        RoboRallyError: An argument is wrong, or the observation is not one that kernels write whole.
    """

    def __init__(
        self,
        arena: DeviceArena,
        kind: str,
        num_robots: int,
        window: int | None = None,
        elements: Iterable[str] | None = None,
    ) -> None:
        self.host = make_observer(kind, arena.host, num_robots, window, elements)
        if kind == WITH_WAY:
            raise DeviceError(f"observation: {kind!r}: expected one without distances, which no kernel writes")
        self._arena, self._seats = arena, _Seats(arena, num_robots)
        self._launch = f"observe_{kind.partition('+')[0]}"
        # What the kernel takes besides games, tables, seats and the buffer is the same in every call.
        blank, seats = np.zeros(1, GAME), all_seats(1, num_robots)
        _, arguments = self.host.kernel_call(blank, seats, self.host.buffer(*seats.shape))
        *fixed, self._rows = arguments
        self._sheets, *self._others = map(self._on_device, (fixed[2], *fixed[4:]))
        self._nothing = arena.copy(np.zeros(0, np.int16))

    def _on_device(self, value: Any) -> Any:
        """Return an argument with its arrays on the device."""
        if isinstance(value, tuple):
            return tuple(map(self._on_device, value))
        return self._arena.copy(value) if isinstance(value, np.ndarray) else value

    def buffer(self, num_games: int, num_seats: int) -> Observation:
        """Return an array for observations on the device, or arrays by name; its contents are undefined."""

        def empty(low: Array) -> DeviceArray:
            what, shape = f"observations of {num_games:,} games", (num_games, num_seats, *low.shape)
            return self._arena.device.empty(what, shape, low.dtype)

        low = self.host.low
        return {name: empty(low[name]) for name in low} if isinstance(low, dict) else empty(low)

    def observe(self, games: DeviceArray, seats: Any = None, out: Observation = None) -> Observation:
        """Write observations.

        Args:
            games: From the arena, each with the observer's number of robots.
            seats: int8, (n, k), on the device; None for all seats in order.
            out: From `buffer(n, k)`; None for a new one.

        Returns:
            `out`.
        """
        chosen = self._seats.of(len(games), seats)
        out = self.buffer(*chosen.shape) if out is None else out
        rows = self._row(out, self._rows, chosen.shape)
        if isinstance(self._rows, tuple):
            fields = self._rows._asdict()  # type: ignore[attr-defined]
            rows = tuple(self._row(out.get(name), row, chosen.shape) for name, row in fields.items())
        self._arena.launch(
            self._launch, len(games), games, self._arena.tables, self._sheets, chosen, *self._others, rows
        )
        return out

    def _row(self, array: Any, template: Any, shape: tuple[int, ...]) -> Any:
        """Return an array in the shape in which the kernel writes it; an empty one for a table that is left out."""
        if array is None or isinstance(array, dict):
            return DeviceArray(self._nothing.device, self._nothing.address, (*shape, 0), np.int16, self._nothing)
        return array.reshape(*shape, *template.shape[2:])


class DeviceActions:
    """Masks and orders of actions of games on a device.

    Args:
        arena: The arena of the games.
        num_robots: Robots of each game.
        mode: ``"draw"`` or ``"slots"``, as for environments.
        decisions: As for `rr_gym.encoding.act.actions.action_layout`.

    Attributes:
        layout: The components of an action.
    """

    def __init__(
        self,
        arena: DeviceArena,
        num_robots: int,
        mode: str = "draw",
        decisions: Iterable[str] | str | None = None,
    ) -> None:
        features = course_features(arena.host.tables)
        self.layout = action_layout(mode, arena.host.settings, decisions, features)
        self._arena, self._seats, self._code = arena, _Seats(arena, num_robots), arena.copy(self.layout.code)
        self._long: DeviceArray | None = None  # orders with decisions about option cards

    def masks(self, games: DeviceArray, seats: Any = None) -> DeviceArray:
        """Return new masks: int8, (n, k, components, choices).

        Args:
            games: From the arena.
            seats: int8, (n, k), on the device; None for all seats in order.
        """
        chosen = self._seats.of(len(games), seats)
        shape = (*chosen.shape, *self.layout.shape)
        out = self._arena.device.zeros(f"masks of {len(games):,} games", shape, np.int8)
        self._arena.launch("masks", len(games), games, self._arena.tables, self._code, chosen, out)
        return out

    def decode(self, games: DeviceArray, actions: Any, orders: DeviceArray, seats: Any = None) -> None:
        """Write the orders of actions; illegal choices are replaced, in the actions too.

        Args:
            games: From the arena.
            actions: int64, (n, k, components), on the device, such as a tensor of PyTorch.
            orders: From `DeviceArena.new_orders`; written for these seats.
            seats: int8, (n, k), on the device; None for all seats in order.
        """
        arena, chosen = self._arena, self._seats.of(len(games), seats)
        shape = (*chosen.shape, len(self.layout.components))
        taken = adopt(arena.device, "actions", actions, np.int64, shape)
        written = adopt(arena.device, "orders", orders, FULL_ORDERS if arena.full else ORDERS, (len(games), MAX_ROBOTS))
        if not arena.full:
            written = self._long_orders(len(games))
        arena.launch("decode", len(games), games, arena.tables, self._code, chosen, taken, written)
        if not arena.full:
            arena.launch("shorten", len(games), _bytes_of(written), _bytes_of(orders))

    def _long_orders(self, num_games: int) -> DeviceArray:
        if self._long is None or len(self._long) != num_games:
            self._long = self._arena.copy(no_orders(num_games, MAX_ROBOTS, full=True))
        return self._long


def _bytes_of(records: DeviceArray) -> DeviceArray:
    """Return records as bytes, with a last axis for the bytes of each record."""
    return DeviceArray(records.device, records.address, (*records.shape, records.dtype.itemsize), np.int8, records)
