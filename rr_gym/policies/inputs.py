"""The scaling of observations for networks, and which of their numbers are categories."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD, choice_columns
from rr_gym.encoding.observe.board import SQUARE_FEATURES
from rr_gym.encoding.observe.elements import (
    extra_card_places,
    extra_flag_features,
    extra_game_features,
    extra_robot_features,
    extra_square_features,
)
from rr_gym.encoding.observe.entities import entity_columns
from rr_gym.encoding.observe.flat import flat_features
from rr_gym.encoding.observe.observations import WITH_WAY
from rr_gym.encoding.observe.planes import PLACE_NAMES, SCALAR_NAMES, extra_place_planes
from rr_gym.encoding.observe.way import WAY, WAY_FEATURES

Array = np.ndarray[Any, Any]
Column = tuple[str, int, int]  # name, lowest, highest value

LIMIT = 4.0  # scaled numbers are clipped here
SQUARES = 8  # an offset of this many squares counts as 1

# Scales for columns whose bounds are much wider than typical values, by the last word of the name
_USUAL = {"turn": 50, "lives": 4, "laser": 3, "forward": SQUARES, "right": SQUARES}
# The same by the whole name, in registers, 1/256 of a turn, and 1/4096 of a probability
_USUAL_NAMES = {
    "registers_to_go": 10, "registers_gained": 3, "turns_to_go": 1024, "turns_behind": 128, "chance_behind": 400,
}  # fmt: skip
_WIDE = 84  # bounds above this are scaled by the typical values

# Planes have the bounds of their type; these are the highest values of their numbers, by the last word of the name.
_PLANE_HIGHEST = {
    "robot": 2, "type": 7, "card": 84, "damage": 10, "flag": 8, "flags": 8, "locked": 31, "turn": 127, "lives": 100,
    "phase": 5,
}  # fmt: skip


def last_word(name: str) -> str:
    """Return the last word of a column's name: ``"lives"`` of ``"robot_0_lives"``, ``"laser"`` of ``"laser@+1,+0"``."""
    return name.partition("@")[0].rpartition("_")[2]


def scales(listed: Iterable[Column]) -> Array:
    """Return factors that bring typical values of the columns between -1 and 1: float32, (columns,)."""
    ones = []
    for name, low, high in listed:
        top = max(abs(low), abs(high), 1)
        usual = _USUAL_NAMES.get(name, _USUAL.get(last_word(name), top))
        ones.append(usual if top > _WIDE else top)
    return (1 / np.array(ones)).astype(np.float32)


def words(listed: Sequence[Column], wanted: Iterable[str]) -> tuple[list[int], list[int]]:
    """Return the columns and the values of one-hot numbers: one pair for every value of each categorical column."""
    where = {name: (i, low, high) for i, (name, low, high) in enumerate(listed)}
    pairs = []
    for i, low, high in (where[name] for name in wanted):
        pairs += [(i, value) for value in range(low, high + 1)]
    return [i for i, _ in pairs], [value for _, value in pairs]


def place(listed: Sequence[Column], name: str) -> int:
    """Return the index of the column with a name."""
    return [known for known, _, _ in listed].index(name)


def _plane(name: str) -> Column:
    if name in PLACE_NAMES and name.startswith(("robot_faces", "next_flag")):
        return name, 0, 1
    if name.endswith(("_forward", "_right")):
        return name, -127, 127
    return name, 0, _PLANE_HIGHEST.get(last_word(name), 1)


def _planes(elements: tuple[str, ...]) -> list[Column]:
    """Return the columns of planes, in the order of `rr_gym.encoding.observe.planes.plane_names`."""
    states = extra_robot_features(elements)
    more = [
        *extra_square_features(elements),
        *((f"robot_{name}", low, high) for name, low, high in states),
        *((name, 0, 2) for name in extra_place_planes(elements) if name == "copy"),
        *((f"flag_{name}", low, high) for name, low, high in extra_flag_features(elements)),
        *extra_game_features(elements),
        *((f"own_{name}", low, high) for name, low, high in states),
        *(_plane(f"{place}_{what}") for place in extra_card_places(elements) for what in ("type", "card")),
    ]
    base = [*SQUARE_FEATURES, *(_plane(name) for name in (*PLACE_NAMES, *SCALAR_NAMES))]
    return [*base, *more]


def columns(
    observation: str, num_robots: int, window: int, elements: tuple[str, ...] = (), lookahead: str | None = None
) -> dict[str, list[Column]]:
    """Return the columns of an observation by table; an observation without tables has one, named ``""``."""
    if observation == "flat":
        return {"": flat_features(num_robots, window, elements)}
    if observation == "planes":
        return {"": _planes(elements)}
    tables = {name: list(listed) for name, listed in entity_columns(elements).items()}
    if observation == WITH_WAY:
        tables[WAY] = list(WAY_FEATURES)
    if observation == "choices":
        del tables["planes"]
        tables |= choice_columns(num_robots, lookahead or DEFAULT_LOOKAHEAD)
    return tables


def fingerprint(
    observation: str, num_robots: int, window: int, elements: tuple[str, ...] = (), lookahead: str | None = None
) -> str:
    """Return a digest of the names and the order of an observation's columns."""
    tables = columns(observation, num_robots, window, elements, lookahead).items()
    names = [f"{table}.{name}" for table, listed in tables for name, _, _ in listed]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]
