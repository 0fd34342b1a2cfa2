"""Measure what a policy of Stable-Baselines3 learns in a few minutes on one core: two tables in docs/learning.md.

python examples/sb3_policies.py --policy RaceNetwork --observation choices --minutes 3
python examples/sb3_policies.py --policy MlpPolicy --observation flat --action draw --minutes 10
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from rr_gym.evaluation import evaluate
from rr_gym.policies import FunctionPlayer, PolicyPlayer, policy_from_sb3
from rr_gym.sb3 import make_vec_env


class Clock(BaseCallback):
    """Ends the training after a number of seconds of processor time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.began, self.seconds = time.process_time(), seconds

    def left(self) -> float:
        """Return the share of the time that is left, from 1 to 0."""
        return 1 - (time.process_time() - self.began) / self.seconds

    def _on_step(self) -> bool:
        return self.left() > 0


def as_player(model: Any, env: Any, given: argparse.Namespace) -> Any:
    """Return a player that makes the most probable choices of a model."""
    if given.policy != "MultiInputPolicy":
        return PolicyPlayer(policy_from_sb3(model.policy))

    def choose(seen: Any, masks: Any) -> Any:
        return np.asarray(model.predict(seen, action_masks=masks > 0, deterministic=True)[0])

    form = env.core.form
    lookahead = form.choices_observer.facts.lookahead if form.choices_observer else None
    return FunctionPlayer(
        choose, given.observation, window=env.core.observer.window, decisions=(), preview=True, lookahead=lookahead,
        observation_dtype="scaled",
    )  # fmt: skip


def main() -> None:
    """Train a policy for the given time and evaluate it in duels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", default="RaceNetwork", choices=["RaceNetwork", "MlpPolicy", "MultiInputPolicy"])
    parser.add_argument("--observation", default="choices")
    parser.add_argument("--action", default="cards", choices=["cards", "draw"])
    parser.add_argument("--lookahead", help="lookahead with choices: none, paths, turns, trials or trials+value")
    parser.add_argument("--window", type=int)
    parser.add_argument("--opponent", default="greedy")
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--duels", type=int, default=2000, help="number of duels against greedy at the end")
    given = parser.parse_args()
    torch.set_num_threads(1)
    env = make_vec_env(
        "risky_exchange", given.games, 2, opponents=given.opponent, observation=given.observation, action=given.action,
        lookahead=given.lookahead, window=given.window, preview=given.action == "cards", decisions=(),
        reward={"place": 1, "lead": 1}, gamma=1.0, max_cycles=40, seed=given.seed,
    )  # fmt: skip
    clock = Clock(60 * given.minutes)
    model = MaskablePPO(
        given.policy, env, n_steps=8 * env.core.stages, batch_size=2048, n_epochs=2,
        learning_rate=lambda _: 2e-3 * max(clock.left(), 0.05), gamma=1.0, gae_lambda=0.98, ent_coef=0.003,
        seed=given.seed, device="cpu",
    )  # fmt: skip
    model.learn(10**12, callback=clock)
    own = evaluate(as_player(model, env, given), ["greedy"], games=given.duels, salt=0).players[0]
    print(
        f"{model.num_timesteps:,} rows in {given.minutes:g} minutes: won {own.win.percent}, "
        f"flags {own.flags.words()}, finished {own.finish.percent}"
    )


if __name__ == "__main__":
    main()
