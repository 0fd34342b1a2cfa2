"""The observation `planes`: the board as layers of small whole numbers, the own robot in the middle and facing up."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.board import (
    FEATURE_NAMES,
    NUM_FEATURES,
    SIDES,
    ahead,
    aside,
    frame_square,
    sheet_column,
    sheet_row,
)
from rr_gym.jit import kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.records import GameRecord, TableRecord

Array = np.ndarray[Any, Any]

PLANES_WINDOW = 15

# Where things are
PLACE_NAMES = (
    "robot",  # another robot: 1 real, 2 virtual
    *(f"robot_faces_{side}" for side in SIDES),
    "robot_damage",
    "robot_flag",  # flags it has touched
    "robot_lives",  # -1 without limit
    "robot_locked",  # bit r: its register r + 1 is locked
    "robot_down",
    "robot_announced",
    "next_flag",
    "archive",  # the own one
)
ROBOT, FACES, DAMAGE, FLAG, LIVES, LOCKED, DOWN, ANNOUNCED, NEXT_FLAG, ARCHIVE = 0, 1, 5, 6, 7, 8, 9, 10, 11, 12

# What holds for the whole plane
SCALAR_NAMES = (
    "turn",  # up to 127
    "over",
    "num_flags",
    "next_flag_forward",  # -127 to 127
    "next_flag_right",
    "own_present",
    "own_damage",
    "own_lives",  # -1 without limit
    "own_flag",
    "own_virtual",
    "own_down",
    "own_announced",
    "own_out",
    "own_may_face",
    *(f"locked_{r + 1}_{what}" for r in range(NUM_REGISTERS) for what in ("type", "card")),
    *(f"hand_{slot}_{what}" for slot in range(HAND_SLOTS) for what in ("type", "card")),
)
# A card stands for itself by a tenth of its priority, 1 to 84.
PLANE_NAMES = (*FEATURE_NAMES, *PLACE_NAMES, *SCALAR_NAMES)
NUM_PLANES = len(PLANE_NAMES)
FIRST_PLACE = NUM_FEATURES
FIRST_SCALAR = NUM_FEATURES + len(PLACE_NAMES)
FURTHEST = 127


@kernel
def clipped(number: int) -> int:
    return max(-FURTHEST, min(FURTHEST, number))


@kernel
def put(table: TableRecord, origin: int, facing: int, square: int, plane: int, value: int, out: Array) -> None:
    """Mark a square in a plane if it lies in the window; of several values the one farthest from 0 stays."""
    if square < 0:
        return
    number = np.int64(value)
    x = int(table.squares[square].x) - int(table.squares[origin].x)
    y = int(table.squares[square].y) - int(table.squares[origin].y)
    reach = out.shape[1] // 2
    row = reach - ahead(x, y, facing)
    column = reach + aside(x, y, facing)
    inside = 0 <= row < out.shape[1] and 0 <= column < out.shape[2]
    if inside and abs(number) > abs(int(out[plane, row, column])):
        out[plane, row, column] = number


@kernel
def write_places(game: GameRecord, table: TableRecord, seat: int, origin: int, facing: int, out: Array) -> None:
    """The planes of `PLACE_NAMES`."""
    out[FIRST_PLACE:FIRST_SCALAR] = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if i == seat or not robot.alive:
            continue
        square = robot.square
        put(table, origin, facing, square, FIRST_PLACE + ROBOT, 2 if robot.virtual else 1, out)
        put(table, origin, facing, square, FIRST_PLACE + FACES + ((robot.facing - facing) & 3), 1, out)
        put(table, origin, facing, square, FIRST_PLACE + DAMAGE, robot.damage, out)
        put(table, origin, facing, square, FIRST_PLACE + FLAG, robot.flag, out)
        put(table, origin, facing, square, FIRST_PLACE + LIVES, robot.lives, out)
        put(table, origin, facing, square, FIRST_PLACE + LOCKED, robot.locked, out)
        put(table, origin, facing, square, FIRST_PLACE + DOWN, robot.down, out)
        put(table, origin, facing, square, FIRST_PLACE + ANNOUNCED, robot.announced, out)
    own = game.robots[seat]
    if own.flag < table.course.num_flags:
        put(table, origin, facing, game.flag_squares[own.flag], FIRST_PLACE + NEXT_FLAG, 1, out)
    put(table, origin, facing, own.archive, FIRST_PLACE + ARCHIVE, 1, out)


@kernel
def write_scalars(game: GameRecord, table: TableRecord, seat: int, origin: int, facing: int, out: Array) -> None:
    """The planes of `SCALAR_NAMES`."""
    own = game.robots[seat]
    k = FIRST_SCALAR
    out[k] = min(game.turn, FURTHEST)
    out[k + 1] = game.over
    out[k + 2] = table.course.num_flags
    out[k + 3] = 0
    out[k + 4] = 0
    if own.flag < table.course.num_flags:
        goal = table.squares[game.flag_squares[own.flag]]
        x = int(goal.x) - int(table.squares[origin].x)
        y = int(goal.y) - int(table.squares[origin].y)
        out[k + 3] = clipped(ahead(x, y, facing))
        out[k + 4] = clipped(aside(x, y, facing))
    out[k + 5] = own.alive
    out[k + 6] = own.damage
    out[k + 7] = own.lives
    out[k + 8] = own.flag
    out[k + 9] = own.virtual
    out[k + 10] = own.down
    out[k + 11] = own.announced
    out[k + 12] = own.out
    out[k + 13] = own.may_face
    k += 14
    for r in range(NUM_REGISTERS):
        card = own.registers[r] if own.locked >> r & 1 else 0
        out[k] = CARD_TYPE[card]
        out[k + 1] = card
        k += 2
    for slot in range(HAND_SLOTS):
        card = own.hand[slot]
        out[k] = CARD_TYPE[card]
        out[k + 1] = card
        k += 2


@kernel
def write_planes(game: GameRecord, table: TableRecord, sheet: Array, seat: int, out: Array) -> None:
    """The observation of one seat, (planes, window, window); `sheet` is that of the game's course, by facing."""
    origin = frame_square(game, seat)
    facing = int(game.robots[seat].facing)
    here = table.squares[origin]
    row = sheet_row(table, here.x, here.y, facing)
    column = sheet_column(table, here.x, here.y, facing)
    for f in range(NUM_FEATURES):
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                out[f, i, j] = sheet[facing, f, row + i, column + j]
    write_places(game, table, seat, origin, facing, out)
    write_scalars(game, table, seat, origin, facing, out)


@kernel
def observe_planes(games: Array, tables: Array, sheets: Array, out: Array) -> None:
    """Observations of a batch.

    Args:
        games: (n,), dtype `GAME`.
        tables: Tables of the arena.
        sheets: `board_sheets` of the tables for this window.
        out: (n, seats, NUM_PLANES, window, window), int8: overwritten.
    """
    for g in range(games.shape[0]):
        game = games[g]
        for seat in range(out.shape[1]):
            write_planes(game, tables[game.course], sheets[game.course], seat, out[g, seat])
