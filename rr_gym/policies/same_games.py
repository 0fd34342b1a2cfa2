"""Merge games whose differences cannot affect anything that follows, so that each is valued once."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME, take_games
from rr_gym.rules.state.scratch import GameCaches, GameScratch, RobotScratch

Array = np.ndarray[Any, Any]


def same_games(games: Array, seat: int) -> tuple[Array, Array]:
    """Merge games, between the deal and the orders, whose differences cannot affect anything that follows.

    Args:
        games: (n,), dtype `GAME`.
        seat: The seat whose orders of the turn before do not matter.

    Returns:
        The distinct games, and for each game the index of the one that represents it, int64, (n,).
    """
    words = games.view(np.uint64).reshape(len(games), -1) & _MATTERS[seat]
    found: dict[bytes, int] = {}
    which = np.array([found.setdefault(row.tobytes(), len(found)) for row in words], np.int64)
    return take_games(games, np.unique(which, return_index=True)[1]), which


def _what_matters() -> Array:
    """Return by seat a mask of the bits of a game that can matter after a turn: uint64, (8, words).

    The other bits are scratch of that turn.
    """
    mask = np.full((MAX_ROBOTS, GAME.itemsize), 255, np.uint8)
    games = mask.view(GAME)[:, 0]
    for name in (*GameScratch.fields, *GameCaches.fields):
        games[name] = 0
    for name in RobotScratch.fields:
        games["robots"][name] = 0
    for seat in range(MAX_ROBOTS):
        games["robots"]["orders"][seat, seat] = 0
    return mask.view(np.uint64)


_MATTERS = _what_matters()
