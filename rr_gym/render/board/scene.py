"""Turn a course into drawing primitives.

`_FLOOR` and the constants beside it give the order of the layers, from the bottom to the top.
"""

from __future__ import annotations

from collections.abc import Collection

from rr_gym.courses.course import Course
from rr_gym.courses.elements import BY_ID
from rr_gym.courses.tables.sides import Sides, own_sides
from rr_gym.courses.text.board import Square
from rr_gym.courses.text.grammar import STEPS, SquarePart
from rr_gym.courses.text.layout import PlacedSquare
from rr_gym.render.board import shapes as c
from rr_gym.render.board.glyphs import GLYPHS, raised
from rr_gym.render.board.group_glyphs import GROUP_GLYPHS
from rr_gym.render.board.shapes import Pen, Primitive, arc
from rr_gym.render.board.side_glyphs import SIDE_GLYPHS, beam_offsets

# For each glyph of a belt: the colours of the belt and of its marks, and where the marks lie between entrance (0) and
# exit (1).
BELT_LOOKS = {
    "belt": (c.BELT, c.BELT_MARK, (0.5,)),
    "express_belt": (c.EXPRESS, c.EXPRESS_MARK, (0.36, 0.64)),
    "gold_belt": (c.GOLD, c.GOLD_MARK, (0.24, 0.5, 0.76)),
}

# The drawing order. A laser's or pusher's wall lies over the plain walls that meet it at a corner.
_FLOOR, _GROUPS, _BELTS, _ITEMS, _ROOMS, _STARTS, _LEDGES, _FALLS, _BEAMS, _WALLS, _MOUNTS, _FLAGS = range(12)
Spot = tuple[int, int, int]  # layer, y and x: in the order in which they are drawn
Layers = dict[Spot, list[Primitive]]


class _Sheet:
    """The primitives drawn so far, by the layer and the square that they belong to."""

    def __init__(self) -> None:
        self.layers: Layers = {}

    def pen(self, layer: int, square: Square, turn: int = 0) -> Pen:
        return Pen(self.layers.setdefault((layer, square[1], square[0]), []), square, turn)


def primitives(course: Course, up: Collection[Square] = ()) -> list[Primitive]:
    """Return the primitives that draw a course, in units of squares; later primitives lie on top.

    Args:
        course: Any course; every element that the board format knows is drawn.
        up: Squares whose piston or elevator is up.
    """
    return [shape for _, shapes in sorted(layers(course, up).items()) for shape in shapes]


def layers(course: Course, up: Collection[Square] = ()) -> Layers:
    """Return the primitives of a course by their `Spot` (layer, y, x).

    Drawing the spots in sorted order gives the picture.
    """
    sheet = _Sheet()
    sides = own_sides(course)
    width, height = course.size
    sheet.pen(-1, (0, 0)).box(0, 0, width, height, c.INK)
    for square, placed in course.squares.items():
        _draw_floor(sheet.pen(_FLOOR, square), placed.level)
        if square in up:
            raised(sheet.pen(_ITEMS, square))
        for item in placed.cell.items:
            if item.kind == "belt":
                _draw_belt(sheet.pen(_BELTS, square, item.direction), course, square, item)
            else:
                GLYPHS[item.element](sheet.pen(_ITEMS, square), item)
            if item.kind == "stream":
                _draw_waterfall(sheet.pen(_FALLS, square, item.direction), course, square, item)
        for side in placed.cell.sides:
            layer = _WALLS if side.element == "wall" else _MOUNTS
            SIDE_GLYPHS[side.element](sheet.pen(layer, square, side.side), side)
        _draw_beams(sheet, course, sides, square, placed)
        _draw_ledges(sheet, course, square, placed)
    _draw_groups(sheet, course)
    for number, square in course.starts.items():
        pen = sheet.pen(_STARTS, square, course.start_facing or 0)
        pen.circle(0.5, 0.5, 0.34, c.FLOOR_LIGHT, c.START, 0.05)
        if course.start_facing is not None:
            pen.polygon([(0.4, 0.12), (0.6, 0.12), (0.5, 0.0)], c.START)
        pen.text(0.5, 0.5, str(number), 0.4, c.START)
    for number, square in enumerate(course.flags, 1):
        _draw_flag(sheet.pen(_FLAGS, square), number)
    return sheet.layers


def _draw_floor(pen: Pen, level: int) -> None:
    pen.box(0, 0, 1, 1, c.FLOOR, c.FLOOR_LINE, 0.02)
    pen.polygon([(0.05, 0.05), (0.95, 0.05), (0.95, 0.95)], c.FLOOR_SHEEN)
    if level:
        corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        pen.polygon(corners, c.WHITE, opacity=min(0.75, 0.3 + 0.15 * level))


def _draw_belt(pen: Pen, course: Course, square: Square, belt: SquarePart) -> None:
    """Draw a belt with its curves; if robots are carried onto it only through curves, leave out the straight part."""
    ground, mark, marks = BELT_LOOKS[BY_ID[belt.element].glyph]
    behind = course.beyond(square, (belt.direction + 2) % 4)
    fed = behind is not None and any(
        item.kind == "belt" and item.direction == belt.direction for item in behind.cell.items
    )
    curves = [side for side in range(4) if belt.turns >> side & 1]
    if fed or not curves:
        pen.box(0.14, 0, 0.86, 1, ground)
        for u in (0.14, 0.86):
            pen.line([(u, 0.02), (u, 0.98)], c.INK, 0.03)
    for side in curves:
        # Seen with the exit at the north: a quarter ring around the corner between the exit and the entrance.
        right = (side - belt.direction) % 4 == 1
        corner, start, end = ((1.0, 0.0), 2.0, 3.0) if right else ((0.0, 0.0), 1.0, 2.0)
        outer, inner = arc(corner, 0.86, start, end), arc(corner, 0.14, start, end)
        pen.polygon([*outer, *reversed(inner)], ground)
        pen.line(outer, c.INK, 0.03)
        pen.line(inner, c.INK, 0.03)
        # Marks along the curve, from the entrance to the exit.
        for part in marks if not fed else (0.25,):
            angle = start + (end - start) * (part if right else 1 - part)
            (u, v), (x, y) = arc(corner, 0.5, angle, angle, 1)[0], arc((0.0, 0.0), 1.0, angle + 1, angle + 1, 1)[0]
            pen.chevron(u, v, mark, 0.17, 0.075, (x, y) if right else (-x, -y))
    if fed or not curves:
        for part in marks:
            pen.chevron(0.5, 1 - part, mark, 0.19, 0.08)


def _draw_ledges(sheet: _Sheet, course: Course, square: Square, placed: PlacedSquare) -> None:
    """Draw a cliff along the lower side of every ledge, and the level of every square above the ground."""
    for side in range(4):
        beyond = course.beyond(square, side)
        if beyond and beyond.level > placed.level:
            pen = sheet.pen(_LEDGES, square, side)
            pen.polygon([(0, 0), (1, 0), (1, 0.2), (0, 0.2)], c.INK, opacity=0.25)
            pen.line([(0, 0.03), (1, 0.03)], c.EARTH, 0.09)
            for i in range(6):
                pen.line([(0.08 + 0.168 * i, 0.07), (0.08 + 0.168 * i, 0.17)], c.POLE, 0.035)
    if placed.level:
        sheet.pen(_LEDGES, square).label(0.885, 0.87, str(placed.level), 0.19)


def _draw_waterfall(pen: Pen, course: Course, square: Square, stream: SquarePart) -> None:
    """Draw a waterfall where a stream crosses a ledge downwards."""
    if course.falls(square, stream.direction):
        for i in range(7):
            u, top, foot = 0.05 + 0.15 * i, 0.2 - 0.08 * (i % 2), -0.3 + 0.06 * (i % 3)
            pen.line([(u, top), (u, foot)], c.SHALLOW, 0.09)
        for i in range(8):
            pen.circle(0.06 + 0.126 * i, -0.3 - 0.05 * (i % 2), 0.08, c.WHITE, opacity=0.9)


def _draw_beams(sheet: _Sheet, course: Course, sides: Sides, square: Square, placed: PlacedSquare) -> None:
    for side in placed.cell.sides:
        if side.kind in ("laser", "melting_beam"):
            pen = sheet.pen(_BEAMS, square, side.side)
            end = 1.0 + _flight(course, sides, square, (side.side + 2) % 4) - 0.06
            colour = c.LASER if side.kind == "laser" else c.FIRE
            for u in beam_offsets(side.number or 1):
                pen.line([(u, 0.2), (u, end)], colour, 0.09 if side.kind == "laser" else 0.3, 0.25)
                pen.line([(u, 0.2), (u, end)], colour, 0.035)


def _flight(course: Course, sides: Sides, square: Square, direction: int) -> int:
    """Return how many squares beyond its own square a beam is certain to reach, whatever the phase.

    This follows the rule of board lasers (R-A11.1, R-E13). The beam passes over lower ground. It stops at higher
    ground, at a turret, and at a side that stops shots in at least one phase.
    """
    (dx, dy), (x, y), level = STEPS[direction], square, course.squares[square].level
    length, width = 0, course.size[0]
    while True:
        beyond = course.beyond((x, y), direction)
        if beyond is None or beyond.level > level or any(item.kind == "turret" for item in beyond.cell.items):
            return length
        leaving, entering = (y * width + x, direction), ((y + dy) * width + x + dx, (direction + 2) % 4)
        if sides.out_cover[leaving] | sides.in_cover[entering]:
            return length
        x, y, length = x + dx, y + dy, length + 1


def _draw_groups(sheet: _Sheet, course: Course) -> None:
    for placement, group in course.groups():
        (x, y), (dx, dy) = group.corner, placement.at
        layer = _ROOMS if group.kind == "room" else _GROUPS
        GROUP_GLYPHS[group.kind](sheet.pen(layer, (x + dx, y + dy)), group)


def _draw_flag(pen: Pen, number: int) -> None:
    pen.circle(0.36, 0.86, 0.1, c.POLE)
    pen.line([(0.36, 0.86), (0.36, 0.12)], c.POLE, 0.06)
    pen.polygon([(0.38, 0.1), (0.92, 0.16), (0.92, 0.52), (0.38, 0.58)], c.FLAG, c.INK, 0.02)
    pen.text(0.64, 0.34, str(number), 0.36, c.WHITE)
