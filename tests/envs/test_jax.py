"""`rr_gym.jax`: the same games as other interfaces, under jit, vmap and scan; what is not there says so."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from marks import compiled_only

from rr_gym.encoding.act.actions import decode_actions
from rr_gym.envs.core import Core
from rr_gym.errors import EnvError, MissingExtraError, RoboRallyError
from rr_gym.registry import make_player
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME, no_orders

jax = pytest.importorskip("jax")
jnp: Any = pytest.importorskip("jax.numpy")
rr_jax: Any = pytest.importorskip("rr_gym.jax")

pytestmark = compiled_only
Array = np.ndarray[Any, Any]
DRAW = {"observation": "flat", "observation_dtype": "native", "action": "draw", "reward": "shaped"}
COURSES: dict[str, dict[str, Any]] = {
    "base": {"course": "risky_exchange", "settings": {"lives": 1}},
    "options": {"course": "oddest_sea", "settings": {"start_options": 5, "lives": 2}},
    "full": {"course": "everything", "settings": {"option_cards": "on", "start_options": 2, "lives": 2}},
}


@cache
def env_of(**given: Any) -> Any:
    return rr_jax.make(**given)


def numbers(tree: Any) -> Any:
    return jax.tree.map(np.asarray, tree)


def assert_same(given: Any, expected: Any, what: str) -> None:
    if isinstance(expected, Mapping):
        assert given.keys() == expected.keys()
        for name in expected:
            assert_same(given[name], expected[name], f"{what}: {name}")
    elif expected.dtype.kind == "f":
        np.testing.assert_allclose(given.reshape(expected.shape), expected, atol=1e-6, err_msg=what)
    else:
        np.testing.assert_array_equal(given.reshape(expected.shape), expected, err_msg=what)


def compare(steps: int, num_games: int, every: int = 1, **given: Any) -> None:
    """Play the same games with JAX and with the core of all other interfaces, and compare everything."""
    env = rr_jax.make(num_robots=given.pop("num_robots", 2), **given)
    core = Core(num_games=num_games, num_robots=env.num_learners, **{"observation_dtype": "scaled", **given})
    keys = jax.random.split(jax.random.key(3), num_games)
    core.reset(0)
    # In JAX every game is number 0 of a batch of its own.
    core.take(np.concatenate([core.arena.new_games(1, env.num_learners, seed=int(s)) for s in rr_jax.seeds_of(keys)]))
    state, seen = jax.jit(jax.vmap(env.reset))(keys)
    step, rng = jax.jit(jax.vmap(env.step)), np.random.default_rng(1)
    for k in range(steps):
        if k % every == 0:
            assert_same(numbers(seen.observation), core.observe(), f"step {k}: observation")
            assert_same(np.asarray(seen.action_mask), core.masks() > 0, f"step {k}: masks")
            assert_same(np.asarray(seen.active), core.active(), f"step {k}: active")
        actions = core.sample_actions(rng)
        state, seen = step(state, actions.astype(np.int32).reshape(num_games, *env.action_shape))
        turn = core.step(actions)
        assert_same(np.asarray(seen.reward), turn.rewards.astype(np.float32), f"step {k}: rewards")
        assert_same(np.repeat(seen.terminated, env.num_learners), turn.terminated, f"step {k}: terminated")
        assert_same(np.repeat(seen.truncated, env.num_learners), turn.truncated, f"step {k}: truncated")
        if np.asarray(seen.turn_over).any():
            assert_same(np.asarray(seen.flags), core.infos()["flags"].astype(np.int32), f"step {k}: flags")
            assert_same(np.asarray(seen.place), core.infos()["place"].astype(np.int8), f"step {k}: place")
        core.restart(core.ended.copy())
        assert np.asarray(state.games).tobytes() == core.games.tobytes(), f"step {k}: games"


def test_games_are_those_of_other_interfaces() -> None:
    compare(40, 6, observation="choices", action="cards", lookahead="turns", preview=True, max_cycles=3)


@pytest.mark.long
@pytest.mark.parametrize(
    "given",
    [
        {**DRAW},
        {"observation": "entities", "action": "slots", "reward": {"lead": 1.0, "flag": 0.5}, "max_cycles": 5},
        {"observation": "planes", "action": "draw", "num_robots": 4, "reward": {"turn": -0.1, "win": 1}},
        {"observation": "entities+planes+choices", "action": "cards", "lookahead": "paths"},
        {"observation": "flat+choices", "action": "cards", "lookahead": "none", "observation_dtype": "float32"},
        {"observation": "choices", "action": "cards", **COURSES["options"]},
        {"observation": "entities", "action": "cards", **COURSES["full"]},
    ],
    ids=lambda given: str(given["observation"]),
)
def test_other_observations_and_rules_are_the_same(given: dict[str, Any]) -> None:
    compare(40, 6, **given)


@pytest.mark.long
@pytest.mark.parametrize("form", COURSES)
def test_ten_thousand_turns_are_the_same(form: str) -> None:
    compare(100, 100, every=10, **DRAW | COURSES[form])


@pytest.mark.long
@pytest.mark.parametrize("name", ["random", "greedy", "racer"])
@pytest.mark.parametrize("form", COURSES)
def test_opponents_decide_as_the_players_do(name: str, form: str) -> None:
    """A learner that chooses the first card everywhere, and two opponents whose seed is the game's."""
    env, num_games = rr_jax.make(num_robots=3, opponents=[name] * 2, max_cycles=6, **DRAW | COURSES[form]), 8
    core, player = Core(num_robots=3, action="draw", **COURSES[form]), make_player(name)
    arena = core.arena
    keys = jax.random.split(jax.random.key(5), num_games)
    state, _ = jax.jit(jax.vmap(env.reset))(keys)
    games = np.concatenate([arena.new_games(1, 3, seed=int(seed)) for seed in rr_jax.seeds_of(keys)])
    step, action = jax.jit(jax.vmap(env.step)), np.zeros((num_games, *env.action_shape), np.int64)
    seats_seen = set()
    for _ in range(20):
        seats = np.asarray(state.seats)
        seats_seen |= set(seats[:, 0].tolist())
        orders, repaired = no_orders(num_games, MAX_ROBOTS, full=True), np.zeros((num_games, 1), np.int32)
        own = np.ascontiguousarray(seats[:, :1])
        decode_actions(games, arena.tables, core.layout.code, own, action.copy(), orders, repaired)
        for g in range(num_games):
            player.reset(int(games["seed"][g]))
            for seat in seats[g, 1:]:
                orders[g, seat] = player.act(arena, games[g : g + 1], int(seat))[0]
        state, seen = step(state, jnp.asarray(action, jnp.int32))
        arena.play(games, orders)
        done = np.array(seen.done)
        if done.any():
            arena.restart(games, done)
        assert np.asarray(state.games).tobytes() == games.tobytes()
    assert seats_seen == {0, 1, 2}


def test_vmap_nests_and_scan_loops() -> None:
    """Nested batches, one batch and single games are the same, and so are a loop of XLA and one of Python."""
    env = env_of(**DRAW)
    keys = jax.random.split(jax.random.key(1), 6)
    width = env.num_choices

    def choose(mask: Any) -> Any:  # the last legal choice of every component
        return width - 1 - jnp.argmax(mask[..., ::-1], axis=-1)

    def turn(carry: Any, _: None) -> Any:
        state, seen = carry
        after = env.step(state, choose(seen.action_mask))
        return after, after[1].reward

    def play(key: Any) -> Any:
        return jax.lax.scan(turn, env.reset(key), None, length=5)

    (state, seen), rewards = numbers(jax.jit(jax.vmap(play))(keys))
    nested = numbers(jax.jit(jax.vmap(jax.vmap(play)))(keys.reshape(2, 3)))
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a.reshape(b.shape), b), nested, ((state, seen), rewards))
    one = env.reset(keys[4])
    begun = numbers(one)
    for k in range(5):
        one, reward = turn(one, None)
        assert np.array_equal(reward, rewards[4, k])
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a, b[4]), numbers(one), (state, seen))
    assert begun[0].turns == 0, "a step leaves the state before it as it was"
    jax.tree.map(np.testing.assert_array_equal, begun, numbers(env.reset(keys[4])))


def test_keys_give_seeds() -> None:
    typed, raw = jax.random.split(jax.random.key(7), 3), jax.random.split(jax.random.PRNGKey(7), 3)
    assert np.array_equal(rr_jax.seeds_of(typed), rr_jax.seeds_of(raw))
    assert len(set(rr_jax.seeds_of(typed).tolist())) == 3
    env = env_of(**DRAW)
    (state, _), (other, _) = env.reset(typed[1]), env.reset(raw[1])
    assert np.asarray(state.games).view(GAME)["seed"][0] == rr_jax.seeds_of(typed)[1]
    assert np.array_equal(state.games, other.games)
    assert rr_jax.seeds_of(jax.random.split(jax.random.key(7, impl="rbg"), 2)).shape == (2,)


def test_without_auto_reset_an_episode_stays_at_its_end() -> None:
    env = env_of(auto_reset=False, max_cycles=1, **DRAW)
    step = jax.jit(env.step)
    action = jnp.zeros(env.action_shape, jnp.int32)
    state, seen = step(env.reset(jax.random.key(0))[0], action)
    assert bool(seen.truncated)
    assert bool(state.ended)
    assert not seen.active.any()
    after, seen = step(state, action)
    assert not bool(seen.done)
    assert not seen.reward.any()
    assert np.array_equal(after.games, state.games)
    assert int(after.turns) == 1


def test_derivatives_are_zero() -> None:
    env = env_of(**DRAW)
    state, _ = env.reset(jax.random.key(0))

    def reward(weights: Any) -> Any:
        action = jnp.argmax(weights[None] * jnp.ones((*env.action_shape, 1)), axis=-1)
        return env.step(state, action)[1].reward.sum()

    assert not jax.grad(reward)(jnp.arange(3.0)).any()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"observation": "entities+way", "action": "draw"}, "observation: 'entities\\+way': expected another one"),
        ({"lookahead": "trials"}, "lookahead: 'trials': expected none, paths or turns"),
        ({"opponents": "planner"}, "opponents: 'planner': expected None, one of random, greedy, racer"),
        ({"opponents": {"self": 1.0}}, "opponents: .*: expected None, one of random"),
        ({"opponents": ["random"] * 2}, "opponents: 2: expected at most 1"),
        ({"course": ["risky_exchange", "dizzy_dash"]}, "course: .*: expected one course"),
        ({"num_robots": [2, 4]}, "num_robots: "),
        ({"auto_reset": 1}, "auto_reset: 1"),
        ({"num_envs": 4}, "num_envs: expected one of num_robots, opponents, "),
        ({"observation": "pixels"}, "observation: 'pixels'"),
    ],
)
def test_what_is_not_there_says_so(given: dict[str, Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=f"^{message}"):
        rr_jax.make(**given)


def test_wrong_states_and_actions_say_what_was_expected() -> None:
    env = env_of(**DRAW)
    shape = env.action_shape
    state, _ = jax.eval_shape(env.reset, jax.random.key(0))
    for array in (jnp.zeros(shape), jnp.zeros(shape[:1], jnp.int32), jnp.zeros((4, *shape), jnp.int32)):
        with pytest.raises(EnvError, match=r"^action: .*: expected whole numbers of shape \(2, \d\), those of one"):
            jax.eval_shape(env.step, state, array)
    many = jax.eval_shape(jax.vmap(env.reset), jax.random.split(jax.random.key(0), 5))[0]
    with pytest.raises(EnvError, match=r"^games: uint8 \(5, \d+\): expected uint8 \(\d+,\), the part of one game"):
        jax.eval_shape(env.step, many, jnp.zeros(shape, jnp.int32))


def test_other_devices_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    env = env_of(**DRAW)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    with pytest.raises(EnvError, match=r"^jax: the default device is of the platform 'gpu': expected 'cpu'"):
        env.reset(jax.random.key(0))
    with jax.default_device(jax.devices("cpu")[0]):
        env.reset(jax.random.key(0))


@pytest.mark.long
def test_the_example_learns_and_is_one_short_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("optax")
    pytest.importorskip("tyro")
    path = ROOT / "examples" / "jax_ppo.py"
    assert len(path.read_text("utf-8").splitlines()) <= 300
    short = ("--self-play", "4", "--against-racer", "4", "--turns", "2", "--minibatches", "2", "--rows", "400")
    monkeypatch.setattr(sys, "argv", [str(path), *short, "--games", "4", "--evaluate-every", "1"])
    runpy.run_path(str(path), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all("duels against greedy won" in line for line in lines[1::2])


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.delitem(sys.modules, "rr_gym.jax")
    with pytest.raises(MissingExtraError, match=r"jax is not installed: .*'rr-gym\[jax\]'"):
        __import__("rr_gym.jax")
