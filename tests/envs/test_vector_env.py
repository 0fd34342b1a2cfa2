"""The Gymnasium vector environment: compared with Gymnasium's own, and the properties of its rows."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from combinations import combinations
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, NormalizeObservation, NormalizeReward, RecordEpisodeStatistics

from rr_gym import roborally_v0
from rr_gym.encoding.act.actions import ActionError
from rr_gym.encoding.observe.observations import OBSERVATIONS
from rr_gym.envs.registration import register_environments
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.errors import EnvError

Array = np.ndarray[Any, Any]

ACTIONS = ("draw", "slots", "cards")
# Earlier versions of Gymnasium count the steps of an episode as if every mode were NEXT_STEP.
COUNTS_SAME_STEP = tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4)
# Earlier versions of Gymnasium cannot read the infos of their own RecordEpisodeStatistics.
READS_NESTED_INFOS = tuple(map(int, gymnasium.__version__.split(".")[:3])) >= (1, 2, 2)
SHORT: dict[str, Any] = {"max_cycles": 6, "settings": {"lives": 1}}

register_environments()

modes = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


def choose(masks: Array, step: int) -> Array:
    """Return random legal choices; those of a row depend only on its number and the step."""
    chances = np.random.default_rng(step).random((64, *masks.shape[1:]))[: len(masks)]
    return (masks * (chances + 1e-9)).argmax(axis=-1)


def reset_finished(env: RoboRallyVectorEnv, done: Array, seen: Any, infos: Any) -> tuple[Any, Any]:
    """Reset finished games, as the user of an environment without autoreset has to."""
    if env.autoreset_mode == AutoresetMode.DISABLED and done.any():
        return env.reset(options={"reset_mask": done})
    return seen, infos


def play(env: RoboRallyVectorEnv, steps: int, seed: int = 3) -> list[Any]:
    """Return the results of all steps, with the choices of `choose`."""
    seen, infos = env.reset(seed=seed)
    record = [(seen, infos)]
    for step in range(steps):
        result = env.step(choose(infos["action_mask"], step))
        record.append(result)
        done = result[2] | result[3]
        seen, infos = reset_finished(env, done, result[0], result[4])
        record.append((seen, infos))
    return record


def first_rows(value: Any, rows: int) -> Any:
    """Return the first rows of all arrays in a nested structure.

    The ends of episodes are left out if none of these rows has one.
    """
    if isinstance(value, dict):
        first = {name: first_rows(v, rows) for name, v in value.items()}
        ends = [name for name in first if "final" in name and not first.get("_final_obs", np.ones(1)).any()]
        return {name: v for name, v in first.items() if name not in ends}
    if isinstance(value, list | tuple):
        return type(value)(first_rows(v, rows) for v in value)
    return list(value[:rows]) if value.dtype == object else value[:rows]


@pytest.mark.parametrize(
    ("observation", "action", "mode"), combinations(tuple(OBSERVATIONS), ACTIONS, tuple(AutoresetMode), one_in=3)
)
def test_one_row_is_gymnasiums_own_vector_of_one(observation: str, action: str, mode: AutoresetMode) -> None:
    """The single environment in `SyncVectorEnv` gives the same results, except for integer dtypes."""
    options: dict[str, Any] = {"num_robots": 2, "observation": observation, "action": action, "max_cycles": 3}
    own = RoboRallyVectorEnv(1, opponents="random", autoreset_mode=mode, **options)
    other = SyncVectorEnv([lambda: RoboRallyEnv(**options)], autoreset_mode=mode)
    assert own.single_observation_space == other.single_observation_space
    assert own.observation_space == other.observation_space
    assert own.single_action_space == other.single_action_space
    assert own.action_space == other.action_space
    assert own.metadata == other.metadata
    assert own.metadata["autoreset_mode"] is mode
    seen, infos = own.reset(seed=4)
    expected, expected_infos = other.reset(seed=4)
    ends = 0
    for step in range(3 * own.core.stages * 3):
        assert data_equivalence(seen, expected)
        assert_same_infos(infos, expected_infos)
        actions = choose(infos["action_mask"], step)
        seen, *results, infos = own.step(actions)
        expected, *expected_results, expected_infos = other.step(actions)
        assert data_equivalence(results, expected_results)
        done = results[1] | results[2]
        ends += done.sum()
        if mode == AutoresetMode.DISABLED and done.any():
            seen, infos = own.reset(options={"reset_mask": done})
            expected, expected_infos = other.reset(options={"reset_mask": done.copy()})
    assert ends >= 2


def assert_same_infos(own: dict[str, Any], other: dict[str, Any]) -> None:
    extra = {"active", "_active"}
    assert set(own) - extra == set(other)
    for name, value in other.items():
        if isinstance(value, dict):
            assert_same_infos(own[name], value)
        elif value.dtype == object:
            assert own[name].dtype == object
            assert data_equivalence(list(own[name]), list(value))
        else:
            assert np.array_equal(own[name], value), name
            assert own[name].dtype == value.dtype or own[name].dtype.kind in "ib"


@pytest.mark.parametrize(
    ("opponents", "action", "mode"),
    combinations([(), ("random",), ("random", "greedy")], ACTIONS, tuple(AutoresetMode), one_in=3),
)
def test_games_do_not_depend_on_how_many_there_are(opponents: Any, action: str, mode: AutoresetMode) -> None:
    options = {**SHORT, "num_robots": 3, "opponents": opponents, "action": action, "autoreset_mode": mode}
    learners = 3 - len(opponents)
    few, many = (RoboRallyVectorEnv(games * learners, **options) for games in (2, 5))
    if mode != AutoresetMode.DISABLED:
        assert data_equivalence(first_rows(play(few, 25), 64), first_rows(play(many, 25), few.num_envs))
        return
    # The larger batch has longer reset masks, so only the rows of the smaller one are compared.
    for own, other in zip(play(few, 25), play(many, 25), strict=True):
        assert data_equivalence(own[:-1], first_rows(other[:-1], few.num_envs))


@pytest.mark.parametrize(("mode", "observation"), combinations(list(AutoresetMode), list(OBSERVATIONS), one_in=3))
def test_the_same_seed_gives_the_same_results(observation: str, mode: AutoresetMode) -> None:
    env = RoboRallyVectorEnv(8, observation=observation, autoreset_mode=mode, **SHORT)
    first = play(env, 15)
    assert data_equivalence(first, play(env, 15), exact=True)
    twin = RoboRallyVectorEnv(8, observation=observation, autoreset_mode=mode, **SHORT)
    assert data_equivalence(first, play(twin, 15), exact=True)
    assert not data_equivalence(first, play(env, 15, seed=4))


@pytest.mark.parametrize("observation", ["flat", "planes"])
def test_rows_of_a_game_are_the_agents_of_the_pettingzoo_environment(observation: str) -> None:
    options: dict[str, Any] = {"observation": observation, "reward": "shaped", "max_cycles": 20}
    native: dict[str, Any] = {"observation_dtype": "native", **options}
    env = RoboRallyVectorEnv(8, autoreset_mode="NextStep", settings={"lives": 2}, **native)
    other = roborally_v0.parallel_env(settings={"lives": 2}, **options)
    names = other.possible_agents
    seen, infos = env.reset(seed=7)
    expected, _ = other.reset(seed=7)
    for step in range(20):
        for agent, shown in expected.items():
            assert np.array_equal(seen[names.index(agent)], shown["observation"])
            assert np.array_equal(infos["action_mask"][names.index(agent)], shown["action_mask"])
        actions = choose(infos["action_mask"], step)
        seen, rewards, terminated, truncated, infos = env.step(actions)
        expected, earned, _, truncations, _ = other.step(dict(zip(names, actions, strict=False)))
        assert rewards[:4].tolist() == [earned.get(agent, 0) for agent in names]
        assert truncated[0] == any(truncations.values())
        assert (terminated | truncated)[0] == (not other.agents)
        if not other.agents:
            break
    assert not other.agents


@modes
@pytest.mark.parametrize("action", ACTIONS)
def test_rows_have_valid_shapes_types_bounds_and_masks(mode: AutoresetMode, action: str) -> None:
    """Check shapes, types, bounds and masks; all rows of a game end together; rows of eliminated robots get nothing."""
    env = RoboRallyVectorEnv(24, num_robots=4, action=action, autoreset_mode=mode, max_cycles=12, settings={"lives": 1})
    seen, infos = env.reset(seed=1)
    done = np.zeros(24, bool)
    absorbed = 0
    for step in range(30 * env.core.stages):
        masks = infos["action_mask"]
        assert (masks.dtype, masks.shape) == (np.bool_, (24, *env.core.mask_shape))
        assert masks.any(axis=-1).all()
        assert env.observation_space.contains(seen)
        for name in list(infos):
            if not name.startswith("_"):
                assert infos[f"_{name}"].shape == (24,)
        assert not infos["illegal_choices"].any()
        assert not infos["conflicting_choices"].any() or action == "slots"  # its masks allow repeats
        sleeping = ~infos["active"] & ~done
        assert (masks.reshape(24, -1, 11)[sleeping] == ([True] + [False] * 10)).all()
        absorbed += sleeping.sum()
        seen, rewards, terminated, truncated, infos = env.step(choose(masks, step))
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
        assert not rewards[sleeping].any()
        assert not (terminated & truncated).any()
        for flags in (terminated, truncated):
            assert (flags.reshape(6, 4) == flags[::4, None]).all()
        done = terminated | truncated
        seen, infos = reset_finished(env, done, seen, infos)
        done &= mode == AutoresetMode.NEXT_STEP
    assert absorbed


def test_next_step_ignores_the_actions_of_games_that_are_over() -> None:
    env = RoboRallyVectorEnv(8, num_robots=2, autoreset_mode=AutoresetMode.NEXT_STEP, max_cycles=2)
    _, infos = env.reset(seed=1)
    for step in range(2):
        last, *_, truncated, infos = env.step(choose(infos["action_mask"], step))
    assert truncated.all()
    assert "final_obs" not in infos
    assert not infos["active"].any()
    seen, rewards, terminated, truncated, infos = env.step(np.full((8, len(env.core.layout.components)), 10))
    assert not rewards.any()
    assert not (terminated | truncated).any()
    assert not infos["illegal_choices"].any()
    assert (infos["turn"] == 0).all()
    assert infos["active"].all()
    assert not np.array_equal(seen, last)


def test_final_observations_are_those_before_the_reset() -> None:
    """The last observation with `DISABLED` equals `final_obs` with `SAME_STEP`."""
    envs = [RoboRallyVectorEnv(12, num_robots=3, autoreset_mode=mode, **SHORT) for mode in ("SameStep", "Disabled")]
    (_, infos), _ = (env.reset(seed=5) for env in envs)
    for step in range(20):
        actions = choose(infos["action_mask"], step)
        seen, rewards, terminated, truncated, infos = envs[0].step(actions)
        last, *others, last_infos = envs[1].step(actions)
        assert data_equivalence(others, [rewards, terminated, truncated])
        done = terminated | truncated
        if done.any():
            assert np.array_equal(infos["_final_obs"], done)
            assert np.array_equal(infos["_final_info"], done)
            for row in range(12):
                assert (infos["final_obs"][row] is not None) == done[row]
                if done[row]:
                    assert np.array_equal(infos["final_obs"][row], last[row])
            for name, values in last_infos.items():
                assert np.array_equal(infos["final_info"][name][done], values[done])
                assert not infos["final_info"][name][~done].any()
            fresh, fresh_infos = envs[1].reset(options={"reset_mask": done})
            assert np.array_equal(seen, fresh)
            assert np.array_equal(infos["action_mask"], fresh_infos["action_mask"])


def test_reset_masks_reset_whole_games() -> None:
    env = RoboRallyVectorEnv(6, num_robots=2, autoreset_mode=AutoresetMode.DISABLED, max_cycles=2)
    mask = np.array([True, True, False, False, True, True])
    with pytest.raises(EnvError, match="expected no seed, and one reset"):
        env.reset(options={"reset_mask": mask})
    _, infos = env.reset(seed=1)
    seen, *_, infos = env.step(choose(infos["action_mask"], 0))
    options = {"reset_mask": mask}
    again, infos = env.reset(options=options)
    assert infos["turn"].tolist() == [0, 0, 1, 1, 0, 0]
    assert np.array_equal(seen[2:4], again[2:4])
    assert "reset_mask" in options  # wrappers look there after this environment
    _, _, _, truncated, _ = env.step(choose(infos["action_mask"], 1))
    assert truncated.tolist() == [False, False, True, True, False, False]
    with pytest.raises(EnvError, match="step: game 1 is over: expected reset"):
        env.step(choose(infos["action_mask"], 2))
    bad: list[tuple[Any, str]] = [
        (np.array([True, False, True, True, True, True]), "game 0 is split: expected the same for its rows 0 to 1"),
        (np.array([True] * 5 + [False]), "game 2 is split: expected the same for its rows 4 to 5"),
        (np.zeros(6, bool), "all False"),
        (np.ones(5, bool), r"bool \(5,\): expected an array of dtype bool and shape \(6,\)"),
        (np.ones(6, int), r"int64 \(6,\): expected an array of dtype bool"),
        ([True] * 6, "list: expected an array of dtype bool"),
    ]
    for wrong, message in bad:
        with pytest.raises(EnvError, match=message):
            env.reset(options={"reset_mask": wrong})
    with pytest.raises(EnvError, match="expected no seed"):
        env.reset(seed=1, options={"reset_mask": mask})
    assert env.core.games["turn"].tolist() == [1, 2, 1]


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_observations_are_copies_or_alternate_between_two_buffers(observation: str) -> None:
    for copied in (True, False):
        env = RoboRallyVectorEnv(4, observation=observation, copy=copied)
        _, infos = env.reset(seed=1)
        history, kept = [], []
        for step in range(4):
            seen, *_, infos = env.step(choose(infos["action_mask"], step))
            history.append(seen)
            kept.append(copy.deepcopy(seen))
            assert data_equivalence(history[-2:], kept[-2:], exact=True)
        arrays = [next(iter(s.values())) if isinstance(s, dict) else s for s in history]
        assert np.shares_memory(arrays[0], arrays[2]) == (not copied)
        assert data_equivalence(history[0], kept[0]) == copied


@pytest.mark.skipif(not READS_NESTED_INFOS, reason="this Gymnasium cannot read nested infos")
@pytest.mark.parametrize("observation", OBSERVATIONS)
@modes
def test_gymnasiums_wrappers_work(mode: AutoresetMode, observation: str) -> None:
    inner = RoboRallyVectorEnv(8, num_robots=2, observation=observation, autoreset_mode=mode, **SHORT)
    env = DictInfoToList(NormalizeReward(RecordEpisodeStatistics(inner)))
    _, infos = env.reset(seed=1)
    lengths: list[int] = []
    for step in range(14):
        masks = np.array([info["action_mask"] for info in infos])
        _, _, terminated, truncated, infos = env.step(choose(masks, step))
        done = terminated | truncated
        assert [("episode" in info) for info in infos] == done.tolist()
        lengths += [info["episode"]["l"] for info in infos if "episode" in info]
        if mode == AutoresetMode.SAME_STEP:
            finals = [info for info in infos if "final_obs" in info]
            assert len(finals) == done.sum()
            if COUNTS_SAME_STEP:
                # The last turn may have been cut short by the end of the game; it does not count as played then.
                assert all(0 <= info["episode"]["l"] - info["final_info"]["turn"] <= 1 for info in finals)
        if mode == AutoresetMode.DISABLED and done.any():
            _, infos = env.reset(options={"reset_mask": done})
    assert 0 < max(lengths) <= 6


def test_observations_are_normalised_with_next_step() -> None:
    env = NormalizeObservation(RoboRallyVectorEnv(4, autoreset_mode=AutoresetMode.NEXT_STEP))
    seen, _ = env.reset(seed=1)
    assert np.issubdtype(seen.dtype, np.floating)


def test_make_vec_makes_batches_and_synchronous_vectors() -> None:
    env = gymnasium.make_vec("rr_gym/RoboRally-v0", num_envs=8, observation="planes", autoreset_mode="NextStep")
    assert (env.num_envs, env.core.num_games, env.core.num_robots) == (8, 8, 4)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env = gymnasium.make_vec("rr_gym/RoboRally-v0", num_envs=8, opponents=())
    assert (env.num_envs, env.core.num_games) == (8, 2)
    env.reset(seed=1)
    env.step(env.action_space.sample())
    assert "RoboRally-v0" in repr(env)
    env.close()
    sync = gymnasium.make_vec("rr_gym/RoboRallyDuel-v0", num_envs=2, vectorization_mode="sync")
    sync.reset(seed=1)
    _, _, _, _, infos = sync.step(sync.action_space.sample())
    assert infos["turn"].tolist() == [1, 1]


def test_courses_take_turns() -> None:
    env = RoboRallyVectorEnv(6, course=["risky_exchange", "checkmate"], num_robots=2)
    assert env.core.games["course"].tolist() == [0, 1, 0]
    with pytest.raises(EnvError, match="num_envs: 7: expected a multiple of 2"):
        RoboRallyVectorEnv(7, num_robots=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs: 0"),
        ({"num_envs": 6}, "num_envs: 6: expected a multiple of 4, since every game has 4 learners"),
        ({"num_envs": 3, "opponents": ("random", "greedy")}, "num_envs: 3: expected a multiple of 2"),
        ({"autoreset_mode": "now"}, "autoreset_mode: 'now': expected AutoresetMode.NEXT_STEP"),
        ({"render_mode": "svg"}, "render_mode: 'svg'"),
        ({"copy": "no"}, "copy: 'no': expected True or False"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(EnvError, match=message):
        RoboRallyVectorEnv(**{"num_envs": 4, **arguments})


def test_wrong_actions_change_nothing() -> None:
    env = RoboRallyVectorEnv(4)
    with pytest.raises(EnvError, match="expected reset"):
        env.step(env.action_space.sample())
    _, infos = env.reset(seed=1)
    for wrong in (np.zeros((4, 3), int), np.zeros((4, 8)), None, "up"):
        with pytest.raises(ActionError):
            env.step(wrong)
    assert (infos["turn"] == 0).all()
    assert env.core.games["turn"].tolist() == [0]


def test_masks_and_rendering() -> None:
    pytest.importorskip("PIL")
    env = RoboRallyVectorEnv(4, num_robots=2, render_mode="rgb_array")
    _, infos = env.reset(seed=1)
    assert np.array_equal(env.action_masks(), infos["action_mask"].reshape(4, -1))
    frames = env.render()
    assert len(frames) == 4
    assert frames[0] is frames[1]
    assert frames[0].shape[2] == 3
    assert RoboRallyVectorEnv(4).render() is None
