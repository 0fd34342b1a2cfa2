"""Make the learning algorithm from a configuration: PPO of Stable-Baselines3, adapted to turns of this game."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule

from rr_gym import sb3
from rr_gym.files import write_file
from rr_gym.policies import Policy, PolicySpec, save_policy
from rr_gym.policies.sb3_adapter import MaskableNetworkPolicy, NetworkPolicy, parts_of, policy_from_sb3
from rr_gym.policies.scaling import NATIVE
from rr_gym.policies.spec import policy_facts

from .config import TrainConfig
from .decision_rules import DecisionRules
from .devices import find_device
from .environment import environment_arguments, network_of
from .folder import RunError
from .rollouts import buffer_class, play_rollout
from .sections import STOCK
from .start import Pull, load_start

_Mixin: Any = object  # Any, since the mixin uses attributes of the algorithm


class Learner(_Mixin):  # type: ignore[misc]
    """A mixin that adapts an on-policy algorithm of Stable-Baselines3 to this game.

    The loop (`learn`), the update (`train`) and its log remain those of the library. Only rollouts are played
    differently (`rollouts`), and there are hooks that the library does not have.

    Attributes:
        config: The configuration that it was made from.
        share: Returns how much of the training is done, from 0 to 1, for schedules; must be set before `learn`.
        after_update: Called after every update; must be set before `learn`.
        stopped: If True, no further rollout begins, which ends `learn`.
        rules: The rules that replace the policy in some decisions of the next rollout; None for none.
        take_rollout: Fills the buffer with a rollout from another process; None if rollouts are played in this one.
    """

    config: TrainConfig
    share: Callable[[], float]
    after_update: Callable[[], None]
    stopped = False
    rules: DecisionRules | None = None
    take_rollout: Callable[[], None] | None = None

    def collect_rollouts(
        self, env: Any, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        """Fill the buffer with a rollout; return False if there is none."""
        if self.stopped:
            return False
        if self.take_rollout is None:
            model: Any = self
            return play_rollout(model, env, callback, rollout_buffer, n_rollout_steps, self.rules)
        self.take_rollout()
        return True

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        self._current_progress_remaining = 1 - self.share()  # also with a time limit, which the library lacks

    def train(self) -> None:
        """Update the policy with the rollout in the buffer."""
        try:
            super().train()
        except ValueError:  # raised by torch for a distribution with NaN parameters
            if self.is_finite():
                raise
        pull = getattr(self.policy, "added_loss", None)
        if pull is not None:
            self.logger.record("train/pull_loss", pull.mean_since_last_call())
        self.after_update()

    def is_finite(self) -> bool:
        """Tell whether all weights and all values that the last update logged are finite numbers."""
        weights = all(bool(torch.isfinite(weight).all()) for weight in self.policy.parameters())
        # The explained variance is NaN if all returns are equal.
        logged = (v for k, v in self.logger.name_to_value.items() if k != "train/explained_variance")
        return weights and all(v is None or math.isfinite(v) for v in logged)

    def _excluded_save_params(self) -> list[str]:
        own = ["config", "rules", "take_rollout", "share", "after_update", "stopped"]
        buffers = ["rollout_buffer_class", "rollout_buffer_kwargs", "ep_info_buffer", "ep_success_buffer"]
        return [*super()._excluded_save_params(), *own, *buffers]


class TurnPPO(Learner, PPO):
    """PPO without action masks."""


class TurnMaskablePPO(Learner, MaskablePPO):
    """PPO with action masks, which never makes an illegal choice."""


def make_model(config: TrainConfig) -> Learner:
    """Create the untrained algorithm with its environment; this also seeds the random generators of the process."""
    arguments = environment_arguments(config)
    seed = config.training.seed
    env = sb3.make_vec_env(**arguments, observation_dtype=NATIVE, seed=seed)  # networks scale them
    options, stages = config.algorithm, env.core.stages
    masks = options.name == "maskable_ppo"
    policy, policy_kwargs = _policy(config, env)
    final = options.learning_rate if options.final_learning_rate is None else options.final_learning_rate
    with warnings.catch_warnings():
        # The warning is about a short last mini-batch, but the buffer makes all mini-batches of about the same size.
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        model: Learner = (TurnMaskablePPO if masks else TurnPPO)(
            policy,
            env,
            learning_rate=LinearSchedule(options.learning_rate, final, 1.0),
            n_steps=options.turns_per_update * stages,
            batch_size=options.batch_size,
            n_epochs=options.epochs,
            gamma=options.gamma,
            gae_lambda=options.gae_lambda,
            clip_range=options.clip_range,
            ent_coef=options.entropy_coef,
            vf_coef=options.value_coef,
            max_grad_norm=options.max_grad_norm,
            target_kl=options.target_kl,
            rollout_buffer_class=buffer_class(env.observation_space, masks),
            rollout_buffer_kwargs={"stages": stages},
            policy_kwargs=policy_kwargs,
            seed=seed,
            device=find_device(config.training.device),
        )
    model.config = config
    if config.network != STOCK and config.environment.observation == "entities":
        model.policy.set_boards(env.core.observer.boards)
    return model


def start_from(model: Learner, folder: Path) -> None:
    """Load the weights of the policy in a folder into a model, and add the pull towards it if `algorithm.pull` is set.

    Raises:
        RoboRallyError: There is no such policy, or it does not fit the configuration.
    """
    core, weight = model.env.core, model.config.algorithm.pull
    policy = load_start(model.config, core, folder)
    for name, part in parts_of(model.policy).items():
        part.load_state_dict(getattr(policy.network, name).state_dict())
    if weight > 0:
        policy.network.to(model.device)
        model.policy.added_loss = Pull(policy, weight, core.observer.boards)


def _policy(config: TrainConfig, env: Any) -> tuple[Any, dict[str, Any]]:
    """Return the class of the policy and its keyword arguments."""
    if config.network == STOCK:
        return "MlpPolicy", {}
    spec = PolicySpec.from_json({**policy_facts(env.core), "network": network_of(config)})
    masks = config.algorithm.name == "maskable_ppo"
    return MaskableNetworkPolicy if masks else NetworkPolicy, {"spec": spec.to_json()}


def current_policy(model: Learner, **facts: Any) -> Policy:
    """Return a copy of the current policy, with facts about its training and any further `facts`."""
    return policy_from_sb3(model.policy, _facts(model, **facts))


def export_policy(model: Learner, folder: Path, **facts: Any) -> None:
    """Write the current policy into a folder, for `rr_gym.policies.load_policy`, with further facts about it."""
    save_policy(current_policy(model, **facts), folder)


def save_model(model: Learner, path: Path) -> None:
    """Save a model for Stable-Baselines3's `load`, which then needs `rr_gym` but not `agents`. Raises RunError."""
    model.rr_gym = _facts(model)
    content = io.BytesIO()
    model.save(content)
    write_file(path, content.getvalue(), RunError)


def _facts(model: Learner, **facts: Any) -> dict[str, Any]:
    """Return how the policy was trained, as facts for its spec."""
    return policy_facts(model.env.core, rows=model.num_timesteps, config=model.config.as_mapping(), **facts)
