"""RLlib: self-play in duels, on this machine or on a Ray cluster.

python rllib_self_play.py --runners 2 --seconds 60 --out my_policy
python rllib_self_play.py --address auto --runners 64 --seconds 3600 --out my_policy
"""

# mypy: ignore-errors

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import ray

from rr_gym.policies import save_policy
from rr_gym.rllib import LEARNER, policy_from_rllib, self_play_config


def illegal_choices(episodes: list[Any]) -> int:
    """Count the illegal choices in episodes."""
    count = 0
    for episode in episodes:
        for robot in episode.agent_episodes.values():
            actions = np.array(robot.get_actions())
            masks = robot.get_observations()["action_mask"][: len(actions)]
            count += int((np.take_along_axis(masks, actions[..., None], -1) == 0).sum())
    return count


def agent_steps(results: dict[str, Any]) -> int:
    """Return the number of rows that have been sampled so far."""
    return int(sum(results["env_runners"]["num_agent_steps_sampled_lifetime"].values()))


def main() -> None:
    """Train for a given time by self-play, and save the policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", help="address of a Ray cluster; by default Ray is started on this machine")
    parser.add_argument("--runners", type=int, default=0, help="processes that play beside the one that learns")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--action", default="cards", choices=["cards", "draw"])
    parser.add_argument("--out", help="folder to save the policy to, for rr-gym evaluate and other commands")
    given = parser.parse_args()
    ray.init(address=given.address, **({} if given.address else {"include_dashboard": False}))
    observation = {"cards": "choices", "draw": "flat"}[given.action]
    config = self_play_config(
        num_robots=2, observation=observation, action=given.action, decisions=(), max_cycles=60,
        reward={"place": 6, "flag": 3, "progress": 6}, gamma=0.98, past=2, every=5,
    )  # fmt: skip
    algorithm = config.env_runners(num_env_runners=given.runners, create_env_on_local_worker=True).build_algo()
    first = agent_steps(algorithm.train())  # the first iteration includes one-time set-up
    start, rows = time.monotonic(), 0
    while time.monotonic() - start < given.seconds:
        results = algorithm.train()
        rows, score = agent_steps(results), results["env_runners"].get("score_against_past", float("nan"))
        print(f"{time.monotonic() - start:.0f} s, {rows:,} rows, against earlier selves: {score:.2f}", flush=True)
    print(f"{(rows - first) / (time.monotonic() - start):,.0f} rows per second")
    episodes = algorithm.env_runner.sample(num_timesteps=500)
    if given.out:
        print("policy:", save_policy(policy_from_rllib(algorithm.get_module(LEARNER)), given.out))
    print("illegal choices:", illegal_choices(episodes))
    print("rows:", rows)
    algorithm.stop()


if __name__ == "__main__":
    main()
