"""Compile boards that turn when a flag on them is touched (R-G3.11), as rooms that carry no robots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.tables import ground as limits
from rr_gym.courses.tables.limits import check_limit
from rr_gym.courses.text.layout import Layout, Placement

Records = NDArray[Any]


def put_turning_boards(course: Layout, ground: Records, extras: Any) -> None:
    """Assign numbers to boards that can turn, after the rotating rooms, and store where a turn carries each square.

    Docks and boards that are not square do not turn, nor do boards with a rotating room or with several levels
    (*ruling*). When a board turns, robots keep their squares, and no rule says what happens to a robot whose floor
    rises or sinks.

    Raises:
        CourseError: There are more rooms and boards than the tables hold.
    """
    width = course.size[0]
    for placement in course.placements:
        if not can_turn(placement):
            continue
        number = int(extras["num_rooms"]) + int(extras["num_turning"])
        check_limit(course, "rotating rooms and boards", number + 1, limits.MAX_ROOMS)
        extras["num_turning"] += 1
        (left, top), size = placement.at, placement.turned.width
        columns, rows = np.arange(left, left + size), np.arange(top, top + size)
        squares = rows[:, None] * width + columns
        ground["room"][squares] = number
        # A quarter turn clockwise takes row j, column i to row i, column size - 1 - j.
        ground["room_next"][squares] = np.rot90(squares)


def can_turn(placement: Placement) -> bool:
    """Tell whether a board may turn when one of its flags is touched."""
    board = placement.turned
    flat = len({level for row in board.levels for level in row}) == 1
    rooms = any(group.kind == "room" for group in board.groups)
    return not placement.is_dock and board.width == board.height and flat and not rooms
