"""Boards with robots as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from rr_gym.courses import Course
from rr_gym.courses.changes import AS_PRINTED, Changes
from rr_gym.courses.picture import svg as course_svg
from rr_gym.courses.picture import to_svg
from rr_gym.courses.shapes import Primitive
from rr_gym.render.pieces import Piece, changes_of, pieces_of
from rr_gym.render.robots import (
    bodies,
    body_shapes,
    energy_shapes,
    fire_shapes,
    flight_shapes,
    number_shapes,
    pip_shapes,
    plate_shapes,
    robot_shapes,
    sleep_shapes,
)
from rr_gym.rules.records import GameRecord


def svg(record: GameRecord, course: Course, cell: int = 48) -> str:
    """A game as an SVG document.

    Args:
        record: One element of an array of dtype `GAME`.
        course: The course that it is played on.
        cell: The side of a square in pixels.
    """
    return pieces_svg(pieces_of(record, course), course, cell, changes_of(record, course))


def pieces_svg(pieces: Sequence[Piece], course: Course, cell: int = 48, changes: Changes = AS_PRINTED) -> str:
    """Robots on their course as an SVG document."""
    groups = []
    for look, (x, y) in bodies(pieces, course.size[0]):
        opacity = f' opacity="{look.opacity}"' if look.virtual else ""
        groups.append(f'<g transform="translate({x:g} {y:g})"{opacity}>{to_svg(robot_shapes(look), 1, 1, cell=1)}</g>')
    head, _, tail = course_svg(course, cell, changes).rpartition("</svg>")
    return f"{head}{''.join(groups)}</svg>{tail}"


# What a script shows while a robot is in this state: the class of the part and its shapes.
CONDITIONS = {"burning": fire_shapes, "asleep": sleep_shapes, "energized": energy_shapes}


def movable_svg(seat: int, cell: int, is_copy: bool = False) -> str:
    """A robot for pages that move it: a group around (0, 0), facing north, with parts that a script turns and shows.

    Args:
        seat: Gives colour and number.
        cell: The side of a square in the page's units.
        is_copy: Whether it is the copy of a robot.
    """

    def part(shapes: Sequence[Primitive], name: str = "") -> str:
        group = to_svg(shapes, 1, 1, cell=cell)
        return f'<g class="condition {name}">{group}</g>' if name else group

    corner = f'transform="translate({-cell / 2:g} {-cell / 2:g})"'
    pips = "".join(f'<g class="pip">{part([pip])}</g>' for pip in pip_shapes(10))
    conditions = "".join(part(shapes(), name) for name, shapes in CONDITIONS.items())
    plate = part(plate_shapes("copy")) if is_copy else part(plate_shapes("0"), "level")
    kind = "copy" if is_copy else "robot"
    return (
        f'<g class="robot {kind}" id="{kind}-{seat}"><g {corner}>{part(flight_shapes(), "flying")}</g>'
        f'<g class="turning"><g {corner}>{part(body_shapes(seat))}</g></g>'
        f"<g {corner}>{part(number_shapes(seat))}{pips}{conditions}{plate}</g></g>"
    )
