"""Tianshou: PPO with `RaceNetwork` and masks, in duels against greedy.

python tianshou_ppo.py                             # a few minutes on one core
python tianshou_ppo.py --rows 2_000 --duels 20
"""

# mypy: ignore-errors

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory, LRSchedulerFactoryLinear
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from torch import Tensor, nn

from rr_gym.envs import RoboRallyEnv
from rr_gym.evaluation import evaluate
from rr_gym.networks import RaceNetwork, masked
from rr_gym.policies import PolicyPlayer


class MaskInObservation(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Puts the action mask into the observation, since Tianshou's networks see only observations."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        mask = gymnasium.spaces.Box(0, 1, env.core.mask_shape, np.int8)
        self.observation_space = gymnasium.spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        seen, info = self.env.reset(**options)
        return {"obs": seen, "mask": info["action_mask"]}, {}

    def step(self, action: Any) -> Any:
        """Make one decision. Infos stay empty, since Tianshou stores them in its buffer."""
        seen, *result, info = self.env.step(int(action))
        return {"obs": seen, "mask": info["action_mask"]}, *result, {}


class Part(nn.Module):
    """Base class of actor and critic, with the shared network and the conversion of Tianshou's batches."""

    def __init__(self, network: RaceNetwork) -> None:
        super().__init__()
        self.network = network

    def both(self, seen: Batch) -> tuple[Tensor, Tensor]:
        """Return logits, (rows, choices), and values, (rows,)."""
        return self.network({name: torch.as_tensor(table) for name, table in seen.obs.items()})


class Actor(Part):
    """Returns the logits of legal choices."""

    def forward(self, obs: Batch, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Return logits, (rows, choices), and the state, unchanged."""
        return masked(self.both(obs)[0], obs.mask), state


class Critic(Part):
    """Returns the value of an observation."""

    def forward(self, obs: Batch, **_: Any) -> Tensor:
        """Return values, (rows, 1)."""
        return self.both(obs)[1][:, None]


def make() -> MaskInObservation:
    """Create a duel against greedy."""
    return MaskInObservation(RoboRallyEnv(
        num_robots=2, opponents="greedy", observation="choices", action="cards", decisions=(), preview=True,
        lookahead="turns", reward={"place": 1, "lead": 1}, gamma=1.0, max_cycles=40,
    ))  # fmt: skip


def main() -> None:
    """Train a policy with Tianshou and evaluate it in duels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000, help="decisions to learn from")
    parser.add_argument("--games", type=int, default=64, help="number of games played in parallel")
    parser.add_argument("--duels", type=int, default=2000, help="number of duels against greedy at the end")
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    envs, one = DummyVectorEnv([make] * given.games), make()
    envs.seed(1)
    network = RaceNetwork(one)
    policy = ProbabilisticActorPolicy(
        actor=Actor(network), dist_fn=lambda logits: torch.distributions.Categorical(logits=logits),
        action_space=one.action_space, action_scaling=False,
    )  # fmt: skip
    steps = 8 * one.unwrapped.core.stages * given.games  # eight turns of every game
    epochs = -(-given.rows // steps)  # an epoch is one collection and one update
    rate = AdamOptimizerFactory(lr=2e-3).with_lr_scheduler_factory(LRSchedulerFactoryLinear(epochs, steps, steps))
    ppo = PPO(
        policy=policy, critic=Critic(network), optim=rate, gamma=1.0, gae_lambda=0.98, ent_coef=0.003, vf_coef=0.5,
        max_grad_norm=0.5, max_batchsize=4096,
    )  # fmt: skip
    collector = Collector(ppo, envs, VectorReplayBuffer(steps, given.games))
    began = time.process_time()
    ppo.run_training(OnPolicyTrainerParams(
        training_collector=collector, test_collector=None, max_epochs=epochs, epoch_num_steps=steps, batch_size=2048,
        collection_step_num_env_steps=steps, update_step_num_repetitions=2, show_progress=False, verbose=False,
    ))  # fmt: skip
    seconds = time.process_time() - began

    collector.reset()
    collector.collect(n_step=steps)
    buffer = collector.buffer
    filled = buffer.sample_indices(0)
    legal = np.take_along_axis(buffer.obs.mask[filled], buffer.act[filled, None], -1)
    robot = evaluate(PolicyPlayer(network.policy()), ["greedy"], games=given.duels, seed=1_000_000).players[0]
    print(f"won {robot.win.percent}, flags {robot.flags.words()}, finished {robot.finish.percent}: {seconds:.0f} s")
    print("illegal choices:", int((legal == 0).sum()))
    print("rows:", epochs * steps)


if __name__ == "__main__":
    main()
