"""The observation `planes`: the board as layers of small whole numbers, the own robot in the middle and facing up."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.board import FEATURE_NAMES, NUM_FEATURES, SIDES
from rr_gym.encoding.features import Frame, frame_of, next_flag, num_programmed, offset, seen_register, sheet_place
from rr_gym.jit import kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.records import GameRecord, RobotRecord, TableRecord

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
    "own_locked",  # bit r: its register r + 1 is locked
    "phase",  # registers already programmed in this turn
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
def place_of(table: TableRecord, frame: Frame, square: int, window: int) -> int:
    """Where a square lies in a plane of one dimension, -1 for a square outside of the window and for none."""
    if square < 0:
        return -1
    forward, right = offset(table, frame, square)
    reach = window // 2
    return (reach - forward) * window + reach + right if max(abs(forward), abs(right)) <= reach else -1


@kernel
def put(out: Array, plane: int, place: int, value: int) -> None:
    """Mark a place; of several values the one farthest from 0 stays."""
    if abs(int(value)) > abs(int(out[plane, place])):
        out[plane, place] = value


@kernel
def write_places(game: GameRecord, table: TableRecord, seat: int, frame: Frame, window: int, out: Array) -> None:
    """The planes of `PLACE_NAMES`."""
    own = game.robots[seat]
    for plane in range(FIRST_PLACE, FIRST_SCALAR):
        fill(out[plane], 0)
    for i in range(game.num_robots):
        robot = game.robots[i]
        place = place_of(table, frame, robot.square, window)
        if i == seat or not robot.alive or place < 0:
            continue
        put(out, FIRST_PLACE + ROBOT, place, 2 if robot.virtual else 1)
        put(out, FIRST_PLACE + FACES + ((robot.facing - own.facing) & 3), place, 1)
        put(out, FIRST_PLACE + DAMAGE, place, robot.damage)
        put(out, FIRST_PLACE + FLAG, place, robot.flag)
        put(out, FIRST_PLACE + LIVES, place, robot.lives)
        put(out, FIRST_PLACE + LOCKED, place, robot.locked)
        put(out, FIRST_PLACE + DOWN, place, robot.down)
        put(out, FIRST_PLACE + ANNOUNCED, place, robot.announced)
    place = place_of(table, frame, next_flag(game, table, own), window)
    if place >= 0:
        out[FIRST_PLACE + NEXT_FLAG, place] = 1
    place = place_of(table, frame, own.archive, window)
    if place >= 0:
        out[FIRST_PLACE + ARCHIVE, place] = 1


@kernel
def fill(plane: Array, value: int) -> None:
    for i in range(plane.size):
        plane[i] = value


@kernel
def write_scalars(game: GameRecord, table: TableRecord, own: RobotRecord, frame: Frame, numbers: Array) -> None:
    """The numbers of `SCALAR_NAMES`."""
    forward, right = offset(table, frame, next_flag(game, table, own))
    numbers[0] = min(game.turn, FURTHEST)
    numbers[1] = game.over
    numbers[2] = table.course.num_flags
    numbers[3] = clipped(forward)
    numbers[4] = clipped(right)
    numbers[5] = own.alive
    numbers[6] = own.damage
    numbers[7] = own.lives
    numbers[8] = own.flag
    numbers[9] = own.virtual
    numbers[10] = own.down
    numbers[11] = own.announced
    numbers[12] = own.out
    numbers[13] = own.may_face
    numbers[14] = own.locked
    numbers[15] = num_programmed(game)
    k = 16
    for r in range(NUM_REGISTERS):
        card = seen_register(own, r, num_programmed(game))
        numbers[k] = CARD_TYPE[card]
        numbers[k + 1] = card
        k += 2
    for slot in range(HAND_SLOTS):
        card = own.hand[slot]
        numbers[k] = CARD_TYPE[card]
        numbers[k + 1] = card
        k += 2


@kernel
def copy_planes(sheet: Array, row: int, column: int, window: int, out: Array) -> None:
    """The planes of the squares; `sheet` is that of the course and facing: (features, rows, columns)."""
    for f in range(NUM_FEATURES):
        plane = out[f]
        for i in range(window):
            source = sheet[f, row + i, column : column + window]
            target = plane[i * window : (i + 1) * window]
            for j in range(window):
                target[j] = source[j]


@kernel
def observe_planes(games: Array, tables: Array, sheets: Array, seats: Array, window: int, out: Array) -> None:
    """Observations of a batch.

    Args:
        games: (n,), dtype `GAME`.
        tables: Tables of the arena.
        sheets: `board_sheets` of the tables for this window, channels first: (courses, 4, features, rows, columns).
        seats: (n, k), int8: whose view each row is.
        window: Odd width of the window.
        out: (n, k, NUM_PLANES, window ** 2), int8: overwritten.
    """
    numbers = np.zeros(len(SCALAR_NAMES), np.int8)
    for g in range(games.shape[0]):
        game = games[g]
        table = tables[game.course]
        for k in range(seats.shape[1]):
            seat = int(seats[g, k])
            own = game.robots[seat]
            frame = frame_of(table, own)
            row, column = sheet_place(table, own)
            copy_planes(sheets[game.course, own.facing], row, column, window, out[g, k])
            write_places(game, table, seat, frame, window, out[g, k])
            write_scalars(game, table, own, frame, numbers)
            for plane in range(numbers.size):
                fill(out[g, k, FIRST_SCALAR + plane], numbers[plane])
