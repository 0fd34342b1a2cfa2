"""Who plays which robot, and when the learner of today becomes one of its earlier selves."""

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
    """RLlib's policy mapping: the policy of an agent is drawn by the episode's id, the same in every process.

    Attributes:
        num_robots: Agents of a game.
        past: Earlier selves that there are; 0 for the learner alone.
        share: The probability that a seat is an earlier self's; one seat of a game is always the learner's.
    """

    num_robots: int = 1
    past: int = 0
    share: float = 0.0

    @property
    def earlier(self) -> tuple[str, ...]:
        """The names of the earlier selves."""
        return tuple(f"past_{k}" for k in range(self.past))

    def __call__(self, agent_id: str, episode: Any, **_: Any) -> str:
        """The policy of an agent."""
        first = zlib.crc32(episode.id_.encode()) % self.num_robots
        if not self.past or agent_id == f"robot_{first}":
            return LEARNER
        drawn = np.random.default_rng(zlib.crc32(f"{episode.id_}/{agent_id}".encode()))
        return self.earlier[drawn.integers(self.past)] if drawn.random() < self.share else LEARNER


class Places(RLlibCallback):  # type: ignore[misc]
    """Reports how the learner's games end: `won`, `place` and `flags`, means over the robots that it plays."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        """Report a game that is over."""
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
    """Makes the learner one of its earlier selves every few iterations.

    Args:
        past: Earlier selves that there are.
        every: Iterations between two of them.
    """

    def __init__(self, past: int, every: int) -> None:
        super().__init__()
        self.past, self.every = past, every

    def on_algorithm_init(self, *, algorithm: Any, **_: Any) -> None:
        """Begin with the learner in all places."""
        for k in range(self.past):
            become_earlier(algorithm, f"past_{k}")

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **_: Any) -> None:
        """Replace the oldest."""
        done, left = divmod(result["training_iteration"], self.every)
        if not left:
            become_earlier(algorithm, f"past_{(done - 1) % self.past}")


def become_earlier(algorithm: Any, name: str) -> None:
    """Give an earlier self the learner's weights, in learners and runners."""
    group = algorithm.learner_group
    weights = group.get_state(components=f"learner/rl_module/{LEARNER}")["learner"]["rl_module"][LEARNER]
    group.set_state({"learner": {"rl_module": {name: weights}}})
    # Not by RLlib's own way of sending weights: runners take those only after the learner's next update.
    algorithm.env_runner_group.foreach_env_runner(partial(_take, name, weights))


def _take(name: str, weights: Any, runner: Any) -> None:
    """Give a module of a runner weights."""
    runner.module[name].set_state(weights)
