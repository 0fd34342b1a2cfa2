"""Games on small boards, in which tests place robots and look up features of observations by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.encoding.observe.flat import flat_feature_names
from rr_gym.encoding.observe.observations import FlatObserver
from rr_gym.rules.arena.arena import Arena


def arena_of(board: str, **settings: Any) -> Arena:
    """Return an arena of one board."""
    return Arena(Course.from_board(f"grid:\n{board}", "small"), settings)


def put(games: np.ndarray, seat: int, square: int, facing: int = 0, **fields: int) -> None:
    """Put a robot of the first game on a square as a real robot, and set other fields of it."""
    robot = games["robots"][0, seat]
    for name, value in {"alive": 1, "virtual": 0, "square": square, "facing": facing, **fields}.items():
        robot[name] = value


def seen_from(arena: Arena, games: np.ndarray, seat: int = 0, window: int = 5) -> dict[str, int]:
    """Return the flat observation of a seat of the first game, by name."""
    observer = FlatObserver(arena, int(games["num_robots"][0]), window)
    names = flat_feature_names(observer.num_robots, window, observer.elements)
    return dict(zip(names, observer.observe(games[:1])[0, seat].tolist(), strict=True))
