"""From a configuration to what learns: the environment and the algorithm of Stable-Baselines3."""

from __future__ import annotations

import io
import math
import warnings
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.utils import LinearSchedule

from rr_gym import sb3
from rr_gym.envs.observation_types import NATIVE
from rr_gym.files import write_file
from rr_gym.policies import Policy, PolicySpec, save_policy
from rr_gym.policies.sb3_adapter import MaskableNetworkPolicy, NetworkPolicy, policy_from_sb3
from rr_gym.policies.spec import policy_facts

from .buffer import buffer_class
from .config import TrainConfig
from .environment import environment_arguments, network_of
from .folder import RunError
from .sections import STOCK
from .start import Pull, load_start, take_weights


def make_env(config: TrainConfig) -> Any:
    """Create the vectorised environment of a configuration for Stable-Baselines3."""
    arguments = environment_arguments(config)
    return sb3.make_vec_env(**arguments, observation_dtype=NATIVE, seed=config.training.seed)  # networks scale them


def make_model(config: TrainConfig, env: Any) -> OnPolicyAlgorithm:
    """Create the untrained algorithm (PPO or MaskablePPO); this also seeds the process's random number generators."""
    options, stages = config.algorithm, env.core.stages
    masks = options.name == "maskable_ppo"
    policy, policy_kwargs = _policy(config, env)
    final = options.learning_rate if options.final_learning_rate is None else options.final_learning_rate
    with warnings.catch_warnings():
        # About a short last mini-batch: the buffer makes them all of one size.
        warnings.filterwarnings("ignore", message="You have specified a mini-batch size")
        model: OnPolicyAlgorithm = (MaskablePPO if masks else PPO)(
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
            seed=config.training.seed,
            device="cpu",
        )
    model.rollout_buffer.watch = env.core.active  # type: ignore[attr-defined]
    if config.network != STOCK and config.environment.observation == "entities":
        model.policy.set_boards(env.core.observer.boards)  # type: ignore[operator]
    return model


def start_from(config: TrainConfig, model: OnPolicyAlgorithm, env: Any, folder: Path) -> None:
    """Give a model the weights of the policy in a folder, and pull it towards that if the configuration says so.

    Raises:
        RoboRallyError: There is no such policy, or it does not fit the configuration.
    """
    policy = load_start(config, env.core, folder)
    take_weights(model.policy, policy)
    if config.algorithm.pull > 0:
        learner: Any = model.policy
        learner.pull = Pull(policy, config.algorithm.pull, env.core.observer.boards)
        learner.entropy_coef = config.algorithm.entropy_coef


def _policy(config: TrainConfig, env: Any) -> tuple[Any, dict[str, Any]]:
    """Return the class of the policy and its keyword arguments."""
    if config.network == STOCK:
        return "MlpPolicy", {}
    spec = PolicySpec.from_json({**policy_facts(env.core), "network": network_of(config)})
    masks = config.algorithm.name == "maskable_ppo"
    return MaskableNetworkPolicy if masks else NetworkPolicy, {"spec": spec.to_json()}


def current_policy(model: OnPolicyAlgorithm, env: Any, config: TrainConfig) -> Policy:
    """Return a copy of the current policy that also records how it was trained."""
    return policy_from_sb3(model.policy, _facts(model, env, config))


def export_policy(model: OnPolicyAlgorithm, env: Any, config: TrainConfig, folder: Path) -> None:
    """Write the policy as it is now into a folder, for `rr_gym.policies.load_policy`."""
    save_policy(current_policy(model, env, config), folder)


def _facts(model: OnPolicyAlgorithm, env: Any, config: TrainConfig) -> dict[str, Any]:
    """Return how the policy was trained, as facts for its spec."""
    return policy_facts(env.core, rows=model.num_timesteps, config=config.as_mapping())


def is_finite(model: OnPolicyAlgorithm) -> bool:
    """Tell whether all weights and all values that the last update logged are finite numbers."""
    weights = all(bool(torch.isfinite(weight).all()) for weight in model.policy.parameters())
    # The explained variance is not a number where all returns are equal.
    logged = (v for k, v in model.logger.name_to_value.items() if k != "train/explained_variance")
    return weights and all(v is None or math.isfinite(v) for v in logged)


def save_model(model: OnPolicyAlgorithm, env: Any, config: TrainConfig, path: Path) -> None:
    """Save for Stable-Baselines3's `load`, which then needs `rr_gym.policies` but not this package. Raises RunError."""
    model.rr_gym = _facts(model, env, config)  # type: ignore[attr-defined]
    content = io.BytesIO()
    without = ["rollout_buffer_class", "rollout_buffer_kwargs", "ep_info_buffer", "ep_success_buffer"]
    model.save(content, exclude=without)
    write_file(path, content.getvalue(), RunError)
