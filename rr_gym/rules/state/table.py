"""The tables that kernels play on: one course compiled together with the settings it is played by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.compilation.separate import BASE, FULL, OPTIONS, declare_records
from rr_gym.courses.course import Course
from rr_gym.courses.tables.features import needs_ground
from rr_gym.courses.tables.ground import EXTRAS, GROUND
from rr_gym.courses.tables.look_ups import row_features, special_rows
from rr_gym.courses.tables.records import record
from rr_gym.courses.tables.tables import BEAM, COURSE, SQUARE, compile_courses
from rr_gym.errors import RoboRallyError
from rr_gym.rules.state.constants import MAX_BEAMS, MAX_ROWS, MAX_SQUARES
from rr_gym.rules.state.records import GAME, LOG
from rr_gym.rules.state.settings import SETTINGS, Settings, needs_expansions, settings_record

# One record with everything in it: kernels pass a pointer instead of the many words of an array.
_BASE: list[tuple[Any, ...]] = [
    ("settings", SETTINGS),
    ("course", COURSE),
    ("beams", BEAM, (MAX_BEAMS,)),
]
TABLE = record([*_BASE, ("squares", SQUARE, (MAX_SQUARES,))])
# Arenas with option cards or variants on base courses: kernels compiled for this type have the rules of those in them.
# What the base table lacks stands first: Numba takes a record that only adds fields at its end for the shorter one.
_OPTIONS: list[tuple[Any, ...]] = [
    ("extras", EXTRAS),
    ("room_of", "i1", (MAX_ROWS,)),  # the rotating room or board of a place, -1 for none: asked for at every look-up
    ("special", "u1", (MAX_ROWS,)),  # ACTS | SLOPES | FACES | BY_ROOM
    ("active", "i8", (MAX_ROWS,)),  # the features of a row that act only on who stands there
    ("ground", GROUND, (MAX_ROWS,)),
    *_BASE,
    ("squares", SQUARE, (MAX_ROWS,)),
]
OPTIONS_TABLE = record(_OPTIONS)
# Arenas with a course that has elements of expansions: all rules.
FULL_TABLE = record([("elements", "u1"), *_OPTIONS])  # the first field only tells the forms apart
for form, table in ((BASE, TABLE), (OPTIONS, OPTIONS_TABLE), (FULL, FULL_TABLE)):
    declare_records(form, {"game": GAME, "table": table, "log": LOG})


def compile_tables(
    courses: Sequence[Course], settings: Sequence[Settings], full: bool | None = None
) -> np.ndarray[Any, Any]:
    """One table per course, shape (len(courses),), dtype `TABLE`, or `FULL_TABLE` if any has elements of expansions.

    None for `full` looks at the settings: option cards and variants need `OPTIONS_TABLE`. True asks for `FULL_TABLE`
    in any case, False for `TABLE` where the courses allow it.

    Raises CourseError and RoboRallyError for a course that is too large.
    """
    turning = [chosen.rotate_board_on_flag == "on" for chosen in settings]
    elements = full is True or any(turning) or any(map(needs_ground, courses))
    expansions = elements or (full is None and any(map(needs_expansions, settings)))
    compiled = compile_courses(courses, expansions, turning)
    tables = np.zeros(len(courses), FULL_TABLE if elements else OPTIONS_TABLE if expansions else TABLE)
    for i, (table, course, chosen, facts) in enumerate(zip(tables, courses, settings, compiled.courses, strict=True)):
        num_rows = compiled.extras[i]["num_rows"] if expansions else facts["num_squares"]
        squares = "squares" if num_rows == facts["num_squares"] else "squares, with ramps and turned rooms"
        for what, count, limit in (
            (squares, num_rows, len(table["squares"])),
            ("laser mounts", facts["num_beams"], MAX_BEAMS),
        ):
            if count > limit:
                raise RoboRallyError(f"course '{course.id}': {count} {what}: expected at most {limit}")
        table["settings"] = settings_record(chosen)
        table["course"] = facts
        first, last = facts["first_square"], facts["first_square"] + num_rows
        table["squares"][:num_rows] = compiled.squares[first:last]
        if expansions:
            table["extras"] = compiled.extras[i]
            table["ground"][:num_rows] = compiled.ground[first:last]
            table["room_of"] = -1
            table["room_of"][:num_rows] = compiled.ground["room"][first:last]
            table["active"][:num_rows] = row_features(compiled.squares[first:last], compiled.ground[first:last])
            table["special"][:num_rows] = special_rows(compiled.squares[first:last], compiled.ground[first:last])
        first, count = facts["first_beam"], facts["num_beams"]
        table["beams"][:count] = compiled.beams[first : first + count]
    return tables
