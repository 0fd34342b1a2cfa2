"""How robots look: drawn with the pen of the board pictures, so that SVG and pixels come from one description."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import cos, pi, sin

from rr_gym.courses.shapes import INK, WHITE, Pen, Point, Primitive, mixed
from rr_gym.render.colours import INK_ON_ROBOT, ROBOT_COLOURS
from rr_gym.render.pieces import Piece

VIRTUAL_OPACITY = 0.6
PIP = "#e5232b"
TREAD, TREAD_MARK, DARK_EYE = "#2b2e34", "#5b616b", "#6c717a"


def body_shapes(seat: int, facing: int = 0, down: bool = False) -> list[Primitive]:
    """The body of a robot on the square (0, 0): treads, hull with its nose and eyes in front.

    Args:
        seat: Gives colour and number.
        facing: 0-3 for n e s w.
        down: Powered down robots are grey and their eyes are dark.
    """
    shapes: list[Primitive] = []
    pen = Pen(shapes, (0, 0), facing)
    colour = mixed(ROBOT_COLOURS[seat], "#7d7d7d", 0.65) if down else ROBOT_COLOURS[seat]
    for u in (0.13, 0.71):
        pen.box(u, 0.24, u + 0.16, 0.86, TREAD, INK, 0.02)
        for v in (0.36, 0.48, 0.6, 0.72):
            pen.line([(u + 0.03, v), (u + 0.13, v)], TREAD_MARK, 0.03)
    pen.box(0.46, 0.05, 0.54, 0.2, TREAD)
    right = [(0.66, 0.13), (0.78, 0.34), (0.78, 0.76), (0.7, 0.84)]
    pen.polygon([*right, *((1 - u, v) for u, v in reversed(right))], colour, INK, 0.03)
    for u in (0.4, 0.6):
        pen.circle(u, 0.25, 0.065, DARK_EYE if down else WHITE, INK, 0.015)
        if not down:
            pen.circle(u, 0.225, 0.032, INK)
    pen.circle(0.5, 0.5, 0.165, mixed(colour, "#000000", 0.18))
    return shapes


def number_shapes(seat: int) -> list[Primitive]:
    """The number of a robot in the middle of the square (0, 0), upright however the robot faces."""
    shapes: list[Primitive] = []
    Pen(shapes, (0, 0)).text(0.5, 0.5, str(seat + 1), 0.28, INK_ON_ROBOT[seat])
    return shapes


def pip_shapes(damage: int) -> list[Primitive]:
    """A row of points of damage along the lower edge of the square (0, 0)."""
    shapes: list[Primitive] = []
    pen = Pen(shapes, (0, 0))
    for i in range(damage):
        pen.circle(0.095 + 0.09 * i, 0.94, 0.036, PIP, WHITE, 0.014)
    return shapes


def robot_shapes(seat: int, facing: int, damage: int, down: bool) -> list[Primitive]:
    """All of a robot on the square (0, 0)."""
    return [*body_shapes(seat, facing, down), *number_shapes(seat), *pip_shapes(damage)]


def spots(squares: Sequence[int], width: int) -> list[Point]:
    """Where robots are drawn, in squares: the corner of their square, and aside of it where several share one.

    Args:
        squares: A square number per robot; -1 stays at the corner of the layout.
        width: Of the course.
    """
    sharing: dict[int, list[int]] = defaultdict(list)
    for seat, square in enumerate(squares):
        sharing[square].append(seat)
    places: list[Point] = []
    for seat, square in enumerate(squares):
        group = sharing[square]
        aside = 0.16 if len(group) > 1 and square >= 0 else 0.0
        angle = 2 * pi * group.index(seat) / len(group)
        x, y = max(0, square) % width, max(0, square) // width
        places.append((round(x + aside * sin(angle), 3), round(y - aside * cos(angle), 3)))
    return places


def on_board(pieces: Sequence[Piece]) -> list[int]:
    """The seats whose robots are drawn, virtual ones last so that they lie on top."""
    seats = [seat for seat, piece in enumerate(pieces) if piece.alive and piece.square >= 0]
    return sorted(seats, key=lambda seat: pieces[seat].virtual)
