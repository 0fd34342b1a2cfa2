"""The vector environment of Stable-Baselines3: compared with one that Stable-Baselines3 builds, and in training."""

from __future__ import annotations

import copy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from combinations import combinations
from conftest import Python
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.wrappers import TimeLimit

from rr_gym.encoding.act.actions import ActionError
from rr_gym.encoding.observe.observations import OBSERVATIONS
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.errors import EnvError, RoboRallyError

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3 import PPO  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecMonitor, VecNormalize  # noqa: E402

from rr_gym.sb3 import EPISODE_FACTS, RoboRallyVecEnv, make_vec_env  # noqa: E402

torch.set_num_threads(1)

Array = np.ndarray[Any, Any]

ACTIONS = ("draw", "slots", "cards")
SHORT: dict[str, Any] = {"max_cycles": 6, "settings": {"lives": 1}}
LEARNING: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 1, "device": "cpu"}

actions = pytest.mark.parametrize("action", ACTIONS)
observations = pytest.mark.parametrize("observation", OBSERVATIONS)


def plain(observation: Any) -> Any:
    """Convert ordered dictionaries to ordinary ones."""
    return dict(observation) if isinstance(observation, dict) else observation


def choose(env: Any, step: int) -> Array:
    """Return random legal choices for all rows, component by component."""
    masks = get_action_masks(env).reshape(env.num_envs, -1, 11)
    chosen = (masks * (np.random.default_rng(step).random(masks.shape) + 1e-9)).argmax(axis=-1)
    return chosen if env.action_space.shape else chosen[:, 0]


@actions
@observations
@pytest.mark.filterwarnings("ignore:.*(unconventional shape|image|36x36|not in .0, 255.):UserWarning")
def test_sb3s_checker_of_the_single_environment(observation: str, action: str) -> None:
    check_env(RoboRallyEnv(observation=observation, action=action), skip_render_check=True)


@actions
@observations
def test_one_row_is_sb3s_own_vector_of_one(observation: str, action: str) -> None:
    options: dict[str, Any] = {"num_robots": 2, "observation": observation, "action": action, "max_cycles": 3}
    own = make_vec_env(num_games=1, opponents="random", seed=4, **options)
    other = DummyVecEnv([lambda: Monitor(RoboRallyEnv(**options))])
    other.seed(4)
    seen, expected = own.reset(), other.reset()
    ends = 0
    for step in range(own.core.stages * 8):
        assert data_equivalence(seen, plain(expected), exact=True)
        moves = choose(own, step)
        assert np.array_equal(moves, choose(other, step))
        seen, rewards, dones, (info,) = own.step(moves)
        expected, *results, (expected_info,) = other.step(moves)
        assert data_equivalence(results, [rewards, dones], exact=True)
        if not dones[0]:
            assert info == {}
            continue
        ends += 1
        assert data_equivalence(info["terminal_observation"], plain(expected_info["terminal_observation"]))
        for name in ("TimeLimit.truncated", *EPISODE_FACTS):
            assert info[name] == expected_info[name]
        assert info["episode"]["l"] == expected_info["episode"]["l"]
        assert info["episode"]["r"] == pytest.approx(expected_info["episode"]["r"], abs=1e-6)
    assert ends >= 2


def test_episodes_end_with_their_returns_and_lengths() -> None:
    env = make_vec_env(num_games=8, num_robots=3, reward="shaped", seed=2, max_cycles=8, settings={"lives": 1})
    env.reset()
    returns, lengths, kinds = np.zeros(24), np.zeros(24, int), set()
    for step in range(60):
        _, rewards, dones, infos = env.step(choose(env, step))
        assert rewards.dtype == np.float32
        assert (dones.reshape(8, 3) == dones[::3, None]).all()
        returns += rewards
        lengths += 1
        for row in range(24):
            assert bool(infos[row]) == dones[row]
        for row in np.flatnonzero(dones):
            info = infos[row]
            assert info["episode"]["r"] == pytest.approx(returns[row], abs=1e-5)
            assert info["episode"]["l"] == lengths[row]
            kinds.add(info["TimeLimit.truncated"])
            if info["TimeLimit.truncated"]:
                assert lengths[row] == 8
        returns[dones] = 0
        lengths[dones] = 0
    assert kinds == {True, False}


def test_resets_follow_from_the_seed() -> None:
    def first(env: Any) -> bytes:
        return bytes(env.reset().tobytes())

    env = make_vec_env(num_games=2, seed=5)
    seen = [first(env), first(env), first(env)]
    assert len(set(seen)) == 3  # without a new seed the next episodes follow
    env.seed(5)
    assert [first(env), first(env)] == seen[:2]
    assert first(make_vec_env(num_games=2, seed=5)) == seen[0]
    assert first(make_vec_env(num_games=2)) != first(make_vec_env(num_games=2))


def test_attributes_and_methods() -> None:
    env = make_vec_env(num_games=3, num_robots=2, seed=1)
    env.reset()
    assert is_masking_supported(env)
    assert not env.has_attr("nonsense")
    assert env.get_attr("num_envs", indices=[0, 3]) == [6, 6]
    with pytest.raises(AttributeError):
        env.get_attr("nonsense")
    masks = env.action_masks()
    assert masks.dtype == np.bool_
    assert masks.shape == (6, int(env.action_space.nvec.sum()))
    assert np.array_equal(get_action_masks(env), masks)
    assert np.array_equal(env.env_method("action_masks", indices=[1, 4]), masks[[1, 4]])
    assert env.env_method("has_attr", "core") == [True] * 6
    assert env.env_is_wrapped(Monitor) == [True] * 6  # infos tell of episodes
    assert env.env_is_wrapped(VecMonitor, indices=0) == [False]  # type: ignore[arg-type]
    env.set_attr("note", 3)
    assert env.get_attr("note") == [3] * 6
    env.env_method("set_opponents", [])
    for only in (0, [1, 2]):
        for call in (env.set_attr, partial(env.env_method, "set_opponents")):
            with pytest.raises(EnvError, match=r"indices: .*: expected None, or all of the 6 rows, which share"):
                call(*(("note", 4) if call == env.set_attr else ([],)), indices=only)
    assert env.get_attr("note") == [3] * 6
    with pytest.raises(ActionError):
        env.step(np.zeros((6, 2), int))
    env.close()


INDICES = [None, 0, 2, -1, [0], [2, 0], [-1, 1], (0, 1), range(2), np.array([1, 2]), [], [1, 1]]


@pytest.mark.parametrize(("indices", "action"), combinations(INDICES, ["draw", "cards"], one_in=2))
def test_rows_answer_as_environments_in_sb3s_own_vector(indices: Any, action: str) -> None:
    """Values, their number and their types are the same for every kind of indices."""
    options: dict[str, Any] = {"num_robots": 2, "action": action, "render_mode": "ansi"}
    own = make_vec_env(num_games=3, opponents="random", seed=4, **options)
    other = DummyVecEnv([lambda: Monitor(RoboRallyEnv(**options)) for _ in range(3)])
    assert own.seed(9) == other.seed(9)
    own.reset()
    other.reset()
    for env in other.envs:  # the same position in each
        env.unwrapped.core.take(own.core.games[:1])
    own.core.take(np.repeat(own.core.games[:1], 3))
    own.set_attr("note", "all")
    other.set_attr("note", "all")
    for name in ("render_mode", "note", "action_space"):
        assert own.get_attr(name, indices) == other.get_attr(name, indices)
    for name in ("action_masks", "render"):
        called, expected = (env.env_method(name, indices=indices) for env in (own, other))
        assert type(called) is list
        assert data_equivalence([np.asarray(v) for v in called], [np.asarray(v) for v in expected], exact=True)
        attributes = own.get_attr(name, indices), other.get_attr(name, indices)
        mine, theirs = ([np.asarray(method()) for method in methods] for methods in attributes)
        assert data_equivalence(mine, theirs, exact=True)
    drawn, likewise = (env.env_method("sample_actions", indices=indices) for env in (own, other))
    assert [np.shape(action) for action in drawn] == [np.shape(action) for action in likewise]
    for wrapper in (Monitor, VecMonitor, TimeLimit):
        assert own.env_is_wrapped(wrapper, indices) == other.env_is_wrapped(wrapper, indices)
    for env in (own, other):
        for call in (env.get_attr, env.env_method):
            with pytest.raises(AttributeError, match="nonsense"):
                call("nonsense", indices=None)
    for name in ("render_mode", "action_masks", "nonsense"):
        assert own.has_attr(name) == other.has_attr(name)


@pytest.mark.parametrize("indices", [3, -4, [0, 3]])
def test_rows_that_do_not_exist_are_refused(indices: Any) -> None:
    own = make_vec_env(num_games=3, num_robots=1, seed=4)
    other = DummyVecEnv([lambda: RoboRallyEnv(num_robots=1) for _ in range(3)])
    for env in (own, other):
        for call in (partial(env.get_attr, "num_envs"), partial(env.env_method, "action_masks")):
            with pytest.raises(IndexError):
                call(indices=indices)


def test_rendering_as_text() -> None:
    """As in Stable-Baselines3, every row is asked to render, and nothing is returned."""
    env = make_vec_env(num_games=2, num_robots=2, render_mode="ansi", seed=1)
    env.reset()
    env.step(env.sample_actions())
    assert env.render() is None
    frames = env.env_method("render")
    assert len(frames) == 4
    assert frames[0] == frames[1] != frames[2] == frames[3]
    assert env.get_images() == [None, None]


@observations
def test_observations_stay_for_one_step(observation: str) -> None:
    env = make_vec_env(num_games=4, num_robots=2, observation=observation, seed=1, **SHORT)
    last = env.reset()
    kept = copy.deepcopy(last)
    for step in range(10):
        _, _, dones, infos = env.step(choose(env, step))
        assert data_equivalence(last, kept, exact=True)
        finals = [copy.deepcopy(infos[row]["terminal_observation"]) for row in np.flatnonzero(dones)]
        env.observe()
        env.observe()
        assert data_equivalence([infos[r]["terminal_observation"] for r in np.flatnonzero(dones)], finals)
        last = env.observe()
        kept = copy.deepcopy(last)


def test_wrappers_of_stable_baselines3_work() -> None:
    inner = make_vec_env(num_games=4, num_robots=2, seed=1, **SHORT)
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        monitor = VecMonitor(inner, info_keywords=("won", "place"))
    env = VecCheckNan(VecNormalize(monitor, norm_obs=True), raise_exception=True)
    assert is_masking_supported(env)
    assert env.reset().dtype == np.float32
    episodes = []
    for step in range(10):
        _, _, dones, infos = env.step(choose(env, step))
        episodes += [info["episode"] for info in infos if info]
        for row in np.flatnonzero(dones):
            assert np.issubdtype(infos[row]["terminal_observation"].dtype, np.floating)
    assert episodes
    assert {"r", "l", "t", "won", "place"} == set(episodes[0])


class LegalityCheck(RoboRallyVecEnv):
    """Counts the choices that the current masks do not allow."""

    illegal = 0
    choices = 0

    def step_async(self, actions: Array) -> None:
        masks = self.action_masks().reshape(self.num_envs, -1, 11)
        chosen = actions.reshape(self.num_envs, -1)
        self.illegal += int((~np.take_along_axis(masks, chosen[..., None], axis=2)).sum())
        self.choices += chosen.size
        super().step_async(actions)


@pytest.mark.parametrize(("observation", "action"), combinations(OBSERVATIONS, ACTIONS, one_in=4))
def test_maskable_ppo_learns_only_from_legal_actions(observation: str, action: str, tmp_path: Path) -> None:
    core = make_vec_env(num_games=4, num_robots=2, observation=observation, action=action, **SHORT).core
    env = LegalityCheck(core)
    policy = "MultiInputPolicy" if isinstance(core.observer.low, dict) else "MlpPolicy"
    model = MaskablePPO(policy, env, **LEARNING)
    model.learn(2 * 16 * 8)
    assert env.choices == 2 * 16 * 8 * (1 if action == "cards" else len(core.layout.components))
    assert env.illegal == 0
    assert len(model.ep_info_buffer) > 0
    path = tmp_path / "model"
    model.save(path)
    again = MaskablePPO.load(path, env=env)
    seen, masks = env.reset(), env.action_masks()
    expected, _ = model.predict(seen, action_masks=masks, deterministic=True)
    assert np.array_equal(again.predict(seen, action_masks=masks, deterministic=True)[0], expected)


def test_training_is_reproducible() -> None:
    def weights() -> list[Array]:
        env = make_vec_env(num_games=4, num_robots=2, reward="shaped", opponents="random")
        model = MaskablePPO("MlpPolicy", env, **LEARNING).learn(128)
        return [weight.numpy() for weight in model.policy.state_dict().values()]

    assert data_equivalence(weights(), weights(), exact=True)


def test_ppo_without_masks() -> None:
    """Training works although the policy makes illegal choices."""
    model = PPO("MlpPolicy", make_vec_env(num_games=4, num_robots=2, **SHORT), **LEARNING).learn(128)
    assert model.num_timesteps == 128
    assert all(np.isfinite(weight.numpy()).all() for weight in model.policy.state_dict().values())


def test_maskable_ppo_on_the_single_environment() -> None:
    env = RoboRallyEnv(num_robots=2, **SHORT)
    model = MaskablePPO("MlpPolicy", env, **LEARNING).learn(32)
    seen, _ = env.reset(seed=1)
    action, _ = model.predict(seen, action_masks=env.action_masks())
    assert env.step(action)[4]["illegal_choices"] == 0


def test_evaluate_policy() -> None:
    env = make_vec_env(num_games=4, num_robots=2, seed=1, **SHORT)
    model = MaskablePPO("MlpPolicy", env, **LEARNING)
    rewards, lengths = evaluate_policy(model, env, n_eval_episodes=16, return_episode_rewards=True)
    assert len(rewards) == 16
    assert all(0 < length <= 6 for length in lengths)


@pytest.mark.parametrize("options", [{}, {"action": "cards"}, {"opponents": ["greedy"]}], ids=str)
def test_games_resume_from_a_state(options: dict[str, Any]) -> None:
    def make(seed: int | None) -> RoboRallyVecEnv:
        return make_vec_env(num_games=4, num_robots=2, reward="shaped", seed=seed, **SHORT, **options)

    def play(env: RoboRallyVecEnv) -> list[Any]:
        record = [copy.deepcopy(env.observe())]
        for step in range(7, 30):
            result = env.step(choose(env, step))
            for info in result[3]:
                info.get("episode", {}).pop("t", None)
            record.append(copy.deepcopy(result))
        return record

    env = make(3)
    env.reset()
    for step in range(7):
        env.step(choose(env, step))
    state = env.get_state()
    assert all(array.dtype.names is None for array in state.values())
    expected = play(env)
    fresh = make(None)
    fresh.reset()
    fresh.set_state(state)
    assert data_equivalence(play(fresh), expected, exact=True)
    with pytest.raises(RoboRallyError, match="state: returns: missing: expected float64"):
        fresh.set_state({name: array for name, array in state.items() if name != "returns"})
    with pytest.raises(RoboRallyError, match="state: "):
        make_vec_env(num_games=2, num_robots=2).set_state(state)
    with pytest.raises(RoboRallyError, match="state: None: expected arrays by name"):
        fresh.set_state(None)


def test_pictures_are_rendered_for_every_row() -> None:
    pytest.importorskip("PIL")
    env = make_vec_env(num_games=4, num_robots=2, render_mode="rgb_array")
    env.reset()
    pictures = env.get_images()
    assert len(pictures) == 4
    shown = env.render()
    assert shown is not None
    assert shown.shape == (2 * pictures[0].shape[0], 2 * pictures[0].shape[1], 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_games": 0}, "num_games: 0"),
        ({"opponents": ["random"] * 4}, "opponents: 4"),
        ({"render_mode": "human"}, "render_mode: 'human'"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        make_vec_env(**arguments)


def test_the_extra_is_named_where_it_is_missing(python: Python) -> None:
    code = (
        "import sys; sys.modules['stable_baselines3'] = None\n"
        "from rr_gym.errors import MissingExtraError\n"
        "try:\n    import rr_gym.sb3\nexcept MissingExtraError as error:\n    print(error)"
    )
    assert "rr-gym[train]" in python("-c", code).stdout


def test_a_truncated_game_is_not_truncated_for_an_eliminated_robot() -> None:
    env = make_vec_env(num_games=20, num_robots=4, settings={"lives": 1}, max_cycles=12, seed=0)
    env.reset()
    core = env.core
    rng = np.random.default_rng(0)
    kinds = set()
    for _ in range(40):
        out = core.out()
        infos = env.step((rng.random((80, *core.mask_shape)) * core.masks()).argmax(-1))[3]
        for row, info in enumerate(infos):
            if info and out[row]:
                kinds.add("out")
                assert not info["TimeLimit.truncated"]
            elif info:
                kinds.add("cut" if info["TimeLimit.truncated"] else "over")
    assert kinds == {"out", "cut", "over"}


def test_ends_of_episodes_have_the_sums_of_terms() -> None:
    env = make_vec_env(num_games=6, num_robots=2, reward="shaped", max_cycles=5, seed=1)
    twin = make_vec_env(num_games=6, num_robots=2, reward="shaped", max_cycles=5)
    env.reset()
    ended = 0
    for step in range(12):
        if step == 7:  # in the middle of episodes
            state = env.get_state()
            assert {"reward_place", "reward_progress"} <= set(state)
            twin.set_state(state)
            earlier = {name: array for name, array in state.items() if not name.startswith("reward_")}
            make_vec_env(num_games=6, num_robots=2, reward="shaped", max_cycles=5).set_state(earlier)
        actions = env.sample_actions()
        infos = env.step(actions)[3]
        if step >= 7:
            others = twin.step(actions)[3]
            assert [other.get("reward_progress") for other in others] == [i.get("reward_progress") for i in infos]
        for info in infos:
            if info:
                total = info["reward_place"] + info["reward_progress"]
                assert total == pytest.approx(info["episode"]["r"])
                assert info["reward_progress"] != 0
                ended += 1
    assert ended >= 24


def test_figures_of_races_are_logged() -> None:
    from stable_baselines3.common.logger import KVWriter, Logger

    from rr_gym.sb3 import RaceFigures

    lines: list[dict[str, Any]] = []

    class Kept(KVWriter):
        def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
            lines.append(dict(key_values))

        def close(self) -> None:
            pass

    env = make_vec_env(num_games=4, num_robots=2, opponents="random", max_cycles=2, seed=1)
    model = MaskablePPO("MlpPolicy", env, n_steps=1, batch_size=4, n_epochs=1, device="cpu")
    model.set_logger(Logger(None, [Kept()]))
    model.learn(12, callback=RaceFigures(episodes=4), log_interval=1)
    assert "rollout/won" not in lines[0]
    for line in lines[1:]:
        assert {"rollout/ep_rew_mean", "rollout/won", "rollout/finished", "rollout/flags", "rollout/place"} <= set(line)
        assert 1 <= line["rollout/place"] <= 2
    with pytest.raises(RoboRallyError, match="episodes: 0: expected a whole number"):
        RaceFigures(0)
