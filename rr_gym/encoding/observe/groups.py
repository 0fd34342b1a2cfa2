"""Groups of features beyond those of the base game; observations have a group only if courses or settings need it."""

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
    """Return False, for groups that no setting needs."""
    return False


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Features that are observed together or not at all.

    Attributes:
        name: The name of the group.
        bits: Mask of course features (`rr_gym.courses.tables.ground`), any of which needs the group.
        squares: Features of a square.
        columns: Returns the values of `squares` at the start of games; None if all depend on the game. Those in
          `CHANGING` are overwritten for each game.
        robots: Features of a robot.
        game: Facts of a game.
        settings: Tells whether the settings of a table (SETTINGS) need the group.
        flags: Features of a flag.
        cards: Names of places of cards, besides the seat's hand and registers.
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
