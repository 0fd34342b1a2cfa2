"""Check that a course fits into the tables."""

from __future__ import annotations

from rr_gym.courses.text.layout import Layout
from rr_gym.errors import CourseError


def check_limit(course: Layout, what: str, count: int, limit: int) -> None:
    """Raise a CourseError if a course has more than `limit` of something; `what` names it in the error."""
    if count > limit:
        raise CourseError(f"course {course.id}: {count} {what}: expected at most {limit}")
