"""Which elements a course uses, and which of its special rules the game cannot play."""

from __future__ import annotations

from collections.abc import Iterator

from rr_gym.courses.board import GROUP_ELEMENTS
from rr_gym.courses.course import Course, PlacedSquare
from rr_gym.courses.grammar import SIDE_LETTERS, STEPS

IMPLEMENTED_SPECIAL_RULES = frozenset({"robot_laser_factor", "start_damage", "no_power_down", "programming_seconds"})


def elements(course: Course) -> dict[str, str]:
    """The elements of a course, each with its first place such as ``exchange.rrb 4,2: pit ('X')``."""
    found: dict[str, str] = {}
    for element, place, shown in _uses(course):
        found.setdefault(element, f"{place}: {element} ({shown})")
    return found


def missing(course: Course) -> list[str]:
    """The special rules of the course that are not played yet."""
    rules = [rule["rule"] for rule in course.rules if rule["rule"] not in IMPLEMENTED_SPECIAL_RULES]
    return [f"the special rule {rule} is not played yet" for rule in rules]


def _uses(course: Course) -> Iterator[tuple[str, str, str]]:
    for (x, y), square in course.squares.items():
        for part in (*square.cell.items, *square.cell.sides):
            side = f"/{SIDE_LETTERS[part.side]}" if part.side >= 0 else ""
            yield part.element, square.where, f"'{side}{part.text}'"
        for dx, dy in STEPS:
            other: PlacedSquare | None = course.squares.get((x + dx, y + dy))
            if other and other.level > square.level:
                yield "ledge", square.where, f"level {square.level} beside {other.level}"
        for stream in (item for item in square.cell.items if item.kind == "stream"):
            dx, dy = STEPS[stream.direction]
            below = course.squares.get((x + dx, y + dy))
            if below and below.level < square.level:
                yield "waterfall", square.where, f"'{stream.text}'"
    for placement in course.placements:
        for group in placement.board.groups:
            x, y = group.squares[0]
            yield GROUP_ELEMENTS[group.kind], f"{placement.name}.rrb {x},{y}", f"'{group.kind}'"
