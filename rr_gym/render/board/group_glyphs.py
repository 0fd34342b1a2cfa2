"""Draw elements of several squares; the pen starts at the north-west corner of the area that they cover."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import hypot

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.text.board import Group
from rr_gym.render.board import shapes as c
from rr_gym.render.board.shapes import Pen, Point, arc

GroupGlyph = Callable[[Pen, Group], None]


def ring(pen: Pen, group: Group) -> None:
    """Draw a particle accelerator: a track through the middles of its squares, with arrows in its direction."""
    x, y = group.corner
    track = [(a - x + 0.5, b - y + 0.5) for a, b in (*group.squares, group.squares[0])]
    pen.line(track, c.STEEL_DARK, 0.4)
    pen.line(track, c.ENERGY, 0.3)
    for (u, v), (u2, v2) in pairwise(track):
        length = hypot(u2 - u, v2 - v)
        pen.chevron((u + u2) / 2, (v + v2) / 2, c.WHITE, 0.15, 0.06, ((u2 - u) / length, (v2 - v) / length))


def big_gear(pen: Pen, group: Group) -> None:
    """Draw a big gear: a disc, or a plate with round ends, with the wall across its longer axis."""
    width, height = group.size
    radius = min(width, height) / 2 - 0.05
    ends = ((0.05 + radius, 0.05 + radius), (width - 0.05 - radius, height - 0.05 - radius))
    start = 2 if width >= height else 3
    outline = [*arc(ends[0], radius, start, start + 2), *arc(ends[1], radius, start + 2, start + 4)]
    pen.polygon(outline, c.STEEL, c.STEEL_DARK, 0.06)
    middle = (width / 2, height / 2)
    for turn in (0.35, 2.35):
        pen.line(arc(middle, radius * 0.66, turn, turn + 1.1), c.RIGHT, 0.08)
        (u, v), (du, dv) = arc(middle, radius * 0.66, turn + 1.2, 0, 1)[0], arc((0, 0), 1, turn + 2.2, 0, 1)[0]
        pen.chevron(u, v, c.RIGHT, 0.18, 0.08, (du, dv))
    wall = [(width / 2, 0.0), (width / 2, height)] if width >= height else [(0.0, height / 2), (width, height / 2)]
    pen.line(wall, c.WALL, 0.14)
    pen.line(wall, c.WALL_CORE, 0.06)


def platform(pen: Pen, group: Group) -> None:
    """Draw a plate with the letters and borders of its areas, and a pivot under the centre."""
    (x, y), (width, height) = group.corner, group.size
    _plate(pen, width, height, c.EXPRESS)
    areas = {(a - x, b - y): letter for (a, b), letter in zip(group.squares, group.letters, strict=True)}
    for (u, v), letter in areas.items():
        for du, dv, line in ((1, 0, [(u + 1, v), (u + 1, v + 1)]), (0, 1, [(u, v + 1), (u + 1, v + 1)])):
            if areas.get((u + du, v + dv), letter) != letter:
                pen.line(line, c.EXPRESS, 0.04)
        if letter == "C":
            pen.circle(u + 0.5, v + 0.5, 0.3, "", c.EXPRESS, 0.05)
        pen.text(u + 0.5, v + 0.5, letter, 0.3, c.EXPRESS)


def trapdoor(pen: Pen, group: Group) -> None:
    """Draw two leaves with their hinges, and the number of robots that they carry."""
    width, height = group.size
    pen.polygon(_corners(0.04, width, height), c.EARTH, c.LASER_MOUNT, 0.07)
    for k in range(1, 4 * width):
        if k != 2 * width:
            pen.line([(k / 4, 0.1), (k / 4, height - 0.1)], c.POLE, 0.015)
    pen.line([(width / 2, 0.06), (width / 2, height - 0.06)], c.INK, 0.06)
    for u in (0.0, width - 0.2):
        for v in (0.3, height - 0.5):
            pen.box(u, v, u + 0.2, v + 0.2, c.STEEL, c.INK, 0.02)
    pen.label(width / 2, height / 2, f"max {group.capacity}", 0.24)


def room(pen: Pen, group: Group) -> None:
    """Draw the outline of a rotating room with a clockwise arrow in each corner."""
    width, height = group.size
    outline = _corners(0.05, width, height)
    pen.line([*outline, outline[0]], c.MAGIC, 0.09)
    for turn, (u, v) in enumerate(((0.3, 0.3), (width - 0.3, 0.3), (width - 0.3, height - 0.3), (0.3, height - 0.3))):
        pen.line(arc((u, v), 0.16, turn + 3, turn + 4), c.MAGIC, 0.06)
        (a, b), (du, dv) = arc((u, v), 0.16, turn + 4, 0, 1)[0], arc((0, 0), 1, turn + 5, 0, 1)[0]
        pen.chevron(a, b, c.MAGIC, 0.12, 0.06, (du, dv))


def _corners(inset: float, width: float, height: float) -> list[Point]:
    return [(inset, inset), (width - inset, inset), (width - inset, height - inset), (inset, height - inset)]


def _plate(pen: Pen, width: float, height: float, colour: str) -> None:
    pen.polygon(_corners(0.05, width, height), colour, opacity=0.18)
    pen.line([*_corners(0.05, width, height), (0.05, 0.05)], colour, 0.07)


# Keyed by the word that begins a group's line in the board format
GROUP_GLYPHS: dict[str, GroupGlyph] = {
    element.group: globals()[element.glyph] for element in ELEMENTS if element.group
}
