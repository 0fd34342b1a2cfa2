"""Mixes of opponents: who takes a seat is drawn by shares, independently for every seat, game and episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from rr_gym.envs.shares import SELF, LineupError, check_shares
from rr_gym.errors import short_repr
from rr_gym.players import Player
from rr_gym.rules.state.chance import GOLDEN, mix

Array = np.ndarray[Any, Any]

LEARNER = -1  # in place of the index of a player: the seat is a learner's

# The finalizer of SplitMix64 for arrays, which the compiled function does not take
_mixed = cast(Callable[[Array], Array], getattr(mix, "__wrapped__", mix))


class Mix:
    """Opponents with their shares.

    Args:
        shares: From names, paths of policies or players, and `SELF` for the learner itself, to shares that add up to 1.
            A player with the share 0 is never drawn, but one that is already seated finishes its episodes.

    Raises:
        LineupError: The shares are wrong, or a key is not a player.
    """

    def __init__(self, shares: Mapping[Any, Any]) -> None:
        self.shares = check_shares("opponents", shares)
        for key in self.shares:
            if not isinstance(key, str | Player):
                raise LineupError(f"opponents: {short_repr(key)}: expected the name of a player, or a Player")
        self.players: tuple[str | Player, ...] = tuple(key for key in self.shares if key != SELF)
        self.has_self = SELF in self.shares
        # Draws above the last limit are the learner's share.
        self._limits = np.cumsum([self.shares[key] for key in self.players])
        if not self.has_self:  # what rounding has lost goes to the last player
            self._limits[np.flatnonzero(np.diff(self._limits, prepend=0) > 0)[-1] :] = 1.0

    def draw(self, games: Array, number: int, others: bool = False) -> Array:
        """Draw who takes one seat of every game.

        Args:
            games: (n,), dtype `GAME`; the draw depends on the seed, the index and the episode of each.
            number: The seat, counted from the first learner.
            others: Whether to exclude the learner, unless there is nobody else.

        Returns:
            int16, (n,): indices into `players`, or `LEARNER`.
        """
        drawn = uniforms(games["seed"], games["index"], games["episode"], number)
        most = self._limits[-1] if len(self.players) else 0.0
        if others and most > 0:
            drawn *= most
        places = np.searchsorted(self._limits, drawn, side="right")
        return np.where(places < len(self.players), places, LEARNER).astype(np.int16)


def uniforms(seeds: Array, index: Array, episodes: Array, use: int) -> Array:
    """Return random numbers in [0, 1), float64, (n,), determined by seed, index and episode of each game and by `use`.

    `use` tells apart the numbers that are drawn for different purposes in the same episode.
    """
    words = _mixed(seeds.astype(np.uint64) + GOLDEN)
    words = _mixed(words ^ (index.astype(np.uint64) << np.uint64(32) | episodes.astype(np.uint64)))
    words = _mixed(words ^ np.uint64(use + 1))
    drawn: Array = (words >> np.uint64(11)).astype(np.float64) / 2.0**53
    return drawn
