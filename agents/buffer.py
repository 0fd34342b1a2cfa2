"""Rollout buffers that discount by turns and leave out rows with nothing to decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer, MaskableRolloutBuffer
from stable_baselines3.common.buffers import DictRolloutBuffer, RolloutBuffer

Array = np.ndarray[Any, Any]

_Mixin: Any = object  # the attributes of the buffer that it is mixed into are there
_PER_ROW = ("actions", "values", "log_probs", "advantages", "returns", "action_masks")


class TurnRollout(_Mixin):  # type: ignore[misc]
    """What a rollout buffer of Stable-Baselines3 becomes for this game; it is mixed into one.

    Time passes only between turns: an advantage is discounted by gamma, and weighs later steps by gae_lambda, where
    the last decision of a turn is followed by the next turn, and by 1 within a turn. Rollouts begin with a turn and
    hold whole turns.

    A robot that is eliminated gets nothing more: its value is 0 from then on, and its rows until the end of the game
    are not learned from. Neither are rows with a single legal choice, which have no value either: what is earned in
    them, and what is expected after them, belongs to the decision before.

    Args:
        args: As for the buffer.
        stages: Decisions of a turn.
        kwargs: As for the buffer.

    Raises:
        ValueError: The size of the buffer is not a multiple of the stages.
    """

    observations: Any
    # Set after construction: bool (rows,), which robots can act in what is observed now. None: all of them.
    watch: Callable[[], Array] | None = None

    def __init__(self, *args: Any, stages: int = 1, **kwargs: Any) -> None:
        self.stages = stages
        super().__init__(*args, **kwargs)
        if self.buffer_size % stages:
            raise ValueError(f"{self.buffer_size} steps: expected a multiple of the {stages} decisions of a turn")

    def reset(self) -> None:
        """Empty the buffer. Called where a rollout begins."""
        super().reset()
        self.active = np.ones((self.buffer_size + 1, self.n_envs), np.bool_)  # the last: after the rollout
        # Set step by step before `add`: which rows have a choice.
        self.choosing = np.ones((self.buffer_size, self.n_envs), np.bool_)
        self._note(0)

    def _note(self, step: int) -> None:
        """Note which robots can act in the step."""
        if self.watch is not None:
            self.active[step] = self.watch()

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Take in a step. It has been played already, so what is watched now belongs to the next one."""
        super().add(*args, **kwargs)
        self._note(self.pos)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: Array) -> None:
        """Compute advantages and returns.

        Args:
            last_values: Values of what is observed after the last step, (rows, 1) or (rows,).
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
        # Equal parts: a rest of a single row has no standard deviation, by which advantages are divided.
        for chosen in np.array_split(np.random.permutation(rows), batches):
            yield self._get_samples(chosen)

    def rows(self) -> dict[str, Any]:
        """Return the arrays of all rows with a choice, by name, as `take` of another buffer reads them."""
        if not self.generator_ready:
            self._flatten()
        return {name: getattr(self, name) for name in ("observations", *_PER_ROW) if hasattr(self, name)}

    def take(self, rows: Mapping[str, Any]) -> None:
        """Replace the contents by the rows of another buffer."""
        for name, array in rows.items():
            setattr(self, name, array)
        self.generator_ready = True

    def _flatten(self) -> None:
        """Flatten (steps, rows, ...) into (rows, ...), and drop the rows that had nothing to decide."""
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


class TurnRolloutBuffer(TurnRollout, RolloutBuffer):  # type: ignore[misc]
    """For plain observations."""


class TurnDictRolloutBuffer(TurnRollout, DictRolloutBuffer):  # type: ignore[misc]
    """For observations of several parts."""


class TurnMaskableRolloutBuffer(TurnRollout, MaskableRolloutBuffer):  # type: ignore[misc]
    """For plain observations, with masks."""


class TurnMaskableDictRolloutBuffer(TurnRollout, MaskableDictRolloutBuffer):  # type: ignore[misc]
    """For observations of several parts, with masks."""


def buffer_class(observation_space: spaces.Space[Any], masks: bool) -> type[TurnRollout]:
    """Return the class of rollout buffer for an observation space, with or without action masks."""
    if isinstance(observation_space, spaces.Dict):
        return TurnMaskableDictRolloutBuffer if masks else TurnDictRolloutBuffer
    return TurnMaskableRolloutBuffer if masks else TurnRolloutBuffer
