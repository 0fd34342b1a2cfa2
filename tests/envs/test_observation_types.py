"""Observations as floats, with the same values or scaled, in every interface and in libraries."""

from __future__ import annotations

import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from combinations import combinations, parameters
from gymnasium.spaces import Box, Dict
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.wrappers import FlattenObservation, NormalizeObservation
from gymnasium.wrappers.vector import NormalizeObservation as NormalizeRows

from rr_gym import roborally_v0
from rr_gym.choices.observers import CHOICE_OBSERVATIONS
from rr_gym.encoding.observe.observations import OBSERVATIONS
from rr_gym.envs.core import Core
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.errors import EnvError

Array = np.ndarray[Any, Any]

FORMS = [(o, a) for o in OBSERVATIONS for a in ("draw", "cards")] + [(o, "cards") for o in CHOICE_OBSERVATIONS]
SHORT: dict[str, Any] = {"num_robots": 2, "max_cycles": 4}
LEARNING: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 1, "device": "cpu"}

forms = pytest.mark.parametrize(("observation", "action"), FORMS)
FEW = [("flat", "draw"), ("planes", "draw"), ("entities+planes", "draw"), ("choices", "cards")]
few_forms = pytest.mark.parametrize(("observation", "action"), FEW)
# All forms, of which a few run in the short suite
at_length = pytest.mark.parametrize(
    ("observation", "action"), [parameters(form, at_every_change=form in FEW) for form in FORMS]
)


def tables(observation: Any) -> dict[str, Any]:
    """Return the arrays or boxes of an observation or a space by name."""
    return dict(observation) if isinstance(observation, dict | Dict) else {"": observation}


def assert_same_values(seen: Any, native: Any, space: Any) -> None:
    """Check that observations are float32, lie in their space, and equal the native ones."""
    assert space.contains(seen)
    assert tables(seen).keys() == tables(native).keys()
    for name, array in tables(seen).items():
        assert array.dtype == np.float32
        assert tables(native)[name].dtype.kind == "i"
        assert np.array_equal(array, tables(native)[name])


@at_length
def test_every_interface_has_the_same_values_in_both_types(observation: str, action: str) -> None:
    options: dict[str, Any] = {**SHORT, "observation": observation, "action": action}
    single, whole = (RoboRallyEnv(**options, observation_dtype=name) for name in ("float32", "native"))
    seen, native = single.reset(seed=1)[0], whole.reset(seed=1)[0]
    for _ in range(3):
        assert_same_values(seen, native, single.observation_space)
        move = single.sample_actions()
        seen, native = single.step(move)[0], whole.step(move)[0]
    for mode in ("SameStep", "NextStep"):
        rows, other = (
            RoboRallyVectorEnv(4, **options, autoreset_mode=mode, copy=copy, observation_dtype=name)
            for copy, name in ((True, "native"), (False, "float32"))
        )
        native, seen = rows.reset(seed=2)[0], other.reset(seed=2)[0]
        for _ in range(5 * rows.core.stages):
            assert_same_values(seen, native, other.observation_space)
            move = rows.sample_actions()
            results = rows.step(move), other.step(move)
            (native, *_, infos), (seen, *_, others) = results
            for row in np.flatnonzero(infos.get("_final_obs", [])):
                assert_same_values(others["final_obs"][row], infos["final_obs"][row], other.single_observation_space)
    agents, likewise = (roborally_v0.parallel_env(**options, **o) for o in ({"observation_dtype": "float32"}, {}))
    seen, native = agents.reset(seed=3)[0], likewise.reset(seed=3)[0]
    for agent in agents.agents:
        space = agents.observation_space(agent)
        assert_same_values(seen[agent]["observation"], native[agent]["observation"], space["observation"])
        assert seen[agent]["action_mask"].dtype == np.int8
        assert space.contains(seen[agent])
    turns = roborally_v0.env(**options, observation_dtype="float32")
    turns.reset(seed=3)
    assert_same_values(turns.last()[0]["observation"], native["robot_0"]["observation"], space["observation"])


def test_rows_of_players_and_of_absent_robots_are_zeros() -> None:
    core = Core(
        num_games=6, num_robots=[1, 3], opponents={"random": 0.5, "self": 0.5}, observation="entities",
        observation_dtype="float32",
    )  # fmt: skip
    core.reset(1)
    idle = core.idle()
    assert 0 < idle.sum() < len(idle)
    for out in (None, core.new_observations()):
        for array in core.observe(out).values():
            assert not array[idle].any()
    assert core.observe(games=np.array([2]))["robots"].dtype == np.float32


def test_interfaces_for_learners_scale_by_default() -> None:
    for env in (RoboRallyEnv(), gymnasium.make("rr_gym/RoboRally-v0"), RoboRallyVectorEnv(4)):
        space = env.single_observation_space if isinstance(env, RoboRallyVectorEnv) else env.observation_space
        assert space.dtype == np.float32
        assert (space.low.min(), space.high.max()) == (-4, 4)
        assert repr(env.unwrapped.core.single_observation_space()).endswith("observation_dtype='scaled')")
    assert Core().single_observation_space().dtype == np.int16
    assert roborally_v0.parallel_env().observation_space("robot_0")["observation"].dtype == np.int16
    assert RoboRallyVectorEnv(4, observation_dtype="native").reset(seed=1)[0].dtype == np.int16
    rows = gymnasium.make_vec("rr_gym/RoboRally-v0", 2, observation_dtype="float32")
    assert rows.observation_space.dtype == rows.reset(seed=1)[0].dtype == np.float32
    made = gymnasium.make("rr_gym/RoboRallyDuel-v0", observation_dtype="float32", observation="planes")
    assert made.reset(seed=1)[0].dtype == made.observation_space.dtype == np.float32
    check_env(made.unwrapped, skip_render_check=True)
    for wrong in ("float64", np.float32, None, 32):
        with pytest.raises(EnvError, match=r"observation_dtype: .*expected native \| float32 \| scaled"):
            RoboRallyEnv(observation_dtype=wrong)


@forms
@pytest.mark.parametrize("observation_dtype", ["float32", "scaled"])
def test_gymnasiums_wrappers_that_scale_and_flatten(observation: str, action: str, observation_dtype: str) -> None:
    env = RoboRallyEnv(**SHORT, observation=observation, action=action, observation_dtype=observation_dtype)
    flat = FlattenObservation(env)
    expected, _ = env.reset(seed=1)
    seen, _ = flat.reset(seed=1)
    assert (flat.observation_space.dtype, seen.dtype) == (np.float32, np.float32)
    assert flat.observation_space.contains(seen)
    assert seen.sum() == pytest.approx(sum(array.sum(dtype=float) for array in tables(expected).values()))
    scaled = NormalizeObservation(flat)
    scaled.reset(seed=1)
    for _ in range(3):
        seen = scaled.step(flat.unwrapped.sample_actions())[0]  # type: ignore[attr-defined]
    assert seen.dtype == np.float32
    assert scaled.observation_space.contains(seen)
    assert fractions(seen) > 0.02


def fractions(array: Array) -> float:
    """Return the share of numbers that are not integers."""
    return float((array != np.round(array)).mean())


def test_gymnasiums_vector_wrapper_normalizes_rows() -> None:
    rows = NormalizeRows(RoboRallyVectorEnv(8, **SHORT, autoreset_mode="NextStep", observation_dtype="float32"))
    rows.reset(seed=1)
    for _ in range(6):
        seen = rows.step(rows.unwrapped.sample_actions())[0]  # type: ignore[attr-defined]
    assert rows.observation_space.contains(seen)
    assert fractions(seen) > 0.2


@pytest.fixture
def sb3() -> Any:
    """Return `rr_gym.sb3`; skip the test where Stable-Baselines3 is not installed."""
    pytest.importorskip("torch").set_num_threads(1)
    pytest.importorskip("sb3_contrib")
    return pytest.importorskip("rr_gym.sb3", exc_type=ImportError)


def policy_for(space: Any) -> str:
    return "MultiInputPolicy" if isinstance(space, Dict) else "MlpPolicy"


@at_length
def test_stable_baselines_stores_scaled_observations_as_they_are(sb3: Any, observation: str, action: str) -> None:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecNormalize

    class Watch(BaseCallback):
        """Records the observations that the policy gets."""

        seen: list[Any]

        def _on_step(self) -> bool:
            self.seen.append(deepcopy(self.model._last_obs))  # type: ignore[attr-defined]
            return True

    inner = sb3.make_vec_env(num_games=4, observation=observation, action=action, seed=1, **SHORT)
    env = VecNormalize(inner, norm_obs=True)
    model = MaskablePPO(policy_for(env.observation_space), env, policy_kwargs={"net_arch": [8]}, **LEARNING)
    watch = Watch()
    watch.seen = []
    model.learn(256, callback=watch)
    for name, stored in tables(model.rollout_buffer.observations).items():
        given = np.stack([tables(seen)[name] for seen in watch.seen[-16:]])  # (steps, rows, ...)
        assert stored.dtype == np.float32
        assert np.array_equal(stored.reshape(8, 16, *given.shape[2:]).swapaxes(0, 1), given)
        assert fractions(stored) > 0.01
    assert np.isfinite([np.abs(w.detach().numpy()).max() for w in model.policy.parameters()]).all()


@pytest.mark.filterwarnings("ignore:.*(unconventional shape|image|36x36|not in .0, 255.):UserWarning")
@pytest.mark.usefixtures("sb3")
@at_length
def test_environments_pass_the_checkers_of_libraries(observation: str, action: str) -> None:
    from stable_baselines3.common.env_checker import check_env as check

    check(RoboRallyEnv(observation=observation, action=action, **SHORT), skip_render_check=True)
    check_env(RoboRallyEnv(observation=observation, action=action, **SHORT), skip_render_check=True)
    env = RoboRallyEnv(observation=observation, action=action, observation_dtype="float32", **SHORT)
    check(env, skip_render_check=True)


@pytest.mark.parametrize(
    ("form", "types"),
    combinations(FEW, [("native", "float32"), ("float32", "native"), ("scaled", "native")], one_in=3),
)
def test_a_model_of_another_type_is_refused_and_the_argument_named(
    sb3: Any, form: tuple[str, str], types: tuple[str, str], tmp_path: Path
) -> None:
    from sb3_contrib import MaskablePPO

    (observation, action), (saved, other) = form, types

    def env_of(observation_dtype: str) -> Any:
        options = {**SHORT, "observation": observation, "action": action, "observation_dtype": observation_dtype}
        return sb3.make_vec_env(num_games=2, seed=1, **options)

    env = env_of(saved)
    model = MaskablePPO(policy_for(env.observation_space), env, **LEARNING)
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match=f"spaces do not match: (?s:.*)observation_dtype='{other}'"):
        MaskablePPO.load(tmp_path / "model", env=env_of(other))
    with pytest.raises(ValueError, match=f"observation_dtype='{other}'"):
        model.set_env(env_of(other))
    again = MaskablePPO.load(tmp_path / "model", env=env_of(saved))
    again.learn(32)
    if saved == "scaled":
        return
    # Without an environment it takes observations of both types, since their values are the same
    free, masks = MaskablePPO.load(tmp_path / "model"), env.action_masks()
    chosen = [
        free.predict(one.reset(), action_masks=masks, deterministic=True)[0] for one in (env_of(saved), env_of(other))
    ]
    assert np.array_equal(*chosen)


def test_a_space_is_saved_as_a_plain_box() -> None:
    for observation_dtype in ("native", "float32", "scaled"):
        space = RoboRallyEnv(observation_dtype=observation_dtype).observation_space
        assert repr(space).endswith(f"observation_dtype='{observation_dtype}')")
        for copied in (pickle.loads(pickle.dumps(space)), deepcopy(space)):
            assert type(copied) is Box
            assert copied == space
            assert copied.dtype == space.dtype
    rows = RoboRallyVectorEnv(4, observation_dtype="float32")
    assert data_equivalence(rows.observation_space.sample().shape, rows.observation_space.shape)


@few_forms
def test_a_state_resumes_with_the_other_type(sb3: Any, observation: str, action: str) -> None:
    """Saved states do not depend on the type of the observations."""
    options: dict[str, Any] = {"num_games": 2, "observation": observation, "action": action, **SHORT}
    env, other = (sb3.make_vec_env(seed=1, **options, observation_dtype=name) for name in ("float32", "native"))
    env.reset()
    env.step(env.sample_actions())
    other.set_state(env.get_state())
    seen, native = tables(env.observe()), tables(other.observe())
    assert all(np.array_equal(seen[name], native[name]) for name in native)
