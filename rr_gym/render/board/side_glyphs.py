"""Draw the sides of a square: one glyph for each board element that can be a side, drawn as if on the north side."""

from __future__ import annotations

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.text.grammar import SquarePart
from rr_gym.render.board import shapes as c
from rr_gym.render.board.ground_glyphs import Glyph, phases
from rr_gym.render.board.shapes import Pen, Point


def wall(pen: Pen, side: SquarePart) -> None:
    """Draw a plain wall."""
    pen.line([(0.0, 0.02), (1.0, 0.02)], c.WALL, 0.14)
    pen.line([(0.0, 0.02), (1.0, 0.02)], c.WALL_CORE, 0.06)


def spiked_wall(pen: Pen, side: SquarePart) -> None:
    """Draw a wall with spikes that point into the square."""
    wall(pen, side)
    for i in range(5):
        u = 0.06 + 0.176 * i
        pen.polygon([(u, 0.08), (u + 0.176, 0.08), (u + 0.088, 0.24)], c.STEEL, c.INK, 0.015)


def padded_wall(pen: Pen, side: SquarePart) -> None:
    """Draw a wall with pads."""
    wall(pen, side)
    for i in range(5):
        pen.circle(0.14 + 0.18 * i, 0.11, 0.08, c.RUBBER, c.INK, 0.015)


def door(pen: Pen, side: SquarePart) -> None:
    """Draw a door that stands ajar, and its phases."""
    for u in (0.0, 0.7):
        pen.line([(u, 0.02), (u + 0.3, 0.02)], c.WALL, 0.12)
    pen.line([(0.3, 0.02), (0.62, 0.22)], c.EARTH, 0.07)
    pen.label(0.5, 0.1, phases(side), 0.16)


def one_way(pen: Pen, side: SquarePart) -> None:
    """Draw a wall with this square's face of a one-way: red if it blocks robots that leave this square, else green."""
    red = side.text == "r"
    pen.line([(0.0, 0.02), (1.0, 0.02)], c.WALL, 0.1)
    pen.line([(0.05, 0.09), (0.95, 0.09)], c.LASER if red else c.RIGHT, 0.07)
    arrow = pen.turned(2) if red else pen
    arrow.chevron(0.5, 0.8 if red else 0.2, c.RIGHT if not red else c.LASER, 0.1, 0.05)


def energy_wall(pen: Pen, side: SquarePart) -> None:
    """Draw a glowing line."""
    for width, opacity in ((0.18, 0.3), (0.06, 1.0)):
        pen.line([(0.0, 0.02), (1.0, 0.02)], c.ENERGY, width, opacity)


def loophole(pen: Pen, side: SquarePart) -> None:
    """Draw a dashed wall."""
    for i in range(4):
        pen.line([(0.04 + 0.25 * i, 0.02), (0.16 + 0.25 * i, 0.02)], c.WALL, 0.12)


def repulsor(pen: Pen, side: SquarePart) -> None:
    """Draw two zigzag lines."""
    for v in (0.03, 0.12):
        pen.line([(0.04 + 0.115 * i, v + (0.03 if i % 2 else -0.02)) for i in range(9)], c.MAGIC, 0.045)


def mirror(pen: Pen, side: SquarePart) -> None:
    """Draw a wall with a mirror."""
    wall(pen, side)
    pen.line([(0.06, 0.14), (0.94, 0.14)], c.STEEL_DARK, 0.15)
    pen.line([(0.06, 0.14), (0.94, 0.14)], c.SHALLOW, 0.11)
    for u in (0.2, 0.5, 0.8):
        pen.line([(u - 0.03, 0.18), (u + 0.05, 0.1)], c.WHITE, 0.03)


def laser(pen: Pen, side: SquarePart) -> None:
    """Draw the mount of a laser on a wall, with an opening for each beam."""
    wall(pen, side)
    pen.polygon([(0.24, 0.06), (0.76, 0.06), (0.66, 0.24), (0.34, 0.24)], c.LASER_MOUNT, c.INK, 0.02)
    for u in beam_offsets(side.number):
        pen.circle(u, 0.21, 0.045, c.LASER)


def beam_offsets(beams: int) -> list[float]:
    """Return where the beams of a mount cross the square, as fractions of its width."""
    return [0.5 + 0.13 * (i - (beams - 1) / 2) for i in range(beams)]


def melting_beam(pen: Pen, side: SquarePart) -> None:
    """Draw the mount of a melting beam on a wall."""
    wall(pen, side)
    pen.box(0.26, 0.06, 0.74, 0.24, c.FIRE, c.INK, 0.02)


def ventilator(pen: Pen, side: SquarePart) -> None:
    """Draw the mount of a ventilator on a wall, with an arrow for each unit of strength, and its phases."""
    wall(pen, side)
    pen.box(0.18, 0.06, 0.82, 0.2, c.STEEL, c.INK, 0.02)
    for i in range(side.number):
        pen.turned(2).chevron(0.5, 0.72 - 0.12 * i, c.STEEL_DARK, 0.14, 0.04)
    pen.label(0.5, 0.13, phases(side), 0.15)


def ramp(pen: Pen, side: SquarePart) -> None:
    """Draw a slope that gets lighter towards its top."""
    fast = side.element == "fast_ramp"
    for i, share in enumerate((0.55, 0.3, 0.08)):
        low, high = 0.54 - 0.18 * i, 0.36 - 0.18 * i
        ground = c.EXPRESS if fast else c.EARTH
        pen.polygon(_slope(low, high), c.mixed(ground, c.WHITE, 0.6 - share))
    pen.line([(0.12, 0.54), (0.24, 0.0)], c.INK, 0.03)
    pen.line([(0.88, 0.54), (0.76, 0.0)], c.INK, 0.03)
    for v in (0.16, 0.36) if fast else (0.24,):
        pen.chevron(0.5, v, c.WHITE if fast else c.INK, 0.16, 0.06)


def _slope(low: float, high: float) -> list[Point]:
    left, right = (0.24 - 0.12 * v / 0.54 for v in (low, high))
    return [(left, low), (1 - left, low), (1 - right, high), (right, high)]


def gate(pen: Pen, side: SquarePart) -> None:
    """Draw a wall with a stripe in the gate's colour, and its letter."""
    wall(pen, side)
    pen.line([(0.06, 0.11), (0.94, 0.11)], c.colour_of(side.colour), 0.09)
    pen.text(0.5, 0.2, side.colour, 0.2)


def copy_machine(pen: Pen, side: SquarePart) -> None:
    """Draw a wall with a button on this face and an antenna on the other."""
    wall(pen, side)
    pen.circle(0.5, 0.16, 0.11, c.LASER, c.INK, 0.025)
    pen.line([(0.5, -0.06), (0.5, -0.2)], c.INK, 0.04)  # the antenna, on the other face
    pen.circle(0.5, -0.22, 0.06, c.MAGIC, c.INK, 0.02)


def light_barrier(pen: Pen, side: SquarePart) -> None:
    """Draw a post with the start of its beam."""
    pen.box(0.42, 0.0, 0.58, 0.14, c.INK)
    for i in range(4):
        pen.line([(0.5, 0.17 + 0.085 * i), (0.5, 0.2 + 0.085 * i)], c.NUCLEAR, 0.04)


# By element
SIDE_GLYPHS: dict[str, Glyph] = {element.id: globals()[element.glyph] for element in ELEMENTS if element.sides}
