"""Find the elements of a course, and its feature bits, by which rules skip the elements that it does not have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

from rr_gym.courses.elements import BASE, ELEMENTS
from rr_gym.courses.tables import ground as bits
from rr_gym.courses.text.board import GROUP_ELEMENTS
from rr_gym.courses.text.layout import Layout
from rr_gym.courses.text.words import SIDE_LETTERS

BASE_ELEMENTS = frozenset(element.id for element in ELEMENTS if element.set == BASE)
# Feature bits by element id; elements without an entry have no bit of their own.
FEATURES: dict[str, int] = {
    element.id: reduce(or_, (getattr(bits, name) for name in element.features))
    for element in ELEMENTS
    if element.features
}


def elements(course: Layout) -> dict[str, str]:
    """Return the elements of a course, each with its first place, such as ``exchange.rrb 4,2: pit ('X')``."""
    found: dict[str, str] = {}
    for element, place, shown in _uses(course):
        found.setdefault(element, f"{place}: {element} ({shown})")
    return found


def _uses(course: Layout) -> Iterator[tuple[str, str, str]]:
    """Yield every occurrence of an element: its id, its place, and how it is written there."""
    for at, square in course.squares.items():
        for part in (*square.cell.items, *square.cell.sides):
            side = f"/{SIDE_LETTERS[part.side]}" if part.side >= 0 else ""
            yield part.element, square.where, f"'{side}{part.text}'"
        for direction in range(4):
            other = course.beyond(at, direction)
            if other and other.level > square.level:
                yield "ledge", square.where, f"level {square.level} beside {other.level}"
        for item in square.cell.items:
            if item.kind == "stream" and course.falls(at, item.direction):
                yield "waterfall", square.where, f"'{item.text}'"
    for placement in course.placements:
        for group in placement.board.groups:
            x, y = group.squares[0]
            yield GROUP_ELEMENTS[group.kind], f"{placement.name}.rrb {x},{y}", f"'{group.kind}'"


def needs_ground(course: Layout) -> bool:
    """Tell whether a course goes beyond the base game: it has elements of expansions, or a level other than 0."""
    raised = any(square.level for square in course.squares.values())
    return raised or not elements(course).keys() <= BASE_ELEMENTS


def expansion_features(course: Layout) -> int:
    """Return the feature bits of a course above those of the base game."""
    features = 0
    for element in elements(course):
        features |= FEATURES.get(element, 0)
    return features
