"""Short best responses: train against the current policy of another run for a few updates, and evaluate the result."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import numpy as np
import torch
from msgspec import structs
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from rr_gym.evaluation import PlayerResult, evaluate
from rr_gym.policies import PolicyPlayer

from .config import TrainConfig
from .environment import courses_of
from .model import Learner, current_policy, make_model


def short_response(model: Learner, update: int, tell: Callable[[int], None]) -> PlayerResult:
    """Train a best response to a policy for `evaluation.exploit_rows` rows, and evaluate it in duels with the policy.

    It starts from the weights of the policy and learns with the same configuration, against the policy playing its most
    probable choices. Neither the policy nor the random generators of the process are changed.

    Args:
        model: The algorithm whose current policy is exploited, between two updates.
        update: The number of the last update, on which the seed of the response depends.
        tell: Called after every step with the number of rows that the response has learned from.

    Returns:
        The result of the response in the duels.
    """
    config = response_config(model.config, update)
    with generators_restored():
        frozen = PolicyPlayer(current_policy(model))
        response = make_model(config)
        with closing(response.env):
            response.policy.load_state_dict(model.policy.state_dict())
            response.env.set_opponents({frozen: 1.0})
            response.share = lambda: min(1.0, response.num_timesteps / config.training.total_steps)
            response.after_update = lambda: None
            response.set_logger(Logger(None, []))
            response.learn(config.training.total_steps, _RowCounter(tell), log_interval=None)
        played = evaluate(
            PolicyPlayer(current_policy(response)),
            [frozen],
            course=courses_of(config),
            games=config.evaluation.games,
            seed=config.evaluation.seed,
            max_cycles=config.environment.max_cycles,
            settings=config.environment.settings,
        )
    return played.players[0]


def response_config(config: TrainConfig, update: int) -> TrainConfig:
    """Return the configuration of a short response to the policy of a training run."""
    environment = structs.replace(
        config.environment, num_robots=2, seat="rotate", opponents={"random": 1.0}  # replaced by the policy
    )
    seed = int(np.random.SeedSequence([config.training.seed, update]).generate_state(1)[0])
    return structs.replace(
        config,
        environment=environment,
        algorithm=structs.replace(config.algorithm, pull=0.0, rules_until=0.0, final_learning_rate=None),
        training=structs.replace(config.training, total_steps=config.evaluation.exploit_rows, seed=seed),
    )


@contextmanager
def generators_restored() -> Iterator[None]:
    """Restore all random generators of the process at the end; Stable-Baselines3 seeds them when it makes a model."""
    python, numpy = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)


class _RowCounter(BaseCallback):
    """Calls `tell` after every step with the number of rows learned from."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        super().__init__()
        self._tell = tell

    def _on_step(self) -> bool:
        self._tell(self.model.num_timesteps)
        return True
