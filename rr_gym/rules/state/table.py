"""Tables: a course and the settings of its games, compiled into the record that kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.compilation.records import Array, Record, i1, i8, shape, stand_for, u1
from rr_gym.courses.course import Course
from rr_gym.courses.tables.features import needs_ground
from rr_gym.courses.tables.ground import Extras, Ground
from rr_gym.courses.tables.look_ups import row_features, special_rows
from rr_gym.courses.tables.tables import Beam, CourseFacts, Square, compile_courses
from rr_gym.errors import RoboRallyError
from rr_gym.rules.state.constants import MAX_BEAMS, MAX_ROWS, MAX_SQUARES
from rr_gym.rules.state.settings import SettingCodes, Settings, needs_expansions, settings_record


class TableHeader(Record):
    """The fields with which every table begins."""

    settings: SettingCodes
    course: CourseFacts
    beams: Array[Beam] = shape(MAX_BEAMS)


class BaseTable(TableHeader):
    """The table of a course of the base game.

    It is a single record, so that kernels need only one pointer.
    """

    squares: Array[Square] = shape(MAX_SQUARES)


class ExpansionTable(TableHeader):
    """The fields that all tables but `BaseTable` share, in the same places.

    Their squares begin at the same offset as those of `BaseTable`.
    """

    squares: Array[Square] = shape(MAX_ROWS)
    extras: Extras
    room_of: Array[i1] = shape(MAX_ROWS)  # the rotating room or turning board of a row, -1 for none
    special: Array[u1] = shape(MAX_ROWS)  # the bits ACTS, SLOPES, FACES and BY_ROOM of each row
    active_features: Array[i8] = shape(MAX_ROWS)  # the features of a row that act only on bodies that stand there
    ground: Array[Ground] = shape(MAX_ROWS)


class OptionsTable(ExpansionTable):
    """The table of a base course with option cards or variants; kernels compiled for this type include their rules."""

    options: u1


class Table(ExpansionTable):
    """The table of a course with elements of expansions; kernels compiled for this type include all rules.

    Rules are annotated with this class; those of the base game use only fields of `BaseTable`. Every field has the same
    offset in all three tables, so that rules can be compiled once for all of them. But no table may begin with all
    fields of another, because Numba would then accept the longer type for the shorter.
    """

    elements: u1


stand_for(Table, BaseTable, OptionsTable)

TABLE = BaseTable.dtype
OPTIONS_TABLE = OptionsTable.dtype
FULL_TABLE = Table.dtype


def compile_tables(
    courses: Sequence[Course], settings: Sequence[Settings], full: bool | None = None
) -> np.ndarray[Any, Any]:
    """Compile one table per course: shape (len(courses),).

    The dtype is `TABLE`, or `FULL_TABLE` if any course has elements of expansions. If `full` is None, the settings
    count too: option cards and variants need `OPTIONS_TABLE`. True always means `FULL_TABLE`, and False means `TABLE`
    if the courses allow it.

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
            table["active_features"][:num_rows] = row_features(
                compiled.squares[first:last], compiled.ground[first:last]
            )
            table["special"][:num_rows] = special_rows(compiled.squares[first:last], compiled.ground[first:last])
        first, count = facts["first_beam"], facts["num_beams"]
        table["beams"][:count] = compiled.beams[first : first + count]
    return tables
