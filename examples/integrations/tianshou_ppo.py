"""Tianshou: masked PPO for one learner that decides card by card."""

# mypy: ignore-errors

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from torch import nn

from rr_gym.envs import RoboRallyEnv

CHOICES_PER_TURN = 5


class MaskInObservation(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Tianshou's networks see observations alone, so the mask has to be there."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        mask = gymnasium.spaces.Box(0, 1, env.core.mask_shape, np.int8)
        self.observation_space = gymnasium.spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        seen, info = self.env.reset(**options)
        return {"obs": seen, "mask": info["action_mask"]}, info

    def step(self, action: Any) -> Any:
        """Make one decision."""
        seen, *result, info = self.env.step(int(action))
        return {"obs": seen, "mask": info["action_mask"]}, *result, info


class Actor(nn.Module):
    """Logits of legal choices."""

    def __init__(self, features: int, choices: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, choices))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return logits, (batch, choices), where those of illegal choices are -1e9; and the state, unchanged."""
        logits = self.net(torch.as_tensor(obs.obs, dtype=torch.float32))
        return logits.masked_fill(~torch.as_tensor(obs.mask, dtype=torch.bool), -1e9), state


class Critic(nn.Module):
    """The value of an observation."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, obs: Any, **_: Any) -> Any:
        """Return the value of each observation, (batch, 1)."""
        return self.net(torch.as_tensor(obs.obs, dtype=torch.float32))


def make() -> MaskInObservation:
    """Create a game against a random player."""
    return MaskInObservation(RoboRallyEnv(num_robots=2, action="cards", decisions=(), max_cycles=10))


def main() -> None:
    """Train for a moment."""
    envs, one = DummyVectorEnv([make] * 4), make()
    features, choices = one.observation_space["obs"].shape[0], one.action_space.n
    policy = ProbabilisticActorPolicy(
        actor=Actor(features, choices), dist_fn=lambda logits: torch.distributions.Categorical(logits=logits),
        action_space=one.action_space, action_scaling=False,
    )  # fmt: skip
    gamma = 0.99 ** (1 / CHOICES_PER_TURN)
    ppo = PPO(policy=policy, critic=Critic(features), optim=AdamOptimizerFactory(lr=3e-4), gamma=gamma)
    collector = Collector(ppo, envs, VectorReplayBuffer(2048, 4))
    parameters = OnPolicyTrainerParams(
        training_collector=collector, test_collector=None, max_epochs=1, epoch_num_steps=400, batch_size=64,
        collection_step_num_env_steps=200, update_step_num_repetitions=1,
    )  # fmt: skip
    ppo.run_training(parameters)
    collector.reset()
    collector.collect(n_step=400)
    buffer = collector.buffer
    rows = buffer.sample_indices(0)  # all that are filled
    legal = np.take_along_axis(buffer.obs.mask[rows], buffer.act[rows, None], -1)
    print("illegal choices:", int((legal == 0).sum()))
    print("rows:", len(buffer))


if __name__ == "__main__":
    main()
