"""Arrays of the seats of a batch that observe and act."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError

Array = np.ndarray[Any, Any]


def all_seats(num_games: int, num_robots: int) -> Array:
    """Return every seat of every game in order: int8, (num_games, num_robots)."""
    return np.tile(np.arange(num_robots, dtype=np.int8), (num_games, 1))


def check_seats(seats: Any, num_games: int, num_robots: int) -> Array:
    """Check seats, and return them as int8, (num_games, k).

    Raises:
        RoboRallyError: They are not integers of that shape from 0 to num_robots - 1.
    """
    array = np.asarray(seats)
    if array.ndim != 2 or len(array) != num_games or array.dtype.kind not in "iu":
        found = f"{array.dtype} {array.shape}"
        raise RoboRallyError(f"seats: {found}: expected whole numbers of shape ({num_games}, seats)")
    if array.size and not 0 <= array.min() <= array.max() < num_robots:
        wrong = array[(array < 0) | (array >= num_robots)][0]
        raise RoboRallyError(f"seats: {wrong}: expected 0 to {num_robots - 1}")
    return np.ascontiguousarray(array, np.int8)
