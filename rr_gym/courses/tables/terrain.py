"""Write the items of a square into its rows of SQUARE and GROUND."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.elements import BY_ID, Element
from rr_gym.courses.tables import ground as codes
from rr_gym.courses.tables.ground import GROUND
from rr_gym.courses.text.grammar import ALL_PHASES, STEPS, SquarePart
from rr_gym.courses.text.words import ARROWS, SIDE_LETTERS

# Fields of GROUND that hold a number, a direction or a place, and are -1 if there is none
_NOTHING = (
    "up", "ramp", "crumbly", "directions", "flip_exits", "jack", "piston_direction", "twin", "turret", "platform",
    "big_gear", "big_gear_to", "trapdoor", "ring", "ring_next", "room", "gate_to", "gate_heading",
)  # fmt: skip


def bare_ground(num_rows: int) -> NDArray[Any]:
    """Return rows of GROUND without any elements; each is its own place. Dtype GROUND, shape (num_rows,)."""
    ground = np.zeros(num_rows, GROUND)
    for name in _NOTHING:
        ground[name] = -1
    numbers = np.arange(num_rows)
    ground["place"] = ground["room_next"] = numbers
    ground["room_rows"] = numbers[:, None]
    return ground


def _arrows(item: SquarePart) -> list[int]:
    """Return the direction of each arrow in an item, -1 for `-`."""
    return [ARROWS.find(arrow) for arrow in item.text if arrow in f"{ARROWS}-"]


def _mounted(item: SquarePart) -> NDArray[np.uint8]:
    """Return the phases of a pusher by the side that it is mounted on; uint8, (4,)."""
    phases = np.zeros(4, np.uint8)
    phases[(item.direction + 2) % 4] = item.phases
    return phases


def _ends(item: SquarePart) -> tuple[int, int]:
    """Return the sides to which a flip belt carries robots in flip states 0 and 1."""
    start, end = (SIDE_LETTERS.index(letter) for letter in item.text[1:])
    return end, start


# How to read the value of a field from an item, by the name used in the table of elements
READINGS: Mapping[str, Callable[[SquarePart], Any]] = {
    "phases": lambda item: item.phases,
    "other_phases": lambda item: ALL_PHASES & ~item.phases,
    "direction": lambda item: item.direction,
    "turns": lambda item: item.turns,
    "number": lambda item: item.number,
    "colour": lambda item: "ab".index(item.colour) + 1,
    "rotation": lambda item: -1 if item.text[0] == "L" else 1,  # quarter turns to the right
    "arrows": _arrows,
    "first_arrow": lambda item: _arrows(item)[0],
    "slope": lambda item: np.sum([STEPS[direction] for direction in _arrows(item)], axis=0),
    "mounted": _mounted,
    "ends": _ends,
}
# Fields in which the values of several items of a square are combined by "or"
_COMBINED = frozenset({"overlays", "hydraulics", "pushers"})


def put_square(square: Any, item: SquarePart) -> None:
    """Write an item into its row of SQUARE."""
    _put(square, BY_ID[item.element].square, item)


def put_ground(ground: Any, item: SquarePart) -> None:
    """Write an item into its row of GROUND; numbers, twins and groups are filled in elsewhere."""
    _put(ground, BY_ID[item.element].ground, item)


def _put(row: Any, fields: Mapping[str, int | str], item: SquarePart) -> None:
    """Fill fields of a row as the table of elements says: with a number, a constant, or a value read from the item."""
    for name, how in fields.items():
        value = READINGS[how](item) if isinstance(how, str) and how in READINGS else code(how)
        row[name] = row[name] | value if name in _COMBINED else value


def code(name: int | str) -> int:
    """Return a number as it is, or look up a constant of `rr_gym.courses.tables.ground` by its name."""
    return name if isinstance(name, int) else int(getattr(codes, name))


def lies_at(element: Element, field: str, ground: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the rows of GROUND where a field shows that the element lies; bool, (rows,).

    If the element sets the field to a constant, the field must hold that constant; otherwise any value that differs
    from bare ground counts.
    """
    how = element.ground.get(field)
    if field == "overlays" and how is not None:
        return np.asarray(ground[field] & code(how) > 0)
    if isinstance(how, str) and how.isupper():
        return np.asarray(ground[field] == code(how))
    return np.asarray(ground[field] != (-1 if field in _NOTHING else 0))
