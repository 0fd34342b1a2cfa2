"""Add rows for the squares of rotating rooms after one, two and three quarter turns (R-E72)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.tables.ground import CENTRE
from rr_gym.courses.tables.sides import set_crossings

Rows = NDArray[Any]
Numbers = NDArray[np.int64]

# Fields of SQUARE and GROUND that a turn changes, by how it changes them. All other fields move along unchanged.
DIRECTIONS = ("belt_direction", "up", "directions", "flip_exits", "piston_direction", "jack")
SIDE_MASKS = ("belt_turns", "mover_turns", "ramp_down")
PLACES = ("place", "neighbour", "twin", "big_gear_to", "ring_next", "room_next", "gate_to")
SIDES = (
    "neighbour", "reach", "pushers", "hydraulics", "kinds", "out_wall", "in_wall", "out_cover", "in_cover", "wall",
    "cover", "ramp", "gate_to", "gate_heading",
)  # fmt: skip


def turn_rows(rows: Rows, moved: Numbers, inside: NDArray[np.bool_]) -> Rows:
    """Return rows of SQUARE or GROUND as they read after a quarter turn clockwise.

    Args:
        rows: The rows to turn, dtype SQUARE or GROUND.
        moved: The place to which the turn carries each place; places outside the room stay.
        inside: bool, one entry per place: whether it is in the room.
    """
    names = set(rows.dtype.names or ())
    turned = rows.copy()
    for name in names.intersection(DIRECTIONS):
        direction = rows[name]
        turned[name] = np.where(direction >= 0, (direction + 1) % 4, -1)
    for name in names.intersection(SIDE_MASKS):
        mask = rows[name]
        turned[name] = (mask << 1 | mask >> 3) & 15
    for name in names.intersection(PLACES):
        places = rows[name]
        carried = moved[places]
        turned[name] = np.where(places >= 0, carried, -1)
    if "tilt" in names:
        tilt, area, twin, heading = (rows[name] for name in ("tilt", "area", "gate_to", "gate_heading"))
        turned["tilt"] = np.stack([-tilt[:, 1], tilt[:, 0]], axis=1)
        turned["area"] = np.where(area == CENTRE, CENTRE, area % 4 + 1)
        twin_turns = (twin >= 0) & inside[twin]
        turned["gate_heading"] = np.where(twin_turns, (heading + 1) % 4, heading)
    for name in names.intersection(SIDES):
        turned[name] = np.roll(turned[name], 1, axis=1)
    return turned


def add_turned_rows(squares: Rows, ground: Rows, num_standing: int) -> None:
    """Fill the rows from `num_standing` on: for each room and one to three quarter turns, one row per place.

    Each row describes the square that the turns have carried to its place. The hidden square of a ramp moves with its
    foot. Squares around the room stay as they are.
    """
    first = num_standing
    for room in range(int(ground["room"][:num_standing].max()) + 1):
        inside = ground["room"][:num_standing] == room
        places = np.flatnonzero(inside)
        moved = ground["room_next"][:num_standing].astype(np.int64)
        moved[~inside] = np.flatnonzero(~inside)
        row_of = np.arange(num_standing)
        for quarters in range(1, 4):
            source = row_of[places]
            carried = moved[places]
            rows = np.arange(first, first + len(places))
            row_of[places] = rows
            target = row_of[carried]
            squares[target] = turn_rows(squares[source], moved, inside)
            ground[target] = turn_rows(ground[source], moved, inside)
            standing = rows[ground["up"][rows] < 0]
            here, stands_at = ground["place"][rows], ground["place"][standing]
            for name in ("x", "y"):
                squares[name][rows] = squares[name][here]
            squares["neighbour"][standing] = squares["neighbour"][stands_at]
            set_crossings(squares, ground, rows, row_of)
            ground["room_rows"][places, quarters] = rows
            first += len(places)
        for quarters in range(1, 4):
            turned = ground["room_rows"][places, quarters]
            ground["room_rows"][turned] = ground["room_rows"][places]
