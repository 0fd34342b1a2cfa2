"""The frame of reference of a robot: forward is the direction that it faces, right is its right-hand side.

The origin is its square, or its archive square while it is off the board. A robot on a ramp counts as at its foot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.text.grammar import STEPS
from rr_gym.rules.floor.ground import row_at
from rr_gym.rules.state.records import GameRecord, Robot
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]
Frame = tuple[int, int, int, int]

SIDES = ("forward", "right", "back", "left")

AHEAD_X = np.array([x for x, _ in STEPS], np.int64)  # by facing: the square in front
AHEAD_Y = np.array([y for _, y in STEPS], np.int64)


@kernel
def frame_square(robot: Robot) -> int:
    """Return the square at the origin of a robot's frame: its square, or its archive while it is off the board."""
    return robot.square if robot.square >= 0 else robot.archive


@kernel
def frame_of(game: GameRecord, table: Table, robot: Robot) -> Frame:
    """Return the frame of a robot: x and y of its origin, then dx and dy of the step forward."""
    here = table.squares[row_at(game, table, frame_square(robot))]
    return int(here.x), int(here.y), AHEAD_X[robot.facing], AHEAD_Y[robot.facing]


@kernel
def offset(game: GameRecord, table: Table, frame: Frame, square: int) -> tuple[int, int]:
    """Return how many squares forward and right of a frame's origin a square lies; zeros for the square -1."""
    if square < 0:
        return 0, 0
    there = table.squares[row_at(game, table, square)]
    x = there.x - frame[0]
    y = there.y - frame[1]
    return x * frame[2] + y * frame[3], y * frame[2] - x * frame[3]


@kernel
def place_of(game: GameRecord, table: Table, frame: Frame, square: int, window: int) -> int:
    """Return the index of a square in a window, row by row; -1 outside of it and for the square -1."""
    if square < 0:
        return -1
    forward, right = offset(game, table, frame, square)
    reach = window // 2
    return (reach - forward) * window + reach + right if max(abs(forward), abs(right)) <= reach else -1


@kernel
def sheet_place(game: GameRecord, table: Table, robot: Robot) -> tuple[int, int]:
    """Return the row and column of a robot's square in the sheet of its facing, not counting the margin."""
    here = table.squares[row_at(game, table, frame_square(robot))]
    x = int(here.x)
    y = int(here.y)
    right = table.course.width - 1 - x
    bottom = table.course.height - 1 - y
    if robot.facing == 0:
        return y, x
    if robot.facing == 1:
        return right, y
    if robot.facing == 2:
        return bottom, right
    return x, bottom
