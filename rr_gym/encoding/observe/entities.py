"""The observation `entities`: tables of robots, cards and flags, and the place of the board (docs/observations.md).

The board itself is not copied. Instead, `board` tells where the window around the seat's robot lies in the arena's
turned boards, and `board_window` cuts it out for a whole batch at once. Only if games change the board, every
observation contains its window as `planes`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.board import check_window, copy_window, square_features
from rr_gym.encoding.observe.changes import ExtraFeatures, change_row
from rr_gym.encoding.observe.elements import extra_card_places, extra_flag_features
from rr_gym.encoding.observe.features import (
    MAX_CARD_TYPE,
    MAX_DISTANCE,
    MAX_PRIORITY,
    game_features,
    num_own,
    robot_features,
    seen_register,
    write_game,
    write_robots,
)
from rr_gym.encoding.observe.frame import Frame, frame_of, offset, sheet_place
from rr_gym.encoding.observe.game_groups import DEVICE_FEATURES
from rr_gym.encoding.observe.game_states import (
    card_at,
    flag_place,
    goal_of,
    has_touched,
    write_devices,
    write_flag_states,
)
from rr_gym.encoding.observe.groups import Feature
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import HAND_SLOTS, MAX_DEVICES, MAX_FLAGS, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

ENTITIES_WINDOW = 15

CARD_FEATURES: tuple[Feature, ...] = (
    ("present", 0, 1),
    ("type", 0, MAX_CARD_TYPE),
    ("priority", 0, MAX_PRIORITY),
    ("steps", -1, 3),  # squares forward
    ("turn", -1, 2),  # quarter turns to the right
    ("locked", 0, 1),  # it lies in a locked register
)
FLAG_FEATURES: tuple[Feature, ...] = (
    ("present", 0, 1),
    ("forward", -MAX_DISTANCE, MAX_DISTANCE),
    ("right", -MAX_DISTANCE, MAX_DISTANCE),
    ("touched", 0, 1),  # by the own robot
    ("next", 0, 1),  # the own robot has to touch it next
)
# The tables in the order in which they are written; `devices` and `planes` are optional
ENTITIES = ("game", "robots", "cards", "flags", "devices", "board", "planes")
OF_BOARD = {"board", "planes"}  # the tables that show the board
NUM_CARDS = HAND_SLOTS + NUM_REGISTERS  # the slots of the own hand, then the own registers
NUM_CARD_FEATURES = len(CARD_FEATURES)
NUM_FLAG_FEATURES = len(FLAG_FEATURES)

_STEPS_OF_TYPE = np.array([0, 0, 0, 0, -1, 1, 2, 3])
_TURN_OF_TYPE = np.array([0, 2, -1, 1, 0, 0, 0, 0])


def _card_facts() -> Array:
    """Return the values of `CARD_FEATURES`, except the last, for every card: int16, (85, 5)."""
    cards = np.arange(len(CARD_TYPE))
    return np.stack(
        [cards > 0, CARD_TYPE, 10 * cards, _STEPS_OF_TYPE[CARD_TYPE], _TURN_OF_TYPE[CARD_TYPE]], axis=1
    ).astype(np.int16)


CARD_FACTS = _card_facts()


def entity_columns(elements: Iterable[str] = ()) -> dict[str, list[Feature]]:
    """Return the columns of each table in order, as (name, lowest, highest value).

    `elements` are the observed groups (`rr_gym.encoding.observe.elements`); the group `devices` adds a table.
    """
    chosen = tuple(elements)
    listed = {
        "game": game_features(chosen),
        "robots": robot_features(chosen),
        "cards": list(CARD_FEATURES),
        "flags": [*FLAG_FEATURES, *extra_flag_features(chosen)],
        "planes": square_features(chosen),
    }
    return listed | {"devices": list(DEVICE_FEATURES)} if "devices" in chosen else listed


def num_cards(elements: Iterable[str] = ()) -> int:
    """Return the number of rows of `cards`: the seat's hand slots and registers, then the places that groups add."""
    return NUM_CARDS + len(extra_card_places(elements))


def entity_bounds(
    num_robots: int, boards: Array, window: int, expanded: bool, elements: Iterable[str] = ()
) -> list[dict[str, Array]]:
    """Return the lowest and highest values of one observation, as arrays by name in the order of `observe_entities`.

    Args:
        num_robots: Robots of each game.
        boards: `board_sheets` for this window.
        window: Odd width of the window.
        expanded: Whether observations contain `planes`.
        elements: Groups of elements that are observed.
    """
    chosen = tuple(elements)
    listed = entity_columns(chosen)
    rows = {"game": (), "robots": (num_robots,), "cards": (num_cards(chosen),), "flags": (MAX_FLAGS,)}
    if "devices" in listed:
        rows["devices"] = (MAX_DEVICES,)
    last = (max(len(boards) - 1, 1), 3, boards.shape[2] - window, boards.shape[3] - window)
    both = []
    for side, board in ((1, (0, 0, 0, 0)), (2, last)):
        bounds = {name: np.array([f[side] for f in features], np.int16) for name, features in listed.items()}
        tiled = {name: np.tile(bounds[name], (*shape, 1)) for name, shape in rows.items()}
        tiled["board"] = np.array(board, np.int16)
        if expanded:
            tiled["planes"] = np.tile(bounds["planes"].astype(np.int8), (window, window, 1))
        both.append(tiled)
    return both


def board_window(boards: Array, index: Array, window: int) -> Array:
    """Cut windows out of boards; the results equal `planes` of the observation `entities+planes`.

    Args:
        boards: `Observer.boards`, (courses, 4, size, size, features).
        index: (..., 4), int: the table `board` of observations of the same observer: course, facing, first row and
          first column of the window.
        window: The window of the observer.

    Returns:
        Shape (..., window, window, features), dtype of `boards`.
    """
    course, facing, row, column = np.moveaxis(np.asarray(index, np.intp)[..., None, None, :], -1, 0)
    span = np.arange(check_window(window))
    windows: Array = boards[course, facing, row + span[:, None], column + span]
    return windows


@kernel
def write_cards(game: GameRecord, table: Table, seat: int, extra: ExtraFeatures, out: Array) -> None:
    """Write `CARD_FEATURES` of all rows of `cards`; registers whose cards the seat does not know are empty."""
    own = game.robots[seat]
    shown = num_own(game, table, seat)
    for i in range(NUM_CARDS + extra.cards.size):
        locked = 0
        if i < HAND_SLOTS:
            card = int(own.hand[i])
        elif i >= NUM_CARDS:
            card = card_at(game, table, seat, extra.cards[i - NUM_CARDS])
        else:
            card = int(seen_register(own, i - HAND_SLOTS, shown))
            locked = own.locked >> (i - HAND_SLOTS) & 1
        row = out[i * NUM_CARD_FEATURES : (i + 1) * NUM_CARD_FEATURES]
        facts = CARD_FACTS[card]
        for f in range(NUM_CARD_FEATURES - 1):
            row[f] = facts[f]
        row[NUM_CARD_FEATURES - 1] = locked


@kernel
def write_flags(game: GameRecord, table: Table, seat: int, frame: Frame, extra: ExtraFeatures, out: Array) -> None:
    """Write `FLAG_FEATURES` of all flags into one row, for each flag followed by the features that groups add."""
    goal = goal_of(game, table, seat)
    size = NUM_FLAG_FEATURES + extra.flags.size
    for f in range(MAX_FLAGS):
        row = out[f * size : (f + 1) * size]
        present = f < table.course.num_flags
        row[0] = present
        row[1], row[2] = offset(game, table, frame, flag_place(game, table, f) if present else -1)
        row[3] = present and has_touched(game, table, seat, f)
        row[4] = present and f == goal
        write_flag_states(game, table, seat, f, extra.flags, row, NUM_FLAG_FEATURES)


class EntityRows(NamedTuple):
    """The output tables of a batch of observations. Each table of an observation is flattened to one row.

    Attributes:
        game: (n, k, features), int16.
        robots: (n, k, num_robots * features), int16.
        cards: (n, k, num_cards * features), int16.
        flags: (n, k, 8 * features), int16.
        devices: (n, k, 64 * features), int16; with an empty last axis, devices are not written.
        board: (n, k, 4), int16; with an empty last axis, neither this nor `planes` is written.
        planes: (n, k, window ** 2 * features), int8; with an empty last axis, planes are not written.
    """

    game: Array
    robots: Array
    cards: Array
    flags: Array
    devices: Array
    board: Array
    planes: Array


@kernel
def observe_entities(
    games: Array,
    tables: Array,
    sheets: Array,
    seats: Array,
    num_robots: int,
    window: int,
    extra: ExtraFeatures,
    out: EntityRows,
) -> None:
    """Write the observations of a batch, with every table flattened to one row.

    Args:
        games: (n,), dtype `GAME`, all with `num_robots` robots.
        tables: Tables of the arena.
        sheets: `board_sheets` of the tables for this window, with the last two axes merged.
        seats: (n, k), int8: the seats that observe.
        num_robots: Robots of each game.
        window: Odd width of the window.
        extra: The features beyond those of the base game.
        out: The tables to write.
    """
    for g in range(games.shape[0]):
        game = games[g]
        table = tables[game.course]
        for k in range(seats.shape[1]):
            seat = int(seats[g, k])
            own = game.robots[seat]
            frame = frame_of(game, table, own)
            write_game(game, table, seat, frame, extra, out.game[g, k])
            write_robots(game, table, seat, frame, num_robots, extra, out.robots[g, k], 0)
            write_cards(game, table, seat, extra, out.cards[g, k])
            write_flags(game, table, seat, frame, extra, out.flags[g, k])
            if out.devices.shape[2]:
                write_devices(game, table, seat, frame, int(own.facing), out.devices[g, k])
            if out.board.shape[2] == 0:
                continue
            row, column = sheet_place(game, table, own)
            board = out.board[g, k]
            board[0] = game.course
            board[1] = own.facing
            board[2] = row
            board[3] = column
            if out.planes.shape[2]:
                sheet = sheets[game.course, own.facing]
                copy_window(sheet, row, column, window, extra.columns.size, out.planes[g, k], 0)
                change_row(game, table, seat, frame, int(own.facing), window, extra, out.planes[g, k], 0)
