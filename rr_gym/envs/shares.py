"""Validates the shares of opponents without importing players, so that reading a configuration stays fast."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from rr_gym.errors import RoboRallyError, short_repr

SELF = "self"  # in a mix: the learner itself


class LineupError(RoboRallyError):
    """Opponents or seats do not fit the game."""


def check_shares(where: str, shares: Mapping[Any, Any]) -> dict[Any, float]:
    """Return shares as floats, after checking that they are numbers from 0 to 1 that add up to 1.

    Args:
        where: What the shares are, for the error message.
        shares: Shares by name or player.

    Raises:
        LineupError: The shares are not valid.
    """
    for key, share in shares.items():
        number = isinstance(share, Real) and not isinstance(share, bool)
        if not number or not 0 <= share <= 1:
            name = key if isinstance(key, str) else getattr(key, "name", short_repr(key))
            raise LineupError(f"{where}: {name}: {short_repr(share)}: expected a share, a number from 0 to 1")
    total = math.fsum(map(float, shares.values()))
    if abs(total - 1) > 1e-6:
        raise LineupError(f"{where}: the shares add up to {total:g}: expected 1")
    return {key: float(share) for key, share in shares.items()}
