"""The plain grid of the layout: jumps, ranges and eruptions follow it regardless of ramps and walls (U16)."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.constants import EAST, NORTH, SOUTH, WEST
from rr_gym.rules.state.table import Table

STEP_X = np.array([0, 1, 0, -1], np.int64)  # by direction
STEP_Y = np.array([-1, 0, 1, 0], np.int64)


# mutants (boundary): x and y are not both 0
@kernel
def direction_of(x: int, y: int) -> int:
    """Return the direction of the vector (x, y), exactly one of which is 0."""
    if x == 0:
        return SOUTH if y > 0 else NORTH
    return EAST if x > 0 else WEST


@kernel
def squares_ahead(table: Table, square: int, direction: int, other: int) -> int:
    """Return how many squares ahead of a square, in a direction, another square is.

    The result is negative if the other square is behind or not in line.
    """
    here, there = table.squares[square], table.squares[other]
    x, y = int(there.x) - int(here.x), int(there.y) - int(here.y)
    along_x, along_y = STEP_X[direction], STEP_Y[direction]
    return int(x * along_x + y * along_y) if x * along_y == y * along_x else -1


@kernel
def place_at(table: Table, x: int, y: int) -> int:
    """Return the square at (x, y) of the layout, -1 where there is none."""
    # mutants (boundary 4): numbers beyond the last row belong to no square
    if x < 0 or y < 0 or x >= table.course.width or y >= table.course.height:
        return -1
    square = int(y) * int(table.course.width) + int(x)
    return square if table.squares[square].exists else -1
