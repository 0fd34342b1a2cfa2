"""The joint state `entities`: the map, and tables of all robots and their hands, in absolute coordinates.

It is meant for centralised critics during training. It shows what no player knows, so no policy may act on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.board import copy_window
from rr_gym.encoding.observe.changes import ExtraFeatures, change_row
from rr_gym.encoding.observe.entities import write_cards, write_flags
from rr_gym.encoding.observe.features import NUM_ROBOT_FEATURES, num_own, write_game, write_robot
from rr_gym.encoding.observe.frame import AHEAD_X, AHEAD_Y
from rr_gym.encoding.observe.game_states import write_devices
from rr_gym.encoding.observe.observations import EntitiesPlanesObserver
from rr_gym.encoding.observe.states import write_states
from rr_gym.rules.arena.arena import Arena

Array = np.ndarray[Any, Any]

NORTH = 0  # the direction that is up on the map


class StateRows(NamedTuple):
    """The output tables of a state, each flattened to one row.

    Attributes:
        game: (features,), int16.
        robots: (robots * features,), int16.
        cards: (robots, cards * features), int16.
        flags: (8 * features,), int16.
        devices: (64 * features,), int16; if it is empty, devices are not written.
        map: (window ** 2 * features,), int8.
    """

    game: Array
    robots: Array
    cards: Array
    flags: Array
    devices: Array
    map: Array


@kernel
def write_state(
    games: Array, tables: Array, sheets: Array, num_robots: int, window: int, extra: ExtraFeatures, out: StateRows
) -> None:
    """Write a state.

    Args:
        games: The game, (1,); or, while a turn is being decided, what each seat is shown of it, (robots,).
        tables: Tables of the arena.
        sheets: `board_sheets` of the tables for this window, with the last two axes merged.
        num_robots: The number of robots that there is room for.
        window: Odd width of a window that is large enough for every map.
        extra: The features beyond those of the base game.
        out: The tables to write.
    """
    game = games[0]
    table = tables[game.course]
    frame = (0, 0, AHEAD_X[NORTH], AHEAD_Y[NORTH])
    write_game(game, table, 0, frame, extra, out.game)
    write_flags(game, table, 0, frame, extra, out.flags)
    size = NUM_ROBOT_FEATURES + extra.states.size
    for i in range(num_robots):
        start = i * size
        if i < game.num_robots:
            own = games[i if games.shape[0] > 1 else 0]
            write_robot(own, table, i, frame, NORTH, num_own(own, table, i), out.robots, start)
            write_states(own, table, i, i, frame, NORTH, extra.states, out.robots, start + NUM_ROBOT_FEATURES)
            write_cards(own, table, i, extra, out.cards[i])
        else:
            out.robots[start : start + size] = 0
            out.cards[i] = 0
    if out.devices.size:
        write_devices(game, table, 0, frame, NORTH, out.devices)
    centre = window // 2
    copy_window(sheets[game.course, NORTH], centre, centre, window, extra.columns.size, out.map, 0)
    change_row(game, table, 0, (centre, centre, frame[2], frame[3]), NORTH, window, extra, out.map, 0)


class StateObserver:
    """Writes joint states of games on one arena (docs/environment.md).

    Args:
        arena: The arena of the games.
        num_robots: The number of robots that there is room for.
    """

    def __init__(self, arena: Arena, num_robots: int) -> None:
        facts = arena.tables["course"]
        self._size = int(facts["height"].max()), int(facts["width"].max())
        # The tables of `entities`, with a window large enough for every map
        self._tables = EntitiesPlanesObserver(arena, num_robots, max(self._size) | 1)
        self.low, self.high = (self._form(bounds) for bounds in (self._tables.low, self._tables.high))

    def _form(self, bounds: dict[str, Array]) -> dict[str, Array]:
        """Return the bounds of a state from those of an observation."""
        form = {name: bound for name, bound in bounds.items() if name not in ("board", "planes")}
        form["cards"] = np.tile(form["cards"], (self._tables.num_robots, 1, 1))
        height, width = self._size
        return form | {"map": bounds["planes"][:height, :width].copy()}

    def space(self) -> spaces.Dict:
        """Make a new space for states."""
        return spaces.Dict(
            {name: spaces.Box(low, self.high[name], dtype=low.dtype.type) for name, low in self.low.items()}
        )

    def observe(self, games: Array, tables: Array) -> dict[str, Array]:
        """Return the state of one game.

        Args:
            games: See `write_state`.
            tables: Tables of the arena that the game is currently played on.

        Returns:
            New arrays by name, as in `space`.
        """
        own = self._tables
        out = {name: np.empty(low.shape, low.dtype) for name, low in self.low.items()}
        cells = np.empty(own.low["planes"].size, np.int8)
        rows = {name: out[name].reshape(-1) for name in ("game", "robots", "flags")}
        devices = out["devices"].reshape(-1) if "devices" in out else np.empty(0, np.int16)
        cards = out["cards"].reshape(own.num_robots, -1)
        write_state(games, tables, *own.arguments(), StateRows(**rows, cards=cards, devices=devices, map=cells))
        height, width = self._size
        out["map"] = cells.reshape(own.low["planes"].shape)[:height, :width].copy()
        return out
