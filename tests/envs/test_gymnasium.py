"""The Gymnasium environment of one learner: Gymnasium's checkers, and properties that they do not check."""

from __future__ import annotations

import copy
import pickle
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from typing import Any

import gymnasium
import numpy as np
import pytest
from combinations import quick
from conftest import Python
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics, TimeAwareObservation, TimeLimit

from rr_gym import roborally_v0
from rr_gym.encoding.act.actions import ActionError
from rr_gym.encoding.facts import FACTS
from rr_gym.encoding.observe.observations import OBSERVATIONS
from rr_gym.envs.registration import GYMNASIUM_IDS, register_environments
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.errors import RoboRallyError
from rr_gym.registry import make_player

ACTIONS = ("draw", "slots", "cards")

register_environments()

kinds = pytest.mark.parametrize(
    "kind",
    [{"observation": o, "action": a} for o in OBSERVATIONS for a in ACTIONS],
    ids=lambda kind: "-".join(kind.values()),
)


def choose(env: Any, info: dict[str, Any]) -> Any:
    """Return random legal choices that depend only on the turn and the mask."""
    env.action_space.seed(int(info["turn"]) * 1000 + int(info["action_mask"].sum()))
    return env.action_space.sample(info["action_mask"])


@kinds
def test_gymnasiums_checker(kind: dict[str, Any]) -> None:
    check_env(gymnasium.make("rr_gym/RoboRally-v0", **kind).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", GYMNASIUM_IDS)
def test_ids(name: str) -> None:
    pytest.importorskip("PIL")
    env = gymnasium.make(name, max_cycles=5)
    check_env(env.unwrapped)
    assert env.unwrapped.core.num_robots == GYMNASIUM_IDS[name]
    _, info = env.reset(seed=1)
    for turn in range(1, 6):
        _, _, terminated, truncated, info = env.step(choose(env, info))
        assert info["turn"] == turn
        if terminated:
            break
    assert terminated != truncated


@kinds
def test_whole_episodes(kind: dict[str, Any]) -> None:
    """Check types, bounds and masks in every step."""
    env = RoboRallyEnv(num_robots=3, max_cycles=15, settings={"lives": 2}, **kind)
    numbers = {*FACTS, "illegal_choices", "conflicting_choices"}
    for episode in range(2):
        seen, info = env.reset(seed=episode)
        done = False
        while not done:
            assert env.observation_space.contains(seen)
            assert info["action_mask"].dtype == np.int8
            assert info["action_mask"].max(axis=-1).all()
            assert np.array_equal(env.action_masks(), info["action_mask"].ravel())
            assert env.action_masks().dtype == np.bool_
            assert all(type(info[name]) is np.int32 for name in numbers)
            assert info["illegal_choices"] == 0
            assert info["conflicting_choices"] == 0 or kind["action"] == "slots"  # its masks allow repeats
            seen, reward, terminated, truncated, info = env.step(choose(env, info))
            assert type(reward) is float
            assert type(terminated) is type(truncated) is bool
            assert not (terminated and truncated)
            done = terminated or truncated
        assert truncated == (not terminated and info["turn"] == 15)
        with pytest.raises(RoboRallyError, match=r"step: there is no episode.* expected reset"):
            env.step(env.action_space.sample())


@pytest.mark.parametrize("action", ["draw", "slots"])
def test_a_lone_robot_plays_the_game_of_the_pettingzoo_environment(action: str) -> None:
    options: dict[str, Any] = {
        "num_robots": 1, "max_cycles": 12, "action": action, "reward": "shaped", "observation_dtype": "native",
    }  # fmt: skip
    env, other = RoboRallyEnv(**options), roborally_v0.parallel_env(**options)
    for seed in (5, None):  # None: the second episode
        seen, info = env.reset(seed=seed)
        expected, _ = other.reset(seed=seed)
        while other.agents:
            assert np.array_equal(seen, expected["robot_0"]["observation"])
            assert np.array_equal(info["action_mask"], expected["robot_0"]["action_mask"])
            move = choose(env, info)
            seen, reward, terminated, truncated, info = env.step(move)
            expected, *results, _ = other.step({"robot_0": move})
            assert [reward, terminated, truncated] == [result["robot_0"] for result in results]


def test_resets_without_a_seed_play_the_next_episode() -> None:
    env = RoboRallyEnv()
    first, _ = env.reset(seed=1)
    second, _ = env.reset()
    third, _ = env.reset(options={})
    assert len({seen.tobytes() for seen in (first, second, third)}) == 3
    for expected, seed in ((first, 1), (second, None), (third, None)):
        assert np.array_equal(env.reset(seed=seed)[0], expected)
    assert not np.array_equal(RoboRallyEnv().reset()[0], RoboRallyEnv().reset()[0])


def test_the_episode_ends_with_the_learners_robot() -> None:
    env = RoboRallyEnv(num_robots=8, settings={"lives": 1})
    ends = []
    for seed in range(12):
        _, info = env.reset(seed=seed)
        terminated = truncated = False
        while not (terminated or truncated):
            _, reward, terminated, truncated, info = env.step(choose(env, info))
        ends.append((terminated, info["lives"], bool(env.core.games[0]["over"]), reward))
    eliminated = [(over, reward) for terminated, lives, over, reward in ends if terminated and lives == 0]
    assert [over for over, _ in eliminated].count(False) > 0
    assert any(reward < 0 for _, reward in eliminated)


def test_turns_in_steps() -> None:
    """With `cards` the last decision plays the turn; the same choices as with `draw` have the same result."""
    options: dict[str, Any] = {"num_robots": 2, "decisions": (), "gamma": 0.9, "reward": "shaped"}
    env, other = RoboRallyEnv(action="cards", **options), RoboRallyEnv(action="draw", **options)
    assert env.action_space == gymnasium.spaces.Discrete(11)
    assert env.core.stages == 5
    _, info = env.reset(seed=3)
    _, expected = other.reset(seed=3)
    for turn in range(6):
        moves, rewards = [], []
        for stage in range(5):
            assert np.array_equal(info["action_mask"], expected["action_mask"][stage])
            assert info["turn"] == turn
            moves.append(choose(env, info))
            _, reward, terminated, _, info = env.step(moves[-1])
            assert info["discount"] == (0.9 if stage == 4 else 1.0)
            rewards.append(reward)
        _, reward, ended, _, expected = other.step(np.array(moves))
        assert rewards == [0, 0, 0, 0, reward]
        assert terminated == ended
        assert {name: info[name] for name in FACTS} == {name: expected[name] for name in FACTS}


def test_illegal_choices_are_repaired_and_counted() -> None:
    envs = [RoboRallyEnv(), RoboRallyEnv()]
    generator = np.random.default_rng(1)
    for env in envs:
        env.reset(seed=2)
    for _ in range(3):
        action = generator.integers(-3, 30, len(envs[0].core.layout.components))
        results = [env.step(action) for env in envs]
        assert data_equivalence(*results)
        assert results[0][4]["illegal_choices"] > 0


@pytest.mark.parametrize("action", [3, [1, 2], np.zeros(8), "up", [[0] * 8], [[0], [1, 2]]])
def test_actions_of_a_wrong_form_are_refused(action: Any) -> None:
    env = RoboRallyEnv()
    env.reset(seed=2)
    with pytest.raises(ActionError, match=r"action: .*: expected 8 whole numbers, shape \(8,\)"):
        env.step(action)
    assert env.core.games[0]["turn"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"render_mode": "human"}, r"render_mode: 'human': expected None \| ansi"),
        ({"opponents": ("random",)}, "opponents: 1: expected 3, since one seat learns here"),
        ({"opponents": ("random",) * 4}, "opponents: 4: expected at most 3"),
        ({"opponents": "rando"}, "no player 'rando'"),
        ({"opponents": 3}, "opponents: 3: expected"),
        ({"num_robots": 9}, "num_robots: 9"),
        ({"num_robots": "4"}, "num_robots: '4'"),
        ({"observation": "pixels"}, "observation: 'pixels'"),
        ({"preview": True}, "preview: True"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        RoboRallyEnv(**arguments)


def test_opponents_by_name_and_by_object() -> None:
    seen = []
    for opponents in ("greedy", ("greedy", "greedy"), make_player("greedy")):
        env = RoboRallyEnv(num_robots=3, opponents=opponents)
        env.reset(seed=1)
        seen.append(env.step(np.zeros(len(env.core.layout.components), int))[0])
    assert np.array_equal(seen[0], seen[1])
    assert np.array_equal(seen[0], seen[2])


def test_gymnasiums_wrappers() -> None:
    env = RecordEpisodeStatistics(gymnasium.make("rr_gym/RoboRallySolo-v0", max_episode_steps=4, max_cycles=100))
    assert isinstance(env.env, TimeLimit)
    _, info = env.reset(seed=1)
    for _ in range(4):
        _, _, terminated, truncated, info = env.step(choose(env, info))
    assert (terminated, truncated, info["episode"]["l"]) == (False, True, 4)
    for observation in OBSERVATIONS:
        flat = FlattenObservation(RoboRallyEnv(observation=observation))
        seen, _ = flat.reset(seed=1)
        assert seen.ndim == 1
        assert flat.observation_space.contains(seen)


@pytest.mark.parametrize(
    ("arguments", "steps"),
    [({}, 100), ({"max_cycles": 3}, 3), ({"max_cycles": 120}, 120), ({"max_cycles": 2, "action": "cards"}, 16)],
    ids=str,
)
def test_the_spec_says_when_episodes_are_cut_off(arguments: dict[str, Any], steps: int) -> None:
    made = gymnasium.make("rr_gym/RoboRallySolo-v0", settings={"lives": "unlimited"}, **arguments)
    assert gymnasium.spec("rr_gym/RoboRallySolo-v0").max_episode_steps is None
    again = made.spec.make()
    assert again.spec == made.spec
    assert gymnasium.make("rr_gym/RoboRallySolo-v0", max_episode_steps=2, **arguments).spec.max_episode_steps == 2
    for env in (made, again):
        assert env.spec.max_episode_steps == steps
        timed = TimeAwareObservation(env, flatten=False)
        _, info = timed.reset(seed=0)
        for step in range(1, steps + 1):
            seen, _, terminated, truncated, info = timed.step(choose(timed, info))
            assert seen["time"] == step
            assert (terminated, truncated) == (False, step == steps)
    while made is not made.unwrapped:
        assert not isinstance(made, TimeLimit)
        made = made.env


PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": None, "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    "variables",
    [PLAIN, pytest.param({"PYTHONIOENCODING": "ascii"}, marks=pytest.mark.long)],
    ids=["locale", "variable"],
)
def test_text_is_ascii_where_output_is(variables: dict[str, str | None], python: Python) -> None:
    code = (
        "import gymnasium, rr_gym\n"
        "from rr_gym import roborally_v0\n"
        "from rr_gym.envs import RoboRallyVectorEnv\n"
        "single = gymnasium.make('rr_gym/RoboRallyDuel-v0', render_mode='ansi', course='oddest_sea')\n"
        "single.reset(seed=0)\n"
        "print(single.render())\n"
        "many = RoboRallyVectorEnv(2, num_robots=2, render_mode='ansi')\n"
        "many.reset(seed=0)\n"
        "print(*many.render())\n"
        "env = roborally_v0.parallel_env(render_mode='ansi')\n"
        "env.reset(seed=0)\n"
        "print(env.render())\n"
    )
    assert python("-c", code, **variables).stdout.isascii()


def test_text_is_unicode_where_output_is() -> None:
    env = RoboRallyEnv(render_mode="ansi")
    env.reset(seed=0)
    with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")):
        assert not env.render().isascii()
    with redirect_stdout(None):  # as under pythonw
        assert env.render().isascii()


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_zeros_are_an_observation(observation: str) -> None:
    """Libraries use zeros as padding, so that they must be in the space."""
    space = RoboRallyEnv(observation=observation).observation_space
    boxes = space.values() if isinstance(space, gymnasium.spaces.Dict) else [space]
    assert all(box.contains(np.zeros(box.shape, box.dtype)) for box in boxes)


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_observations_may_be_kept(observation: str) -> None:
    env = RoboRallyEnv(observation=observation)
    seen, info = env.reset(seed=0)
    kept = copy.deepcopy((seen, info))
    env.step(choose(env, info))
    assert data_equivalence((seen, info), kept, exact=True)


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_environments_are_copied_by_pickle(action: str) -> None:
    env = RoboRallyEnv(action=action, reward="shaped")
    _, info = env.reset(seed=1)
    move = choose(env, info)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    expected = env.step(move)
    for twin in twins:
        assert data_equivalence(twin.step(move), expected)


def test_rendering() -> None:
    pytest.importorskip("PIL")
    env = RoboRallyEnv(render_mode="rgb_array")
    env.reset(seed=1)
    frame = env.render()
    assert frame.dtype == np.uint8
    assert frame.shape[2] == 3
    env = RoboRallyEnv(render_mode="ansi")
    env.reset(seed=1)
    assert len(env.render().splitlines()) > 10
    assert RoboRallyEnv().render() is None


ORDERS = (
    "import gymnasium, rr_gym",
    "import rr_gym, gymnasium",
    "import rr_gym\nfrom gymnasium import spaces\nimport gymnasium",
    "from rr_gym import roborally_v0\nimport gymnasium",
    "import importlib.util, rr_gym\nassert importlib.util.find_spec('gymnasium').loader\nimport gymnasium",
    "from rr_gym.envs.registration import register_environments as r\nimport gymnasium\nr()\nr()",
    "import rr_gym, pettingzoo, gymnasium",
)


@pytest.mark.parametrize("code", quick(ORDERS, *ORDERS[:2]))
def test_registration(python: Python, code: str) -> None:
    """It works in any order of imports, with and without the package's name in the id, and without warnings."""
    make = (
        "for prefix in ('', 'rr_gym:'):\n"
        "    name = prefix + 'rr_gym/RoboRallyDuel-v0'\n"
        "    print(gymnasium.make(name, max_cycles=3).unwrapped.core.num_robots, gymnasium.make_vec(name, 3).num_envs)"
    )
    assert python("-W", "error", "-c", f"{code}\n{make}").stdout == "2 3\n2 3\n"


def test_registration_by_the_name_of_the_package(python: Python) -> None:
    code = "import gymnasium; print(gymnasium.make('rr_gym:rr_gym/RoboRallySolo-v0').unwrapped.core.num_robots)"
    assert python("-W", "error", "-c", code).stdout == "1\n"


def test_neither_library_is_imported_with_the_package(python: Python) -> None:
    code = (
        "import sys, rr_gym\n"
        "assert not {'gymnasium', 'pettingzoo', 'numpy'} & set(sys.modules)\n"
        "sys.modules['gymnasium'] = None\n"
        "try:\n    import gymnasium\nexcept ImportError:\n    print('missing')"
    )
    assert python("-W", "error", "-c", code).stdout == "missing\n"
