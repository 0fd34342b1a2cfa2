"""RLlib: PPO with `RaceNetwork` and masks, in duels against greedy.

python rllib_ppo.py                             # a few minutes on one core
python rllib_ppo.py --rows 10_000 --duels 20
"""

# mypy: ignore-errors

from __future__ import annotations

import argparse
import time

import ray
import torch
from rllib_self_play import agent_steps, illegal_choices

from rr_gym.evaluation import evaluate
from rr_gym.policies import PolicyPlayer
from rr_gym.rllib import LEARNER, policy_from_rllib, ppo_config


def main() -> None:
    """Train a policy with RLlib and evaluate it in duels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000, help="decisions to learn from")
    parser.add_argument("--games", type=int, default=64, help="number of games played in parallel")
    parser.add_argument("--duels", type=int, default=2000, help="number of duels against greedy at the end")
    given = parser.parse_args()
    torch.set_num_threads(1)
    ray.init(include_dashboard=False)
    config = ppo_config(  # its RLlib module contains RaceNetwork
        num_robots=2, opponents="greedy", observation="choices", action="cards", decisions=(), preview=True,
        lookahead="turns", reward={"place": 1, "lead": 1}, gamma=1.0, max_cycles=40, games_per_runner=given.games,
        observation_dtype="scaled",
    )  # fmt: skip
    config.env_runners(create_env_on_local_worker=True).debugging(seed=1)  # everything in this process
    batch = 40 * given.games  # eight turns of every game, of five decisions each
    config.training(
        lr=[[0, 2e-3], [given.rows, 1e-4]], lambda_=0.98, entropy_coeff=0.003, num_epochs=2,
        minibatch_size=min(1024, batch), train_batch_size_per_learner=batch,
    )  # fmt: skip
    algorithm = config.build_algo()
    began, rows = time.process_time(), 0
    while rows < given.rows:
        rows = agent_steps(algorithm.train())
    seconds = time.process_time() - began

    illegal = illegal_choices(algorithm.env_runner.sample(num_timesteps=500))
    policy = policy_from_rllib(algorithm.get_module(LEARNER))
    algorithm.stop()
    robot = evaluate(PolicyPlayer(policy), ["greedy"], games=given.duels, seed=1_000_000).players[0]
    print(f"won {robot.win.percent}, flags {robot.flags.words()}, finished {robot.finish.percent}: {seconds:.0f} s")
    print("illegal choices:", illegal)
    print("rows:", rows)


if __name__ == "__main__":
    main()
