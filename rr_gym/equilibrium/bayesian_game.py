"""Bayesian games of two players: each sees its own type and chooses an action, and the payoffs sum to 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class BayesianGame:
    """A game in which both players learn their types and then choose an action at the same time.

    A strategy is a float64 array (types, actions) with a probability distribution in every row.

    Attributes:
        prior: float64, (types of player 0, types of player 1): the probability of each pair of types.
        payoffs: float64, (types of 0, actions of 0, types of 1, actions of 1): the payoff of player 0, such as its
          probability of winning. Player 1 gets 1 minus that.
        legal: For each player, bool, (types, actions): the legal actions of each type, at least one. Payoffs of illegal
          actions are ignored.
    """

    prior: Array
    payoffs: Array
    legal: tuple[Array, Array]

    def __post_init__(self) -> None:
        shape = (*self.legal[0].shape, *self.legal[1].shape)
        if self.payoffs.shape != shape or self.prior.shape != shape[::2]:
            raise RoboRallyError(
                f"payoffs {self.payoffs.shape}, prior {self.prior.shape}: expected {shape} and {shape[::2]}, as legal "
                f"actions say"
            )

    @cached_property
    def weighted(self) -> Array:
        """Payoffs of player 0 times the prior, as a matrix: (types * actions of 0, types * actions of 1)."""
        both = self.legal[0][:, :, None, None] & self.legal[1]
        found: Array = np.where(both, self.payoffs, 0) * self.prior[:, None, :, None]
        return np.ascontiguousarray(found.reshape(self.legal[0].size, self.legal[1].size))

    @cached_property
    def marginals(self) -> tuple[Array, Array]:
        """The probabilities of each player's types."""
        return self.prior.sum(axis=1), self.prior.sum(axis=0)

    def uniform(self, player: int) -> Array:
        """Return the strategy that chooses all legal actions with equal probability."""
        legal = self.legal[player]
        return np.asarray(legal / legal.sum(axis=1, keepdims=True))

    def action_values(self, player: int, other: Array) -> Array:
        """Return the payoffs of a player's actions against the other's strategy, weighted by its types' probabilities.

        Args:
            player: 0 or 1.
            other: The strategy of the other player.

        Returns:
            float64, (types, actions); -inf for actions that are not legal.
        """
        legal = self.legal[player]
        if player == 0:
            values = (self.weighted @ other.ravel()).reshape(legal.shape)
        else:
            values = self.marginals[1][:, None] - (other.ravel() @ self.weighted).reshape(legal.shape)
        return np.where(legal, values, -np.inf)

    def best_value(self, player: int, other: Array) -> float:
        """Return a player's expected payoff when it plays a best response to the other's strategy."""
        return float(self.action_values(player, other).max(axis=1).sum())

    def value(self, strategies: tuple[Array, Array]) -> float:
        """Return the expected payoff of player 0 when both play the given strategies."""
        return float(strategies[0].ravel() @ self.weighted @ strategies[1].ravel())

    def regrets(self, strategies: tuple[Array, Array]) -> tuple[float, float]:
        """Return how much each player would gain by switching to a best response to the other's strategy."""
        value = self.value(strategies)
        return self.best_value(0, strategies[1]) - value, self.best_value(1, strategies[0]) - (1 - value)

    def nash_conv(self, strategies: tuple[Array, Array]) -> float:
        """Return the sum of both regrets: 0 in an equilibrium."""
        return self.best_value(0, strategies[1]) + self.best_value(1, strategies[0]) - 1
