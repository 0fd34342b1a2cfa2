"""TorchRL: PPO with `RaceNetwork` and masks, in duels against greedy.

python torchrl_ppo.py                             # a few minutes on one core
python torchrl_ppo.py --rows 20_000 --duels 20
"""

# mypy: ignore-errors

from __future__ import annotations

import argparse
import time

import torch
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.data import Binary
from torchrl.envs import GymWrapper
from torchrl.envs.gym_like import default_info_dict_reader
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from rr_gym.envs import RoboRallyVectorEnv
from rr_gym.evaluation import evaluate
from rr_gym.networks import RaceNetwork
from rr_gym.policies import PolicyPlayer

LEARNING_RATE = 2e-3  # at the start; it is annealed linearly


class Heads(nn.Module):
    """`RaceNetwork` as TorchRL calls it: with one tensor for each table, and with any number of batch dimensions."""

    def __init__(self, network: RaceNetwork, names: list[str]) -> None:
        super().__init__()
        self.network, self.names = network, names

    def forward(self, *tables: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits, (..., choices), and values, (..., 1)."""
        batch = tables[self.names.index("game")].shape[:-1]
        rows = [table.reshape(-1, *table.shape[len(batch) :]) for table in tables]
        logits, values = self.network(dict(zip(self.names, rows, strict=True)))
        return logits.reshape(*batch, -1), values.reshape(*batch, 1)


def main() -> None:
    """Train a policy with TorchRL and evaluate it in duels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=600_000, help="decisions to learn from")
    parser.add_argument("--games", type=int, default=256, help="number of games played in parallel")
    parser.add_argument("--duels", type=int, default=2000, help="number of duels against greedy at the end")
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    games = RoboRallyVectorEnv(
        given.games, num_robots=2, opponents="greedy", observation="choices", action="cards", decisions=(),
        preview=True, lookahead="turns", reward={"place": 1, "lead": 1}, gamma=1.0, max_cycles=40,
        autoreset_mode="Disabled",  # TorchRL resets games itself
    )  # fmt: skip
    env = GymWrapper(games, categorical_action_encoding=True)
    mask = Binary(shape=(given.games, *games.core.mask_shape), dtype=torch.bool)
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], {"action_mask": mask}))  # only this info
    env.set_seed(1)

    network, names = RaceNetwork(games), list(games.single_observation_space)
    heads = Heads(network, names)
    actor = ProbabilisticActor(
        TensorDictModule(heads, in_keys=names, out_keys=["logits", "_"]),
        in_keys={"logits": "logits", "mask": "action_mask"}, distribution_class=MaskedCategorical, return_log_prob=True,
    )  # fmt: skip
    critic = TensorDictModule(heads, in_keys=names, out_keys=["_", "state_value"])
    advantages = GAE(gamma=1.0, lmbda=0.98, value_network=critic, deactivate_vmap=True)
    losses = ClipPPOLoss(
        actor, critic, clip_epsilon=0.2, entropy_coeff=0.003, critic_coeff=0.5, loss_critic_type="l2",
        normalize_advantage=True,
    )  # fmt: skip
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    frames = 8 * games.core.stages * given.games  # eight turns of every game

    began, rows, illegal = time.process_time(), 0, 0
    for played in Collector(env, actor, frames_per_batch=frames, total_frames=given.rows):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - rows / given.rows)
        rows += played.numel()
        illegal += int((~played["action_mask"].gather(-1, played["action"][..., None])).sum())
        with torch.no_grad():
            advantages(played)
        played = played.reshape(-1)
        played = played[played["action_mask"].sum(-1) > 1]  # drop rows with a single legal choice
        for part in [part for _ in range(2) for part in torch.randperm(len(played)).split(2048)]:
            found = losses(played[part])
            optimizer.zero_grad()
            (found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
    seconds = time.process_time() - began

    robot = evaluate(PolicyPlayer(network.policy()), ["greedy"], games=given.duels, seed=1_000_000).players[0]
    print(f"won {robot.win.percent}, flags {robot.flags.words()}, finished {robot.finish.percent}: {seconds:.0f} s")
    print("illegal choices:", illegal)
    print("rows:", rows)


if __name__ == "__main__":
    main()
