"""Hooks into a training run from Python: callbacks and a logger of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import KVWriter, Logger

from rr_gym.errors import RoboRallyError, short_repr

from .config import ConfigError, TrainConfig


class Hooks(CallbackList):
    """The caller's callbacks, called as by an algorithm of Stable-Baselines3, and a logger that also gets the curve.

    A callback that returns False does not cut a rollout short, since rollouts hold whole turns. It sets `stopped`,
    and the training ends after the current update.

    Args:
        callbacks: Callbacks of Stable-Baselines3.
        logger: A logger of Stable-Baselines3, or None.

    Raises:
        RoboRallyError: An argument is of another type.
    """

    def __init__(self, callbacks: Sequence[Any] = (), logger: Any = None) -> None:
        if not isinstance(callbacks, list | tuple):
            raise RoboRallyError(f"callbacks: {short_repr(callbacks)}: expected a list of callbacks")
        for callback in callbacks:
            if not isinstance(callback, BaseCallback):
                found = short_repr(callback)
                raise RoboRallyError(f"callbacks: {found}: expected a BaseCallback of Stable-Baselines3")
        if logger is not None and not isinstance(logger, Logger):
            raise RoboRallyError(f"logger: {short_repr(logger)}: expected a Logger of Stable-Baselines3")
        super().__init__(list(callbacks))
        self.formats: list[KVWriter] = [] if logger is None else logger.output_formats
        self.stopped = False

    def check(self, config: TrainConfig) -> None:
        """Raise a ConfigError if the games are played in another process, where callbacks cannot be called."""
        if self.callbacks and config.training.second_core:
            raise ConfigError(
                "training.second_core: true: expected false with callbacks, which another process cannot call"
            )

    def _on_step(self) -> bool:
        self.stopped |= not super()._on_step()
        return True
