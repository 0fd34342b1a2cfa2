"""The table of board elements, one row per element, grouped by family; the rules of an element are R-E<number>.

The rows are plain data and import nothing from other packages. They name functions, fields and constants, and each
layer resolves the names that belong to it. ``rr-gym course elements --markdown`` writes the table as docs/elements.md.
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
