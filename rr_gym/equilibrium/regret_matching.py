"""Equilibria of Bayesian games by predictive regret matching (PRM+)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.equilibrium.bayesian_game import BayesianGame

Array = np.ndarray[Any, Any]

ITERATIONS = 60


class _Learner:
    """Predictive regret matching+ for all types of one player; the last regrets are the prediction of the next."""

    def __init__(self, game: BayesianGame, player: int) -> None:
        self.game, self.player = game, player
        self.strategy = game.uniform(player)
        self.total = np.zeros_like(self.strategy)
        self._legal = game.legal[player]
        self._regrets = np.zeros_like(self.strategy)

    def learn(self, other: Array, weight: float) -> None:
        """Update the strategy against the other player's, and add the new strategy to the average with a weight."""
        values = np.where(self._legal, self.game.action_values(self.player, other), 0)
        regrets = np.where(self._legal, values - (self.strategy * values).sum(axis=1, keepdims=True), 0)
        self._regrets = np.maximum(self._regrets + regrets, 0)
        expected = np.maximum(self._regrets + regrets, 0)
        sums = expected.sum(axis=1, keepdims=True)
        self.strategy = np.where(sums > 0, expected / np.where(sums > 0, sums, 1), self.game.uniform(self.player))
        self.total += weight * self.strategy

    @property
    def average(self) -> Array:
        """Return the weighted mean of all strategies so far."""
        return np.asarray(self.total / self.total.sum(axis=1, keepdims=True))


def solve(game: BayesianGame, iterations: int = ITERATIONS) -> tuple[Array, Array]:
    """Return approximate equilibrium strategies of both players.

    The players update alternately by predictive regret matching+. In the average, the t-th strategy has weight t
    squared.

    Args:
        game: The game.
        iterations: The number of updates of each player, 1 or more.

    Returns:
        The average strategies, float64, (types, actions) each. `BayesianGame.nash_conv` measures how far they are from
        an equilibrium.
    """
    first, second = _Learner(game, 0), _Learner(game, 1)
    for t in range(1, iterations + 1):
        first.learn(second.strategy, t * t)
        second.learn(first.strategy, t * t)
    return first.average, second.average
