"""Masks and actions of batches from users. Games and seats are checked before kernels use them as indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.act import actions as kernels
from rr_gym.errors import RoboRallyError
from rr_gym.rules.arena.game_checks import check_games
from rr_gym.rules.arena.ranges import course_limits

Array = np.ndarray[Any, Any]


def _check(games: Array, tables: Array, seats: Array) -> None:
    """Raise a RoboRallyError if a game has a number out of its range, or does not have one of its seats."""
    check_games(games, course_limits(tables), RoboRallyError)
    wrong = np.argwhere((seats < 0) | (seats >= games["num_robots"][:, None]))
    if len(wrong):
        game, row = map(int, wrong[0])
        last = games["num_robots"][game] - 1
        raise RoboRallyError(f"seats: game {game}: {seats[game, row]}: expected a whole number from 0 to {last}")


def write_masks(games: Array, tables: Array, code: Array, seats: Array, out: Array) -> None:
    """Write the masks of a batch.

    Args:
        games: (n,), dtype `GAME`.
        tables: Tables of the arena.
        code: `ActionLayout.code`.
        seats: (n, k), int8: the seats that act.
        out: (n, k, components, width), int8: overwritten.

    Raises:
        RoboRallyError: A game has a number out of its range, or does not have the seat.
    """
    _check(games, tables, seats)
    kernels.write_masks(games, tables, code, seats, out)


def decode_actions(
    games: Array, tables: Array, code: Array, seats: Array, actions: Array, orders: Array, repaired: Array
) -> None:
    """Decode the actions of a batch into orders.

    Args:
        games: (n,), dtype `GAME`.
        tables: Tables of the arena.
        code: `ActionLayout.code`.
        seats: (n, k), int8: the seats that act.
        actions: (n, k, components), any integers.
        orders: (n, 8), dtype `FULL_ORDERS`: overwritten for these seats.
        repaired: (n, k), int32: overwritten by the number of choices that were replaced, because the mask forbids them
          or because they conflict with other choices of the action.

    Raises:
        RoboRallyError: A game has a number out of its range, or does not have the seat.
    """
    _check(games, tables, seats)
    kernels.decode_actions(games, tables, code, seats, actions, orders, repaired)
