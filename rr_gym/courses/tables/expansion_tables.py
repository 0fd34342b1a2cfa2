"""Compile the tables that only courses with expansions have: extra rows of SQUARE, the rows of GROUND, and EXTRAS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.tables import ground as limits
from rr_gym.courses.tables.ground import EXTRAS
from rr_gym.courses.tables.groups import put_groups
from rr_gym.courses.tables.in_line import put_lines
from rr_gym.courses.tables.limits import check_limit
from rr_gym.courses.tables.links import put_barriers, put_gates, put_portals
from rr_gym.courses.tables.sides import Sides, set_crossings
from rr_gym.courses.tables.terrain import bare_ground, put_ground
from rr_gym.courses.tables.turned_rooms import add_turned_rows
from rr_gym.courses.tables.turning_boards import put_turning_boards
from rr_gym.courses.text.grammar import ALL_PHASES, SquarePart
from rr_gym.courses.text.layout import Layout

Records = NDArray[Any]
_EXPRESS = 2


def expand(
    course: Layout, squares: Records, sides: Sides, turning: bool
) -> tuple[Records, Records, Records]:
    """Compile the tables that expansions add to a course.

    Args:
        course: Any course, also one of the base game.
        squares: Its rows of SQUARE, one per square of the layout.
        sides: The sides that these squares define themselves.
        turning: Whether its boards may turn (R-G3.11).

    Returns:
        All its rows of SQUARE (those of the layout, then hidden and turned ones), their rows of GROUND, and its EXTRAS,
        shape (1,).

    Raises:
        CourseError: There is more of something than the tables hold, or a light barrier leads nowhere.
    """
    check_limit(course, "boards", len(course.placements), limits.MAX_BOARDS)
    ramps = [(number, part) for number, _, part in course.sides() if part.kind == "ramp"]
    check_limit(course, "ramps", len(ramps), limits.MAX_HIDDEN)
    num_visible, num_standing = len(squares), len(squares) + len(ramps)
    squares, ground, all_extras = _grown(squares, num_standing), bare_ground(num_standing), np.zeros(1, EXTRAS)
    extras = all_extras[0]
    for name in ("out_wall", "in_wall", "out_cover", "in_cover", "kinds"):
        ground[name][:num_visible] = getattr(sides, name)
    _put_items(course, ground, extras)
    _put_mounts(course, extras)
    put_portals(course, ground)
    put_gates(course, ground)
    put_groups(course, ground, extras)
    if turning:
        put_turning_boards(course, ground, extras)
    put_barriers(course, squares, ground)
    for hidden, (foot, part) in enumerate(ramps, num_visible):
        _put_ramp(squares, ground, foot, part, hidden)
    everywhere = np.arange(num_standing)
    set_crossings(squares, ground, everywhere, everywhere)
    raised = np.flatnonzero(ground["has_elevator"][:num_visible])
    ground["top"] = -1
    ground["top"][raised] = np.arange(len(raised)) + num_standing
    extras["num_places"] = num_standing + len(raised)
    put_lines(ground, course.size, ((number, part) for number, _, part in course.sides()))
    num_rows = num_standing + 3 * int(np.count_nonzero(ground["room"] >= 0))
    check_limit(course, "squares, with ramps and turned rooms,", num_rows, np.iinfo(np.int16).max)
    squares, ground = _grown(squares, num_rows), _grown(ground, num_rows)
    if num_rows > num_standing:
        add_turned_rows(squares, ground, num_standing)
    extras["num_rows"], extras["num_visible"], extras["num_standing"] = num_rows, num_visible, num_standing
    return squares, ground, all_extras


def _grown(rows: Records, size: int) -> Records:
    """Return the rows padded with zeros to a length of `size`."""
    grown = np.zeros(size, rows.dtype)
    grown[: len(rows)] = rows
    return grown


def _store(course: Layout, extras: Any, name: str, values: Sequence[Any], limit: int, what: str) -> None:
    """Fill a list in EXTRAS and its count; `what` names the entries in the error raised if there are too many."""
    check_limit(course, what, len(values), limit)
    extras[f"num_{name}"] = len(values)
    for i, value in enumerate(values):
        extras[name][i] = value


def _put_items(course: Layout, ground: Records, extras: Any) -> None:
    """Write all items to GROUND; number crumbly squares, turrets and attractors row by row, and list them in EXTRAS."""
    boards = {id(placement): number for number, placement in enumerate(course.placements)}
    turrets: list[int] = []
    attractors: list[int] = []
    num_crumbly = 0
    for number, placed, item in course.items():
        here = ground[number]
        here["board"] = boards[id(placed.placement)]
        put_ground(here, item)
        match item.element:
            case "crumbly_ground":
                here["crumbly"] = num_crumbly
                num_crumbly += 1
            case "turret_gun":
                turrets.append(number)
            case "magnet" | "black_hole":
                attractors.append(number)
    check_limit(course, "crumbly squares", num_crumbly, limits.MAX_CRUMBLY)
    extras["num_crumbly"] = num_crumbly
    _store(course, extras, "turrets", turrets, limits.MAX_TURRETS, "turret guns")
    ground["turret"][turrets] = range(len(turrets))
    _store(course, extras, "attractors", attractors, limits.MAX_ATTRACTORS, "magnets and black holes")
    guns = [item.direction for _, _, item in course.items() if item.kind == "turret"]
    extras["turret_facings"][: len(guns)] = guns


def _put_mounts(course: Layout, extras: Any) -> None:
    """List the mounts of melting beams and ventilators in EXTRAS."""
    for element, name, what in (
        ("melting_beam", "melting", "melting beams"),
        ("ventilator", "fans", "ventilators"),
    ):
        lines = [
            (number, (part.side + 2) % 4, part.number, part.phases, placed.level)
            for number, placed, part in course.sides()
            if part.element == element
        ]
        _store(course, extras, name, lines, limits.MAX_LINES, what)


def _put_ramp(squares: Records, ground: Records, foot: int, part: SquarePart, hidden: int) -> None:
    """Fill the hidden square of a ramp: an extra square between its foot and its top, with closed sides (R-E14)."""
    up, down = part.side, (part.side + 2) % 4
    top = int(squares["neighbour"][foot, up])
    square, here = squares[hidden], ground[hidden]
    for name in ("exists", "x", "y", "level", "lit"):
        square[name] = squares[name][foot]
    square["neighbour"], square["belt_direction"] = -1, -1
    square["neighbour"][up], square["neighbour"][down] = top, foot
    for name in ("board", "room", "out_cover", "in_cover"):
        here[name] = ground[name][foot]
    here["place"], here["up"] = foot, up
    for lateral in ((up + 1) % 4, (up + 3) % 4):
        here["out_wall"][lateral] = here["in_wall"][lateral] = ALL_PHASES
    if part.element == "fast_ramp":
        here["fast"], here["directions"] = 1, up
        square["belt"], square["belt_direction"] = _EXPRESS, up
    ground["ramp"][foot, up] = hidden
    ground["ramp_down"][top] |= 1 << down
