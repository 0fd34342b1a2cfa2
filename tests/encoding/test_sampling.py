"""Random legal actions, and that every interface draws them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from combinations import combinations

from rr_gym import random_actions, roborally_v0
from rr_gym.encoding.act.components import ActionError
from rr_gym.envs.core import Core
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.errors import RoboRallyError
from rr_gym.option_facts import OPTION_CARDS

Array = np.ndarray[Any, Any]

actions = pytest.mark.parametrize("action", ["draw", "cards"])


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int64])
@pytest.mark.parametrize("shape", [(11,), (8, 11), (5, 8, 12), (0, 8, 11)])
def test_choices_are_legal_and_of_the_masks_shape(shape: tuple[int, ...], dtype: Any) -> None:
    rng = np.random.default_rng(0)
    mask = (rng.random(shape) < 0.3).astype(dtype)
    mask[..., -1] = 1
    for _ in range(50):
        chosen = random_actions(mask, rng)
        assert (chosen.shape, chosen.dtype) == (shape[:-1], np.int64)
        assert np.take_along_axis(mask, chosen[..., None], -1).all()


def test_choices_are_uniform_and_independent() -> None:
    mask = np.zeros((2, 6), np.int8)
    mask[:, [1, 2, 4, 5]] = 1
    chosen = random_actions(np.tile(mask, (20000, 1, 1)), np.random.default_rng(0))
    pairs = np.zeros((6, 6))
    np.add.at(pairs, (chosen[:, 0], chosen[:, 1]), 1)
    legal = pairs[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])]
    assert legal.sum() == 20000
    assert ((legal - 1250) ** 2 / 1250).sum() < 37.7  # the 99.9 % quantile of chi-square with 15 degrees of freedom


@pytest.mark.parametrize(
    ("mask", "rng", "message"),
    [
        (np.ones(3), 7, "rng: int: expected a numpy.random.Generator"),
        (np.ones((4, 0)), np.random.default_rng(), r"mask: float64 \(4, 0\): expected a last axis of choices"),
        (np.int8(1), np.random.default_rng(), r"mask: int8 \(\): expected a last axis of choices"),
    ],
)
def test_wrong_arguments(mask: Any, rng: Any, message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        random_actions(mask, rng)


@actions
def test_a_learner_draws_legal_actions(action: str) -> None:
    drawn = []
    for _ in range(2):
        env = RoboRallyEnv(num_robots=2, action=action, settings={"lives": "unlimited"})
        env.reset(seed=4)
        drawn.append([])
        for _ in range(20):
            drawn[-1].append(env.sample_actions())
            assert env.action_space.contains(drawn[-1][-1])
            assert env.step(drawn[-1][-1])[4]["illegal_choices"] == 0
    assert np.array_equal(*drawn)
    assert len({value.tobytes() for value in drawn[0]}) > 5


@actions
def test_rows_draw_legal_actions(action: str) -> None:
    env = RoboRallyVectorEnv(8, num_robots=2, opponents=(), action=action)
    env.reset(seed=4)
    for _ in range(20):
        chosen = env.sample_actions()
        assert env.action_space.contains(chosen)
        assert not env.step(chosen)[4]["illegal_choices"].any()


@actions
def test_agents_draw_legal_actions(action: str) -> None:
    games = []
    for _ in range(2):
        env = roborally_v0.parallel_env(action=action, settings={"lives": 1})
        _, infos = env.reset(seed=4)
        while env.agents:
            chosen = env.sample_actions()
            assert list(chosen) == env.agents
            assert all(env.action_space(agent).contains(chosen[agent]) for agent in chosen)
            _, _, _, _, infos = env.step(chosen)
            assert not any(info["illegal_choices"] for info in infos.values())
        games.append(env.record.tobytes())
    assert games[0] == games[1]


PRESETS: list[dict[str, Any]] = [
    {"preset": preset, "option_cards": options, "start_damage": damage, "max_options": 4}
    for preset in ("wotc", "amigo", "ah2005") for options, damage in (("off", 6), ("on", 0), ("on", 6))
]  # fmt: skip


def give_options(core: Core) -> None:
    """Give four option cards to each robot of each game, if the game has option cards."""
    if core.arena.settings[0].option_cards != "on":
        return
    rng = np.random.default_rng(0)
    for game in range(core.num_games):
        drawn = rng.permutation(len(OPTION_CARDS))[: 4 * core.num_robots]
        for k, option in enumerate(drawn):
            core.arena.give(core.games[game : game + 1], k % core.num_robots, OPTION_CARDS[option].id)
    core.take(core.games.copy())


@pytest.mark.parametrize(("action", "settings"), combinations(("draw", "slots", "cards"), PRESETS, one_in=3))
def test_random_actions_are_legal_by_every_rule(action: str, settings: dict[str, Any]) -> None:
    """Choices that masks allow are never illegal, and sampled actions have no conflicts either."""
    env = RoboRallyVectorEnv(24, num_robots=3, action=action, decisions="all", settings=settings, copy=False)
    seen = {}
    for name in ("random_actions", "sample_actions"):
        env.reset(seed=2)
        give_options(env.core)
        conflicts = 0
        masks = env.core.masks()
        for _ in range(6 * env.core.stages):
            chosen = env.sample_actions() if name == "sample_actions" else random_actions(masks, env.np_random)
            infos = env.step(chosen)[4]
            masks = infos["action_mask"]
            assert not infos["illegal_choices"].any()
            conflicts += infos["conflicting_choices"].sum()
        seen[name] = conflicts
    assert seen["sample_actions"] == 0
    possible = action == "slots" or (action == "draw" and settings["option_cards"] == "on")
    assert (seen["random_actions"] > 0) == possible


@actions
def test_rows_of_stable_baselines_draw_legal_actions(action: str) -> None:
    sb3 = pytest.importorskip("rr_gym.sb3", exc_type=ImportError)
    env = sb3.make_vec_env(num_games=3, num_robots=2, action=action, seed=4)
    env.reset()
    for _ in range(20):
        env.step(env.sample_actions())
        assert not env.core.infos()["illegal_choices"].any()
    with pytest.raises(ActionError):
        env.step(env.sample_actions()[:-1])
