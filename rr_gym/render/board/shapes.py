"""Drawing primitives, the palette, and a pen that draws primitives on a square, turned in any direction.

The unit of coordinates is a square: (0, 0) is the north-west corner of the layout, x grows to the east and y to the
south. Colours are ``#rrggbb``; widths and sizes are fractions of a square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import cos, pi, sin
from typing import Concatenate, ParamSpec

from rr_gym.courses.text.grammar import STEPS
from rr_gym.courses.text.words import ARROWS

Point = tuple[float, float]
P = ParamSpec("P")

FLOOR, FLOOR_SHEEN, FLOOR_LIGHT, FLOOR_LINE = "#d8d3c8", "#dcd8ce", "#e8e5dd", "#b3ada0"
INK, WHITE, SHADOW = "#22252b", "#ffffff", "#8a857b"
WALL, WALL_CORE = "#2e2b2a", "#e9b44c"
PIT, PIT_EDGE, HAZARD = "#0b0b0d", "#3b3a3d", "#e0b020"
BELT, BELT_MARK, EXPRESS, EXPRESS_MARK = "#5d6168", "#f0c64a", "#2f64a8", "#e6f1ff"
GOLD, GOLD_MARK, GREEN_BELT = "#b98a1d", "#fff2c2", "#3f8f57"
LEFT, RIGHT, STEEL, STEEL_DARK = "#c9563c", "#4a9a5a", "#a9afb8", "#6a707a"
LASER, LASER_MOUNT = "#e5232b", "#7a1b20"
SITE, FLAG, POLE, START = "#3f7f72", "#d23b3b", "#4a3526", "#55606e"
WATER, DEEP, SHALLOW, LAVA, MOLTEN, FIRE = "#5aa9dd", "#2f6fae", "#a8d3ee", "#d8451f", "#e4761f", "#f08a24"
OIL, ICE, SLIME, SAND, EARTH, RUBBER = "#2b2733", "#d5eef7", "#9cc24a", "#dcc48d", "#a5835a", "#e3a5b8"
MAGIC, ENERGY, NUCLEAR, GAS, FOG = "#7d4fb3", "#25b3c8", "#e6d23a", "#9fc59a", "#c7ccd2"
COLOURS = ("#d2483f", "#3f78d2", "#3fae5c", "#d29a3f", "#9a4fc4", "#35aeb8", "#d25f9e", "#7a8290")


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon; `stroke` outlines it."""

    points: tuple[Point, ...]
    fill: str
    stroke: str = ""
    width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Polyline:
    """An open line through its points, with round ends."""

    points: tuple[Point, ...]
    stroke: str
    width: float
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc, or a ring if `fill` is empty."""

    centre: Point
    radius: float
    fill: str = ""
    stroke: str = ""
    width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """A word that is centred on a point, or with `to_right` begins there; `size` is its line height."""

    centre: Point
    text: str
    size: float
    fill: str
    opacity: float = 1.0
    to_right: bool = False


Primitive = Polygon | Polyline | Circle | Text


def placed(shape: Primitive, scale: float, dx: float, dy: float) -> Primitive:
    """Return a primitive scaled about (0, 0) and then moved by (dx, dy)."""

    def at(point: Point) -> Point:
        return round(point[0] * scale + dx, 4), round(point[1] * scale + dy, 4)

    match shape:
        case Polygon(points) | Polyline(points):
            return replace(shape, points=tuple(map(at, points)), width=round(shape.width * scale, 4))
        case Circle(centre, radius):
            return replace(shape, centre=at(centre), radius=radius * scale, width=round(shape.width * scale, 4))
        case Text(centre):
            return replace(shape, centre=at(centre), size=round(shape.size * scale, 4))


def mixed(colour: str, other: str, share: float) -> str:
    """Mix a colour with a share (0-1) of another; all colours are ``#rrggbb``."""
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def colour_of(letter: str) -> str:
    """Return the colour of portals, gates and pistons with this letter."""
    return COLOURS[(ord(letter) - ord("a")) % len(COLOURS)]


def arc(centre: Point, radius: float, start: float, end: float, steps: int = 12) -> list[Point]:
    """Return `steps` + 1 points on a circle between two angles, given in quarter turns clockwise from north."""
    angles = [(start + (end - start) * i / steps) * pi / 2 for i in range(steps + 1)]
    return [(centre[0] + radius * sin(a), centre[1] - radius * cos(a)) for a in angles]


class Pen:
    """Draws on one square, in coordinates that are turned so that its side `turn` is at the top.

    Points are (u, v), where (0, 0) is the left end of that side, and (1, 1) the opposite corner. Words stay upright.

    Args:
        shapes: The list to which primitives are appended.
        square: The square (x, y).
        turn: The side that is at the top: the number of quarter turns clockwise from the north.
    """

    def __init__(self, shapes: list[Primitive], square: Point, turn: int = 0) -> None:
        self.shapes, self.square, self.turn = shapes, square, turn % 4

    def turned(self, turn: int) -> Pen:
        """Return a pen on the same square, turned by a further number of quarter turns."""
        return Pen(self.shapes, self.square, self.turn + turn)

    def at(self, u: float, v: float) -> Point:
        """Convert (u, v) on this pen's square to a point of the layout."""
        u, v = ((u, v), (1 - v, u), (1 - u, 1 - v), (v, 1 - u))[self.turn]
        return round(self.square[0] + u, 4), round(self.square[1] + v, 4)

    def _all(self, points: Iterable[Point]) -> tuple[Point, ...]:
        return tuple(self.at(u, v) for u, v in points)

    def polygon(
        self, points: Iterable[Point], fill: str, stroke: str = "", width: float = 0.0, opacity: float = 1.0
    ) -> None:
        """Draw a filled polygon."""
        self.shapes.append(Polygon(self._all(points), fill, stroke, width, opacity))

    def box(self, u: float, v: float, u2: float, v2: float, fill: str, stroke: str = "", width: float = 0.0) -> None:
        """Draw a rectangle between two opposite corners."""
        self.polygon([(u, v), (u2, v), (u2, v2), (u, v2)], fill, stroke, width)

    def line(self, points: Sequence[Point], stroke: str, width: float, opacity: float = 1.0) -> None:
        """Draw an open line through points."""
        self.shapes.append(Polyline(self._all(points), stroke, width, opacity))

    def circle(
        self,
        u: float,
        v: float,
        radius: float,
        fill: str = "",
        stroke: str = "",
        width: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """Draw a disc, or a ring if `fill` is empty."""
        self.shapes.append(Circle(self.at(u, v), radius, fill, stroke, width, opacity))

    def text(self, u: float, v: float, text: str, size: float, fill: str = INK) -> None:
        """Draw a word centred on a point."""
        self.shapes.append(Text(self.at(u, v), text, size, fill))

    def label(self, u: float, v: float, text: str, size: float = 0.17) -> None:
        """Draw a word on a small plate, which makes it readable on any ground; an empty word draws nothing."""
        if text:
            x, y = self.at(u, v)
            half = 0.035 * len(text) * size / 0.12 + 0.03
            top, bottom = y - size / 2, y + size / 2
            corners = ((x - half, top), (x + half, top), (x + half, bottom), (x - half, bottom))
            self.shapes.append(Polygon(corners, WHITE, INK, 0.012))
            self.shapes.append(Text((x, y), text, size * 0.9, INK))

    def chevron(
        self, u: float, v: float, fill: str, size: float = 0.16, width: float = 0.07, towards: Point = (0.0, -1.0)
    ) -> None:
        """Draw an arrow head at (u, v) that points along `towards`, a vector of length 1."""
        (du, dv), half = towards, size / 2
        wings = [(u - half * du - k * size * dv, v - half * dv + k * size * du) for k in (-1, 1)]
        self.line([wings[0], (u + half * du, v + half * dv), wings[1]], fill, width)

    def arrows(self, u: float, v: float, text: str, size: float, fill: str = INK) -> None:
        """Draw a row of signs for the letters of a string: a small arrow for each of ``^ > v <``, a dot for any other.

        The row and its arrows do not turn with the pen.
        """
        upright = Pen(self.shapes, self.square)
        for i, letter in enumerate(text):
            x = u + (i - (len(text) - 1) / 2) * size * 1.2
            if letter in ARROWS:
                du, dv = STEPS[ARROWS.index(letter)]
                upright.line([(x - du * size / 2, v - dv * size / 2), (x, v)], fill, size / 4)
                upright.chevron(x + du * size / 5, v + dv * size / 5, fill, size * 0.4, size / 4, (du, dv))
            else:
                upright.circle(x, v, size / 5, fill)

    def arrow(self, fill: str, u: float = 0.5, start: float = 0.75, end: float = 0.25, width: float = 0.07) -> None:
        """Draw an arrow with a shaft that points to this pen's north side."""
        self.line([(u, start), (u, end)], fill, width)
        self.chevron(u, end + 0.06, fill, 0.12, width)


def drawing(draw: Callable[Concatenate[Pen, P], None]) -> Callable[P, list[Primitive]]:
    """Turn a function that draws with a pen into one that takes no pen and returns the primitives.

    It draws on the square (0, 0).
    """

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> list[Primitive]:
        shapes: list[Primitive] = []
        draw(Pen(shapes, (0, 0)), *args, **kwargs)
        return shapes

    return drawn
