"""What becomes of the result of a game that some players have forfeited: they are last, and have not won."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def won_after(won: Array, forfeits: Array) -> Array:
    """Return who has won: bool, (n, seats).

    Players who have forfeited have not. If that leaves one player at the table, it has won.

    Args:
        won: Who has won by the rules, bool, (n, seats).
        forfeits: Who has forfeited, bool, (n, seats).
    """
    alone = forfeits.any(1) & ((~forfeits).sum(1) == 1)
    kept: Array = (won | alone[:, None]) & ~forfeits
    return kept


def places_after(places: Array, forfeits: Array) -> Array:
    """Return the place of every seat: int64, (n, seats). Players who have forfeited share the last place.

    Args:
        places: The places by the rules, (n, seats), 1 is best, ties share the better place.
        forfeits: Who has forfeited, bool, (n, seats).
    """
    stays = ~forfeits
    before = (places[:, None, :] < places[:, :, None]) & stays[:, None, :]
    last = stays.sum(1, keepdims=True)
    after: Array = 1 + np.where(stays, before.sum(2), last)
    return after
