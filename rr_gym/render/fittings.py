"""Draw what option cards add to a robot on the square (0, 0): shields, turrets, goo, tokens and marks."""

from __future__ import annotations

from collections.abc import Callable

from rr_gym.render import colours
from rr_gym.render.board.shapes import INK, LASER, WHITE, Pen, Point, Primitive, drawing

# Marks on a robot by name: letter, colour, and place on its square
MARKS: dict[str, tuple[str, str, Point]] = {
    "homing": ("H", "#c62828", (0.12, 0.46)),  # it carries the homing token
    "interceptor": ("I", "#5e35b1", (0.12, 0.63)),  # it carries the interceptor token
    "bombed": ("?", "#d81b9a", (0.12, 0.8)),  # a scrambler bomb has caught it
    "superbot": ("S", "#b58900", (0.88, 0.8)),
    "carries": ("F", "#d23b3b", (0.88, 0.1)),  # a flag
}


@drawing
def mark_shapes(pen: Pen, mark: str) -> None:
    """Draw one of `MARKS`, a disc with a letter."""
    letter, colour, (u, v) = MARKS[mark]
    pen.circle(u, v, 0.09, colour, WHITE, 0.015)
    pen.text(u, v, letter, 0.15, WHITE)


@drawing
def team_shapes(pen: Pen, colour: str) -> None:
    """Draw the ring that shows a robot's team; it belongs under the robot."""
    pen.circle(0.5, 0.5, 0.46, "", colour, 0.07)


@drawing
def goo_shapes(pen: Pen) -> None:
    """Draw the threads of goo that hold a robot."""
    for u, v in ((0.2, 0.32), (0.8, 0.32), (0.2, 0.76), (0.8, 0.76)):
        pen.line([(u, v), (0.5 + 1.5 * (u - 0.5), 0.54 + 1.6 * (v - 0.54))], colours.GOO, 0.09)


@drawing
def _cover(pen: Pen, colour: str, distance: float, turn: int) -> None:
    pen = pen.turned(turn)
    plate = [(0.1, 0.14 + distance), (0.24, 0.04 + distance), (0.76, 0.04 + distance), (0.9, 0.14 + distance)]
    pen.line(plate, INK, 0.09)
    pen.line(plate, colour, 0.055)


def shield_shapes(turn: int = 0) -> list[Primitive]:
    """Draw a Shield on one side of a robot; `turn` counts sides clockwise from north (0)."""
    return _cover(colours.SHIELD, 0.0, turn)


def reflector_shapes(turn: int = 0) -> list[Primitive]:
    """Draw a Reflector on one side of a robot, closer to its middle than a Shield.

    The side `turn` counts clockwise from north (0).
    """
    return _cover(colours.REFLECTOR, 0.1, turn)


@drawing
def turret_shapes(pen: Pen, turn: int = 0) -> None:
    """Draw the barrel of a Turret that fires to one side; `turn` counts sides clockwise from north (0)."""
    pen = pen.turned(turn)
    pen.line([(0.5, 0.36), (0.5, 0.12)], INK, 0.13)
    pen.line([(0.5, 0.36), (0.5, 0.13)], LASER, 0.06)


def guard_shapes() -> list[Primitive]:
    """Draw the Power-Down Shield of a robot that is powered down: a Shield on each of its four sides."""
    return [shape for side in range(4) for shape in shield_shapes(side)]


# Fittings that point to a side, by option
SIDED: dict[str, Callable[[int], list[Primitive]]] = {
    "shield": shield_shapes,
    "reflector": reflector_shapes,
    "turret": turret_shapes,
}
