"""Kernels between the rules and JAX: what a step needs of a game, and numbers in types that JAX has."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.teams import flags_done, side_is_out

Array = np.ndarray[Any, Any]


@kernel
def judge(games: Array, tables: Array, seats: Array, flags: Array, out: Array, over: Array) -> None:
    """Write what decides whether an episode goes on.

    Args:
        games: (n,), dtype `GAME`.
        tables: Tables of the arena.
        seats: int8, (n, k): the seats of the learners.
        flags: int32, (n, k), written: the flags that they have touched.
        out: bool, (n, k), written: whether they and all their teammates are eliminated.
        over: bool, (n,), written: whether the game is over.
    """
    for g in range(games.shape[0]):
        game = games[g]
        over[g] = game.over > 0
        for k in range(seats.shape[1]):
            flags[g, k] = flags_done(game, tables[game.course], seats[g, k])
            out[g, k] = side_is_out(game, seats[g, k])


@kernel
def pick_rewards(earned: Array, seats: Array, rewards: Array) -> None:
    """Write the rewards of seats, float32, (n, k), from those of all robots, float64, (n, robots)."""
    for g in range(seats.shape[0]):
        for k in range(seats.shape[1]):
            rewards[g, k] = np.float32(earned[g, seats[g, k]])


@kernel
def find_seats(games: Array, seats: Array) -> None:
    """Write the seats of all robots, int8, (n, robots), from the first learner's around the table.

    The first learner's seat is another one in each episode.
    """
    for g in range(games.shape[0]):
        game = games[g]
        first = np.int64(game.seed >> np.uint64(33)) + np.int64(game.episode)
        for k in range(seats.shape[1]):
            seats[g, k] = (first + k) % seats.shape[1]
