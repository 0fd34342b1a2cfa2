"""Read the features of squares from compiled tables, by the names that the table of elements uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from rr_gym.courses.elements.observed import Reading
from rr_gym.courses.tables import ground as at
from rr_gym.encoding.observe.lines import GUSTS, MELTED, WIND
from rr_gym.encoding.observe.rows import SquareRows
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS

Array = np.ndarray[Any, Any]


def read_columns(readings: Iterable[Reading], rows: SquareRows) -> list[Array]:
    """Return feature columns, each with one number per row.

    Args:
        readings: How to read each column.
        rows: The rows of the course's tables.
    """
    columns: list[Array] = []
    for source, names in readings:
        columns += READS[source](rows, *(getattr(at, name) if name.isupper() else name for name in names))
    return columns


def _ramps(rows: SquareRows) -> list[Array]:
    hidden = rows.ground["ramp"]
    return rows.sides(np.where(hidden >= 0, 1 + rows.ground["fast"][hidden], 0))


def _water(rows: SquareRows) -> list[Array]:
    return [rows.surface(at.WATER, at.PUDDLE) + 2 * rows.surface(at.DEEP), rows.surface(at.PUDDLE)]


def _currents(rows: SquareRows) -> list[Array]:
    flowing = np.isin(rows.ground["mover"], (at.CURRENT, at.RIVER))
    directions = np.where(flowing, rows.ground["directions"][:, 0], -1)
    turns = np.where(flowing, rows.side_bits(rows.ground["mover_turns"]), 0)
    return [*rows.arrow(directions), turns, rows.ground["mover"] == at.RIVER]


def _belts_by_phase(rows: SquareRows) -> list[Array]:
    speed = rows.squares["belt"].astype(int)
    directions = np.where(speed[:, None] > 0, rows.ground["directions"], -1)
    return [speed * part for p in range(1, NUM_REGISTERS) for part in rows.arrow(directions[:, p])]


def _jacks(rows: SquareRows) -> list[Array]:
    thrown = [part for p in range(NUM_REGISTERS - 1) for part in rows.arrow(rows.ground["jack"][:, p])]
    return [rows.ground["has_jack"], *thrown]


def _gates(rows: SquareRows) -> list[Array]:
    return [part for to in rows.sides(rows.ground["gate_to"]) for part in rows.way_to(to)]


def _areas(rows: SquareRows) -> list[Array]:
    on_platform = rows.ground["platform"] >= 0
    return rows.arrow(np.where(on_platform, rows.ground["area"].astype(int) - at.NORTH_AREA, -1))


def _trapdoors(rows: SquareRows) -> list[Array]:
    door = rows.ground["trapdoor"]
    return [np.where(door >= 0, 1 + np.minimum(rows.capacities[door], MAX_ROBOTS), 0)]


def _hydraulics(rows: SquareRows) -> list[Array]:
    return rows.sides(np.roll(rows.ground["hydraulics"], 2, axis=1))  # it pushes away from the side where it is mounted


# By `Reading.source`: a function that returns the columns
READS: Mapping[str, Callable[..., list[Array]]] = {
    "unfilled": lambda rows: [np.zeros(len(rows.squares), int)],  # filled in game by game
    "ground": lambda rows, field: [rows.ground[field]],
    "numbered": lambda rows, field: [rows.ground[field] >= 0],
    "way_to": lambda rows, field: rows.way_to(rows.ground[field]),
    "arrow": lambda rows, field: rows.arrow(rows.ground[field]),
    "surface": lambda rows, *surfaces: [rows.surface(*surfaces)],
    "overlay": lambda rows, *overlays: [rows.overlay(sum(overlays))],
    "kind": lambda rows, kind: rows.kind(kind),
    "level": lambda rows: [rows.squares["level"]],
    "covers": lambda rows: rows.sides(rows.squares["cover"]),
    "melting": lambda rows: [rows.lines[:, MELTED]],
    "wind": lambda rows: [*rows.sides(rows.lines[:, WIND : WIND + 4]), rows.lines[:, GUSTS]],
    "tilt": lambda rows: rows.vector(*rows.ground["tilt"].astype(int).T),
    "ramps": _ramps,
    "water": _water,
    "currents": _currents,
    "belts_by_phase": _belts_by_phase,
    "jacks": _jacks,
    "gates": _gates,
    "areas": _areas,
    "trapdoors": _trapdoors,
    "hydraulics": _hydraulics,
}
