"""Boards with robots as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from rr_gym.courses import Course
from rr_gym.courses.picture import svg as course_svg
from rr_gym.courses.picture import to_svg
from rr_gym.render.pieces import Piece, pieces_of
from rr_gym.render.robots import VIRTUAL_OPACITY, body_shapes, number_shapes, on_board, pip_shapes, robot_shapes, spots
from rr_gym.rules.records import GameRecord


def svg(record: GameRecord, course: Course, cell: int = 48) -> str:
    """A game as an SVG document.

    Args:
        record: One element of an array of dtype `GAME`.
        course: The course that it is played on.
        cell: The side of a square in pixels.
    """
    return pieces_svg(pieces_of(record), course, cell)


def pieces_svg(pieces: Sequence[Piece], course: Course, cell: int = 48) -> str:
    """Robots on their course as an SVG document."""
    places = spots([piece.square for piece in pieces], course.size[0])
    groups = []
    for seat in on_board(pieces):
        piece, (x, y) = pieces[seat], places[seat]
        shapes = robot_shapes(seat, piece.facing, piece.damage, piece.down)
        opacity = f' opacity="{VIRTUAL_OPACITY}"' if piece.virtual else ""
        groups.append(f'<g transform="translate({x:g} {y:g})"{opacity}>{to_svg(shapes, 1, 1, cell=1)}</g>')
    head, _, tail = course_svg(course, cell).rpartition("</svg>")
    return f"{head}{''.join(groups)}</svg>{tail}"


def movable_svg(seat: int, cell: int) -> str:
    """A robot for pages that move it: a group around (0, 0), facing north, with parts that a script turns and shows.

    Args:
        seat: Gives colour and number.
        cell: The side of a square in the page's units.
    """
    body = to_svg(body_shapes(seat), 1, 1, cell=cell)
    number = to_svg(number_shapes(seat), 1, 1, cell=cell)
    pips = "".join(f'<g class="pip">{to_svg([pip], 1, 1, cell=cell)}</g>' for pip in pip_shapes(10))
    corner = f'transform="translate({-cell / 2:g} {-cell / 2:g})"'
    return (
        f'<g class="robot" id="robot-{seat}"><g class="turning"><g {corner}>{body}</g></g>'
        f"<g {corner}>{number}{pips}</g></g>"
    )
