"""Groups of features that observations show beside those of the base game: each there where there is need of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.encoding.observe.frame import SIDES
from rr_gym.encoding.observe.rows import Rows

Array = np.ndarray[Any, Any]
Feature = tuple[str, int, int]  # name, lowest, highest value

FARTHEST = 127  # offsets in squares are cut off here


def flag(*names: str) -> tuple[Feature, ...]:
    """Features that are 0 or 1."""
    return tuple((name, 0, 1) for name in names)


def phases(*names: str) -> tuple[Feature, ...]:
    """Phase masks."""
    return tuple((name, 0, ALL_PHASES) for name in names)


def sides(name: str, highest: int) -> tuple[Feature, ...]:
    """One feature for each side."""
    return tuple((f"{name}_{side}", 0, highest) for side in SIDES)


def vector(name: str, reach: int) -> tuple[Feature, ...]:
    """How far forward and right."""
    return (f"{name}_forward", -reach, reach), (f"{name}_right", -reach, reach)


def nothing(rows: Rows) -> list[Array]:
    """No columns of squares."""
    return []


def never(settings: Any) -> bool:
    """No settings bring the group."""
    return False


@dataclass(frozen=True, slots=True)
class Group:
    """Features that belong together.

    Attributes:
        name: Of the group.
        bits: Features of courses (rr_gym.courses.tables.ground), any of which brings the group.
        squares: Features of a square.
        columns: Their numbers as games begin. What the course's features of `CHANGING` say is filled in game by game.
        robots: Features of a robot.
        game: Facts of a game.
        settings: Whether the settings of a table (SETTINGS) bring the group.
        flags: Features of a flag.
        cards: Places of cards besides the own hand and registers.
    """

    name: str
    bits: int = 0
    squares: tuple[Feature, ...] = ()
    columns: Callable[[Rows], list[Array]] = nothing
    robots: tuple[Feature, ...] = ()
    game: tuple[Feature, ...] = ()
    settings: Callable[[Any], bool] = never
    flags: tuple[Feature, ...] = ()
    cards: tuple[str, ...] = ()
