"""Options of resets in every interface: seeds of games, courses, the number of robots, settings."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from combinations import combinations
from gymnasium.utils.env_checker import data_equivalence

from rr_gym import roborally_v0
from rr_gym.envs.registration import register_environments
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.errors import EnvError, RoboRallyError
from rr_gym.sb3 import make_vec_env

Array = np.ndarray[Any, Any]

TWO = ["risky_exchange", "checkmate"]

register_environments()


def vector(games: int = 3, **options: Any) -> RoboRallyVectorEnv:
    return RoboRallyVectorEnv(2 * games, **{"num_robots": 2, "max_cycles": 3, **options})


def history(env: Any, steps: int, **reset: Any) -> list[Any]:
    """Return all results from a reset on, with random actions that depend only on masks and steps."""
    given = [env.reset(**reset)]
    for step in range(steps):
        if getattr(env, "agents", True):
            env.np_random = np.random.default_rng(step)
            given.append(env.step(env.sample_actions()))
    return given


def choices(masks: Array, step: int) -> Array:
    return (masks * np.random.default_rng(step).random((64, *masks.shape[1:]))[: len(masks)]).argmax(axis=-1)


# Seeds


def played(env: RoboRallyVectorEnv, seed: Any) -> list[Any]:
    seen, infos = env.reset(seed=seed)
    given = [(seen,)]
    for step in range(8):
        *result, infos = env.step(choices(infos["action_mask"], step))
        given.append(tuple(result))
    return given


def test_every_game_has_its_own_seed() -> None:
    seeds = [5, 9, 2**64 - 1]
    given = played(vector(), seeds)
    for as_array in (tuple(seeds), np.array(seeds, np.uint64)):
        assert data_equivalence(given, played(vector(), as_array))
    own = [played(vector(), seed) for seed in seeds]
    first = [given[0][0][2 * game : 2 * game + 2] for game in range(3)]
    for game in range(3):
        assert np.array_equal(first[game], own[game][0][0][2 * game : 2 * game + 2])
        assert not np.array_equal(first[game], own[(game + 1) % 3][0][0][2 * game : 2 * game + 2])
    assert data_equivalence(played(vector(), [7] * 3), played(vector(), 7))


def test_later_episodes_follow_from_the_seeds() -> None:
    env, other = vector(), vector()
    env.reset(seed=[4, 6, 4])
    other.reset(seed=6)
    assert np.array_equal(env.reset()[0][2:4], other.reset()[0][2:4])
    drawn = [env.reset(seed=[1, None, 1])[0] for _ in range(2)]
    assert np.array_equal(drawn[0][:2], drawn[1][:2])
    assert not np.array_equal(drawn[0][2:4], drawn[1][2:4])


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ([1, 2], r"seed: \[1, 2\]: expected one, or a list of 3, one for each game"),
        ([1, 2, -1], r"seed\[2\]: -1: expected a whole number from 0"),
        ([1, "2", 3], r"seed\[1\]: '2': expected a whole number"),
        ([1, [2, 3], 4], r"seed\[1\]: \[2, 3\]: expected a whole number"),
        (np.array(1), r"seed: array\(1\): expected one, or a list of 3"),
        (np.zeros((3, 2), int), r"seed\[0\]: \[0, 0\]: expected a whole number"),
        (np.zeros(4, int), r"seed: array\(\[0, 0, 0, 0\]\): expected one, or a list of 3"),
    ],
)
def test_wrong_seeds_change_nothing(seed: Any, message: str) -> None:
    env, twin = vector(), vector()
    for one in (env, twin):
        one.reset(seed=1)
    with pytest.raises(EnvError, match=message):
        env.reset(seed=seed)
    assert np.array_equal(env.reset()[0], twin.reset()[0])


# Courses


def courses(env: Any) -> list[str]:
    return [env.core.arena.courses[k].id for k in env.core.games["course"]]


def test_resets_change_the_courses_of_vectors() -> None:
    env = vector(course=TWO, autoreset_mode="Disabled")
    env.reset(seed=1)
    assert courses(env) == ["risky_exchange", "checkmate", "risky_exchange"]
    seen, infos = env.reset(seed=1, options={"course": "checkmate"})
    assert courses(env) == ["checkmate"] * 3
    other = vector(course="checkmate")
    assert np.array_equal(seen, other.reset(seed=1)[0])
    env.step(choices(infos["action_mask"], 0))
    mask = np.array([False, False, True, True, False, False])
    env.reset(options={"reset_mask": mask, "course": "risky_exchange"})
    assert courses(env) == ["checkmate", "risky_exchange", "checkmate"]
    assert env.core.games["turn"].tolist() == [1, 0, 1]
    env.reset(options={"reset_mask": ~mask})
    assert courses(env) == ["checkmate", "risky_exchange", "checkmate"]
    env.reset(options={"course": ["checkmate", "checkmate", "risky_exchange"]})
    assert courses(env) == ["checkmate", "checkmate", "risky_exchange"]
    assert env.core.games["episode"].tolist() == [2, 2, 2]
    env.reset()
    assert courses(env) == ["risky_exchange", "checkmate", "risky_exchange"]


def test_options_hold_for_automatic_resets() -> None:
    env = vector(course=TWO)
    _, infos = env.reset(seed=1, options={"course": "checkmate", "num_robots": 1})
    for step in range(7):
        *_, infos = env.step(choices(infos["action_mask"], step))
    assert env.core.games["episode"].tolist() == [2, 2, 2]
    assert courses(env) == ["checkmate"] * 3
    assert env.core.games["num_robots"].tolist() == [1] * 3
    env.reset()
    assert env.core.games["num_robots"].tolist() == [2] * 3


@pytest.mark.parametrize("make", [RoboRallyEnv, roborally_v0.parallel_env])
def test_resets_change_the_course_of_a_single_game(make: Any) -> None:
    env = make(TWO, num_robots=1)
    env.reset(seed=2, options={"course": "checkmate"})
    assert courses(env) == ["checkmate"]
    assert data_equivalence(history(env, 5, seed=2, options={"course": "checkmate"}), history(
        make("checkmate", num_robots=1), 5, seed=2
    ))  # fmt: skip
    env.reset(seed=2)
    assert courses(env) == ["risky_exchange"]


# Robots


@pytest.mark.parametrize("action", ["draw", "cards"])
@pytest.mark.parametrize("robots", [1, 3])
def test_fewer_robots_play_as_in_an_environment_made_for_them(robots: int, action: str) -> None:
    """This uses planes, which have the same shape for any number of robots, so that results can be compared."""
    kind: dict[str, Any] = {"observation": "planes", "action": action, "reward": "shaped", "max_cycles": 4}
    env = roborally_v0.parallel_env(num_robots=5, **kind)
    other = roborally_v0.parallel_env(num_robots=robots, **kind)
    given, expected = env.reset(seed=3, options={"num_robots": robots}), other.reset(seed=3)
    while other.agents:
        assert env.agents == other.agents
        assert data_equivalence(given, expected)
        actions = other.sample_actions()
        given, expected = env.step(actions), other.step(actions)
    assert data_equivalence(given, expected)
    assert env.agents == []
    env.reset()
    assert env.agents == env.possible_agents


def test_fewer_agents_act_in_turn() -> None:
    env = roborally_v0.env(num_robots=4, max_cycles=3)
    env.reset(seed=1, options={"num_robots": 2})
    acted = []
    for agent in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        acted.append(agent)
        env.step(None if terminated or truncated else seen["action_mask"].argmax(axis=1))
    assert acted == ["robot_0", "robot_1"] * 4


@pytest.mark.parametrize("seat", ["rotate", 3])
def test_a_learner_among_fewer_opponents(seat: Any) -> None:
    kind: dict[str, Any] = {"observation": "planes", "max_cycles": 6, "seat": seat, "opponents": "random"}
    kind["settings"] = {"lives": "unlimited"}
    env = RoboRallyEnv(num_robots=4, **kind)
    other = RoboRallyEnv(num_robots=2, **(kind | {"seat": seat if seat == "rotate" else 1}))
    for episode in range(3):
        seed = 4 if episode == 0 else None
        assert data_equivalence(
            history(env, 5, seed=seed, options={"num_robots": 2}), history(other, 5, seed=seed)
        )


@pytest.mark.parametrize("observation", ["flat", "entities"])
def test_seats_without_a_robot_are_zeros(observation: str) -> None:
    options: dict[str, Any] = {"max_cycles": 4, "settings": {"option_cards": "on"}, "observation_dtype": "native"}
    env = RoboRallyVectorEnv(8, num_robots=4, observation=observation, **options)
    seen, infos = env.reset(seed=2, options={"num_robots": 3})
    absent = np.array([False, False, False, True] * 2)
    for step in range(3):
        assert infos["active"].tolist() == (~absent).tolist()
        assert (infos["action_mask"][absent].sum(axis=-1) == 1).all()
        assert infos["action_mask"][absent, :, 0].all()
        for array in seen.values() if isinstance(seen, dict) else [seen]:
            assert not array[absent].any()
        assert all(array[~absent].any() for array in ([seen["robots"]] if isinstance(seen, dict) else [seen]))
        if isinstance(seen, dict):  # one's own robot, then the seats after it
            assert not seen["robots"][0, 3].any()
            assert not seen["robots"][2, 1].any()
            assert seen["robots"][2, [0, 2, 3]].any(axis=-1).all()
        seen, rewards, terminated, _, infos = env.step(choices(infos["action_mask"], step))
        assert not rewards[absent].any()
        assert not terminated.any()
    *_, truncated, infos = env.step(choices(infos["action_mask"], 9))
    assert truncated.all()


# Settings


def test_settings_of_a_reset_are_those_of_an_environment_made_with_them() -> None:
    usual = {"robot_lasers": "off"}
    env = vector(settings=usual, reward="shaped", max_cycles=20)
    plain = played(vector(settings=usual, reward="shaped", max_cycles=20), 1)
    for more in ({"lives": 1, "reentry_damage": 0}, {"robot_lasers": "on"}, {"lives": 2, "start_damage": 4}):
        other = vector(settings=usual | more, reward="shaped", max_cycles=20)
        seen, infos = env.reset(seed=1, options={"settings": more})
        expected, facts = other.reset(seed=1)
        for step in range(30):
            assert data_equivalence((seen, infos), (expected, facts))
            actions = choices(infos["action_mask"], step)
            seen, *results, infos = env.step(actions)
            expected, *wanted, facts = other.step(actions)
            assert data_equivalence(results, wanted)
    assert data_equivalence(played(env, 1), plain)  # a reset without options has the usual ones


def test_settings_of_a_reset_do_not_affect_other_environments() -> None:
    env, other = RoboRallyEnv(num_robots=1), RoboRallyEnv(num_robots=1)
    env.reset(seed=1, options={"settings": {"lives": 1}})
    assert env.reset(seed=1, options={"settings": {"lives": 1}})[1]["lives"] == 1
    assert other.reset(seed=1)[1]["lives"] == 3


# Errors

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"cuorse": "checkmate"}, "options: there is no option 'cuorse'; did you mean 'course'?: expected course, num_ro"),
    ({"course": "chekmate"}, "options: course: 'chekmate': did you mean 'checkmate'?: expected a course that the env"),
    ({"course": 1}, "options: course: 1: expected a course that"),
    ({"num_robots": 3}, "options: num_robots: 3: expected a whole number from 1 to 2"),
    ({"num_robots": 0}, "options: num_robots: 0: expected a whole number from 1 to 2"),
    ({"settings": {"lifes": 1}}, "there is no setting 'lifes'; did you mean 'lives'?"),
    ({"settings": "lives"}, "options: settings: 'lives': expected settings by name"),
    ({"settings": {"lives": 1, "power_down": "off"}}, "options: settings: lives, power_down: expected settings that"),
    ({"settings": {"option_cards": "on"}}, "options: settings: option_cards: expected settings that leave courses"),
    ({"settings": {"moving_flags": "on"}}, "options: settings: moving_flags: expected settings that leave courses"),
]


@pytest.mark.parametrize(
    ("name", "wrong"), combinations(["vector", "single", "strict agents", "sb3"], WRONG, one_in=4)
)
def test_wrong_options_change_nothing(name: str, wrong: tuple[dict[str, Any], str]) -> None:
    options, message = wrong
    made: list[Any] = []
    for _ in range(2):
        if name == "vector":
            made.append(vector(1, course=TWO))
        elif name == "single":
            made.append(RoboRallyEnv(TWO, 2))
        elif name == "sb3":
            made.append(make_vec_env(TWO, 1, 2, seed=1))
        else:
            made.append(roborally_v0.parallel_env(TWO, 2, strict=True))
    if name == "sb3":
        first = [env.reset() for env in made]
        made[0].set_options(options)
        with pytest.raises(RoboRallyError) as error:
            made[0].reset()
        made[0]._reset_options()
    else:
        first = [env.reset(seed=1) for env in made]
        with pytest.raises(RoboRallyError) as error:
            made[0].reset(seed=2, options=options)
    assert message in str(error.value)
    assert data_equivalence(*first)
    assert data_equivalence(made[0].reset(), made[1].reset())


def test_masked_resets_change_only_courses() -> None:
    env = vector(course=TWO)
    env.reset(seed=1)
    mask = np.array([True, True, False, False, False, False])
    for name, value in (("num_robots", 1), ("settings", {"lives": 1})):
        with pytest.raises(EnvError, match=f"options: {name}: expected no reset_mask: it is for all games"):
            env.reset(options={"reset_mask": mask, name: value})
    with pytest.raises(EnvError, match="options: course: 2 courses: expected one, or 3, one for each game"):
        env.reset(options={"course": TWO})


def test_agents_ignore_unknown_options_unless_strict() -> None:
    env = roborally_v0.parallel_env(num_robots=2)
    assert data_equivalence(env.reset(seed=1, options={"options": 1}), env.reset(seed=1))
    with pytest.raises(EnvError, match="options: num_robots: 9"):
        env.reset(options={"num_robots": 9})


def test_options_of_stable_baselines() -> None:
    env = make_vec_env(TWO, num_games=2, num_robots=2, seed=1)
    env.set_options({"course": "checkmate"})
    env.reset()
    assert courses(env) == ["checkmate", "checkmate"]
    env.reset()
    assert courses(env) == TWO
    for wrong in (5, [], [{"course": "checkmate"}] * 4):  # a list would have to be one for each row
        with pytest.raises(EnvError, match="expected None, or a mapping of options by name, for all games"):
            env.set_options(wrong)


# Arguments


@pytest.mark.parametrize(
    "make",
    [
        RoboRallyEnv, RoboRallyVectorEnv, make_vec_env, roborally_v0.parallel_env, roborally_v0.env,
        lambda **given: gymnasium.make("rr_gym/RoboRally-v0", **given),
        lambda **given: gymnasium.make_vec("rr_gym/RoboRally-v0", num_envs=4, **given),
    ],
)  # fmt: skip
def test_unknown_arguments_are_named(make: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(EnvError, match=r"there is no argument 'gama'; did you mean 'gamma'\?: expected .*settings"):
            make(gama=0.9)
        with pytest.raises(EnvError, match=r"there is no argument 'players': expected (num_envs, )?course, num_"):
            make(players=2)
