"""Draw the items of a square: one glyph for each board element that can be an item."""

from __future__ import annotations

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.text.grammar import SquarePart
from rr_gym.render.board import ground_glyphs
from rr_gym.render.board import shapes as c
from rr_gym.render.board.ground_glyphs import Glyph, blob, phases, pit, ring
from rr_gym.render.board.shapes import Pen, Point, arc


def gear(pen: Pen, item: SquarePart) -> None:
    """Draw a toothed wheel with an arrow in its direction; crossgears get arms, flip gears a two-way mark."""
    left = item.text[0] == "L"
    fill = c.LEFT if left else c.RIGHT
    pen.polygon(ring(0.44, 10, 0.36, 0.5), fill, c.INK, 0.02)
    if item.element == "crossgear":
        for turn in range(4):
            pen.turned(turn).polygon([(0.4, 0.3), (0.6, 0.3), (0.66, 0.02), (0.34, 0.02)], c.STEEL_DARK, c.INK, 0.02)
    pen.circle(0.5, 0.5, 0.29, c.FLOOR_LIGHT, c.INK, 0.02)
    start, end = (1.5, -1.2) if left else (-1.5, 1.2)
    pen.line(arc((0.5, 0.5), 0.19, start, end), fill, 0.06)
    (u, v), sign = arc((0.5, 0.5), 0.19, end, end, 1)[0], -1 if left else 1
    pen.polygon([(u - 0.13 * sign, v - 0.05), (u + 0.09 * sign, v - 0.09), (u + 0.03 * sign, v + 0.13)], fill)
    if item.element == "flip_gear":
        pen.circle(0.5, 0.5, 0.12, c.GREEN_BELT, c.INK, 0.02)
        for towards in (-1.0, 1.0):
            pen.chevron(0.5 + 0.045 * towards, 0.5, c.GOLD_MARK, 0.08, 0.04, (towards, 0.0))


def pusher(pen: Pen, item: SquarePart) -> None:
    """Draw rods with a plate on the side from which the pusher pushes, and its phases."""
    mount = pen.turned(item.direction + 2)  # drawn on the side that it is mounted on
    heavy = item.element == "hydraulic_pusher"
    fill, reach = (c.EXPRESS, 0.52) if heavy else (c.STEEL_DARK, 0.27)
    mount.box(0.12, 0.0, 0.88, 0.15, fill, c.INK, 0.02)
    for u in (0.24, 0.46, 0.68) if heavy else (0.3, 0.62):
        mount.box(u, 0.15, u + 0.08, reach, c.STEEL, c.INK, 0.015)
    mount.box(0.16, reach, 0.84, reach + 0.09, c.HAZARD, c.INK, 0.02)
    for i in range(4):
        u = 0.2 + 0.16 * i
        mount.polygon(
            [(u, reach + 0.08), (u + 0.06, reach + 0.08), (u + 0.12, reach + 0.01), (u + 0.06, reach + 0.01)], c.INK
        )
    mount.label(0.5, reach + 0.25, phases(item), 0.2)


def crusher(pen: Pen, item: SquarePart) -> None:
    """Draw two jaws with teeth; a mega crusher also gets an arrow on each side, since it pushes its neighbours away."""
    heavy = item.element == "mega_crusher"
    for turn in (1, 3):
        jaw = pen.turned(turn)
        jaw.box(0.04, 0.02, 0.96, 0.14, c.LASER_MOUNT if heavy else c.STEEL_DARK, c.INK, 0.02)
        for i in range(5):
            u = 0.06 + 0.176 * i
            jaw.polygon([(u, 0.14), (u + 0.176, 0.14), (u + 0.088, 0.28)], c.STEEL, c.INK, 0.015)
    if heavy:  # pushes away its neighbours
        for turn in range(4):
            pen.turned(turn).chevron(0.5, 0.09, c.HAZARD, 0.13, 0.06)
    pen.label(0.5, 0.87, phases(item), 0.18)


def flames(pen: Pen, item: SquarePart, heart: str = c.FIRE) -> None:
    """Draw flames whose heart has the colour `heart`."""
    for scale, fill in ((1.0, c.LAVA), (0.66, heart), (0.36, c.NUCLEAR)):
        flame = [
            (0.5, 0.1),
            (0.7, 0.42),
            (0.76, 0.34),
            (0.8, 0.66),
            (0.62, 0.86),
            (0.38, 0.86),
            (0.2, 0.62),
            (0.3, 0.4),
            (0.38, 0.5),
        ]
        pen.polygon([(0.5 + (u - 0.5) * scale, 0.86 + (v - 0.86) * scale) for u, v in flame], fill)
    pen.label(0.5, 0.88, phases(item))


def black_flames(pen: Pen, item: SquarePart) -> None:
    """Draw the flames of napalm, which have a black heart."""
    flames(pen, item, c.INK)


def teleporter(pen: Pen, item: SquarePart) -> None:
    """Draw concentric rings; a freak teleporter has three cards on top."""
    for radius, fill in ((0.4, c.MAGIC), (0.31, c.WHITE), (0.22, c.MAGIC)):
        pen.circle(0.5, 0.5, radius, fill)
    if item.element == "freak_teleporter":  # by three cards
        for u, v in ((0.2, 0.24), (0.5, 0.16), (0.8, 0.24)):
            pen.box(u - 0.09, v - 0.12, u + 0.09, v + 0.12, c.WHITE, c.INK, 0.02)
            pen.line([(u, v - 0.05), (u, v + 0.05)], c.MAGIC, 0.05)


def randomizer(pen: Pen, item: SquarePart) -> None:
    """Draw a die with a question mark."""
    pen.box(0.17, 0.17, 0.83, 0.83, c.WHITE, c.INK, 0.03)
    for u, v in ((0.28, 0.28), (0.72, 0.28), (0.28, 0.72), (0.72, 0.72)):
        pen.circle(u, v, 0.05, c.INK)
    pen.text(0.5, 0.5, "?", 0.44, c.MAGIC)


def portal(pen: Pen, item: SquarePart) -> None:
    """Draw a ring in the portal's colour, with its letter."""
    pen.polygon(ring(0.42, 12, 0.33), colour := c.colour_of(item.colour))
    pen.circle(0.5, 0.5, 0.26, c.INK, c.WHITE, 0.02)
    pen.text(0.5, 0.5, item.colour, 0.3, colour)


def badge(text: str, fill: str) -> Glyph:
    """Return a glyph that draws a disc with a word, for elements without a shape of their own."""

    def draw(pen: Pen, item: SquarePart) -> None:
        pen.circle(0.5, 0.5, 0.33, fill, c.INK, 0.025)
        pen.text(0.5, 0.5, text, 0.34 if len(text) < 3 else 0.24, c.WHITE)
        pen.label(0.5, 0.88, phases(item))

    return draw


def energizer(pen: Pen, item: SquarePart) -> None:
    """Draw a lightning bolt on a disc."""
    pen.circle(0.5, 0.5, 0.36, c.INK)
    bolt = [(0.56, 0.18), (0.34, 0.54), (0.48, 0.54), (0.42, 0.82), (0.66, 0.44), (0.52, 0.44)]
    pen.polygon(bolt, c.NUCLEAR)


def antigrav(pen: Pen, item: SquarePart) -> None:
    """Draw arrows that point up, on a disc."""
    pen.circle(0.5, 0.5, 0.36, c.ENERGY, c.INK, 0.025)
    for v in (0.36, 0.5, 0.64):
        pen.chevron(0.5, v, c.WHITE, 0.16, 0.06)


def magnet(pen: Pen, item: SquarePart) -> None:
    """Draw a horseshoe magnet."""
    shape = [(0.26, 0.16), *arc((0.5, 0.5), 0.24, -1, -3), (0.74, 0.16)]
    pen.line(shape, c.LEFT, 0.16)
    for u in (0.26, 0.74):
        pen.box(u - 0.09, 0.1, u + 0.09, 0.22, c.STEEL)


def black_hole(pen: Pen, item: SquarePart) -> None:
    """Draw dark concentric rings."""
    for radius, fill in ((0.46, c.INK), (0.38, c.MAGIC), (0.3, c.INK), (0.22, c.MAGIC), (0.16, c.PIT)):
        pen.circle(0.5, 0.5, radius, fill)


def jack(pen: Pen, item: SquarePart) -> None:
    """Draw a box with a star, and a row of arrows for its direction in each phase."""
    pen.box(0.16, 0.16, 0.84, 0.84, c.MAGIC, c.INK, 0.03)
    pen.polygon(ring(0.3, 5, 0.14), c.NUCLEAR)
    pen.box(0.16, 0.74, 0.84, 0.94, c.WHITE, c.INK, 0.02)
    pen.arrows(0.5, 0.84, item.text[1:], 0.135)


def fog(pen: Pen, item: SquarePart) -> None:
    """Draw a cloud with bars."""
    blob(pen, c.FOG, 0.42, 0.65)
    for v, left, right in ((0.36, 0.28, 0.72), (0.5, 0.14, 0.86), (0.64, 0.24, 0.76)):
        pen.line([(left, v), (right, v)], c.WHITE, 0.06, 0.8)


def gas(pen: Pen, item: SquarePart) -> None:
    """Draw a cloud with the letters "z z z"."""
    blob(pen, c.GAS, 0.42, 0.6)
    for u, v, size in ((0.3, 0.66, 0.24), (0.48, 0.48, 0.3), (0.7, 0.3, 0.36)):
        pen.text(u, v, "z", size, c.INK)


def grave(pen: Pen, item: SquarePart) -> None:
    """Draw a tombstone with a cross."""
    stone = [(0.28, 0.88), (0.28, 0.4), *arc((0.5, 0.4), 0.22, -1, 1), (0.72, 0.88)]
    pen.polygon(stone, c.STEEL, c.INK, 0.025)
    pen.line([(0.5, 0.34), (0.5, 0.7)], c.INK, 0.05)
    pen.line([(0.38, 0.46), (0.62, 0.46)], c.INK, 0.05)


def radiation(pen: Pen, item: SquarePart) -> None:
    """Draw the trefoil sign for radiation, yellow for radiation itself and green for other elements."""
    pen.circle(0.5, 0.5, 0.38, c.NUCLEAR if item.element == "radiation" else c.SLIME, c.INK, 0.025)
    for start in (-1 / 3, 1, 7 / 3):
        pen.polygon([(0.5, 0.5), *arc((0.5, 0.5), 0.32, start, start + 2 / 3, 6)], c.INK)
    pen.circle(0.5, 0.5, 0.07, c.INK, c.NUCLEAR, 0.03)


def wrench(pen: Pen, slant: int) -> None:
    """Draw a wrench that leans to the right (slant 1) or to the left (slant -1)."""

    def place(u: float, v: float) -> Point:
        return 0.5 + slant * u, 0.5 + v

    pen.line([place(-0.17, 0.2), place(0.12, -0.12)], c.WHITE, 0.1)
    u, v = place(0.15, -0.15)
    pen.circle(u, v, 0.12, c.WHITE)
    pen.polygon([place(0.12, -0.16), place(0.16, -0.12), place(0.29, -0.22), place(0.22, -0.29)], c.SITE)


def repair_site(pen: Pen, item: SquarePart) -> None:
    """Draw one or two crossed wrenches on a disc, as many as the site's number."""
    pen.circle(0.5, 0.5, 0.37, c.SITE, c.INK, 0.025)
    wrench(pen, 1)
    if item.number == 2:
        wrench(pen, -1)


def reset_site(pen: Pen, item: SquarePart) -> None:
    """Draw a round arrow on a disc."""
    pen.circle(0.5, 0.5, 0.37, c.SITE, c.INK, 0.025)
    pen.line(arc((0.5, 0.5), 0.22, 0.5, 3.4), c.WHITE, 0.07)
    (u, v) = arc((0.5, 0.5), 0.22, 3.6, 3.6, 1)[0]
    pen.polygon([(u + 0.12, v - 0.06), (u - 0.08, v - 0.1), (u - 0.04, v + 0.12)], c.WHITE)


def chop_shop(pen: Pen, item: SquarePart) -> None:
    """Draw two overlapping option cards on a disc, one swapped for the other."""
    pen.circle(0.5, 0.5, 0.37, c.POLE, c.INK, 0.025)
    for shift, fill in ((-0.07, c.STEEL), (0.07, c.WHITE)):
        pen.box(0.36 + shift, 0.32 + shift, 0.64 + shift, 0.68 + shift, fill, c.INK, 0.02)
    pen.polygon(ring(0.11, 5, 0.05), c.POLE)


def numbered(pen: Pen, item: SquarePart) -> None:
    """Draw nothing: the scene draws checkpoints and starts, since the course determines their numbers."""


def turret(pen: Pen, item: SquarePart) -> None:
    """Draw a gun in a pit, pointing in its direction."""
    pit(pen, item)
    pen.turned(item.direction).line([(0.5, 0.5), (0.5, 0.14)], c.STEEL, 0.12)
    pen.circle(0.5, 0.5, 0.22, c.STEEL_DARK, c.STEEL, 0.03)


def raised(pen: Pen) -> None:
    """Draw the sides of a raised square, which lie under its top."""
    pen.polygon([(0.1, 0.9), (0.9, 0.9), (0.9, 0.1), (0.99, 0.2), (0.99, 0.99), (0.2, 0.99)], c.INK, opacity=0.75)
    pen.box(0.08, 0.08, 0.92, 0.92, c.FLOOR_LIGHT, c.HAZARD, 0.05)


def piston(pen: Pen, item: SquarePart) -> None:
    """Draw a disc in the piston's colour, with an arrow in its direction."""
    pen.circle(0.5, 0.5, 0.36, c.colour_of(item.colour), c.INK, 0.03)
    pen.circle(0.5, 0.5, 0.24, c.STEEL, c.INK, 0.02)
    pen.turned(item.direction).arrow(c.INK, start=0.66, end=0.34, width=0.05)


def elevator(pen: Pen, item: SquarePart) -> None:
    """Draw a plate with arrows up and down, and its phases."""
    pen.box(0.12, 0.12, 0.88, 0.88, c.STEEL, c.INK, 0.03)
    pen.polygon([(0.5, 0.2), (0.68, 0.42), (0.32, 0.42)], c.INK)
    pen.polygon([(0.5, 0.8), (0.68, 0.58), (0.32, 0.58)], c.INK)
    pen.label(0.5, 0.5, phases(item))


twice = badge("2x", c.EXPRESS)
lock = badge("M", c.LEFT)

# By element. Belts are drawn by rr_gym/render/board/scene.py, which sees the belts around them.
GLYPHS: dict[str, Glyph] = {
    element.id: globals().get(element.glyph) or getattr(ground_glyphs, element.glyph)
    for element in ELEMENTS
    if element.items and element.items[0].kind != "belt"
}
