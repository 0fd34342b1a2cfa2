"""Evaluations while a policy learns: matches that leave no trace in the training."""

from __future__ import annotations

from typing import Any

import torch
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from rr_gym.evaluation import evaluate
from rr_gym.policies import PolicyPlayer

from .config import TrainConfig
from .environment import courses_of, evaluation_opponents
from .model import current_policy

FIGURES = ("win", "finish", "place", "flags")


def evaluate_model(model: OnPolicyAlgorithm, env: Any, config: TrainConfig, update: int) -> dict[str, float | None]:
    """Evaluate the current policy with its most probable choices, and return the figures for the curve.

    Args:
        model: What learns.
        env: Its environment; no game in it is touched.
        config: Says whether, against whom, and on what.
        update: The number of updates so far.

    Returns:
        The same names for all updates; None where this one is not evaluated. Empty without evaluations.
    """
    options, environment = config.evaluation, config.environment
    if options.every is None:
        return {}
    names = [f"eval/{name}" for name in FIGURES]
    if update % options.every:
        return dict.fromkeys(names)
    with torch.random.fork_rng(devices=[]):
        played = evaluate(
            PolicyPlayer(current_policy(model, env, config)),
            evaluation_opponents(config),
            course=courses_of(config),
            games=options.games,
            seed=options.seed,
            max_cycles=environment.max_cycles,
            settings=environment.settings,
        )
    own = played.players[0]
    return {name: float(getattr(own, figure).value) for name, figure in zip(names, FIGURES, strict=True)}
