"""The mini game in OpenSpiel: OpenSpiel computes the same NashConv, and its algorithms find equilibria."""

from __future__ import annotations

import numpy as np
import pytest
from marks import compiled_only

from rr_gym.equilibrium.regret_matching import solve
from rr_gym.exploit.mini_game import MiniGame

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import cfr, exploitability  # noqa: E402
from open_spiel.python.policy import TabularPolicy  # noqa: E402

from rr_gym.exploit.open_spiel import set_strategies, strategies_of  # noqa: E402

pytestmark = [pytest.mark.long, compiled_only, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def mini() -> MiniGame:
    return MiniGame(hands=3, seed=3)


@pytest.mark.parametrize("name", ["uniform", "racer", "planner:100", "rookie", "equilibrium:100@rookie"])
def test_exploitability_is_that_of_the_matrix(mini: MiniGame, name: str) -> None:
    uniform = (mini.game.uniform(0), mini.game.uniform(1))
    strategies = uniform if name == "uniform" else mini.strategies(name, samples=4)
    game = mini.open_spiel()
    policy = TabularPolicy(game)
    set_strategies(policy, strategies)
    assert np.allclose(strategies_of(game, policy)[1], strategies[1])
    assert exploitability.nash_conv(game, policy) == pytest.approx(mini.game.nash_conv(strategies), abs=1e-9)


def test_cfr_and_regret_matching_agree_on_the_value(mini: MiniGame) -> None:
    game = mini.open_spiel()
    solver = cfr.CFRPlusSolver(game)
    for _ in range(15):
        solver.evaluate_and_update_policy()
    found = strategies_of(game, solver.average_policy())
    own = solve(mini.game)
    assert mini.game.nash_conv(own) < mini.game.nash_conv(found) < 0.02
    assert mini.game.value(found) == pytest.approx(mini.game.value(own), abs=0.02)


def test_random_play_follows_the_rules_of_open_spiel(mini: MiniGame) -> None:
    game = mini.open_spiel()
    chance = np.random.default_rng(1)
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, probabilities = zip(*state.chance_outcomes(), strict=True)
                assert sum(probabilities) == pytest.approx(1)
            else:
                actions = tuple(state.legal_actions())
            state.apply_action(int(chance.choice(actions)))
        assert sum(state.returns()) == 0
        assert -0.5 <= state.returns()[0] <= 0.5
