"""Compute in which phases each side of a square blocks, and what can cross between neighbouring squares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.elements import BY_ID
from rr_gym.courses.elements.element import Edge
from rr_gym.courses.tables.terrain import code
from rr_gym.courses.text.grammar import ALL_PHASES, SquarePart
from rr_gym.courses.text.layout import Layout

Masks = NDArray[np.uint8]

# By `Edge.shut`: the phases in which a side lets nothing out, and those in which it lets nothing in, as masks
SHUT: Mapping[str, Callable[[SquarePart], tuple[int, int]]] = {
    "always": lambda part: (ALL_PHASES, ALL_PHASES),
    "between": lambda part: (ALL_PHASES & ~part.phases,) * 2,
    "by_face": lambda part: (ALL_PHASES, 0) if part.text == "r" else (0, ALL_PHASES),
}


@dataclass(frozen=True, slots=True)
class Sides:
    """Arrays of shape (squares, 4), uint8, by square and side: the phases in which the side blocks, and its kind.

    Attributes:
        out_wall: Phases in which it lets no body out of its square.
        in_wall: Phases in which it lets no body in.
        out_cover: Phases in which it lets no shot, beam or sight out of its square.
        in_cover: Phases in which it lets no shot, beam or sight in.
        kinds: SPIKED and the other kinds of `rr_gym.courses.tables.ground`.
    """

    out_wall: Masks
    in_wall: Masks
    out_cover: Masks
    in_cover: Masks
    kinds: Masks

    def put(self, square: int, part: SquarePart) -> None:
        """Add one side of a square as the board's text describes it (R-E3 to R-E4, R-E21, R-E28, R-E51, R-E59)."""
        edge = BY_ID[part.element].edge or Edge()
        if edge.shut == "never":
            return
        at = square, part.side
        out, into = SHUT[edge.shut](part)
        self.kinds[at] = code(edge.kind or "PLAIN")
        self.block(at, out, into, covers=edge.covers)

    def block(self, at: tuple[int, int], out: int, into: int, covers: bool) -> None:
        """Close a side outwards and inwards in some phases.

        It is closed to bodies, and with `covers` also to shots, beams and sight.
        """
        self.out_wall[at] |= out
        self.in_wall[at] |= into
        if covers:
            self.out_cover[at] |= out
            self.in_cover[at] |= into


def own_sides(course: Layout) -> Sides:
    """Return the sides that all squares of a course define themselves, with the walls through big gears (U18)."""
    width, height = course.size
    sides = Sides(*(np.zeros((width * height, 4), np.uint8) for _ in range(5)))
    for number, _, part in course.sides():
        sides.put(number, part)
    for placement, group in course.groups():
        if group.kind == "bigear":
            _wall_of_big_gear(course, sides, group.squares, placement.at, placement.rotation)
    return sides


def _wall_of_big_gear(course: Layout, sides: Sides, squares: Any, at: tuple[int, int], rotation: int) -> None:
    """Close both faces of the wall through the middle of a big gear (U18)."""
    (left, top), (right, bottom) = squares[0], squares[-1]
    wide, high = right - left + 1, bottom - top + 1
    # A wall through a square area is vertical on the board as it is written.
    vertical = wide > high or (wide == high and rotation % 2 == 0)
    for x, y in squares:
        near = x - left + 1 if vertical else y - top + 1
        half = wide // 2 if vertical else high // 2
        if near in (half, half + 1):
            first = near == half
            side = (1 if first else 3) if vertical else (2 if first else 0)
            square = (at[1] + y) * course.size[0] + at[0] + x
            sides.block((square, side), ALL_PHASES, ALL_PHASES, covers=True)


def crossings(out: Masks, into: Masks, neighbours: NDArray[Any]) -> Masks:
    """Return the phases in which nothing can cross each side.

    Either the square lets nothing out, or its neighbour lets nothing in.

    Args:
        out: Phases in which the squares' own sides let nothing out, shape (squares, 4), uint8.
        into: Phases in which own sides let nothing in, indexed by the numbers in `neighbours`, uint8.
        neighbours: Squares beyond each side, -1 for none, shape (squares, 4).

    Returns:
        Shape (squares, 4), uint8.
    """
    masks = out.copy()
    for side in range(4):
        beyond = neighbours[:, side]
        enters = into[beyond, (side + 2) % 4]
        masks[:, side] |= np.where(beyond >= 0, enters, 0).astype(np.uint8)
    return masks


def set_crossings(squares: NDArray[Any], ground: NDArray[Any], rows: NDArray[Any], row_of: NDArray[Any]) -> None:
    """Fill `wall` and `cover` of rows of SQUARE from the rows' own sides in GROUND and the sides of their neighbours.

    Args:
        squares: Rows of SQUARE, changed in place.
        ground: Their rows of GROUND.
        rows: The numbers of the rows to fill.
        row_of: The row that describes each place.
    """
    neighbours = squares["neighbour"][rows]
    row_beyond = row_of[neighbours]
    beyond = np.where(neighbours >= 0, row_beyond, -1)
    own = ground[rows]
    walls = crossings(own["out_wall"], ground["in_wall"], beyond)
    # A robot that goes up a ramp first enters its hidden square. The side of the ramp's top counts only when the robot
    # leaves the hidden square.
    squares["wall"][rows] = np.where(own["ramp"] >= 0, own["out_wall"], walls)
    squares["cover"][rows] = crossings(own["out_cover"], ground["in_cover"], beyond)
    hidden = rows[own["up"] >= 0]
    feet = ground["place"][hidden]  # a robot on a ramp is seen and shot at as if on its foot
    seen_at = row_of[feet]
    squares["cover"][hidden] = squares["cover"][seen_at]
