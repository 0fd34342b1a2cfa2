"""The board elements: the one table of what they are, a row each, by family. Their rules stand under R-E<number>.

The rows are data and import nothing of the rest: they name functions, fields and constants, and each layer finds by
these names what is its own. ``rr-gym course elements --markdown`` writes the table as docs/elements.md has it.
"""

from __future__ import annotations

from rr_gym.courses.elements import (
    base,
    belts,
    fire,
    floors,
    forces,
    levels,
    machines,
    passages,
    pits,
    programs,
    surroundings,
    walls,
    water,
)
from rr_gym.courses.elements.element import BASE, Element

_FAMILIES = (
    base, levels, pits, floors, water, fire, walls, belts, machines, forces, passages, surroundings, programs,
)  # fmt: skip

# By their numbers
ELEMENTS: tuple[Element, ...] = tuple(
    sorted((row for family in _FAMILIES for row in family.ROWS), key=lambda row: row.number)
)
BY_ID = {element.id: element for element in ELEMENTS}

__all__ = ["BASE", "BY_ID", "ELEMENTS", "Element"]
