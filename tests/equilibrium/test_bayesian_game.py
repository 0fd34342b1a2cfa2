"""Bayesian games with known solutions, and regret matching on them."""

from __future__ import annotations

import numpy as np
import pytest

from rr_gym.equilibrium.bayesian_game import BayesianGame
from rr_gym.equilibrium.regret_matching import solve


def one_type(payoffs: list[list[float]]) -> BayesianGame:
    matrix = np.array(payoffs)
    legal = tuple(np.ones((1, size), np.bool_) for size in matrix.shape)
    return BayesianGame(np.ones((1, 1)), matrix[None, :, None, :], (legal[0], legal[1]))


def test_matching_pennies_with_an_uneven_prize() -> None:
    """Player 0 gets 1 for (0, 0), one half for (1, 1), else 0: both choose action 0 with 1/3."""
    game = one_type([[1, 0], [0, 0.5]])
    first, second = solve(game, 1000)
    assert first[0] == pytest.approx([1 / 3, 2 / 3], abs=0.01)
    assert second[0] == pytest.approx([1 / 3, 2 / 3], abs=0.01)
    assert game.value((first, second)) == pytest.approx(1 / 3, abs=0.001)
    assert game.nash_conv((first, second)) < 1e-3


def test_regrets_of_a_strategy_that_gives_itself_away() -> None:
    game = one_type([[1, 0], [0, 1]])
    pure = np.array([[1.0, 0.0]])
    assert game.regrets((pure, pure)) == pytest.approx((0, 1))
    assert game.nash_conv((pure, game.uniform(1))) == pytest.approx(0.5)


def test_types_choose_for_themselves_and_illegal_actions_never_count() -> None:
    """Player 0 knows the state and wins by naming it; the rival has one action, and another that is not legal."""
    payoffs = np.zeros((2, 2, 1, 2))
    payoffs[0, 0, 0, 0] = payoffs[1, 1, 0, 0] = 1
    payoffs[..., 1] = -9  # never read
    legal = (np.ones((2, 2), np.bool_), np.array([[True, False]]))
    game = BayesianGame(np.array([[0.25], [0.75]]), payoffs, legal)
    strategies = solve(game)
    assert game.value(strategies) == pytest.approx(1, abs=1e-3)
    assert strategies[1].tolist() == [[1, 0]]
    assert game.action_values(0, strategies[1])[:, 0] == pytest.approx([0.25, 0])
    assert game.action_values(1, strategies[0])[0, 1] == -np.inf
