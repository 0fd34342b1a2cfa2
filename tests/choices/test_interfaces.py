"""Observations with choices in every interface."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

import rr_gym
from rr_gym import roborally_v0
from rr_gym.choices.observers import CHOICE_OBSERVATIONS
from rr_gym.envs.core import Core

rr_gym.register_environments()
OPTIONS: dict[str, Any] = {"action": "cards", "preview": True, "lookahead": "paths"}

pytestmark = [
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
]


@pytest.mark.parametrize("observation", CHOICE_OBSERVATIONS)
def test_every_observation_can_have_choices(observation: str) -> None:
    core = Core(num_games=3, num_robots=2, observation=observation, window=5, **OPTIONS)
    core.reset(1)
    space = core.single_observation_space()
    rng = np.random.default_rng(0)
    for _ in range(2 * core.stages):
        seen, masks = core.observe(), core.masks()
        for row in range(core.num_rows):
            assert space.contains({name: array[row] for name, array in seen.items()})
        assert np.array_equal(seen["choices"][..., 0], masks)
        part = core.observe(games=np.array([2, 0]))
        assert all(np.array_equal(part[name], seen[name][[4, 5, 0, 1]]) for name in seen)
        core.step((masks * rng.random(masks.shape)).argmax(-1))
    plain = observation.removesuffix("choices").rstrip("+")
    if plain:
        rest = Core(num_games=3, num_robots=2, observation=plain, window=5, action="cards", preview=True)
        rest.reset(1)
        core.reset(1)
        expected, seen = rest.observe(), core.observe()
        for name in expected if isinstance(expected, dict) else [plain]:
            assert np.array_equal(seen[name], expected[name] if isinstance(expected, dict) else expected)
    else:
        assert list(seen) == ["game", "robots", "cards", "flags", "choices", "prospects"]


@pytest.mark.parametrize("observation", ["choices", "flat+choices"])
def test_pettingzoo(observation: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind = {"observation": observation, "num_robots": 3, **OPTIONS}
    parallel_api_test(roborally_v0.parallel_env(**kind), num_cycles=60)
    api_test(roborally_v0.env(**kind), num_cycles=60)
    assert "Passed API test" in capsys.readouterr().out
    env = roborally_v0.parallel_env(settings={"lives": "unlimited"}, **kind)
    seen, _ = env.reset(seed=3)
    assert env.action_space("robot_0") == gymnasium.spaces.Discrete(11)
    for _ in range(3 * env.core.stages):
        for agent in env.agents:
            assert env.observation_space(agent).contains(seen[agent])
            assert np.array_equal(seen[agent]["observation"]["choices"][:, 0], seen[agent]["action_mask"])
        seen, rewards, *_ = env.step({a: env.action_space(a).sample(seen[a]["action_mask"]) for a in env.agents})
        assert set(rewards) == set(env.agents)
    assert env.record["turn"] == 3


def test_pettingzoo_plays_a_turn_in_decisions_as_a_whole_one() -> None:
    options: dict[str, Any] = {"num_robots": 2, "decisions": ()}
    whole, parts = roborally_v0.parallel_env(**options), roborally_v0.parallel_env(action="cards", **options)
    whole.reset(seed=4)
    parts.reset(seed=4)
    for turn in range(3):
        rng = np.random.default_rng(turn)
        actions = {agent: (rng.random(5) * [5, 4, 3, 2, 1]).astype(int) for agent in whole.agents}
        whole.step(actions)
        for stage in range(5):
            parts.step({agent: actions[agent][stage] for agent in parts.agents})
        assert parts.record["turn"] == whole.record["turn"] == turn + 1
        assert np.array_equal(parts.record["robots"]["square"], whole.record["robots"]["square"])
    with pytest.raises(rr_gym.RoboRallyError, match=r"action of robot_0: .*: expected one whole number"):
        parts.step({agent: np.zeros(2, np.int64) for agent in parts.agents})


def test_gymnasium() -> None:
    env = gymnasium.make("rr_gym/RoboRallyDuel-v0", observation="choices", disable_env_checker=True, **OPTIONS)
    check_env(env.unwrapped, skip_render_check=True)
    seen, info = env.reset(seed=1)
    done = False
    while not done:
        assert np.array_equal(seen["choices"][:, 0], info["action_mask"])
        seen, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        done = terminated or truncated


def test_vector_environment() -> None:
    envs = gymnasium.make_vec(
        "rr_gym/RoboRally-v0", num_envs=8, num_robots=2, opponents=(), observation="choices", max_cycles=2, **OPTIONS
    )
    seen, info = envs.reset(seed=1)
    for _ in range(40):
        assert envs.observation_space.contains(seen)
        masks = info["action_mask"]
        assert np.array_equal(seen["choices"][..., 0], masks)
        seen, _, _, _, info = envs.step((masks * envs.np_random.random(masks.shape)).argmax(-1))


def test_stable_baselines3() -> None:
    from sb3_contrib import MaskablePPO

    from rr_gym.sb3 import make_vec_env

    env = make_vec_env(num_games=4, num_robots=2, observation="choices", seed=1, max_cycles=2, **OPTIONS)
    MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=1).learn(256)
    seen = env.observe()
    state = env.get_state()
    choices = env.action_masks().argmax(-1)
    expected = env.step(choices)
    twin = make_vec_env(num_games=4, num_robots=2, observation="choices", max_cycles=2, **OPTIONS)
    twin.reset()
    twin.set_state(state)
    assert all(np.array_equal(twin.observe()[name], seen[name]) for name in seen)
    again = twin.step(choices)
    assert all(np.array_equal(again[0][name], expected[0][name]) for name in seen)
    ended = [info for info in expected[3] if info]
    for info in ended:
        assert set(info["terminal_observation"]) == set(seen)
