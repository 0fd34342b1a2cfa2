"""Functions as players: their observations, and that their choices are played as those of a policy."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from policy_examples import WINDOW, new_policy
from random_play import FLOOR

from rr_gym.envs import RoboRallyVectorEnv
from rr_gym.envs.core import Core
from rr_gym.errors import RoboRallyError
from rr_gym.players import SeatView
from rr_gym.policies import FunctionPlayer, PolicyError, PolicyPlayer, PolicySpec, policy_facts
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders

SHARES = {"self": 0.5, "greedy": 0.5}


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(FLOOR)


def first_legal(_: Any, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


@pytest.mark.parametrize("observation", ["choices", "flat", "entities+planes"])
def test_decides_as_a_policy_that_chooses_so(observation: str, arena: Arena) -> None:
    window = None if observation == "choices" else WINDOW
    core = Core(FLOOR, 1, 4, observation=observation, window=window, action="cards", preview=True)
    network = {"kind": observation.removesuffix("+planes"), "features": 24}
    policy = new_policy(PolicySpec.from_json({**policy_facts(core), "network": network}))
    player = FunctionPlayer(policy.act, observation, window=window, preview=True)
    other = PolicyPlayer(policy)
    games = arena.new_games(8, 4, seed=3)
    orders = no_orders(len(games), 8, full=True)
    for _ in range(2):
        for seat in range(4):
            orders[:, seat] = player.act(arena, games, seat)
            assert (orders[:, seat] == other.act(arena, games, seat)).all()
        assert player.orders(SeatView.of(arena, games[2], 3)) == orders[2, 3]
        arena.play(games, orders)


def test_the_function_is_called_only_for_rows_with_a_choice(arena: Arena) -> None:
    asked = []

    def choose(seen: dict[str, np.ndarray], masks: np.ndarray) -> np.ndarray:
        assert len(seen["choices"]) == len(masks)
        assert (np.count_nonzero(masks, axis=1) > 1).all()
        assert ((seen["choices"][..., 0] > 0) == (masks > 0)).all()
        asked.append(len(masks))
        return masks.argmax(axis=1)

    games = arena.new_games(6, 2, seed=1)
    games["robots"]["alive"][0, 1] = 0
    orders = FunctionPlayer(choose).act(arena, games, 1)
    assert max(asked) == 5
    assert orders[0] == no_orders(1, full=True)[0]
    assert (orders["program"][1:] > 0).all()


@pytest.mark.parametrize("action", ["draw", "slots"])
@pytest.mark.parametrize("dtype", ["native", "float32", "scaled"])
def test_decides_whole_turns_as_a_policy_does(action: str, dtype: str, arena: Arena) -> None:
    core = Core(FLOOR, 1, 4, observation="flat", window=WINDOW, action=action)
    policy = new_policy(PolicySpec.from_json({**policy_facts(core), "network": {"kind": "flat", "features": 24}}))
    player, other = FunctionPlayer(policy.act, "flat", action=action, window=WINDOW), PolicyPlayer(policy)
    games = arena.new_games(8, 4, seed=3)
    games["robots"]["alive"][0, 1] = 0
    env = RoboRallyVectorEnv(
        4, FLOOR, observation="flat", window=WINDOW, action=action, observation_dtype=dtype, num_robots=4
    )
    seen, infos = env.reset(seed=3)
    shown = []

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        shown.append((observations, masks))
        return masks.argmax(axis=2)

    FunctionPlayer(choose, "flat", action=action, window=WINDOW, observation_dtype=dtype).act(
        arena, env.core.games, 2
    )
    assert shown[0][0].dtype == seen.dtype
    assert (shown[0][0][0] == seen[2]).all()
    assert (shown[0][1][0] == infos["action_mask"][2]).all()
    orders = no_orders(len(games), 8, full=True)
    for _ in range(3):
        for seat in range(4):
            orders[:, seat] = player.act(arena, games, seat)
            assert (orders[:, seat] == other.act(arena, games, seat)).all()
        arena.play(games, orders)


def test_games_with_several_numbers_of_robots(arena: Arena) -> None:
    games = arena.new_games(6, np.array([2, 3, 4, 2, 3, 4]), seed=1)
    player = FunctionPlayer(first_legal)
    together = player.act_seats(arena, games, np.array([0, 1, 3, 1, 2, 0]))
    for game, seat in enumerate([0, 1, 3, 1, 2, 0]):
        assert player.act(arena, games[game : game + 1], seat)[0] == together[game]


def test_is_an_opponent_by_shares() -> None:
    past = FunctionPlayer(first_legal, preview=True, name="past")
    envs = RoboRallyVectorEnv(16, FLOOR, num_robots=2, opponents=SHARES, observation="choices", action="cards")
    envs.reset(seed=1)
    envs.set_opponents({"self": 0.5, past: 0.5})
    envs.reset()
    for _ in range(3 * envs.core.stages):
        _, _, _, _, infos = envs.step(envs.sample_actions())
    assert not infos["active"].all()
    assert past.outside


def test_what_is_not_a_choice_is_an_error(arena: Arena) -> None:
    player = FunctionPlayer(lambda seen, masks: masks[:, 0].argmax(axis=1), "flat", action="draw", name="mine")
    with pytest.raises(PolicyError, match=r"int64 \(2,\): expected .* \(2, 8\), a choice for each component"):
        player.act(arena, arena.new_games(2, 2, seed=1), 0)
    with pytest.raises(PolicyError, match="choose: 'best': expected a function"):
        FunctionPlayer("best")  # type: ignore[arg-type]
    player = FunctionPlayer(lambda seen, masks: masks.mean(axis=1), name="mine")
    with pytest.raises(PolicyError, match=r"player 'mine': float64 \(2,\): expected whole numbers of shape \(2,\)"):
        player.act(arena, arena.new_games(2, 2, seed=1), 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"observation": "everything"}, "observation: 'everything': expected flat | planes"),
        ({"observation": "choice"}, "observation: 'choice': did you mean 'choices'?"),
        ({"observation": "flat", "lookahead": "turns"}, "lookahead: 'turns': only with an observation of choices"),
        ({"observation": "choices", "action": "draw"}, "observation: 'choices': expected flat | planes"),
        ({"action": "turns"}, "action: 'turns': expected draw | slots | cards"),
        ({"observation": "flat", "action": "draw", "preview": True}, "preview: True: only with action='cards'"),
        ({"observation_dtype": "int8"}, "observation_dtype: 'int8': expected native | float32 | scaled"),
        ({"preview": 1}, "preview: 1: expected True or False"),
        ({"name": 5}, "name: 5: expected text"),
    ],
)
def test_wrong_arguments_are_errors_at_once(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=re.escape(message)):
        FunctionPlayer(first_legal, **arguments)


def test_as_in_an_environment_lookahead_may_be_none() -> None:
    assert FunctionPlayer(first_legal, lookahead=None).lookahead == "turns"
