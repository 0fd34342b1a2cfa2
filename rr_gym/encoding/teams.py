"""Robots and their teammates: how many flags a side has touched, and whether any of its robots is left (R-G2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.constants import CAPTURE, MAX_ROBOTS, TOGGLE
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.goals import own_flags
from rr_gym.rules.variants.teams import mates

Array = np.ndarray[Any, Any]


@kernel
def side_is_out(game: GameRecord, robot: int) -> bool:
    """Tell whether a robot and all its teammates are eliminated, so that the game is over for them."""
    if not game.robots[robot].out:
        return False
    side = mates(game, robot)
    for i in range(game.num_robots):
        if side >> i & 1 and not game.robots[i].out:
            return False
    return True


def sides_out(games: Array) -> Array:
    """Return `side_is_out` for all robots of a batch: bool, (n, 8)."""
    robots = games["robots"][:, :MAX_ROBOTS]
    out = robots["out"] > 0
    if not robots["team"].any():
        return np.asarray(out)
    return np.asarray(out & ~(_same_side(games) & _left(games)[:, None, :]).any(axis=2))


def rivals_left(games: Array, seat: int) -> Array:
    """Tell for each game, bool, (n,), whether a robot of another side than the seat's is left."""
    return np.asarray((~_same_side(games)[:, seat] & _left(games)).any(axis=1))


def _left(games: Array) -> Array:
    """Return which robots take part and are not eliminated: bool, (n, 8)."""
    out = games["robots"]["out"][:, :MAX_ROBOTS]
    return np.asarray((out == 0) & (np.arange(MAX_ROBOTS) < games["num_robots"][:, None]))


def _same_side(games: Array) -> Array:
    """Return which pairs of robots are on the same side, including each robot with itself: bool, (n, 8, 8)."""
    team = games["robots"]["team"][:, :MAX_ROBOTS]
    pairs = (team[:, :, None] == team[:, None, :]) & (team[:, :, None] > 0)
    return np.asarray(pairs | np.eye(MAX_ROBOTS, dtype=np.bool_))


@kernel
def flags_done(game: GameRecord, table: Table, robot: int) -> int:
    """Return how many flags a robot or its team has touched.

    In flag toggle, only flags that the team holds now count. In capture, it is 1 while the robot carries a flag.
    """
    body = game.robots[robot]
    if table.settings.game == CAPTURE:
        return 1 if body.carries else 0
    if table.settings.game != TOGGLE:
        return int(body.flag)
    count = 0
    for k in range(table.course.num_flags):
        count += game.flag_owner[k] == body.team
    return count


@kernel
def flags_to_do(game: GameRecord, table: Table, robot: int) -> int:
    """Return the value of `flags_done` that wins; in capture it is 2, where bringing the flag home counts as second."""
    return 2 if table.settings.game == CAPTURE else int(own_flags(game, table, robot))
