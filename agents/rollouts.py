"""Rollouts with turns of several decisions, and with rows without a choice, which Stable-Baselines3 does not support.

A turn is several decisions (rows), and in many of them there is only one legal choice. Stable-Baselines3 would ask the
network for each of these rows, learn from it, and discount from row to row. `play_rollout` stands in for its
`collect_rollouts`, and `TurnRollout` is mixed into its rollout buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableRolloutBuffer
from stable_baselines3.common.buffers import DictRolloutBuffer, RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from .decision_rules import DecisionRules
from .devices import on_device
from .lessons import rows_of

Array = np.ndarray[Any, Any]

_Mixin: Any = object  # Any, since the mixin uses attributes of the buffer
_PER_ROW = ("actions", "values", "log_probs", "advantages", "returns", "action_masks")


class TurnRollout(_Mixin):  # type: ignore[misc]
    """A mixin that adapts a rollout buffer of Stable-Baselines3 to this game.

    Time passes only between turns. The last decision of a turn is followed by the next turn: there, later steps are
    discounted by gamma and weighted by gae_lambda. Within a turn both factors are 1. Rollouts begin with a turn and
    consist of whole turns.

    A robot that is eliminated gets no more reward: its value is 0 from then on, and its rows until the end of the game
    are not learned from. Rows with a single legal choice are not learned from either, and have no value of their own:
    their rewards, and the value after them, count for the decision before.

    Args:
        args: Positional arguments of the buffer.
        stages: The number of decisions in a turn.
        kwargs: Keyword arguments of the buffer.

    Raises:
        ValueError: The size of the buffer is not a multiple of the stages.
    """

    observations: Any

    def __init__(self, *args: Any, stages: int = 1, **kwargs: Any) -> None:
        self.stages = stages
        super().__init__(*args, **kwargs)
        if self.buffer_size % stages:
            raise ValueError(f"{self.buffer_size} steps: expected a multiple of the {stages} decisions of a turn")

    def reset(self) -> None:
        """Empty the buffer at the beginning of a rollout."""
        super().reset()
        # Set step by step by `play_rollout`: which robots can act, also after the last step; which rows have a choice
        self.active = np.ones((self.buffer_size + 1, self.n_envs), np.bool_)
        self.choosing = np.ones((self.buffer_size, self.n_envs), np.bool_)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: Array) -> None:
        """Compute advantages and returns.

        Args:
            last_values: The values of the observations after the last step, (rows, 1) or (rows,).
            dones: Whether an episode ended with the last step, (rows,).
        """
        values = np.vstack([self.values, last_values.clone().cpu().numpy().reshape(1, -1)])
        starts = np.vstack([self.episode_starts, np.asarray(dones, np.float32)[None]])
        goes_on = (1 - starts[1:]) * self.active[1:]
        later, ahead_value = np.zeros(self.n_envs, np.float32), values[-1]
        for step in reversed(range(self.buffer_size)):
            last_of_turn = (step + 1) % self.stages == 0
            gamma = self.gamma if last_of_turn else 1.0
            weight = self.gae_lambda if last_of_turn else 1.0
            ahead = gamma * goes_on[step]
            decided = self.choosing[step]
            expected = self.rewards[step] + ahead * ahead_value
            later = weight * ahead * later + np.where(decided, expected - values[step], 0)
            ahead_value = np.where(decided, values[step], expected)
            self.advantages[step] = np.where(decided, later, 0)
        self.returns = self.advantages + self.values

    def get(self, batch_size: int | None = None) -> Iterator[Any]:
        """Yield mini-batches in random order: each row with a choice once, in batches of at least `batch_size` rows."""
        if not self.generator_ready:
            self._flatten()
        rows = len(self.values)
        batches = 1 if batch_size is None else max(1, rows // batch_size)
        # Batches of equal size: advantages are divided by their standard deviation, which a single row lacks.
        for chosen in np.array_split(np.random.permutation(rows), batches):
            yield self._get_samples(chosen)

    def rows(self) -> dict[str, Any]:
        """Return the arrays of all rows with a choice by name, for `take` of another buffer."""
        if not self.generator_ready:
            self._flatten()
        return {name: getattr(self, name) for name in ("observations", *_PER_ROW) if hasattr(self, name)}

    def to_torch(self, array: Array, copy: bool = True) -> torch.Tensor:
        """Return an array of a mini-batch as a tensor on the device of the network; the array is a copy already."""
        tensor: torch.Tensor = on_device(array, torch.device(self.device))
        return tensor

    def take(self, rows: Mapping[str, Any]) -> None:
        """Replace the contents by rows from `rows` of another buffer."""
        for name, array in rows.items():
            setattr(self, name, array)
        self.generator_ready = True

    def _flatten(self) -> None:
        """Flatten (steps, rows, ...) into (rows, ...), and drop rows without a choice."""
        kept = self.swap_and_flatten(self.active[:-1] & self.choosing).ravel()
        seen: Any = self.observations
        if isinstance(seen, dict):
            self.observations = {name: self.swap_and_flatten(array)[kept] for name, array in seen.items()}
        else:
            self.observations = self.swap_and_flatten(seen)[kept]
        for name in _PER_ROW:
            if hasattr(self, name):
                setattr(self, name, self.swap_and_flatten(getattr(self, name))[kept])
        self.generator_ready = True


def buffer_class(observation_space: spaces.Space[Any], masks: bool) -> type[TurnRollout]:
    """Return the class of the rollout buffer for an observation space, with or without action masks."""
    base = MaskableRolloutBuffer if masks else RolloutBuffer
    dict_base = MaskableDictRolloutBuffer if masks else DictRolloutBuffer
    chosen: Any = dict_base if isinstance(observation_space, spaces.Dict) else base
    return type(f"Turn{chosen.__name__}", (TurnRollout, chosen), {})


def play_rollout(
    model: OnPolicyAlgorithm, env: Any, callback: BaseCallback, buffer: Any, n_steps: int, rules: DecisionRules | None
) -> bool:
    """Play one rollout, as `collect_rollouts` of Stable-Baselines3 does.

    Rows with one legal choice take it, without a forward pass, and are not learned from.

    Args:
        model: The algorithm that learns.
        env: Its environment.
        callback: Called after every step; its local `ended` holds the rows whose episodes have ended.
            It may stop the rollout.
        buffer: A `TurnRollout`, which is emptied first.
        n_steps: The number of steps to play.
        rules: The rules that replace the policy in some decisions; None for none.

    Returns:
        Whether the buffer is full; False if the callback stopped the rollout.
    """
    masked = hasattr(buffer, "mask_dims")
    model.policy.set_training_mode(False)
    buffer.reset()
    callback.on_rollout_start()
    dones = model._last_episode_starts
    for step in range(n_steps):
        masks, buffer.active[step] = env.core.masks(), env.core.active()
        if rules:
            rules.narrow(env.core, masks)
        buffer.choosing[step] = (masks.sum(-1, dtype=np.int64) > 1).reshape(len(masks), -1).any(axis=1)
        flat = masks.view(np.bool_).reshape(len(masks), -1)
        actions, values, log_probs = _decide(model, masks, flat if masked else None, buffer.choosing[step])
        seen, rewards, dones, infos = env.step(actions)
        model.num_timesteps += env.num_envs
        ended = np.flatnonzero(dones)  # the infos of the other rows are empty
        more = {"action_masks": flat} if masked else {}
        callback.update_locals(
            {"infos": infos, "ended": ended, "actions": actions, "new_obs": seen, "rewards": rewards, "dones": dones,
             "values": values, "log_probs": log_probs, "n_steps": step, **more}
        )  # fmt: skip
        if not callback.on_step():
            return False
        _add_values_of_truncated(model, rewards, infos, ended)
        shaped = actions.reshape(len(actions), -1)
        buffer.add(model._last_obs, shaped, rewards, model._last_episode_starts, values, log_probs, **more)
        model._last_obs, model._last_episode_starts = seen, dones
    buffer.active[n_steps] = env.core.active()
    with torch.no_grad():
        last = model.policy.predict_values(on_device(model._last_obs, model.device))
    buffer.compute_returns_and_advantage(last_values=last, dones=dones)
    callback.on_rollout_end()
    return True


def _decide(
    model: OnPolicyAlgorithm, masks: Array, flat: Array | None, choosing: Array
) -> tuple[Array, torch.Tensor, torch.Tensor]:
    """Choose actions for all rows.

    Args:
        model: The algorithm that learns.
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
            tensors = on_device(chosen, model.device)
            legal = {} if flat is None else {"action_masks": flat[rows]}
            drawn, values[rows], log_probs[rows] = _shaped(model.policy(tensors, **legal))
        actions[rows] = drawn.numpy()  # on the CPU; see `_shaped`
    return actions, values, log_probs


def _shaped(result: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Reshape the results of a forward pass, on the CPU: actions, values (rows, 1) and log-probabilities (rows,)."""
    actions, values, log_probs = (part.cpu() for part in result)
    return actions, values.reshape(-1, 1), log_probs.reshape(-1)


def _add_values_of_truncated(
    model: OnPolicyAlgorithm, rewards: Array, infos: list[dict[str, Any]], ended: Array
) -> None:
    """Add the values of the final observations of truncated episodes to their last rewards, in one forward pass."""
    rows = [row for row in ended if infos[row].get("TimeLimit.truncated")]
    if not rows:
        return
    ends = [infos[row]["terminal_observation"] for row in rows]
    first = ends[0]
    seen = {name: np.stack([e[name] for e in ends]) for name in first} if isinstance(first, dict) else np.stack(ends)
    with torch.no_grad():
        values = model.policy.predict_values(on_device(seen, model.device))
    rewards[rows] += model.gamma * values.cpu().numpy().ravel()
