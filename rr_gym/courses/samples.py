"""Small courses that show one board element each."""

from __future__ import annotations

from rr_gym.courses.course import Course
from rr_gym.courses.elements import Element


def sample_course(element: Element) -> Course:
    """Build the sample course of an element from its row in the table of elements."""
    if element.sample.startswith("id:"):
        return Course.from_yaml(element.sample, f"{element.id}.yaml")
    return Course.from_board(element.sample or element.token, element.id)
