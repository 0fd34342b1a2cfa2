"""The PettingZoo environment: PettingZoo's own tests, and what they do not look at."""

from __future__ import annotations

import copy
import pickle
import warnings
from functools import partial
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.test.state_test import state_test

from rr_gym import roborally_v0
from rr_gym.encoding.act.actions import ActionError
from rr_gym.envs.parallel import INFO_KEYS
from rr_gym.errors import RoboRallyError

OBSERVATIONS = ("flat", "planes")
ACTIONS = ("draw", "slots")
COUNTS = (1, 2, 4, 8)

# What PettingZoo warns of and what is meant to be so here
pytestmark = [
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
]

kinds = pytest.mark.parametrize(
    "kind",
    [{"observation": o, "action": a, "num_robots": n} for o in OBSERVATIONS for a in ACTIONS for n in COUNTS],
    ids=lambda kind: "-".join(map(str, kind.values())),
)


def sample(env: Any, seen: dict[str, Any]) -> dict[str, Any]:
    return {agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents}


@kinds
def test_parallel_api(kind: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    parallel_api_test(roborally_v0.parallel_env(**kind), num_cycles=60)
    assert "Passed Parallel API test" in capsys.readouterr().out


@kinds
def test_aec_api(kind: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    api_test(roborally_v0.env(**kind), num_cycles=30)
    assert "Passed API test" in capsys.readouterr().out


@kinds
def test_seeds(kind: dict[str, Any]) -> None:
    parallel_seed_test(partial(roborally_v0.parallel_env, **kind), num_cycles=15)
    seed_test(partial(roborally_v0.env, **kind), num_cycles=15)


@kinds
def test_state(kind: dict[str, Any]) -> None:
    env = roborally_v0.env(**kind)
    state_test(env, roborally_v0.parallel_env(**kind), num_cycles=10)
    assert env.state().shape == env.state_space.shape


@pytest.mark.parametrize("action", ACTIONS)
def test_max_cycles(action: str) -> None:
    class Module:
        env = staticmethod(partial(roborally_v0.env, action=action))
        parallel_env = staticmethod(partial(roborally_v0.parallel_env, action=action))

    max_cycles_test(Module)


@pytest.mark.parametrize("num_robots", COUNTS)
def test_rendering(num_robots: int) -> None:
    pytest.importorskip("PIL")
    render_test(partial(roborally_v0.env, num_robots=num_robots))


def test_nothing_is_rendered_without_a_mode() -> None:
    env = roborally_v0.parallel_env()
    env.reset(seed=0)
    assert env.render() is None
    env.close()


@kinds
def test_whole_games(kind: dict[str, Any]) -> None:
    """Types, bounds, keys, shapes and masks in every step of whole games, until everybody is gone."""
    env = roborally_v0.parallel_env(**kind, max_cycles=30)
    for episode in range(2):
        seen, infos = env.reset(seed=episode)
        alive = list(env.possible_agents)
        assert list(seen) == list(infos) == env.agents == alive
        while env.agents:
            for agent in alive:
                assert env.observation_space(agent).contains(seen[agent])
                assert (seen[agent]["action_mask"].max(axis=1) == 1).all()
                assert list(infos[agent]) == list(INFO_KEYS)
                assert all(type(value) is int for value in infos[agent].values())
            seen, rewards, terminations, truncations, infos = env.step(sample(env, seen))
            assert all(list(d) == alive for d in (seen, rewards, terminations, truncations, infos))
            assert all(type(value) is float for value in rewards.values())
            assert all(type(v) is bool for v in (*terminations.values(), *truncations.values()))
            alive = [a for a in alive if not terminations[a] and not truncations[a]]
            assert env.agents == alive
            # All who are left end together, and for the same reason.
            if any(truncations.values()):
                assert not alive
                assert all(cut or infos[agent]["lives"] == 0 for agent, cut in truncations.items())
        assert env.step({}) == ({}, {}, {}, {}, {})


def test_observations_may_be_kept() -> None:
    env = roborally_v0.parallel_env()
    seen, _ = env.reset(seed=0)
    kept = {agent: seen[agent]["observation"].copy() for agent in seen}
    env.step(sample(env, seen))
    assert all(np.array_equal(seen[agent]["observation"], kept[agent]) for agent in kept)


def test_eliminated_agents_vanish_and_the_rest_play_on() -> None:
    env = roborally_v0.parallel_env(settings={"lives": 1}, num_robots=8)
    seen, _ = env.reset(seed=3)
    gone: set[str] = set()
    for _ in range(100):
        before = set(env.agents)
        seen, _, terminations, _, infos = env.step(sample(env, seen))
        left = before - set(env.agents)
        assert all(terminations[agent] for agent in left)
        assert not gone & set(seen)
        gone |= left
        if gone and env.agents:
            break
    assert gone
    first = sorted(gone)[0]
    # Actions of the dead do nothing and are counted.
    _, _, _, _, infos = env.step({**sample(env, seen), first: np.ones(8, int), "nobody": 5})
    assert {info["ignored_actions"] for info in infos.values()} == {2}


def test_illegal_actions_are_repaired_and_counted() -> None:
    envs = [roborally_v0.parallel_env(), roborally_v0.parallel_env()]
    generator = np.random.default_rng(1)
    for env in envs:
        env.reset(seed=2)
    for _ in range(10):
        actions = {agent: generator.integers(-3, 30, 8) for agent in envs[0].agents}
        results = [env.step(actions) for env in envs]
        for agent in results[0][0]:
            assert np.array_equal(results[0][0][agent]["observation"], results[1][0][agent]["observation"])
        assert results[0][1:] == results[1][1:]
        assert all(info["illegal_choices"] > 0 for info in results[0][4].values())


def test_agents_without_an_action_get_the_defaults() -> None:
    env = roborally_v0.parallel_env(num_robots=2)
    env.reset(seed=2)
    seen, _, _, _, infos = env.step({"robot_0": None})
    assert infos["robot_0"]["turn"] == 1
    assert infos["robot_1"]["illegal_choices"] == 0
    assert len(seen) == 2


@pytest.mark.parametrize("action", [3, [1, 2], np.zeros(8), "up", [[0] * 8]])
def test_actions_of_a_wrong_form_are_refused(action: Any) -> None:
    env = roborally_v0.parallel_env(num_robots=2)
    env.reset(seed=2)
    before = env.record["turn"].item()
    with pytest.raises(ActionError, match=r"action of robot_1: .*expected 8 whole numbers"):
        env.step({"robot_0": np.zeros(8, int), "robot_1": action})
    with pytest.raises(ActionError, match="actions: list: expected a mapping"):
        env.step([action])  # type: ignore[arg-type]
    assert env.record["turn"] == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"observation": "pixels"}, "observation: 'pixels': expected flat"),
        ({"action": "card"}, "action: 'card'"),
        ({"reward": "dense"}, "reward: 'dense'"),
        ({"render_mode": "svg"}, "render_mode: 'svg'"),
        ({"max_cycles": 0}, "max_cycles: 0"),
        ({"window": 4}, "window: 4"),
        ({"num_robots": 9}, "num_robots: 9"),
        ({"course": "no_such_course"}, "no_such_course"),
        ({"settings": {"virtuel": "on"}}, "virtual"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        roborally_v0.parallel_env(**arguments)


def test_resets_without_a_seed_play_new_games() -> None:
    env = roborally_v0.parallel_env()
    first, _ = env.reset(seed=1)
    second, _ = env.reset()
    assert not np.array_equal(first["robot_0"]["observation"], second["robot_0"]["observation"])
    env.reset(seed=1)
    again, _ = env.reset(options={"anything": 1})
    assert np.array_equal(second["robot_0"]["observation"], again["robot_0"]["observation"])


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_environments_are_copied_by_pickle(observation: str) -> None:
    env = roborally_v0.parallel_env(observation=observation, reward="shaped")
    seen, _ = env.reset(seed=1)
    actions = sample(env, seen)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    expected = env.step(actions)
    for twin in twins:
        result = twin.step(actions)
        assert result[1:] == expected[1:]
        assert all(np.array_equal(result[0][a]["observation"], expected[0][a]["observation"]) for a in expected[0])


def test_state_shows_all_hands() -> None:
    env = roborally_v0.parallel_env(observation="planes")
    env.reset(seed=1)
    state = env.state()
    assert env.state_space.contains(state)
    flat = roborally_v0.parallel_env()
    seen, _ = flat.reset(seed=1)
    assert np.array_equal(state, np.concatenate([seen[agent]["observation"] for agent in flat.agents]))


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
def test_registration() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PettingZoo about ids with a namespace
        parallel = pettingzoo.make("parallel", "rr_gym/roborally-v0", num_robots=2, max_cycles=7)
        aec = pettingzoo.make("aec", "rr_gym/roborally-v0", num_robots=3)
    assert (parallel.possible_agents, parallel.max_cycles) == (["robot_0", "robot_1"], 7)
    assert len(aec.possible_agents) == 3
