"""The PettingZoo environment: PettingZoo's own tests, and properties that they do not check."""

from __future__ import annotations

import copy
import pickle
import sys
import warnings
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pettingzoo
import pytest
from combinations import combinations
from conftest import Python
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
)
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.test.state_test import state_test

from rr_gym import determinize, random_actions, roborally_v0
from rr_gym.encoding.act.actions import ActionError
from rr_gym.envs import RoboRallyVectorEnv
from rr_gym.errors import EnvError, RoboRallyError

OBSERVATIONS = ("flat", "planes")
ACTIONS = ("draw", "slots", "cards")
COUNTS = (1, 2, 4, 8)
NAMES = ("observation", "action", "num_robots")
BEFORE_1_27 = not hasattr(pettingzoo, "make")
registry = pytest.mark.skipif(BEFORE_1_27, reason="this PettingZoo has no registry")
# The keys of integers in every info
INFO_KEYS = (
    "turn", "flags", "damage", "lives", "place", "won", "finished", "illegal_choices", "conflicting_choices",
    "ignored_actions", "missing_actions",
)  # fmt: skip

# Warnings of PettingZoo about properties that are intended here
pytestmark = [
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
]

kinds = pytest.mark.parametrize(
    "kind",
    [
        pytest.param(dict(zip(NAMES, case.values, strict=True)), marks=case.marks, id=case.id)
        for case in combinations(OBSERVATIONS, ACTIONS, COUNTS, one_in=2)
    ],
)


def sample(env: Any, seen: dict[str, Any]) -> dict[str, Any]:
    """Return random legal actions that depend only on the masks."""
    masks = [seen[agent]["action_mask"] for agent in env.agents]
    rng = np.random.default_rng(sum(int(mask.sum()) * 7**i for i, mask in enumerate(masks)))
    return {agent: random_actions(mask, rng) for agent, mask in zip(env.agents, masks, strict=True)}


def keys_of_infos(action: str) -> list[str]:
    more = ["reward_place", *(["discount"] if action == "cards" else [])]
    return [*INFO_KEYS[:-2], *more, *INFO_KEYS[-2:], "action_mask"]


def equal(one: Any, other: Any) -> bool:
    """Tell whether two results of steps are equal."""
    return all(data_equivalence(a, b) for a, b in zip(one, other, strict=True))


def check_parallel_api(action: str, num_cycles: int = 10, **kind: Any) -> None:
    """Run PettingZoo's test, with other actions before 1.27, which drew a single number from any mask."""
    if action != "cards" and kind.get("masks") != "info" and BEFORE_1_27:
        pytest.skip("this PettingZoo draws single numbers from masks")
    parallel_api_test(roborally_v0.parallel_env(action=action, **kind), num_cycles=num_cycles)


@kinds
def test_parallel_api(kind: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    check_parallel_api(**kind, num_cycles=60)
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
@pytest.mark.parametrize("masks", ["observation", "info"])
def test_masks_are_where_they_are_wanted(masks: str, action: str) -> None:
    kind: dict[str, Any] = {"num_robots": 3, "action": action, "masks": masks}
    check_parallel_api(**kind)
    api_test(roborally_v0.env(**kind), num_cycles=10)
    seed_test(partial(roborally_v0.env, **kind), num_cycles=10)
    env, other = roborally_v0.parallel_env(**kind), roborally_v0.parallel_env(num_robots=3, action=action)
    seen, infos = env.reset(seed=1)
    expected, facts = other.reset(seed=1)
    for agent in env.agents:
        assert env.observation_space(agent).contains(seen[agent])
        assert ("action_mask" in infos[agent]) == (masks == "info")
        mask = (infos if masks == "info" else seen)[agent]["action_mask"]
        assert np.array_equal(mask, facts[agent]["action_mask"])
        assert np.array_equal(mask, expected[agent]["action_mask"])
        plain = seen[agent] if masks == "info" else seen[agent]["observation"]
        assert np.array_equal(plain, expected[agent]["observation"])


@pytest.mark.parametrize("num_robots", COUNTS)
def test_performance(
    num_robots: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """PettingZoo's benchmark samples one number from the mask; a faster clock shortens its five seconds."""
    ticks = iter(range(10**6))
    clock = SimpleNamespace(time=lambda: next(ticks) / 20)
    monkeypatch.setattr(sys.modules[performance_benchmark.__module__], "time", clock)
    performance_benchmark(roborally_v0.env(action="cards", num_robots=num_robots, max_cycles=20))
    assert "Finished performance benchmark" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["draw", "slots"])
def test_max_cycles(action: str) -> None:
    """It counts turns, also with `cards`, where PettingZoo's test would have to count decisions."""

    class Module:
        env = staticmethod(partial(roborally_v0.env, action=action))
        parallel_env = staticmethod(partial(roborally_v0.parallel_env, action=action))

    max_cycles_test(Module)


@pytest.mark.parametrize("value", ["x", 0, -1, 2.5, True])
def test_a_wrong_number_of_cycles_is_refused_when_it_is_set(value: Any) -> None:
    env = roborally_v0.parallel_env(num_robots=2, max_cycles=7)
    with pytest.raises(RoboRallyError, match=f"max_cycles: {value!r}: expected a whole number, 1 or more"):
        env.max_cycles = value
    assert env.max_cycles == 7


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
    """Check types, bounds, keys, shapes and masks in every step until no agent is left."""
    env = roborally_v0.parallel_env(**kind, max_cycles=30 if kind["action"] != "cards" else 4)
    for episode in range(2):
        seen, infos = env.reset(seed=episode)
        alive = list(env.possible_agents)
        assert list(seen) == list(infos) == env.agents == alive
        while env.agents:
            for agent in alive:
                assert env.observation_space(agent).contains(seen[agent])
                assert (seen[agent]["action_mask"].max(axis=-1) == 1).all()
                assert infos[agent]["action_mask"] is seen[agent]["action_mask"]
                assert list(infos[agent]) == keys_of_infos(kind["action"])
                assert all(type(infos[agent][name]) is int for name in INFO_KEYS)
                assert infos[agent]["illegal_choices"] == 0
                conflicts = infos[agent]["conflicting_choices"]
                assert conflicts == 0 or kind["action"] == "slots"  # its masks allow repeats
                assert infos[agent]["ignored_actions"] == infos[agent]["missing_actions"] == 0
            seen, rewards, terminations, truncations, infos = env.step(sample(env, seen))
            assert all(list(d) == alive for d in (seen, rewards, terminations, truncations, infos))
            assert all(type(value) is float for value in rewards.values())
            assert all(type(v) is bool for v in (*terminations.values(), *truncations.values()))
            alive = [a for a in alive if not terminations[a] and not truncations[a]]
            assert env.agents == alive
            # The remaining agents all end in the same step, and all terminated or all truncated.
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
    # Actions of agents that have left the game do nothing and are counted.
    _, _, _, _, infos = env.step({**sample(env, seen), first: np.ones(8, int)})
    assert {info["ignored_actions"] for info in infos.values()} == {1}


@pytest.mark.parametrize("name", ["robot_2", "Robot_0", 5, None, ("robot_0",)])
@pytest.mark.parametrize("strict", [False, True])
def test_unknown_agents_are_refused(name: Any, strict: bool) -> None:
    env = roborally_v0.parallel_env(num_robots=2, strict=strict)
    seen, _ = env.reset(seed=3)
    before = env.record.tobytes()
    with pytest.raises(ActionError, match=r"actions: .* is not in the game.*: expected actions of robot_0, robot_1$"):
        env.step({**sample(env, seen), name: np.ones(8, int)})
    assert env.record.tobytes() == before


@pytest.mark.parametrize("name", ["robot_2", "", 0, None, [], np.zeros(2)])
def test_spaces_and_observations_of_unknown_agents(name: Any) -> None:
    agents, turns = roborally_v0.parallel_env(num_robots=2), roborally_v0.env(num_robots=2)
    turns.reset(seed=1)
    for ask in (
        agents.observation_space, agents.action_space, turns.observation_space, turns.action_space, turns.observe,
    ):  # fmt: skip
        with pytest.raises(EnvError, match=r"^agent: .*: expected robot_0 \| robot_1$"):
            ask(name)


def test_a_wrong_action_in_turn_is_refused_at_once_and_can_be_mended() -> None:
    """PettingZoo's own wrapper keeps it until the last agent has acted, and then refuses every further step."""
    envs = [roborally_v0.env(num_robots=2) for _ in range(2)]
    rng = np.random.default_rng(1)
    for env in envs:
        env.reset(seed=1)
    for agent in envs[0].agent_iter(6):
        for wrong in ("x", 3, [1, 2], {}, np.zeros(8)):
            with pytest.raises(ActionError, match=rf"action of {agent}: .*expected 8 whole numbers"):
                envs[0].step(wrong)
        action = random_actions(envs[0].observe(agent)["action_mask"], rng)
        for env in envs:
            env.step(action)
        assert equal([envs[0].last()], [envs[1].last()])


def test_agents_that_have_left_give_no_action_in_turn() -> None:
    env = roborally_v0.env(num_robots=2, max_cycles=1)
    env.reset(seed=1)
    for _ in env.agent_iter(2):
        env.step(None)
    with pytest.raises(ActionError, match="action of robot_0: 3: expected None: the agent has left the game"):
        env.step(3)
    env.step(None)
    env.step(None)
    assert env.agents == []


def test_illegal_actions_are_repaired_and_counted() -> None:
    envs = [roborally_v0.parallel_env(), roborally_v0.parallel_env()]
    generator = np.random.default_rng(1)
    for env in envs:
        env.reset(seed=2)
    for _ in range(10):
        actions = {agent: generator.integers(-3, 30, 8) for agent in envs[0].agents}
        results = [env.step(actions) for env in envs]
        assert equal(*results)
        assert all(info["illegal_choices"] > 0 for info in results[0][4].values())


def test_agents_without_an_action_get_the_defaults() -> None:
    env = roborally_v0.parallel_env(num_robots=2)
    env.reset(seed=2)
    seen, _, _, _, infos = env.step({"robot_0": None})
    assert infos["robot_0"]["turn"] == 1
    assert infos["robot_1"]["illegal_choices"] == 0
    assert {agent: info["missing_actions"] for agent, info in infos.items()} == {"robot_0": 1, "robot_1": 1}
    _, _, _, _, infos = env.step({"robot_1": seen["robot_1"]["action_mask"].argmax(axis=1)})
    assert {agent: info["missing_actions"] for agent, info in infos.items()} == {"robot_0": 1, "robot_1": 0}
    assert len(seen) == 2


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_strict_environments_refuse_what_others_tolerate(action: str) -> None:
    env = roborally_v0.parallel_env(action=action, settings={"lives": 1}, num_robots=8, strict=True)
    seen, _ = env.reset(seed=3)
    while len(env.agents) == 8:
        seen, *_ = env.step(sample(env, seen))
    gone = next(agent for agent in env.possible_agents if agent not in env.agents)
    some = sample(env, seen)
    before = env.record.tobytes()
    with pytest.raises(ActionError, match=rf"actions: '{gone}' is not in the game: expected actions of robot_\d, "):
        env.step({**some, gone: next(iter(some.values()))})
    with pytest.raises(ActionError, match=rf"actions: 'Robot_\d' is not in the game; did you mean '{env.agents[0]}'\?"):
        env.step({**some, env.agents[0].title(): some[env.agents[0]]})
    del some[env.agents[1]]
    with pytest.raises(ActionError, match=f"actions: {env.agents[1]}: missing, expected an action"):
        env.step(some)
    assert env.record.tobytes() == before
    some = sample(env, seen)
    env.step({**some, gone: None})  # as PettingZoo's own wrapper has it
    assert env.record.tobytes() != before or action == "cards"


# A turn in steps


@pytest.mark.parametrize("preview", [False, True])
def test_turns_in_steps(preview: bool) -> None:
    """All robots make one decision per step; the last step plays the turn, with the same result as `draw`."""
    options: dict[str, Any] = {"num_robots": 3, "decisions": (), "gamma": 0.9, "reward": "shaped"}
    env = roborally_v0.parallel_env(action="cards", preview=preview, **options)
    other = roborally_v0.parallel_env(action="draw", **options)
    assert env.action_space("robot_1") == spaces.Discrete(11)
    assert env.observation_space("robot_1")["action_mask"] == spaces.Box(0, 1, (11,), np.int8)
    seen, infos = env.reset(seed=3)
    expected, _ = other.reset(seed=3)
    for turn in range(6):
        moves, rewards = [], []
        for stage in range(5):
            assert env.core.stage == stage
            for agent in env.agents:
                assert np.array_equal(seen[agent]["action_mask"], expected[agent]["action_mask"][stage])
                assert infos[agent]["turn"] == turn
            moves.append(sample(env, seen))
            seen, reward, _, _, infos = env.step(moves[-1])
            assert {info["discount"] for info in infos.values()} == {0.9 if stage == 4 else 1.0}
            rewards.append(reward)
        assert all(set(reward.values()) == {0.0} for reward in rewards[:4])
        whole = {agent: np.array([move[agent] for move in moves]) for agent in moves[0]}
        expected, reward, _, _, facts = other.step(whole)
        assert rewards[4] == reward
        assert {a: infos[a]["flags"] for a in infos} == {a: facts[a]["flags"] for a in facts}
        assert all(np.array_equal(seen[a]["observation"], expected[a]["observation"]) for a in expected)


def test_agents_in_turn_make_the_decisions_of_all_at_once() -> None:
    """All robots make decision k before any makes k + 1, and rewards come after the last decision."""
    options: dict[str, Any] = {"num_robots": 3, "action": "cards", "max_cycles": 5}
    env, other = roborally_v0.env(**options), roborally_v0.parallel_env(**options)
    env.reset(seed=3)
    expected, infos = other.reset(seed=3)
    while other.agents:
        moves = sample(other, expected)
        for agent in list(other.agents):
            assert env.agent_selection == agent
            seen, _, terminated, truncated, info = env.last()
            assert not terminated
            assert not truncated
            assert data_equivalence(seen, expected[agent])  # with nothing of what others have just decided
            assert data_equivalence(info, infos[agent])
            env.step(moves[agent])
        expected, rewards, terminations, truncations, infos = other.step(moves)
        assert (env.rewards, env.terminations, env.truncations) == (rewards, terminations, truncations)
    assert all(truncations.values())


@pytest.mark.parametrize("observation", ["flat", "entities", "planes"])
def test_no_observation_shows_what_others_hold_or_decide(
    observation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the others have other hands and decide differently, robot 1 observes the same until the turn is played."""
    views: list[list[Any]] = []
    decided = []
    for deal in (1, 2):
        env = roborally_v0.env(num_robots=4, action="cards", observation=observation, settings={"option_cards": "on"})
        core = env.unwrapped.core
        begin = core.reset

        def reset(seed: int, options: Any, *, core: Any = core, begin: Any = begin, deal: int = deal) -> None:
            begin(seed, options)
            core.games[:] = determinize(core.games, 1, deal)
            core.steps.begin(core.games, core.seats)

        monkeypatch.setattr(core, "reset", reset)
        env.reset(seed=9)
        own, others = np.random.default_rng(0), np.random.default_rng(deal)
        views.append([])
        for agent in env.agent_iter(4 * core.stages):
            seen, _, _, _, info = env.last()
            mask = seen["action_mask"]
            if agent == "robot_1":
                views[-1].append((seen, info))
            env.step(int((mask * (own if agent == "robot_1" else others).random(mask.shape)).argmax()))
            if core.stage == core.stages - 1 and agent == "robot_0":
                decided.append(core.steps.actions.copy())
        assert len(views[-1]) == core.stages
    assert np.array_equal(decided[0][:, 1], decided[1][:, 1])
    assert not np.array_equal(decided[0][:, 0], decided[1][:, 0])
    assert equal(*views)


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
        ({"action": "card"}, "action: 'card': expected draw"),
        ({"preview": True}, "preview: True: only with action='cards'"),
        ({"reward": "dense"}, "reward: 'dense'"),
        ({"masks": "infos"}, r"masks: 'infos': expected both \| observation \| info"),
        ({"render_mode": "svg"}, "render_mode: 'svg'"),
        ({"max_cycles": 0}, "max_cycles: 0"),
        ({"window": 4}, "window: 4"),
        ({"num_robots": 9}, "num_robots: 9"),
        ({"num_robots": (2, 4)}, r"num_robots: \(2, 4\): expected a whole number from 1 to 8"),
        ({"strict": "no"}, "strict: 'no': expected True or False"),
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
        assert equal(twin.step(actions), expected)


def test_state_shows_all_hands() -> None:
    env = roborally_v0.parallel_env(observation="planes")
    env.reset(seed=1)
    state = env.state()
    assert env.state_space.contains(state)
    flat = roborally_v0.parallel_env()
    seen, _ = flat.reset(seed=1)
    assert np.array_equal(state, np.concatenate([seen[agent]["observation"] for agent in flat.agents]))


def test_players_take_seats() -> None:
    """Agents are the learners, and games are the same as in the vector environment."""
    options = {"num_robots": 4, "opponents": ["greedy", "random"], "observation": "flat", "max_cycles": 4}
    env = roborally_v0.parallel_env(**options)
    vector = RoboRallyVectorEnv(2, observation_dtype="native", **options)
    assert env.possible_agents == ["robot_0", "robot_1"]
    seen, _ = env.reset(seed=3)
    rows, _ = vector.reset(seed=3)
    while env.agents:
        assert [name for name in env.core.seating(0) if name] == ["greedy", "random"]
        for row, agent in enumerate(env.agents):
            assert (seen[agent]["observation"] == rows[row]).all()
        actions = env.sample_actions()
        seen, rewards, *_ = env.step(actions)
        rows, gained, *_ = vector.step(np.array([actions[agent] for agent in env.possible_agents]))
        assert list(rewards.values()) == gained.tolist()
    assert env.state().shape == env.state_space.shape
    api_test(roborally_v0.env(num_robots=3, opponents=["greedy"], max_cycles=3), num_cycles=20)


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_the_parallel_api_holds_beside_players(action: str) -> None:
    check_parallel_api(action, 20, num_robots=3, opponents="greedy", seat=1, max_cycles=3)


def test_players_take_seats_by_shares() -> None:
    """Agents whose seat has a player are not in the game; opponents are replaced from the next turn on."""
    env = roborally_v0.parallel_env(num_robots=3, opponents={"self": 0.5, "greedy": 0.5}, max_cycles=2, action="cards")
    found = set()
    for seed in range(24):
        env.reset(seed=seed)
        names = env.core.seating(0)
        assert len(env.agents) == names.count(None)
        found.add(len(env.agents))
        while env.agents and seed < 4:
            env.step(env.sample_actions())
            assert env.state_space.contains(env.state())
    assert found == {1, 2, 3}
    env.set_opponents({"random": 1.0})
    env.reset(seed=1)
    assert sorted(map(str, env.core.seating(0))) == ["None", "random", "random"]
    assert env.agents == ["robot_0"]
    listed = roborally_v0.env(num_robots=3, opponents=["greedy"])
    listed.set_opponents(["random"])
    listed.reset(seed=1)
    assert "random" in listed.unwrapped.core.seating(0)
    with pytest.raises(RoboRallyError, match="opponents: 2: expected 1, as many as before"):
        listed.set_opponents(["random", "random"])


def test_the_state_has_the_hands_of_players_too() -> None:
    env = roborally_v0.parallel_env(num_robots=3, opponents=["greedy"], seat=1, state="entities", action="cards")
    env.reset(seed=1)
    before = env.state()
    assert (before["cards"].reshape(3, -1) != 0).any(axis=1).all()
    for _ in range(2):  # the facing and a card
        env.step({agent: int(env.core.masks()[row].argmax()) for row, agent in enumerate(env.agents)})
    after = env.state()
    changed = (after["cards"] != before["cards"]).reshape(3, -1).any(axis=1)
    assert changed.tolist() == [False, True, True]  # seats 1 and 2 are the agents'


@registry
def test_registration() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PettingZoo about ids with a namespace
        parallel = pettingzoo.make("parallel", "rr_gym/roborally-v0", num_robots=2, max_cycles=7)
        aec = pettingzoo.make("aec", "rr_gym/roborally-v0", num_robots=3)
    assert (parallel.possible_agents, parallel.max_cycles) == (["robot_0", "robot_1"], 7)
    assert len(aec.possible_agents) == 3


@registry
def test_registration_where_pettingzoo_is_imported_later(python: Python) -> None:
    code = (
        "import rr_gym, pettingzoo\n"
        "print(len(pettingzoo.make('parallel', 'rr_gym/roborally-v0', num_robots=2).possible_agents))"
    )
    assert python("-c", code).stdout == "2\n"
