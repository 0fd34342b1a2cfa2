"""The relations of a robot to the others after a choice: who is in its way, and who shoots whom."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.choices.columns import NUM_RELATIONS
from rr_gym.choices.poses import LEVEL, SQUARE, STATE
from rr_gym.compilation.kernels import kernel
from rr_gym.rules.floor.grid import STEP_X, STEP_Y
from rr_gym.rules.floor.ground import grid_next, row_at, walled
from rr_gym.rules.floor.sight import beam_next
from rr_gym.rules.state.constants import BACK_UP, MOVE_1
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

IN_WAY, SHOOTS, IS_SHOT = range(3)  # the first of `RELATIONS`


@kernel
def meets(game: GameRecord, seat: int, other: int) -> bool:
    """Tell whether another robot is on the board and not virtual, so that it can be pushed and shot."""
    return other != seat and game.robots[other].alive != 0 and not game.robots[other].virtual


@kernel
def first_shot(
    game: GameRecord, table: Table, shooter: int, square: int, facing: int, level: int, seat: int, own: Array
) -> int:
    """Return the first real robot straight ahead of a shooter, with the seat's robot in the pose `own`; -1 for none."""
    place = square
    while True:
        place = int(beam_next(game, table, place, facing, level))
        if place < 0:
            return -1
        if shooter != seat and place == own[SQUARE] and level == own[LEVEL]:
            return int(seat)
        for i in range(game.num_robots):
            if i != shooter and meets(game, seat, i):
                body = game.robots[i]
                if body.square == place and body.level == level:
                    return int(i)


@kernel
def faces(game: GameRecord, table: Table, other: int, square: int) -> bool:
    """Tell whether a square is straight ahead of another robot, regardless of obstacles."""
    body = game.robots[other]
    here = table.squares[row_at(game, table, int(body.square))]
    there = table.squares[row_at(game, table, square)]
    x, y = int(there.x) - int(here.x), int(there.y) - int(here.y)
    across = x * STEP_Y[body.facing] - y * STEP_X[body.facing]
    return bool(across == 0 and x * STEP_X[body.facing] + y * STEP_Y[body.facing] > 0)


@kernel
def mark(game: GameRecord, seat: int, square: int, level: int, relation: int, row: Array) -> None:
    """Set a relation to 1 in a row, for every robot on a square."""
    for i in range(game.num_robots):
        if meets(game, seat, i) and game.robots[i].square == square and game.robots[i].level == level:
            row[NUM_RELATIONS * other_number(game, seat, i) + relation] = 1


@kernel
def other_number(game: GameRecord, seat: int, robot: int) -> int:
    """Return the index of another robot from a seat's view: 0 is the next seat, and so on around the table."""
    return int(robot - seat - 1 if robot > seat else robot - seat - 1 + game.num_robots)


@kernel
def write_relations(
    game: GameRecord, table: Table, seat: int, before: Array, kind: int, after: Array, row: Array
) -> None:
    """Write the relations of a choice to all other robots.

    Args:
        game: What the seat is shown, in the phase that is played.
        table: The course of the game.
        seat: The seat that chooses.
        before: The pose before the phase.
        kind: The type of the card.
        after: The pose after the phase.
        row: The relations in a row of `choices`; must be 0.
    """
    if game.robots[seat].virtual or before[STATE] < 0:
        return
    level = before[LEVEL]
    steps = kind - MOVE_1 + 1 if kind >= MOVE_1 else 1 if kind == BACK_UP else 0
    direction = (before[STATE] & 3) ^ (2 if kind == BACK_UP else 0)
    square = int(before[SQUARE])
    for _ in range(steps):
        if walled(game, table, square, direction):
            break
        square = int(grid_next(game, table, square, direction))
        if square < 0:
            break
        mark(game, seat, square, level, IN_WAY, row)
    if after[STATE] < 0:
        return
    mark(game, seat, int(after[SQUARE]), after[LEVEL], IN_WAY, row)
    shot = first_shot(game, table, seat, int(after[SQUARE]), after[STATE] & 3, after[LEVEL], seat, after)
    if shot >= 0:
        row[NUM_RELATIONS * other_number(game, seat, shot) + IS_SHOT] = 1
    for i in range(game.num_robots):
        body = game.robots[i]
        if not meets(game, seat, i) or body.down or not faces(game, table, i, int(after[SQUARE])):
            continue
        if first_shot(game, table, i, int(body.square), int(body.facing), int(body.level), seat, after) == seat:
            row[NUM_RELATIONS * other_number(game, seat, i) + SHOOTS] = 1
