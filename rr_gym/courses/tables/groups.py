"""Compile elements that cover several squares: platforms, big gears, trapdoors, rings and rotating rooms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.tables import ground as limits
from rr_gym.courses.tables.limits import check_limit
from rr_gym.courses.text.board import Group
from rr_gym.courses.text.layout import Layout

Records = NDArray[Any]

AREAS = "CNESW"  # letters of areas, in the order of CENTRE ... of rr_gym.courses.tables.ground
_NAMES = {
    "platform": ("platforms", limits.MAX_PLATFORMS),
    "bigear": ("big_gears", limits.MAX_BIG_GEARS),
    "trapdoor": ("trapdoors", limits.MAX_TRAPDOORS),
    "ring": ("rings", limits.MAX_RINGS),
    "room": ("rooms", limits.MAX_ROOMS),
}
_MAX_CAPACITY = 127  # the highest capacity of a trapdoor that fits its int8 field; no game has that many robots


def put_groups(course: Layout, ground: Records, extras: Any) -> None:
    """Give each group a number within its kind, board by board, and fill the fields of its squares.

    Raises:
        CourseError: There are more than the tables hold, or a room is too large.
    """
    width = course.size[0]
    for placement, group in course.groups():
        dx, dy = placement.at
        squares = np.array([(y + dy) * width + x + dx for x, y in group.squares])
        name, limit = _NAMES[group.kind]
        number = int(extras[f"num_{name}"])
        check_limit(course, name.replace("_", " "), number + 1, limit)
        extras[f"num_{name}"] = number + 1
        _put_group(course, ground, extras, group, squares, number)


def _put_group(
    course: Layout, ground: Records, extras: Any, group: Group, squares: NDArray[np.int64], number: int
) -> None:
    """Fill the fields of one group; `number` is its number within its kind."""
    match group.kind:
        case "platform":
            ground["platform"][squares] = number
            ground["area"][squares] = [AREAS.index(letter) for letter in group.letters]
        case "bigear":
            ground["big_gear"][squares] = number
            ground["big_gear_to"][squares] = squares[::-1]
        case "trapdoor":
            ground["trapdoor"][squares] = number
            extras["capacities"][number] = min(group.capacity, _MAX_CAPACITY)
        case "ring":
            ground["ring"][squares] = number
            ground["ring_next"][squares] = np.roll(squares, -1)
        case "room":
            size = group.size[0]
            check_limit(course, "squares along a room", size, limits.MAX_ROOM_SIZE)
            ground["room"][squares] = number
            # A quarter turn clockwise takes row j, column i to row i, column size - 1 - j.
            ground["room_next"][squares] = np.rot90(squares.reshape(size, size)).ravel()
