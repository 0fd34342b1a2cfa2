"""Compile courses to flat tables of numbers, which the rules read.

Squares are numbered ``y * width + x``, directions and sides are 0=n 1=e 2=s 3=w, phase masks have bit p-1 for phase p.
Numbers of squares and beams are relative to the first one of their course.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rr_gym.compilation.records import Array, Record, i1, i2, i4, i8, shape, u1
from rr_gym.courses.tables.expansion_tables import expand
from rr_gym.courses.tables.features import expansion_features, needs_ground
from rr_gym.courses.tables.ground import EXTRAS, GROUND, HAS_GOLD_BELTS, HAS_HYDRAULICS, HAS_ROOMS
from rr_gym.courses.tables.limits import check_limit
from rr_gym.courses.tables.sides import Sides, crossings, own_sides
from rr_gym.courses.tables.terrain import put_square
from rr_gym.courses.text.grammar import ALL_PHASES, STEPS
from rr_gym.courses.text.layout import MAX_FLAGS, Layout
from rr_gym.errors import CourseError

HAS_BELTS, HAS_EXPRESS, HAS_PUSHERS, HAS_GEARS, HAS_CRUSHERS, HAS_LASERS, HAS_PITS = (1 << i for i in range(7))
BASE_FEATURES = (1 << 7) - 1
MAX_SQUARES = 32767
MAX_STARTS = 8


class Square(Record):
    """The elements of the base game on a square."""

    exists: u1  # 0 where no board covers the layout
    x: i2
    y: i2
    level: i1
    neighbour: Array[i2] = shape(4)  # square beyond each side, -1 off the board
    wall: Array[u1] = shape(4)  # phases in which no body can leave over the side, by the sides of both squares
    cover: Array[u1] = shape(4)  # phases in which no shot or beam can leave over the side
    reach: Array[i2] = shape(4)  # number of squares that a shot crosses after leaving in this direction
    pit: u1  # phases in which it is a pit
    belt: i1  # 0 none, 1 normal, 2 express, 3 gold
    belt_direction: i1  # -1 without a belt; a rotating belt has that of phase 1
    belt_turns: u1  # bit s: robots that a belt carries in over side s are turned
    gear: i1  # -1 left, +1 right
    pushers: Array[u1] = shape(4)  # phases of the pusher mounted on each side; it pushes to the opposite side
    crusher: u1  # phases, of mega crushers too
    wrenches: i1
    flag: i1  # 1-8
    start: i1  # 1-8
    lit: u1  # 1 if the beam of a board laser passes here while no robot blocks it


SQUARE = Square.dtype


class Beam(Record):
    """A mount of a board laser."""

    square: i2  # of the mount
    direction: i1  # of flight
    beams: i1  # 1-3
    length: i2  # number of squares it covers while no robot blocks it, its own included
    twin: i2  # the mount at the other end of the same line, -1 without one


BEAM = Beam.dtype


class CourseFacts(Record):
    """Facts about a course as a whole."""

    width: i2
    height: i2
    num_squares: i4
    first_square: i4
    first_beam: i4
    num_beams: i4
    num_flags: i1
    flag_squares: Array[i2] = shape(MAX_FLAGS)  # squares, -1 for none
    num_starts: i1
    starts: Array[i2] = shape(MAX_STARTS)  # square of start n at n-1, -1 for none
    start_facing: i1  # the dock's front, -1 without a dock
    features: i8  # HAS_BELTS | HAS_EXPRESS | ..., and those of rr_gym.courses.tables.ground


COURSE = CourseFacts.dtype

Records = NDArray[Any]


class Tables(NamedTuple):
    """A stack of compiled courses.

    Attributes:
        courses: Shape (courses,), dtype COURSE.
        squares: Shape (all rows,), dtype SQUARE; the rows of a course begin at its first_square. With expansions its
            num_squares squares are followed by the other rows that its EXTRAS count.
        beams: Shape (all beams,), dtype BEAM; those of a course begin at its first_beam, in the order of their squares,
            and on one square in the order n, e, s, w of the side that they are mounted on.
        ground: Shape (all rows,), dtype GROUND; (0,) if all courses are of the base game.
        extras: Shape (courses,), dtype EXTRAS; (0,) if all courses are of the base game.
    """

    courses: Records
    squares: Records
    beams: Records
    ground: Records
    extras: Records


def compile_courses(courses: Sequence[Layout], full: bool = False, turning: Sequence[bool] = ()) -> Tables:
    """Compile courses and stack their tables in the given order.

    Args:
        courses: The courses.
        full: Include ground and extras even if all courses are of the base game.
        turning: Whether the boards of each course may turn during a game (R-G3.11); by default none do.

    Raises:
        CourseError: A course is too large, or has something that leads nowhere.
    """
    full = full or any(turning) or any(map(needs_ground, courses))
    parts = [_compile(course, full, bool(turning) and turning[i]) for i, course in enumerate(courses)]
    # Start from zeros, so that equal courses have equal bytes, including the padding between fields.
    tables = Tables(
        np.zeros(len(parts), COURSE),
        np.zeros(sum(len(part.squares) for part in parts), SQUARE),
        np.zeros(sum(len(part.beams) for part in parts), BEAM),
        np.zeros(sum(len(part.ground) for part in parts), GROUND),
        np.zeros(len(parts) if full else 0, EXTRAS),
    )
    first_square = first_beam = 0
    for i, part in enumerate(parts):
        tables.courses[i] = part.courses[0]
        tables.courses[i]["first_square"], tables.courses[i]["first_beam"] = first_square, first_beam
        tables.squares[first_square : first_square + len(part.squares)] = part.squares
        tables.beams[first_beam : first_beam + len(part.beams)] = part.beams
        tables.ground[first_square : first_square + len(part.ground)] = part.ground
        tables.extras[i : i + 1] = part.extras
        first_square += len(part.squares)
        first_beam += len(part.beams)
    return tables


def _compile(course: Layout, full: bool, turning: bool) -> Tables:
    """Compile the tables of one course alone."""
    width, height = course.size
    if width * height > MAX_SQUARES:
        raise CourseError(f"course {course.id}: size: {width}x{height} squares: expected at most {MAX_SQUARES} in all")
    sides = own_sides(course)
    squares = _compile_squares(course, sides)
    beams = _compile_beams(course, squares)
    ground, extras = np.zeros(0, GROUND), np.zeros(0, EXTRAS)
    if full:
        squares, ground, extras = expand(course, squares, sides, turning)
    heads = np.zeros(1, COURSE)
    head = heads[0]
    head["width"], head["height"], head["num_squares"], head["num_beams"] = width, height, width * height, len(beams)
    head["flag_squares"], head["starts"] = -1, -1
    head["num_flags"], head["num_starts"] = len(course.flags), len(course.starts)
    for n, (x, y) in enumerate(course.flags, 1):
        head["flag_squares"][n - 1] = y * width + x
    for n, (x, y) in course.starts.items():
        head["starts"][n - 1] = y * width + x
    head["start_facing"] = -1 if course.start_facing is None else course.start_facing
    features = _features(squares, beams) | expansion_features(course) | (HAS_ROOMS if turning else 0)
    # Pushers of both kinds act together.
    head["features"] = features | HAS_PUSHERS if features & HAS_HYDRAULICS else features
    return Tables(heads, squares, beams, ground, extras)


def _compile_squares(course: Layout, sides: Sides) -> Records:
    """Compile the squares of a layout; dtype SQUARE, shape (width * height,)."""
    width, height = course.size
    squares = np.zeros(width * height, SQUARE)
    squares["x"], squares["y"] = np.arange(width * height) % width, np.arange(width * height) // width
    squares["neighbour"], squares["belt_direction"] = -1, -1
    for (x, y), placed in course.squares.items():
        square = squares[y * width + x]
        square["exists"], square["level"] = 1, placed.level
        for side, (dx, dy) in enumerate(STEPS):
            if (x + dx, y + dy) in course.squares:
                square["neighbour"][side] = (y + dy) * width + x + dx
        for item in placed.cell.items:
            put_square(square, item)
    for n, (x, y) in enumerate(course.flags, 1):
        squares[y * width + x]["flag"] = n
    for n, (x, y) in course.starts.items():
        squares[y * width + x]["start"] = n
    squares["wall"] = crossings(sides.out_wall, sides.in_wall, squares["neighbour"])
    squares["cover"] = crossings(sides.out_cover, sides.in_cover, squares["neighbour"])
    _measure_reach(squares)
    return squares


def _measure_reach(squares: Records) -> None:
    """Fill `reach` from `neighbour` and `cover`."""
    for direction in range(4):
        # Start with the squares farthest in this direction: the reach of a square is that of its neighbour plus one.
        order = range(len(squares)) if direction in (0, 3) else reversed(range(len(squares)))
        neighbours, covers = (squares[name][:, direction].tolist() for name in ("neighbour", "cover"))
        reach = [0] * len(squares)
        for number in order:
            if neighbours[number] >= 0 and not covers[number]:
                reach[number] = reach[neighbours[number]] + 1
        squares["reach"][:, direction] = reach


def _compile_beams(course: Layout, squares: Records) -> Records:
    """Compile all laser mounts (dtype BEAM), and set `lit` of the squares that their beams pass."""
    mounts: dict[tuple[int, int], int] = {}  # (square, direction of flight) -> beams
    for square, _, part in course.sides():
        if part.element == "board_laser":
            mounts[square, (part.side + 2) % 4] = part.number
    check_limit(course, "laser mounts", len(mounts), MAX_SQUARES)
    index = {mount: i for i, mount in enumerate(mounts)}
    beams = np.zeros(len(mounts), BEAM)
    for i, ((square, direction), number) in enumerate(mounts.items()):
        line = [square]
        for _ in range(squares[square]["reach"][direction]):
            line.append(int(squares[line[-1]]["neighbour"][direction]))
        twin = index.get((line[-1], (direction + 2) % 4), -1)
        beams[i] = (square, direction, number, len(line), twin)
        # Light passes an open door in some phases.
        while squares["cover"][line[-1], direction] != ALL_PHASES and squares["neighbour"][line[-1], direction] >= 0:
            line.append(int(squares["neighbour"][line[-1], direction]))
        squares["lit"][line] = 1
    return beams


def _features(squares: Records, beams: Records) -> int:
    """Return the feature bits of the base game, and that of gold belts, read from the tables."""
    present = machines_on(squares) | {HAS_LASERS: beams["beams"] > 0, HAS_PITS: squares["pit"] > 0}
    return sum(bit for bit, found in present.items() if found.any())


def machines_on(squares: Records) -> dict[int, NDArray[np.bool_]]:
    """Return the rows with belts, pushers, gears and crushers, by the feature bit of each; bool, (rows,)."""
    return {
        HAS_BELTS: squares["belt"] > 0,
        HAS_EXPRESS: squares["belt"] > 1,
        HAS_GOLD_BELTS: squares["belt"] > 2,
        HAS_PUSHERS: (squares["pushers"] > 0).any(axis=1),
        HAS_GEARS: squares["gear"] != 0,
        HAS_CRUSHERS: squares["crusher"] > 0,
    }
