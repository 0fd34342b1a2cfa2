"""A second process that plays while the first one learns, exactly one update behind it.

Stable-Baselines3 plays and learns in turns, so that one of two cores is idle. Here the rollout of an update is played
with the policy as of the update before the last one. Which one that is depends on no clock: the process gets an order
for every rollout, with the weights in it, and the next one when its rollout has been taken. What a rollout says of
probabilities and values is that of the policy that played; before it is learned from, it is brought to the policy that
learns (`catch_up`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from rr_gym.evaluation.processes import Helper, ProgressCallback, SharingError
from rr_gym.training import call_agents

from .callbacks import Episode, episodes_of
from .config import TrainConfig
from .devices import on_device
from .folder import RunFolder
from .league import Entries, League
from .lessons import rows_of
from .model import make_model
from .resume import play_state, set_play_state
from .rules import Rules

Array = np.ndarray[Any, Any]

_PATIENCE = 5.0  # seconds for a step of all games
_AT_ONCE = 4096  # rows of a forward pass
_MOST = 2.0  # that an advantage is weighted by
_WEIGHTS = "order"  # in checkpoints: the array with the weights of the pending order


class RolloutTask(NamedTuple):
    """What is played by in a rollout.

    Attributes:
        weights: float32, (n,): those of the policy, one parameter after the other.
        entries: Who is met in a league with past selves.
        by_rule: Whether power-downs and facings are decided by rule.
    """

    weights: Array
    entries: Entries
    by_rule: bool


class Play(NamedTuple):
    """The state of what plays between two rollouts.

    Attributes:
        entries: Who was met last.
        arrays: From `play_state`.
    """

    entries: Entries
    arrays: Mapping[str, Array]


class Rollout(NamedTuple):
    """What was played.

    Attributes:
        rows: From `TurnRollout.rows`.
        episodes: Those that ended, in their order.
        arrays: From `play_state`, after it.
    """

    rows: dict[str, Any]
    episodes: list[Episode]
    arrays: dict[str, Array]


def catch_up(policy: Any, rows: dict[str, Any]) -> None:
    """Let rows that an earlier policy played be learned from by a later one.

    PPO keeps a policy close to the one that its rows name. If that was the earlier one, an update would first of all
    take back what the one before it has learned. So the logarithms of probabilities become those of the policy that
    is about to learn, and the advantages are weighted by how much more probable the choices are to it.

    Args:
        policy: What learns.
        rows: From `TurnRollout.rows`; changed.
    """
    policy.set_training_mode(False)
    found = []
    for start in range(0, len(rows["actions"]), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        actions = on_device(rows["actions"][part], policy.device)
        masks = {"action_masks": rows["action_masks"][part]} if "action_masks" in rows else {}
        with torch.no_grad():
            seen = on_device(rows_of(rows["observations"], part), policy.device)
            drawn = policy.get_distribution(seen, **masks).log_prob(actions if actions.shape[1] > 1 else actions[:, 0])
        found.append(drawn.cpu().numpy().reshape(-1, *rows["log_probs"].shape[1:]))
    now = np.concatenate(found) if found else rows["log_probs"]
    rows["advantages"] = rows["advantages"] * np.exp(now - rows["log_probs"]).clip(max=_MOST)
    rows["log_probs"] = now


class SecondCore:
    """The process that plays, as the one that learns sees it. It begins with the first order.

    Args:
        folder: The run, with its configuration in it.
        play: What it plays on from.
    """

    def __init__(self, folder: RunFolder, play: Play) -> None:
        self._folder = folder.path
        self._helper: Helper[Any, Any] | None = None
        self._order: RolloutTask | None = None
        self._play = play

    @property
    def busy(self) -> bool:
        """Whether there is a rollout to take."""
        return self._order is not None

    def give(self, order: RolloutTask) -> None:
        """Order the next rollout."""
        self._order = order
        if self._helper:
            self._helper.submit((tuple(order), None))

    def take(self, report: Callable[[int], None]) -> Rollout:
        """Wait for the rollout that was ordered.

        Args:
            report: Called now and then meanwhile.

        Raises:
            SharingError: The process was killed from outside.
            Exception: One raised there; bugs become a RuntimeError that says where.
        """
        assert self._order is not None
        if self._helper is None:
            make = partial(call_agents, "second_core", "Collector", str(self._folder), os.getcwd())
            self._helper = Helper(make, _PATIENCE)
            self._helper.submit((tuple(self._order), tuple(self._play)))
        try:
            rollout = Rollout(*self._helper.result(report))
        except SharingError:
            raise SharingError("training.second_core: the process that plays was killed") from None
        self._play, self._order = Play(self._order.entries, rollout.arrays), None
        return rollout

    def close(self) -> None:
        """End the process, whatever it plays."""
        if self._helper:
            self._helper.close()

    # Checkpoints

    def get_state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return numbers and arrays for `set_state`: the state before the pending rollout, and its order.

        The pending rollout itself is not saved: after `set_state` it is played again.
        """
        numbers: dict[str, Any] = {"entries": self._play.entries, "order": None}
        arrays = dict(self._play.arrays)
        if self._order:
            numbers["order"] = {"entries": self._order.entries, "by_rule": self._order.by_rule}
            arrays[_WEIGHTS] = self._order.weights
        return numbers, arrays

    def set_state(self, numbers: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Resume from a state."""
        own = dict(arrays)
        order = numbers["order"]
        if order:
            self._order = RolloutTask(own.pop(_WEIGHTS), order["entries"], bool(order["by_rule"]))
        self._play = Play(numbers["entries"], own)


class Collector:
    """Plays rollouts by orders, in the second process. What goes to it and from it are tuples, see `SecondCore`.

    Args:
        path: The run's folder, with its configuration in it.
        directory: Where the names of files in the configuration begin.
    """

    def __init__(self, path: str, directory: str) -> None:
        os.chdir(directory)
        self._folder = RunFolder(path)
        config = TrainConfig.load(self._folder.config)
        torch.set_num_threads(config.training.threads)
        self._model = make_model(config)
        self._env = self._model.env
        self._league = League(self._model, self._folder)
        self._rules = Rules(self._env.core) if config.algorithm.rules_until else None
        self._tally = _Tally(self._env.core)
        self._model.set_logger(Logger(None, []))
        self._model._setup_learn(0, self._tally)

    def __call__(
        self, task: tuple[tuple[Any, ...], tuple[Any, ...] | None], should_stop: ProgressCallback
    ) -> tuple[Any, ...] | None:
        """Play a rollout: by an order, and first of all from a state. None if it was stopped."""
        order = RolloutTask(*task[0])
        if task[1] is not None:
            play = Play(*task[1])
            self._league.meet(play.entries)
            set_play_state(self._model, play.arrays)
        self._league.meet(order.entries)
        self._model.policy.load_from_vector(order.weights)
        self._tally.begin(should_stop)
        model, buffer = self._model, self._model.rollout_buffer
        model.rules = self._rules if order.by_rule else None
        if not model.collect_rollouts(self._env, self._tally, buffer, model.n_steps):
            return None
        rows, arrays = buffer.rows(), play_state(model)
        return tuple(Rollout(rows, self._tally.episodes, arrays))

    def close(self) -> None:
        """Close the opponents."""
        self._env.close()


class _Tally(BaseCallback):
    """Collects the episodes that end in a rollout, and stops it where it is told to."""

    def __init__(self, core: Any) -> None:
        super().__init__()
        self._core = core

    def begin(self, should_stop: ProgressCallback) -> None:
        """Collect from here."""
        self._should_stop = should_stop
        self.episodes: list[Episode] = []
        self._steps = 0

    def _on_step(self) -> bool:
        self.episodes += episodes_of(self._core, self.locals["infos"], self.locals["ended"])
        self._steps += 1
        return not self._should_stop(self._steps)
