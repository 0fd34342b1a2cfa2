"""Check games that were read from files: reject states that cannot occur in a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.invariants import find_violations
from rr_gym.rules.arena.game_checks import find_unfit
from rr_gym.rules.arena.ranges import Violation, course_limits, find_out_of_range

if TYPE_CHECKING:
    from rr_gym.rules.arena.arena import Arena

Array = np.ndarray[Any, Any]


def find_problems(games: Array, arena: Arena) -> list[Violation]:
    """Return what is wrong with games.

    These are values out of range; if there are none, broken invariants; if there are none, values unfit for kernels.

    A flag on no square, for example, breaks no invariant, but kernels would use its number, -1, as an index.

    Args:
        games: Shape (n,), dtype `GAME`, between two turns or over; unchanged.
        arena: The arena of the games.
    """
    limits = course_limits(arena.tables)
    found = find_out_of_range(games, limits) or find_violations(games, arena)
    if not found and (unfit := find_unfit(games, limits, arena.full)):
        return [unfit]
    return found


def check_records(games: Array, arena: Arena, where: str, error: type[RoboRallyError], whole: bool = True) -> None:
    """Raise an error if games from a file are in a state that cannot occur.

    Args:
        games: Shape (n,), dtype `GAME`.
        arena: The arena that they are to be played in.
        where: The file and the part of it, for the error message.
        error: The class of error to raise.
        whole: Whether these are complete games between two turns, for which all invariants must hold. If False, they
          are views of seats with hidden fields blanked, and only the ranges of values are checked.

    Raises:
        RoboRallyError: Of the class `error`. It names the first wrong field, its value and what was expected, or the
          broken invariant.
    """
    if not len(games):
        return
    found = find_problems(games, arena) if whole else find_out_of_range(games, course_limits(arena.tables))
    for problem in found:
        game = f"game {problem.game}: " if len(games) > 1 else ""
        raise error(f"{where}: {game}{problem.text}")
