"""Groups of features that observations have beyond those of the base game, each only if courses or settings need it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.encoding.observe.rows import SquareRows

Array = np.ndarray[Any, Any]
Feature = tuple[str, int, int]  # name, lowest, highest value

FARTHEST = 127  # offsets in squares are clipped to this


def never(settings: Any) -> bool:
    """Return False: no settings need the group."""
    return False


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Features that belong together.

    Attributes:
        name: The name of the group.
        bits: Features of courses (`rr_gym.courses.tables.ground`), any of which needs the group.
        squares: Features of a square.
        columns: Returns the numbers of `squares` when games begin. Those in `CHANGING` are filled in game by game; None
            if all of them are.
        robots: Features of a robot.
        game: Facts of a game.
        settings: Tells whether the settings of a table (SETTINGS) need the group.
        flags: Features of a flag.
        cards: Places of cards besides the own hand and registers.
    """

    name: str
    bits: int = 0
    squares: tuple[Feature, ...] = ()
    columns: Callable[[SquareRows], list[Array]] | None = None
    robots: tuple[Feature, ...] = ()
    game: tuple[Feature, ...] = ()
    settings: Callable[[Any], bool] = never
    flags: tuple[Feature, ...] = ()
    cards: tuple[str, ...] = ()
