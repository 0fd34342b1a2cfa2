"""Which board elements and special rules the game can play, and what a course lacks."""

from __future__ import annotations

from collections.abc import Iterator

from rr_gym.courses.board import GROUP_ELEMENTS
from rr_gym.courses.course import Course, PlacedSquare
from rr_gym.courses.grammar import SIDE_LETTERS, STEPS

# Element ids of docs/rules/elements.md. Everything can be written and drawn; these have a rule.
IMPLEMENTED_ELEMENTS = frozenset(
    {
        "open_floor",
        "pit",
        "board_edge",
        "wall",
        "checkpoint",
        "repair_site",
        "conveyor",
        "express_conveyor",
        "pusher",
        "gear",
        "crusher",
        "board_laser",
    }
)
IMPLEMENTED_SPECIAL_RULES = frozenset({"robot_laser_factor", "start_damage", "no_power_down", "programming_seconds"})


def elements(course: Course) -> dict[str, str]:
    """The elements of a course, each with its first place such as ``exchange.rrb 4,2: pit ('X')``."""
    found: dict[str, str] = {}
    for element, place, shown in _uses(course):
        found.setdefault(element, f"{place}: {element} ({shown})")
    return found


def missing(course: Course) -> list[str]:
    """What the course uses that has no rule yet: each element with its first square, and special rules."""
    lacking = [place for element, place in elements(course).items() if element not in IMPLEMENTED_ELEMENTS]
    rules = [rule["rule"] for rule in course.rules if rule["rule"] not in IMPLEMENTED_SPECIAL_RULES]
    return [f"{place} has no rule yet" for place in lacking] + [
        f"the special rule {rule} is not played yet" for rule in rules
    ]


def _uses(course: Course) -> Iterator[tuple[str, str, str]]:
    for (x, y), square in course.squares.items():
        for part in (*square.cell.items, *square.cell.sides):
            side = f"/{SIDE_LETTERS[part.side]}" if part.side >= 0 else ""
            yield part.element, square.where, f"'{side}{part.text}'"
        for dx, dy in STEPS:
            other: PlacedSquare | None = course.squares.get((x + dx, y + dy))
            if other and other.level > square.level:
                yield "ledge", square.where, f"level {square.level} beside {other.level}"
    for placement in course.placements:
        for group in placement.board.groups:
            x, y = group.squares[0]
            yield GROUP_ELEMENTS[group.kind], f"{placement.name}.rrb {x},{y}", f"'{group.kind}'"
