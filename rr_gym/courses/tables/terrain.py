"""What the items of a square make of its row of GROUND."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.elements import BY_ID, Element
from rr_gym.courses.tables import ground as codes
from rr_gym.courses.tables.ground import GROUND
from rr_gym.courses.text.grammar import ALL_PHASES, STEPS, Part
from rr_gym.courses.text.words import ARROWS, SIDE_LETTERS

# Fields that name a thing, a direction or a place, and are -1 without one.
_NOTHING = (
    "up", "ramp", "crumbly", "directions", "flip_exits", "jack", "piston_direction", "twin", "turret", "platform",
    "big_gear", "big_gear_to", "trapdoor", "ring", "ring_next", "room", "gate_to", "gate_heading",
)  # fmt: skip


def bare_ground(num_rows: int) -> NDArray[Any]:
    """Rows of GROUND with nothing on them, each its own place."""
    ground = np.zeros(num_rows, GROUND)
    for name in _NOTHING:
        ground[name] = -1
    numbers = np.arange(num_rows)
    ground["place"] = ground["room_next"] = numbers
    ground["room_rows"] = numbers[:, None]
    return ground


def _arrows(item: Part) -> list[int]:
    """The direction of each of its arrows, -1 for `-`."""
    return [ARROWS.find(arrow) for arrow in item.text if arrow in f"{ARROWS}-"]


def _mounted(item: Part) -> NDArray[np.uint8]:
    """By side: the phases of what pushes from there."""
    phases = np.zeros(4, np.uint8)
    phases[(item.direction + 2) % 4] = item.phases
    return phases


def _ends(item: Part) -> tuple[int, int]:
    """The end to which a flip belt carries first, and the other one."""
    start, end = (SIDE_LETTERS.index(letter) for letter in item.text[1:])
    return end, start


# What an item puts into a field, by the name that the rows of elements have for it
READINGS: Mapping[str, Callable[[Part], Any]] = {
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
_ADDED = frozenset({"overlays", "hydraulics", "pushers"})  # several items of a square may say something of them


def put_square(square: Any, item: Part) -> None:
    """Put an item on its row of SQUARE."""
    _put(square, BY_ID[item.element].square, item)


def put_ground(ground: Any, item: Part) -> None:
    """Put an item on its row of GROUND; numbers, twins and groups are given out elsewhere."""
    _put(ground, BY_ID[item.element].ground, item)


def _put(row: Any, fields: Mapping[str, int | str], item: Part) -> None:
    """Fill fields of a row with what the row of an element says: a number, a constant, or a reading of the item."""
    for name, how in fields.items():
        value = READINGS[how](item) if isinstance(how, str) and how in READINGS else code(how)
        row[name] = row[name] | value if name in _ADDED else value


def code(name: int | str) -> int:
    """A number as it is, or a constant of `rr_gym.courses.tables.ground` by its name."""
    return name if isinstance(name, int) else int(getattr(codes, name))


def lies_at(element: Element, field: str, ground: NDArray[Any]) -> NDArray[np.bool_]:
    """The rows of GROUND where a field tells that the element lies; bool, (rows,).

    It does by the constant that the element puts there, or by any value that bare ground has not.
    """
    how = element.ground.get(field)
    if field == "overlays" and how is not None:
        return np.asarray(ground[field] & code(how) > 0)
    if isinstance(how, str) and how.isupper():
        return np.asarray(ground[field] == code(how))
    return np.asarray(ground[field] != (-1 if field in _NOTHING else 0))
