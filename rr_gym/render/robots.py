"""Draw robots with the pen of the board pictures, so that SVG and pixels come from one description."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from rr_gym.render.board.shapes import ENERGY, INK, LAVA, NUCLEAR, WHITE, Pen, Point, Primitive, drawing, mixed
from rr_gym.render.colours import INK_ON_ROBOT, ROBOT_COLOURS, team_colour
from rr_gym.render.fittings import MARKS, SIDED, goo_shapes, guard_shapes, mark_shapes, team_shapes
from rr_gym.render.pieces import Piece
from rr_gym.render.tokens import NO_TOKENS, Tokens

VIRTUAL_OPACITY = 0.6
PIP = "#e5232b"
TREAD, TREAD_MARK, DARK_EYE = "#2b2e34", "#5b616b", "#6c717a"


@drawing
def body_shapes(pen: Pen, seat: int, facing: int = 0, down: bool = False) -> None:
    """Draw the body of a robot on the square (0, 0): treads, and a hull with its nose and eyes in front.

    Args:
        pen: Given by `drawing`.
        seat: Determines the colour.
        facing: 0-3 for n e s w.
        down: Draw a grey hull with dark eyes, as for powered-down robots.
    """
    pen = pen.turned(facing)
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


@drawing
def number_shapes(pen: Pen, seat: int) -> None:
    """Draw the number of a robot in the middle of the square (0, 0); it stays upright whatever the robot's facing."""
    pen.text(0.5, 0.5, str(seat + 1), 0.28, INK_ON_ROBOT[seat])


@drawing
def pip_shapes(pen: Pen, damage: int) -> None:
    """Draw a robot's damage as a row of dots, one per point, along the lower edge of the square (0, 0)."""
    for i in range(damage):
        pen.circle(0.095 + 0.09 * i, 0.94, 0.036, PIP, WHITE, 0.014)


@drawing
def flight_shapes(pen: Pen) -> None:
    """Draw the shadow of a flying robot and the ring that carries it; both belong under its body."""
    pen.circle(0.58, 0.6, 0.4, INK, opacity=0.35)
    pen.circle(0.5, 0.5, 0.43, "", ENERGY, 0.07)


@drawing
def fire_shapes(pen: Pen) -> None:
    """Draw the flame in the corner of a burning robot."""
    for scale, fill in ((1.0, LAVA), (0.55, NUCLEAR)):
        flame = ((0.0, -0.32), (0.1, -0.14), (0.14, -0.18), (0.13, 0.0), (-0.13, 0.0), (-0.14, -0.14), (-0.06, -0.18))
        pen.polygon([(0.16 + u * scale, 0.34 + v * scale) for u, v in flame], fill, INK if scale == 1 else "", 0.015)


@drawing
def sleep_shapes(pen: Pen) -> None:
    """Draw the letters "z z" beside a sleeping robot."""
    pen.circle(0.83, 0.24, 0.16, WHITE, INK, 0.015)
    for u, v, size in ((0.77, 0.3, 0.16), (0.88, 0.2, 0.22)):
        pen.text(u, v, "z", size)


@drawing
def energy_shapes(pen: Pen) -> None:
    """Draw the lightning bolt of an energized robot."""
    bolt = ((0.9, 0.5), (0.78, 0.7), (0.86, 0.7), (0.82, 0.86), (0.96, 0.64), (0.88, 0.64))
    pen.polygon(bolt, NUCLEAR, INK, 0.018)


@drawing
def plate_shapes(pen: Pen, text: str) -> None:
    """Draw a word above a robot: its level, or "copy"."""
    pen.label(0.5, 0.08, text, 0.17)


@dataclass(frozen=True, slots=True)
class Look:
    """Everything that a picture shows of one body on the board, which is a robot or its copy."""

    seat: int
    facing: int = 0
    damage: int = 0
    virtual: bool = False
    down: bool = False
    level: int = 0
    flying: bool = False
    burning: bool = False
    asleep: bool = False
    energized: bool = False
    is_copy: bool = False
    team: int = 0
    goo: bool = False
    guarded: bool = False  # by a Power-Down Shield
    shield: int = 0  # 0 for off, else 1 + its side; reflector and turret are alike
    reflector: int = 0
    turret: int = 0
    marks: tuple[str, ...] = ()

    @property
    def opacity(self) -> float:
        """Return the opacity of the body; copies and virtual robots are translucent."""
        return VIRTUAL_OPACITY if self.virtual else 1.0

    @property
    def plate(self) -> str:
        """Return the word above the body: "copy" for a copy, the level above the ground, or ""."""
        return "copy" if self.is_copy else str(self.level) if self.level else ""


def robot_shapes(look: Look) -> list[Primitive]:
    """Draw a robot or copy with all its fittings and marks on the square (0, 0)."""
    sides = {name: getattr(look, name) for name in SIDED}
    return [
        *(team_shapes(team_colour(look.team)) if look.team else ()),
        *(flight_shapes() if look.flying else ()),
        *body_shapes(look.seat, look.facing, look.down or look.asleep),
        *number_shapes(look.seat),
        *(goo_shapes() if look.goo else ()),
        *(guard_shapes() if look.guarded else ()),
        *(s for name, side in sides.items() if side for s in SIDED[name](look.facing + side - 1)),
        *pip_shapes(look.damage),
        *(fire_shapes() if look.burning else ()),
        *(sleep_shapes() if look.asleep else ()),
        *(energy_shapes() if look.energized else ()),
        *(shape for mark in look.marks for shape in mark_shapes(mark)),
        *plate_shapes(look.plate),
    ]


def marks_on(seat: int, piece: Piece, tokens: Tokens) -> tuple[str, ...]:
    """Return the names of the `MARKS` that a robot has: tokens, a scrambler bomb, the SuperBot, a carried flag."""
    held = {"homing": tokens.homing, "interceptor": tokens.interceptor, "superbot": tokens.superbot}
    states = {"bombed": piece.bombed, "carries": piece.carries > 0}
    return tuple(mark for mark in MARKS if held.get(mark) == seat or states.get(mark))


def is_guarded(piece: Piece) -> bool:
    """Tell whether a robot is protected by its Power-Down Shield: it owns the option and is powered down."""
    return piece.down and "power_down_shield" in piece.options


def bodies(pieces: Sequence[Piece], width: int, tokens: Tokens = NO_TOKENS) -> list[tuple[Look, Point]]:
    """Return the look and the drawing corner of each robot on the board and of each copy; later ones lie on top."""
    robots = [seat for seat, piece in enumerate(pieces) if piece.alive and piece.square >= 0]
    robots.sort(key=lambda seat: pieces[seat].virtual)
    copies = [seat for seat in robots if pieces[seat].copy_square >= 0]
    places = spots([*(piece.square for piece in pieces), *(pieces[seat].copy_square for seat in copies)], width)
    found = []
    for seat in robots:
        piece = pieces[seat]
        look = Look(
            seat, piece.facing, piece.damage, piece.virtual, piece.down, piece.level,
            piece.flying, piece.burning > 0, piece.asleep > 0, piece.energized, False,
            piece.team, piece.goo > 0, is_guarded(piece), piece.shield, piece.reflector, piece.turret,
            marks_on(seat, piece, tokens),
        )  # fmt: skip
        found.append((look, places[seat]))
    for i, seat in enumerate(copies, len(pieces)):
        found.append((Look(seat, pieces[seat].copy_facing, virtual=True, is_copy=True), places[i]))
    return found


def spots(squares: Sequence[int], width: int) -> list[Point]:
    """Return where to draw robots, in squares.

    A robot stands at the corner of its square, offset from it where several robots share the square.

    Args:
        squares: A square number per robot; -1 (off the board) gives the corner of the layout.
        width: Width of the course in squares.
    """
    sharing: dict[int, list[int]] = defaultdict(list)
    for seat, square in enumerate(squares):
        sharing[square].append(seat)
    places: list[Point] = []
    for seat, square in enumerate(squares):
        group = sharing[square]
        offset = 0.16 if len(group) > 1 and square >= 0 else 0.0
        angle = 2 * pi * group.index(seat) / len(group)
        x, y = max(0, square) % width, max(0, square) // width
        places.append((round(x + offset * sin(angle), 3), round(y - offset * cos(angle), 3)))
    return places
