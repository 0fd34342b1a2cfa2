"""The observation `flat`: a row of small whole numbers, own robot first, each with a name (docs/environment.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.board import (
    NUM_FEATURES,
    SQUARE_FEATURES,
    ahead,
    aside,
    check_window,
    frame_square,
    sheet_column,
    sheet_row,
)
from rr_gym.jit import kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import DECK_SIZE, HAND_SLOTS, MAX_FLAGS, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.records import GameRecord, TableRecord

Array = np.ndarray[Any, Any]

FLAT_WINDOW = 9
FAR = 2047  # no two squares of a layout are farther apart
LONGEST = 32767  # turns are counted up to here
LAST_TYPE = int(CARD_TYPE.max())
HIGHEST = 10 * DECK_SIZE


def flat_features(num_robots: int, window: int = FLAT_WINDOW) -> list[tuple[str, int, int]]:
    """Every number of an observation in order: (name, lowest, highest value).

    Args:
        num_robots: Robots in the game, own one included.
        window: Odd width of the window of the board around the own robot; row by row from the far left corner.
    """
    features = [
        ("turn", 0, LONGEST),
        ("over", 0, 1),
        ("num_robots", 1, MAX_ROBOTS),
        ("num_flags", 0, MAX_FLAGS),
        ("next_flag_forward", -FAR, FAR),  # 0 when all are touched
        ("next_flag_right", -FAR, FAR),
    ]
    for k in range(MAX_FLAGS):
        features += [(f"flag_{k + 1}_forward", -FAR, FAR), (f"flag_{k + 1}_right", -FAR, FAR)]
    for k in range(HAND_SLOTS):
        features += [(f"hand_{k}_type", 0, LAST_TYPE), (f"hand_{k}_priority", 0, HIGHEST)]
    for k in range(num_robots):
        features += [(f"robot_{k}_{name}", low, high) for name, low, high in _ROBOT_FEATURES]
    reach = check_window(window) // 2
    for name, low, high in SQUARE_FEATURES:
        for forward in range(reach, -reach - 1, -1):
            features += [(f"{name}@{forward:+d},{right:+d}", low, high) for right in range(-reach, reach + 1)]
    return features


# Of robot 0 (the own one) and of those of the seats after it, in turn
_ROBOT_FEATURES = [
    ("present", 0, 1),  # on the board
    ("forward", -FAR, FAR),
    ("right", -FAR, FAR),
    ("facing", 0, 3),  # quarter turns to the right of the own facing
    ("damage", 0, 10),
    ("lives", -1, 100),  # -1 without limit
    ("flag", 0, MAX_FLAGS),  # flags touched
    ("archive_forward", -FAR, FAR),
    ("archive_right", -FAR, FAR),
    ("virtual", 0, 1),
    ("down", 0, 1),
    ("announced", 0, 1),
    ("out", 0, 1),
    ("may_face", 0, 1),
    *((f"locked_{r + 1}_{name}", 0, high) for r in range(NUM_REGISTERS) for name, high in (
        ("", 1), ("type", LAST_TYPE), ("priority", HIGHEST),
    )),
]  # fmt: skip
_ROBOT_FEATURES = [(name.rstrip("_"), low, high) for name, low, high in _ROBOT_FEATURES]


def flat_feature_names(num_robots: int, window: int = FLAT_WINDOW) -> list[str]:
    """The names of the numbers of an observation, in order: ``names.index("hand_0_priority")`` is its place."""
    return [name for name, _, _ in flat_features(num_robots, window)]


@kernel
def write_offset(table: TableRecord, origin: int, facing: int, square: int, out: Array, k: int) -> int:
    """Where a square lies for a robot on `origin`: forward, right. Zeros for no square. The next place in `out`."""
    if square >= 0:
        x = int(table.squares[square].x) - int(table.squares[origin].x)
        y = int(table.squares[square].y) - int(table.squares[origin].y)
        out[k] = ahead(x, y, facing)
        out[k + 1] = aside(x, y, facing)
    else:
        out[k] = 0
        out[k + 1] = 0
    return k + 2


@kernel
def write_card(card: int, out: Array, k: int) -> int:
    """Type and priority of a card. The next place in `out`."""
    out[k] = CARD_TYPE[card]
    out[k + 1] = 10 * int(card)
    return k + 2


@kernel
def write_robot(game: GameRecord, table: TableRecord, robot: int, origin: int, facing: int, out: Array, k: int) -> int:
    """The features of one robot; everything in them is public. The next place in `out`."""
    body = game.robots[robot]
    out[k] = body.alive
    k = write_offset(table, origin, facing, body.square, out, k + 1)
    out[k] = (body.facing - facing) & 3
    out[k + 1] = body.damage
    out[k + 2] = body.lives
    out[k + 3] = body.flag
    k = write_offset(table, origin, facing, body.archive, out, k + 4)
    out[k] = body.virtual
    out[k + 1] = body.down
    out[k + 2] = body.announced
    out[k + 3] = body.out
    out[k + 4] = body.may_face
    k += 5
    for r in range(NUM_REGISTERS):
        locked = body.locked >> r & 1
        out[k] = locked
        k = write_card(body.registers[r] if locked else 0, out, k + 1)
    return k


@kernel
def write_flat(
    game: GameRecord, table: TableRecord, sheet: Array, seat: int, num_seats: int, window: int, out: Array
) -> None:
    """The observation of one seat; `sheet` is that of the game's course, by facing."""
    origin = frame_square(game, seat)
    own = game.robots[seat]
    facing = int(own.facing)
    out[0] = min(game.turn, LONGEST)
    out[1] = game.over
    out[2] = game.num_robots
    out[3] = table.course.num_flags
    flag = game.flag_squares[own.flag] if own.flag < table.course.num_flags else -1
    k = write_offset(table, origin, facing, flag, out, 4)
    for f in range(MAX_FLAGS):
        flag = game.flag_squares[f] if f < table.course.num_flags else -1
        k = write_offset(table, origin, facing, flag, out, k)
    for slot in range(HAND_SLOTS):
        k = write_card(own.hand[slot], out, k)
    for j in range(num_seats):
        k = write_robot(game, table, (seat + j) % num_seats, origin, facing, out, k)
    here = table.squares[origin]
    row = sheet_row(table, here.x, here.y, facing)
    column = sheet_column(table, here.x, here.y, facing)
    for f in range(NUM_FEATURES):
        for i in range(window):
            for j in range(window):
                out[k] = sheet[facing, f, row + i, column + j]
                k += 1


@kernel
def observe_flat(games: Array, tables: Array, sheets: Array, window: int, out: Array) -> None:
    """Observations of a batch.

    Args:
        games: (n,), dtype `GAME`, all with as many robots as there are seats.
        tables: Tables of the arena.
        sheets: `board_sheets` of the tables for this window.
        window: Odd width of the window.
        out: (n, seats, features), int16: overwritten.
    """
    for g in range(games.shape[0]):
        game = games[g]
        for seat in range(out.shape[1]):
            write_flat(game, tables[game.course], sheets[game.course], seat, out.shape[1], window, out[g, seat])
