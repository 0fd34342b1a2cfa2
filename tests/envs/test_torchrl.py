"""The recipes for TorchRL in docs/interfaces.md."""

from __future__ import annotations

from typing import Any

import pytest

from rr_gym import roborally_v0
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv

torch = pytest.importorskip("torch")
envs = pytest.importorskip("torchrl.envs")
gym_like = pytest.importorskip("torchrl.envs.gym_like")
torchrl_data = pytest.importorskip("torchrl.data")

pytestmark = pytest.mark.filterwarnings("ignore")  # TorchRL warns of every PettingZoo but one

torch.set_num_threads(1)


@pytest.mark.parametrize("masks", ["observation", "info"])
@pytest.mark.parametrize("action", ["draw", "cards"])
@pytest.mark.parametrize("observation", ["flat", "planes"])
def test_pettingzoo_wrapper(observation: str, action: str, masks: str) -> None:
    """All actions are legal, and a game continues until it has ended for all robots."""
    game = roborally_v0.parallel_env(
        observation=observation, action=action, max_cycles=20, settings={"lives": 1}, masks=masks, decisions=()
    )
    env = envs.PettingZooWrapper(game, use_mask=True, done_on_any=False, categorical_actions=True)
    envs.check_env_specs(env)
    env.set_seed(3)
    torch.manual_seed(0)
    steps = env.rollout(40 * game.core.stages, break_when_any_done=True)
    robots = steps["robot"]
    alive, masks = robots["mask"], robots["action_mask"]
    legal = masks.gather(-1, robots["action"].unsqueeze(-1)).squeeze(-1).bool()
    assert legal[alive].all()
    count = alive.sum(dim=1).tolist()
    assert count == sorted(count, reverse=True)
    assert count[-1] < count[0]  # so somebody was eliminated while others went on
    assert steps["next", "done"][-1].all()
    assert not steps["next", "done"][:-1].any()


@pytest.mark.parametrize("observation", ["flat", "entities"])
@pytest.mark.parametrize("action", ["draw", "cards"])
def test_gym_wrapper_of_one_learner(observation: str, action: str) -> None:
    game = RoboRallyEnv(observation=observation, action=action, max_cycles=5)
    env = envs.GymWrapper(game, categorical_action_encoding=True)
    envs.check_env_specs(env)
    steps: Any = env.rollout(6 * game.core.stages)
    assert steps["next", "done"][-1].all()


@pytest.mark.parametrize("observation", ["flat", "entities"])
@pytest.mark.parametrize("action", ["draw", "cards"])
def test_gym_wrapper_of_one_learner_with_masks(observation: str, action: str) -> None:
    settings = {"lives": "unlimited"}  # so that the game lasts as long as it may
    game = RoboRallyEnv(observation=observation, action=action, max_cycles=5, settings=settings)
    env = envs.GymWrapper(game, categorical_action_encoding=True)
    if observation == "flat":
        env = env.auto_register_info_dict()
    else:
        mask = torchrl_data.Binary(shape=game.core.mask_shape, dtype=torch.int8)
        env.set_info_dict_reader(gym_like.default_info_dict_reader(["action_mask"], {"action_mask": mask}))
    env = envs.TransformedEnv(env, envs.ActionMask())
    envs.check_env_specs(env)
    steps: Any = env.rollout(6 * game.core.stages)
    legal = steps["action_mask"].gather(-1, steps["action"].unsqueeze(-1))
    assert legal.all()
    assert steps["next", "done"][-1].all()
    assert observation == "entities" or steps["next", "turn"][-1] == 5


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_gym_wrapper_of_many_rows(mode: str) -> None:
    games = RoboRallyVectorEnv(8, num_robots=2, max_cycles=4, autoreset_mode=mode)
    env = envs.GymWrapper(games, categorical_action_encoding=True)
    assert env.batch_size == (8,)
    steps: Any = env.rollout(10, break_when_any_done=False)
    assert steps["next", "done"].sum() >= 16
