"""Compile links from one square to another: portals, gates and the beams of light barriers."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.text.grammar import ALL_PHASES, SquarePart
from rr_gym.courses.text.layout import Layout, PlacedSquare
from rr_gym.errors import CourseError

Records = NDArray[Any]


def put_portals(course: Layout, ground: Records) -> None:
    """Link each portal to the next portal of its colour on its board, row by row, and the last to the first (U38)."""
    found: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, placed, item in course.items():
        if item.kind == "portal":
            found[id(placed.placement), item.colour].append(number)
    for squares in found.values():
        ground["twin"][squares] = np.roll(squares, -1)


def put_gates(course: Layout, ground: Records) -> None:
    """Link each gate to the square before its twin's coloured face, and store the direction away from it (R-E38)."""
    found: dict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
    for number, placed, part in course.sides():
        if part.kind == "gate":
            found[id(placed.placement), part.colour].append((number, part.side))
    for one, other in found.values():
        for gate, (square, side) in ((one, other), (other, one)):
            ground["gate_to"][gate] = square
            ground["gate_heading"][gate] = (side + 2) % 4


def put_barriers(course: Layout, squares: Records, ground: Records) -> None:
    """Mark the squares that the beams of light barriers cross between their two posts (R-E33).

    Raises:
        CourseError: A post faces no other post, or a rotating room would separate the two.
    """
    posts = {
        (number, part.side): (placed, part) for number, placed, part in course.sides() if part.kind == "light_barrier"
    }
    for (square, side), post in posts.items():
        direction = (side + 2) % 4
        beam = [square]
        while (beam[-1], direction) not in posts:
            beyond = int(squares["neighbour"][beam[-1], direction])
            if beyond < 0 or squares["cover"][beam[-1], direction] == ALL_PHASES:
                _fail(*post, "another post of a light barrier that faces this one, with nothing in between")
            beam.append(beyond)
        if len(set(ground["room"][beam].tolist())) > 1:
            _fail(*post, "both posts of a light barrier, and all between them, in the same rotating room or outside")
        ground["barrier"][beam] = 1


def _fail(placed: PlacedSquare, part: SquarePart, expected: str) -> NoReturn:
    """Raise the CourseError of an item or side, located in the text of its board."""
    x, y = placed.origin
    cell = placed.placement.board.cells[y][x]  # unturned, with its position in the board's text
    raise CourseError(f"{placed.placement.name}.rrb:{cell.line}:{part.column}: '{cell.token}': expected {expected}")
