"""Draw the ground of a square, and the shapes that several elements share."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

from rr_gym.courses.text.grammar import ALL_PHASES, STEPS, SquarePart
from rr_gym.courses.text.words import ARROWS, SIDE_LETTERS
from rr_gym.render.board import shapes as c
from rr_gym.render.board.shapes import Pen, Point, arc

Glyph = Callable[[Pen, SquarePart], None]


def phases(item: SquarePart) -> str:
    """Return the phases in which an item or side acts as digits, "" if it acts in all of them."""
    return "" if item.phases == ALL_PHASES else "".join(str(p + 1) for p in range(5) if item.phases >> p & 1)


def ring(radius: float, count: int, inner: float, turn: float = 0.0) -> list[Point]:
    """Return the corners of a star or toothed wheel around the middle of the square.

    Args:
        radius: Distance of the even corners from the middle.
        count: Number of teeth or points; the outline has twice as many corners.
        inner: Distance of the odd corners from the middle.
        turn: Rotation, in steps from one corner to the next.
    """
    points = []
    for i in range(2 * count):
        r, angle = (radius if i % 2 == 0 else inner), pi * (i + turn) / count
        points.append((0.5 + r * sin(angle), 0.5 - r * cos(angle)))
    return points


def blob(pen: Pen, fill: str, radius: float = 0.36, opacity: float = 1.0) -> None:
    """Draw a puddle or a cloud of overlapping discs."""
    for u, v, part in ((0.5, 0.5, 1.0), (0.32, 0.58, 0.6), (0.68, 0.57, 0.62), (0.42, 0.36, 0.6), (0.62, 0.38, 0.55)):
        pen.circle(u, v, radius * part, fill, opacity=opacity)


def full(pen: Pen, fill: str) -> None:
    """Fill the whole square with one colour."""
    pen.box(0.015, 0.015, 0.985, 0.985, fill)


def floor(pen: Pen, item: SquarePart) -> None:
    """Draw nothing: the scene draws open floor under every square."""


def pit(pen: Pen, item: SquarePart) -> None:
    """Draw a hole with a striped edge."""
    pen.box(0.04, 0.04, 0.96, 0.96, c.HAZARD)
    for i in range(5):
        u = 0.04 + 0.184 * i
        for turn in range(4):
            stripe = [(u, 0.04), (u + 0.09, 0.04), (u + 0.16, 0.12), (u + 0.07, 0.12)]
            pen.turned(turn).polygon([(min(a, 0.96), b) for a, b in stripe], c.INK)
    pen.box(0.11, 0.11, 0.89, 0.89, c.PIT_EDGE)
    pen.box(0.15, 0.15, 0.89, 0.89, c.PIT)


def trap_door_pit(pen: Pen, item: SquarePart) -> None:
    """Draw a pit with its two leaves half open, and its phases."""
    pit(pen, item)
    for turn in (1, 3):
        pen.turned(turn).polygon([(0.11, 0.11), (0.89, 0.11), (0.8, 0.36), (0.2, 0.36)], c.STEEL, c.INK, 0.02)
    pen.label(0.5, 0.5, phases(item))


def drawbridge(pen: Pen, item: SquarePart) -> None:
    """Draw planks over a pit, and the phases of the drawbridge."""
    pen.box(0.04, 0.04, 0.96, 0.96, c.PIT)
    for i in range(4):
        pen.box(0.1 + 0.205 * i, 0.06, 0.28 + 0.205 * i, 0.94, c.EARTH)
    pen.label(0.5, 0.5, phases(item))


def water(pen: Pen, item: SquarePart) -> None:
    """Draw waves on a square of water, or a puddle."""
    if item.element == "puddle":
        blob(pen, c.SHALLOW, 0.34)
        return
    full(pen, c.WATER if item.element == "water" else c.DEEP)
    for v in (0.28, 0.52, 0.76):
        wave = [(0.14 + 0.09 * i, v + (0.035 if i % 2 else -0.035)) for i in range(9)]
        pen.line(wave, c.SHALLOW, 0.03)


def oil(pen: Pen, item: SquarePart) -> None:
    """Draw a dark puddle."""
    blob(pen, c.OIL)
    pen.line(arc((0.5, 0.5), 0.2, -0.8, 0.1), c.MAGIC, 0.03)


def ice(pen: Pen, item: SquarePart) -> None:
    """Draw a pale square with cracks."""
    full(pen, c.ICE)
    for points in (
        [(0.1, 0.3), (0.4, 0.42), (0.55, 0.2)],
        [(0.4, 0.42), (0.5, 0.75), (0.85, 0.85)],
        [(0.5, 0.75), (0.2, 0.9)],
    ):
        pen.line(points, c.WATER, 0.02)


def slime(pen: Pen, item: SquarePart) -> None:
    """Draw a puddle with bubbles."""
    blob(pen, c.SLIME, 0.38)
    for u, v in ((0.4, 0.45), (0.6, 0.58), (0.55, 0.36)):
        pen.circle(u, v, 0.05, c.WHITE, opacity=0.6)


def crumbly(pen: Pen, item: SquarePart) -> None:
    """Draw earth with cracks."""
    full(pen, c.EARTH)
    for points in (
        [(0.1, 0.2), (0.35, 0.35), (0.3, 0.6), (0.5, 0.8)],
        [(0.35, 0.35), (0.65, 0.3), (0.9, 0.45)],
        [(0.3, 0.6), (0.12, 0.8)],
    ):
        pen.line(points, c.INK, 0.02)


def padded(pen: Pen, item: SquarePart) -> None:
    """Draw a padded square."""
    full(pen, c.RUBBER)
    for i in range(3):
        for j in range(3):
            pen.circle(0.24 + 0.26 * i, 0.24 + 0.26 * j, 0.06, c.WHITE, opacity=0.6)


def tilt(pen: Pen, item: SquarePart) -> None:
    """Draw contour lines and an arrow downhill."""
    full(pen, c.SAND)
    steps = [STEPS[ARROWS.index(arrow)] for arrow in item.text[1:]]
    du, dv = (sum(step[axis] for step in steps) / len(steps) ** 0.5 for axis in (0, 1))
    for k in (-1, 0, 1):  # lines of equal height
        u, v = 0.5 + 0.24 * k * du, 0.5 + 0.24 * k * dv
        half = 0.36 if k == 0 else 0.28
        pen.line([(u - half * dv, v + half * du), (u + half * dv, v - half * du)], c.EARTH, 0.025)
    pen.line([(0.5 - 0.3 * du, 0.5 - 0.3 * dv), (0.5 + 0.3 * du, 0.5 + 0.3 * dv)], c.INK, 0.07)
    pen.chevron(0.5 + 0.25 * du, 0.5 + 0.25 * dv, c.INK, 0.14, 0.07, (du, dv))


def lava(pen: Pen, item: SquarePart) -> None:
    """Draw glowing lava, and its phases."""
    full(pen, c.LAVA)
    blob(pen, c.FIRE, 0.28)
    pen.label(0.5, 0.5, phases(item))


def flip_belt(pen: Pen, item: SquarePart) -> None:
    """Draw a belt between its two ends; the gold mark shows the direction in which it starts."""
    ends = [SIDE_LETTERS.index(letter) for letter in item.text[1:]]
    for end in ends:
        pen.turned(end).box(0.14, 0, 0.86, 0.64, c.GREEN_BELT)
    for end in ends:
        pen.turned(end).chevron(0.5, 0.25, c.GOLD_MARK if end == ends[1] else c.SHADOW)


def stream(pen: Pen, item: SquarePart) -> None:
    """Draw a current or molten river, with a mark on each side from which it turns riders."""
    full(pen, c.WATER if item.element == "current" else c.MOLTEN)
    ahead = pen.turned(item.direction)
    for side in range(4):
        if item.turns >> side & 1:
            pen.turned(side).chevron(0.5, 0.14, c.INK, -0.08, 0.03)
    for v in (0.72, 0.5, 0.28):
        ahead.chevron(0.5, v, c.WHITE, 0.2, 0.05)


def rotating_belt(pen: Pen, item: SquarePart) -> None:
    """Draw a disc in the colour of the belt's speed, with its direction in each phase."""
    fill = (c.BELT, c.EXPRESS, c.GOLD)[item.number - 1]
    pen.circle(0.5, 0.5, 0.45, fill, c.INK, 0.03)
    pen.arrows(0.5, 0.36, item.text[2:5], 0.2, c.WHITE)
    pen.arrows(0.5, 0.64, item.text[5:], 0.2, c.WHITE)
