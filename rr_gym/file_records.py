"""Games from files: refused where the rules cannot have come to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.invariants import find_violations
from rr_gym.rules.arena.ranges import Violation, course_limits, find_out_of_range

if TYPE_CHECKING:
    from rr_gym.rules.arena.arena import Arena

Array = np.ndarray[Any, Any]


def find_problems(games: Array, arena: Arena) -> list[Violation]:
    """Return numbers out of range or, where there are none, broken invariants.

    Args:
        games: Shape (n,), dtype `GAME`, between two turns or over; unchanged.
        arena: The arena that they are played in.
    """
    return find_out_of_range(games, course_limits(arena.tables)) or find_violations(games, arena)


def check_records(games: Array, arena: Arena, where: str, error: type[RoboRallyError], whole: bool = True) -> None:
    """Refuse games from a file that the rules cannot have come to.

    Args:
        games: Shape (n,), dtype `GAME`.
        arena: The arena that they are to be played in.
        where: The file and what of it, for the message.
        error: What is raised.
        whole: They stand between two turns, so that invariants hold; False for what seats see of them.

    Raises:
        RoboRallyError: Of the class `error`: the first field, its value and what was expected, or what does not hold.
    """
    if not len(games):
        return
    found = find_problems(games, arena) if whole else find_out_of_range(games, course_limits(arena.tables))
    for problem in found:
        game = f"game {problem.game}: " if len(games) > 1 else ""
        raise error(f"{where}: {game}{problem.text}")
