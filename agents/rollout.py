"""Playing with the policy as it is now: rows without a choice cost no forward pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.utils import obs_as_tensor

from .lessons import rows_of
from .rules import Rules

Array = np.ndarray[Any, Any]


def collect(model: OnPolicyAlgorithm, env: Any, callback: BaseCallback, rules: Rules | None) -> bool:
    """Play one rollout into the rollout buffer, in place of `collect_rollouts` of Stable-Baselines3.

    Rows with one legal choice take it, without a forward pass, and are not learned from.

    Args:
        model: What learns.
        env: Its environment.
        callback: Told of every step: of the infos of rows whose episodes ended; it may stop the rollout.
        rules: What is decided by rule instead of the policy for now; None for nothing.

    Returns:
        Whether the buffer is full: False where the callback stopped the rollout.
    """
    buffer: Any = model.rollout_buffer
    masked = hasattr(buffer, "mask_dims")
    model.policy.set_training_mode(False)
    buffer.reset()
    callback.on_rollout_start()
    dones = model._last_episode_starts
    for step in range(model.n_steps):
        masks = env.core.masks()
        if rules:
            rules.narrow(env.core, masks)
        buffer.choosing[step] = (masks.sum(-1, dtype=np.int64) > 1).reshape(len(masks), -1).any(axis=1)
        flat = masks.view(np.bool_).reshape(len(masks), -1)
        actions, values, log_probs = _decide(model, masks, flat if masked else None, buffer.choosing[step])
        seen, rewards, dones, infos = env.step(actions)
        model.num_timesteps += env.num_envs
        ended = np.flatnonzero(dones)
        callback.update_locals({"infos": [infos[row] for row in ended]})  # the others say nothing
        if not callback.on_step():
            return False
        _add_values_of_truncated(model, rewards, infos, ended)
        more = {"action_masks": flat} if masked else {}
        shaped = actions.reshape(len(actions), -1)
        buffer.add(model._last_obs, shaped, rewards, model._last_episode_starts, values, log_probs, **more)
        model._last_obs, model._last_episode_starts = seen, dones
    with torch.no_grad():
        last = model.policy.predict_values(obs_as_tensor(model._last_obs, model.device))  # type: ignore[arg-type]
    buffer.compute_returns_and_advantage(last_values=last, dones=dones)
    callback.on_rollout_end()
    return True


def _decide(
    model: OnPolicyAlgorithm, masks: Array, flat: Array | None, choosing: Array
) -> tuple[Array, torch.Tensor, torch.Tensor]:
    """Choose actions for all rows.

    Args:
        model: What learns.
        masks: int8, (rows, ..., choices).
        flat: The masks as the policy takes them, bool, (rows, choices); None for a policy without masks.
        choosing: bool, (rows,), the rows with more than one legal choice.

    Returns:
        The actions, and their values, (rows, 1), and log-probabilities, (rows,), which are 0 where `choosing` is false.
    """
    actions = masks.argmax(-1)
    values, log_probs = torch.zeros(len(masks), 1), torch.zeros(len(masks))
    rows = np.flatnonzero(choosing)
    if rows.size:
        chosen = rows_of(model._last_obs, rows)
        with torch.no_grad():
            tensors = obs_as_tensor(chosen, model.device)
            legal = {} if flat is None else {"action_masks": flat[rows]}
            drawn, values[rows], log_probs[rows] = _shaped(model.policy(tensors, **legal))
        actions[rows] = drawn.numpy()
    return actions, values, log_probs


def _shaped(result: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Reshape the results of a forward pass: actions, values (rows, 1) and log-probabilities (rows,)."""
    actions, values, log_probs = result
    return actions, values.reshape(-1, 1), log_probs.reshape(-1)


def _add_values_of_truncated(
    model: OnPolicyAlgorithm, rewards: Array, infos: list[dict[str, Any]], ended: Array
) -> None:
    """Add what is expected after episodes that were cut off to their last rewards, in one forward pass."""
    rows = [row for row in ended if infos[row].get("TimeLimit.truncated")]
    if not rows:
        return
    ends = [infos[row]["terminal_observation"] for row in rows]
    first = ends[0]
    seen = {name: np.stack([e[name] for e in ends]) for name in first} if isinstance(first, dict) else np.stack(ends)
    with torch.no_grad():
        values = model.policy.predict_values(obs_as_tensor(seen, model.device))
    rewards[rows] += model.gamma * values.numpy().ravel()
