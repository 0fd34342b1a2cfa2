"""The observation `planes`: the board as layers of small integers, with the own robot in the middle and facing up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.board import FEATURE_NAMES, NUM_FEATURES
from rr_gym.encoding.observe.changes import ExtraFeatures, change_planes
from rr_gym.encoding.observe.elements import (
    extra_card_places,
    extra_flag_features,
    extra_game_features,
    extra_robot_features,
    extra_square_features,
)
from rr_gym.encoding.observe.features import next_flag, num_own, num_programmed, seen_register
from rr_gym.encoding.observe.frame import SIDES, Frame, frame_of, offset, place_of, sheet_place
from rr_gym.encoding.observe.game_states import card_at, flag_place, flag_state
from rr_gym.encoding.observe.states import fact_of, state_of
from rr_gym.forms import with_expansions
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

PLANES_WINDOW = 15

# Planes whose values differ from square to square
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
    "archive",  # the own archive
)
ROBOT, FACES, DAMAGE, FLAG, LIVES, LOCKED, DOWN, ANNOUNCED, NEXT_FLAG, ARCHIVE = 0, 1, 5, 6, 7, 8, 9, 10, 11, 12

# Planes with one number on all squares
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
# Planes named `card` hold the number of a card, 1 to 84, which is a tenth of its priority.
PLANE_NAMES = (*FEATURE_NAMES, *PLACE_NAMES, *SCALAR_NAMES)
NUM_PLANES = len(PLANE_NAMES)
FIRST_PLACE = NUM_FEATURES
FIRST_SCALAR = NUM_FEATURES + len(PLACE_NAMES)
MAX_VALUE = 127


def extra_place_planes(elements: Iterable[str]) -> list[str]:
    """Return the names of groups' planes that differ by square: of squares, other robots, copies, and flags."""
    chosen = tuple(elements)
    robots = [f"robot_{name}" for name, _, _ in extra_robot_features(chosen)]
    copies = ["copy"] if "copies" in chosen else []  # 1 for another robot's copy, 2 for the own robot's
    flags = [f"flag_{name}" for name, _, _ in extra_flag_features(chosen)]
    return [*(name for name, _, _ in extra_square_features(chosen)), *robots, *copies, *flags]


def extra_scalar_planes(elements: Iterable[str]) -> list[str]:
    """Return the names of groups' planes that are constant: of the game, the own robot, and its cards."""
    chosen = tuple(elements)
    cards = [f"{place}_{what}" for place in extra_card_places(chosen) for what in ("type", "card")]
    own = [f"own_{name}" for name, _, _ in extra_robot_features(chosen)]
    return [*(name for name, _, _ in extra_game_features(chosen)), *own, *cards]


def plane_names(elements: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of all planes in order; those of groups of elements come after those of the base game."""
    chosen = tuple(elements)
    return (*PLANE_NAMES, *extra_place_planes(chosen), *extra_scalar_planes(chosen))


@kernel
def clipped(number: int) -> int:
    """Return the number, clipped to the range from -`MAX_VALUE` to `MAX_VALUE`."""
    return max(-MAX_VALUE, min(MAX_VALUE, number))


@kernel
def put(out: Array, plane: int, place: int, value: int) -> None:
    """Write a value into a plane unless the present value has a larger magnitude."""
    if abs(int(value)) > abs(int(out[plane, place])):
        out[plane, place] = value


@kernel
def write_places(game: GameRecord, table: Table, seat: int, frame: Frame, window: int, out: Array) -> None:
    """Write the planes `PLACE_NAMES`."""
    own = game.robots[seat]
    for plane in range(FIRST_PLACE, FIRST_SCALAR):
        fill(out[plane], 0)
    for i in range(game.num_robots):
        robot = game.robots[i]
        place = place_of(game, table, frame, robot.square, window)
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
    place = place_of(game, table, frame, next_flag(game, table, seat), window)
    if place >= 0:
        out[FIRST_PLACE + NEXT_FLAG, place] = 1
    place = place_of(game, table, frame, own.archive, window)
    if place >= 0:
        out[FIRST_PLACE + ARCHIVE, place] = 1


@kernel
def fill(plane: Array, value: int) -> None:
    """Set every number of a plane to a value."""
    for i in range(plane.size):
        plane[i] = value


@kernel
def write_scalars(game: GameRecord, table: Table, seat: int, frame: Frame, numbers: Array) -> None:
    """Write the values of the planes `SCALAR_NAMES`, one number each."""
    own = game.robots[seat]
    forward, right = offset(game, table, frame, next_flag(game, table, seat))
    numbers[0] = min(game.turn, MAX_VALUE)
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
        card = seen_register(own, r, num_own(game, table, seat))
        numbers[k] = CARD_TYPE[card]
        numbers[k + 1] = card
        k += 2
    for slot in range(HAND_SLOTS):
        card = own.hand[slot]
        numbers[k] = CARD_TYPE[card]
        numbers[k + 1] = card
        k += 2


@kernel
def base_write_more_planes(
    game: GameRecord, table: Table, seat: int, frame: Frame, window: int, extra: ExtraFeatures, out: Array
) -> None:
    """Write zeros to the planes of elements, which base courses do not have."""
    for plane in range(NUM_PLANES + extra.columns.size - NUM_FEATURES, out.shape[0]):
        fill(out[plane], 0)


@with_expansions(base_write_more_planes)
def write_more_planes(
    game: GameRecord, table: Table, seat: int, frame: Frame, window: int, extra: ExtraFeatures, out: Array
) -> None:
    """Write the planes of groups that come after the planes of squares."""
    first = NUM_PLANES + extra.columns.size - NUM_FEATURES
    scalars = out.shape[0] - extra.facts.size - extra.states.size - 2 * extra.cards.size
    flags = scalars - extra.flags.size
    for plane in range(first, scalars):
        fill(out[plane], 0)
    facing = int(game.robots[seat].facing)
    for i in range(game.num_robots):
        if i != seat and game.robots[i].alive:
            place = place_of(game, table, frame, game.robots[i].square, window)
            for k in range(extra.states.size if place >= 0 else 0):
                put(out, first + k, place, clipped(state_of(game, table, seat, i, frame, facing, extra.states[k])))
    if first + extra.states.size < flags:
        write_copies(game, table, seat, frame, window, out[first + extra.states.size])
    for f in range(table.course.num_flags if extra.flags.size else 0):
        place = place_of(game, table, frame, flag_place(game, table, f), window)
        for k in range(extra.flags.size if place >= 0 else 0):
            put(out, flags + k, place, flag_state(game, table, seat, f, extra.flags[k]))
    for k in range(extra.facts.size):
        fill(out[scalars + k], fact_of(game, table, extra.facts[k]))
    for k in range(extra.states.size):
        value = clipped(state_of(game, table, seat, seat, frame, facing, extra.states[k]))
        fill(out[scalars + extra.facts.size + k], value)
    cards = scalars + extra.facts.size + extra.states.size
    for k in range(extra.cards.size):
        card = card_at(game, table, seat, extra.cards[k])
        fill(out[cards + 2 * k], CARD_TYPE[card])
        fill(out[cards + 2 * k + 1], card)


@kernel
def write_copies(game: GameRecord, table: Table, seat: int, frame: Frame, window: int, plane: Array) -> None:
    """Mark the squares with copies of robots: 2 for the own robot's copy, 1 for others."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and robot.has_copy:
            place = place_of(game, table, frame, robot.copy_square, window)
            if place >= 0:
                plane[place] = max(int(plane[place]), 2 if i == seat else 1)


@kernel
def copy_planes(sheet: Array, row: int, column: int, window: int, columns: Array, out: Array) -> None:
    """Copy the planes of squares from a course's sheet for one facing: (features, rows, columns)."""
    for f in range(columns.size):
        plane = out[columns[f]]
        for i in range(window):
            source = sheet[f, row + i, column : column + window]
            target = plane[i * window : (i + 1) * window]
            for j in range(window):
                target[j] = source[j]


@kernel
def observe_planes(
    games: Array, tables: Array, sheets: Array, seats: Array, window: int, extra: ExtraFeatures, out: Array
) -> None:
    """Write the observations of a batch.

    Args:
        games: (n,), dtype `GAME`.
        tables: Tables of the arena.
        sheets: `board_sheets` of the tables for this window, channels first: (courses, 4, features, rows, columns).
        seats: (n, k), int8: the seats that observe.
        window: Odd width of the window.
        extra: The features beyond those of the base game.
        out: (n, k, planes, window ** 2), int8: overwritten.
    """
    numbers = np.zeros(len(SCALAR_NAMES), np.int8)
    for g in range(games.shape[0]):
        game = games[g]
        table = tables[game.course]
        for k in range(seats.shape[1]):
            seat = int(seats[g, k])
            own = game.robots[seat]
            frame = frame_of(game, table, own)
            row, column = sheet_place(game, table, own)
            copy_planes(sheets[game.course, own.facing], row, column, window, extra.columns, out[g, k])
            change_planes(game, table, seat, frame, int(own.facing), window, extra, out[g, k])
            write_places(game, table, seat, frame, window, out[g, k])
            write_scalars(game, table, seat, frame, numbers)
            for plane in range(numbers.size):
                fill(out[g, k, FIRST_SCALAR + plane], numbers[plane])
            write_more_planes(game, table, seat, frame, window, extra, out[g, k])
