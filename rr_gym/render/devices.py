"""Draw devices and everything else on a board besides robots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rr_gym.render import colours
from rr_gym.render.board.shapes import EARTH, INK, MAGIC, STEEL, WHITE, Pen, Point, Primitive, drawing, mixed
from rr_gym.render.colours import robot_colour, team_colour
from rr_gym.render.pieces import Piece
from rr_gym.render.tokens import NOBODY, DeviceToken, Tokens
from rr_gym.rules.options.options import DAMPED_WITHIN

VIRTUAL_OPACITY = 0.5
FIELD_REACH = DAMPED_WITHIN + 1  # squares from the owner of a damping field to the outline that is drawn
FIELD_SIZE = 2 * FIELD_REACH + 1


def _bridge(pen: Pen, colour: str) -> None:
    pen.box(0.06, 0.14, 0.94, 0.86, EARTH, INK, 0.02)
    for u in (0.2, 0.35, 0.5, 0.65, 0.8):
        pen.line([(u, 0.16), (u, 0.84)], mixed(EARTH, INK, 0.5), 0.025)
    pen.circle(0.12, 0.5, 0.05, colour, INK, 0.01)


def _mine(pen: Pen, colour: str) -> None:
    for u, v in ((0.5, 0.16), (0.84, 0.5), (0.5, 0.84), (0.16, 0.5)):
        pen.line([(0.5, 0.5), (u, v)], INK, 0.08)
    pen.circle(0.5, 0.5, 0.25, INK)
    pen.circle(0.5, 0.5, 0.14, colour, WHITE, 0.02)


def _proximity_mine(pen: Pen, colour: str) -> None:
    for radius in (0.42, 0.33):
        pen.circle(0.5, 0.5, radius, "", colour, 0.035)
    pen.circle(0.5, 0.5, 0.23, INK)
    pen.circle(0.5, 0.5, 0.12, colour, WHITE, 0.02)


def _goo(pen: Pen, colour: str) -> None:
    for u, v, radius in ((0.4, 0.45, 0.28), (0.63, 0.6, 0.25), (0.3, 0.68, 0.16), (0.7, 0.33, 0.14)):
        pen.circle(u, v, radius, colours.GOO)
    pen.circle(0.38, 0.38, 0.06, WHITE, opacity=0.7)
    pen.circle(0.55, 0.6, 0.08, colour, WHITE, 0.02)


def _portable_teleporter(pen: Pen, colour: str) -> None:
    for radius, fill in ((0.4, MAGIC), (0.29, WHITE), (0.19, MAGIC)):
        pen.circle(0.5, 0.5, radius, fill)
    pen.circle(0.5, 0.5, 0.1, colour, WHITE, 0.02)


def _scrambler_bomb(pen: Pen, colour: str) -> None:
    pen.line([(0.66, 0.3), (0.8, 0.14)], INK, 0.07)
    pen.circle(0.48, 0.54, 0.31, INK)
    pen.circle(0.48, 0.54, 0.23, colour)
    pen.text(0.48, 0.54, "?", 0.36, WHITE)


def _big_one(pen: Pen, colour: str) -> None:
    pen.line([(0.7, 0.22), (0.86, 0.08)], INK, 0.08)
    pen.circle(0.5, 0.52, 0.4, INK, colour, 0.07)
    pen.text(0.5, 0.52, "64", 0.34, WHITE)


def _missile(pen: Pen, colour: str) -> None:
    pen.polygon([(0.36, 0.9), (0.36, 0.64), (0.2, 0.86)], INK)
    pen.polygon([(0.64, 0.9), (0.64, 0.64), (0.8, 0.86)], INK)
    pen.polygon([(0.5, 0.08), (0.64, 0.32), (0.64, 0.86), (0.36, 0.86), (0.36, 0.32)], STEEL, INK, 0.025)
    pen.polygon([(0.5, 0.08), (0.64, 0.32), (0.36, 0.32)], colour, INK, 0.02)
    pen.box(0.36, 0.56, 0.64, 0.66, colour)


def _drone(pen: Pen, colour: str) -> None:
    for u, v in ((0.2, 0.24), (0.8, 0.24), (0.2, 0.8), (0.8, 0.8)):
        pen.line([(0.5, 0.52), (u, v)], INK, 0.06)
        pen.circle(u, v, 0.13, STEEL, INK, 0.025)
    pen.polygon([(0.5, 0.14), (0.66, 0.42), (0.62, 0.72), (0.38, 0.72), (0.34, 0.42)], colour, INK, 0.025)
    pen.circle(0.5, 0.42, 0.07, WHITE, INK, 0.02)


def _buzz_bomb(pen: Pen, colour: str) -> None:
    for u in (0.12, 0.88):
        pen.polygon([(0.5, 0.36), (u, 0.5), (u, 0.66), (0.5, 0.62)], STEEL, INK, 0.02)
    pen.polygon([(0.5, 0.08), (0.62, 0.26), (0.62, 0.8), (0.5, 0.92), (0.38, 0.8), (0.38, 0.26)], colour, INK, 0.025)
    for v in (0.44, 0.58, 0.72):
        pen.line([(0.4, v), (0.6, v)], INK, 0.06)


_DEVICES: dict[str, Callable[[Pen, str], None]] = {
    "bridge": _bridge, "mine": _mine, "proximity_mine": _proximity_mine, "goo": _goo,
    "portable_teleporter": _portable_teleporter, "scrambler_bomb": _scrambler_bomb, "big_one": _big_one,
    "missile": _missile, "drone": _drone, "buzz_bomb": _buzz_bomb,
}  # fmt: skip


@drawing
def device_shapes(pen: Pen, kind: str, owner: int, facing: int = 0) -> None:
    """Draw a device on the square (0, 0), turned to `facing`, in the colour of its owner (-1 for nobody)."""
    _DEVICES[kind](pen.turned(facing), robot_colour(owner))


@drawing
def target_shapes(pen: Pen, owner: int) -> None:
    """Draw the counter that marks a drone's target on the square (0, 0), in the colour of its owner."""
    for colour, width in ((WHITE, 0.1), (robot_colour(owner), 0.05)):
        pen.circle(0.5, 0.5, 0.3, "", colour, width)
        for turn in range(4):
            pen.turned(turn).line([(0.5, 0.08), (0.5, 0.3)], colour, width)


@drawing
def field_shapes(pen: Pen) -> None:
    """Draw an Option Damping Field: the diamond of squares within its range.

    The drawing is `FIELD_SIZE` squares wide and high, and the field's owner is on the square in its middle.
    """
    middle, reach = FIELD_SIZE / 2, FIELD_REACH
    corners = [(middle, middle - reach), (middle + reach, middle), (middle, middle + reach), (middle - reach, middle)]
    pen.polygon(corners, colours.FIELD, opacity=0.14)
    pen.line([*corners, corners[0]], colours.FIELD, 0.06, opacity=0.7)


@drawing
def flag_team_shapes(pen: Pen, team: int) -> None:
    """Draw the mark of the team that owns a flag on the square (0, 0): a disc with the team's number."""
    pen.circle(0.16, 0.84, 0.12, team_colour(team), WHITE, 0.03)
    pen.text(0.16, 0.84, str(team), 0.16, WHITE)


@dataclass(frozen=True, slots=True)
class Thing:
    """Something to draw on the board: its shapes, its upper left corner and its side length, both in squares."""

    shapes: tuple[Primitive, ...]
    at: Point
    size: int = 1
    opacity: float = 1.0


def things(tokens: Tokens, pieces: Sequence[Piece], flags: Sequence[int], width: int) -> list[Thing]:
    """Return what to draw under the robots, the lowest first.

    These are the owners of flags, devices with their targets, and a damping field.

    Args:
        tokens: The devices and tokens on the board.
        pieces: The robots by seat; the damping field follows its owner.
        flags: The square numbers of the flags, in their order.
        width: Width of the course in squares.
    """

    def at(square: int) -> Point:
        return float(square % width), float(square // width)

    found = [
        Thing(tuple(flag_team_shapes(team)), at(square))
        for square, team in zip(flags, tokens.flag_teams, strict=False)
        if team
    ]
    found += [thing for device in tokens.devices for thing in _device(device, at)]
    if tokens.damping != NOBODY and pieces[tokens.damping].alive:
        x, y = at(pieces[tokens.damping].square)
        found.append(Thing(tuple(field_shapes()), (x - FIELD_REACH, y - FIELD_REACH), FIELD_SIZE))
    return found


def _device(device: DeviceToken, at: Callable[[int], Point]) -> list[Thing]:
    opacity = VIRTUAL_OPACITY if device.virtual else 1.0
    shapes = device_shapes(device.kind, device.owner, device.facing)
    found = [Thing(tuple(shapes), at(device.square), opacity=opacity)] if device.square >= 0 else []
    if device.target >= 0:
        found.insert(0, Thing(tuple(target_shapes(device.owner)), at(device.target), opacity=opacity))
    return found
