"""The tables that kernels play on: one course compiled together with the settings it is played by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.courses.tables import BEAM, COURSE, SQUARE, compile_courses
from rr_gym.errors import RoboRallyError
from rr_gym.rules.constants import MAX_BEAMS, MAX_SQUARES
from rr_gym.rules.records import record
from rr_gym.rules.settings import SETTINGS, Settings, settings_record

# One record with everything in it: kernels pass a pointer instead of the many words of an array.
TABLE = record([
    ("settings", SETTINGS),
    ("course", COURSE),
    ("beams", BEAM, (MAX_BEAMS,)),
    ("squares", SQUARE, (MAX_SQUARES,)),
])  # fmt: skip


def compile_tables(courses: Sequence[Course], settings: Sequence[Settings]) -> np.ndarray[Any, Any]:
    """One table per course, shape (len(courses),), dtype `TABLE`.

    Raises CourseError for elements without a rule, RoboRallyError for a course that is too large.
    """
    tables = np.zeros(len(courses), TABLE)
    compiled = compile_courses(courses)
    for table, course, chosen, facts in zip(tables, courses, settings, compiled.courses, strict=True):
        for what, count, limit in (
            ("squares", facts["num_squares"], MAX_SQUARES),
            ("laser mounts", facts["num_beams"], MAX_BEAMS),
        ):
            if count > limit:
                raise RoboRallyError(f"course '{course.id}': {count} {what}: expected at most {limit}")
        table["settings"] = settings_record(chosen)
        table["course"] = facts
        first, count = facts["first_square"], facts["num_squares"]
        table["squares"][:count] = compiled.squares[first : first + count]
        first, count = facts["first_beam"], facts["num_beams"]
        table["beams"][:count] = compiled.beams[first : first + count]
    return tables
