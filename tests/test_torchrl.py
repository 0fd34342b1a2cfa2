"""The recipes for TorchRL in docs/faces.md."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # TorchRL's own imports
    pytest.importorskip("torchrl")
    from torchrl.envs import GymWrapper, PettingZooWrapper
    from torchrl.envs.utils import check_env_specs

from rr_gym import roborally_v0
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv

pytestmark = pytest.mark.filterwarnings("ignore")  # TorchRL warns of every PettingZoo but one

torch.set_num_threads(1)


@pytest.mark.parametrize("observation", ["flat", "planes"])
def test_pettingzoo_wrapper(observation: str) -> None:
    """Legal actions alone, and a game goes on until it ends for everybody."""
    game = roborally_v0.parallel_env(observation=observation, max_cycles=12, settings={"lives": 1})
    env = PettingZooWrapper(game, use_mask=True, done_on_any=False, categorical_actions=True)
    check_env_specs(env)
    env.set_seed(3)
    steps = env.rollout(40, break_when_any_done=True)
    robots = steps["robot"]
    action, mask = robots["action"], robots["action_mask"]
    alive = robots["mask"]
    legal = mask.gather(-1, action.unsqueeze(-1)).squeeze(-1).bool()
    assert legal[alive].all()
    assert alive.sum(dim=1).tolist() == sorted(alive.sum(dim=1).tolist(), reverse=True)
    assert steps["next", "done"][-1].all()
    assert not steps["next", "done"][:-1].any()


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_gym_wrapper_of_one_learner(action: str) -> None:
    env = GymWrapper(RoboRallyEnv(action=action, max_cycles=5), categorical_action_encoding=True)
    check_env_specs(env)
    steps: Any = env.rollout(6 * env.core.stages)
    assert steps["next", "done"][-1].all()


def test_gym_wrapper_of_many_rows() -> None:
    games = RoboRallyVectorEnv(8, num_robots=2, max_cycles=4, autoreset_mode="SameStep")
    env = GymWrapper(games, categorical_action_encoding=True)
    assert env.batch_size == (8,)
    steps: Any = env.rollout(10, break_when_any_done=False)
    assert steps["next", "done"].sum() >= 8
