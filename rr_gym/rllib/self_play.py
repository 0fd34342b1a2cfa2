"""Which policy plays which robot, and when the current learner is copied to an earlier self."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from ray.rllib.callbacks.callbacks import RLlibCallback

LEARNER = "learner"


@dataclass(frozen=True, slots=True)
class Seating:
    """RLlib's policy mapping: draws the policy of each agent by the episode's id, in the same way in every process.

    Attributes:
        num_robots: Agents of a game.
        past: Number of earlier selves; 0 for the learner alone.
        share: The probability that an earlier self takes a seat; the learner always has at least one seat of a game.
    """

    num_robots: int = 1
    past: int = 0
    share: float = 0.0

    @property
    def earlier(self) -> tuple[str, ...]:
        """Return the policy names of the earlier selves."""
        return tuple(f"past_{k}" for k in range(self.past))

    def __call__(self, agent_id: str, episode: Any, **_: Any) -> str:
        """Return the policy name of an agent: `LEARNER` or one of `earlier`."""
        first = zlib.crc32(episode.id_.encode()) % self.num_robots
        if not self.past or agent_id == f"robot_{first}":
            return LEARNER
        drawn = np.random.default_rng(zlib.crc32(f"{episode.id_}/{agent_id}".encode()))
        return self.earlier[drawn.integers(self.past)] if drawn.random() < self.share else LEARNER


class Places(RLlibCallback):  # type: ignore[misc]
    """Logs how the learner's games end: `won`, `place` and `flags`, averaged over the robots that it plays."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        """Log the results of the learner's robots, and their `score_against_past` where earlier selves play too."""
        last = {agent: one.get_infos(-1) for agent, one in episode.agent_episodes.items()}
        own = {agent for agent in last if episode.module_for(agent) == LEARNER}
        for agent in own:
            for name in ("won", "place", "flags"):
                if name in last[agent]:
                    metrics_logger.log_value(name, last[agent][name], reduce="mean", window=1000)
            others = [last[other]["place"] for other in last if other not in own and "place" in last[other]]
            if others and "place" in last[agent]:
                behind = (1 + np.sign(np.array(others) - last[agent]["place"])) / 2  # ties count half
                metrics_logger.log_value("score_against_past", float(behind.mean()), reduce="mean", window=1000)


class SelfPlay(Places):
    """Copies the learner to an earlier self every few iterations.

    Args:
        past: Number of earlier selves.
        every: Iterations between two copies.
    """

    def __init__(self, past: int, every: int) -> None:
        super().__init__()
        self.past, self.every = past, every

    def on_algorithm_init(self, *, algorithm: Any, **_: Any) -> None:
        """Give all earlier selves the learner's initial weights."""
        for k in range(self.past):
            become_earlier(algorithm, f"past_{k}")

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **_: Any) -> None:
        """Overwrite the oldest earlier self with the learner, if it is due."""
        done, left = divmod(result["training_iteration"], self.every)
        if not left:
            become_earlier(algorithm, f"past_{(done - 1) % self.past}")


def become_earlier(algorithm: Any, name: str) -> None:
    """Copy the learner's weights to an earlier self, in the learner group and in all runners."""
    group = algorithm.learner_group
    weights = group.get_state(components=f"learner/rl_module/{LEARNER}")["learner"]["rl_module"][LEARNER]
    group.set_state({"learner": {"rl_module": {name: weights}}})
    # RLlib's own way of sending weights would reach runners only after the learner's next update.
    algorithm.env_runner_group.foreach_env_runner(partial(_take, name, weights))


def _take(name: str, weights: Any, runner: Any) -> None:
    """Set the weights of one module of a runner."""
    runner.module[name].set_state(weights)
