"""A second process that plays rollouts while the first one learns, always one update behind it.

Stable-Baselines3 plays and learns in turns, so that one of two cores is idle. Here the rollout of an update is played
with the policy from before the previous update. This does not depend on timing: the process gets an order
for every rollout, which contains the weights, and the next order when its rollout has been taken. The rollout's
probabilities and values are those of the policy that played; before the rollout is learned from, it is corrected for
the policy that learns (`correct_off_policy`).
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
from .decision_rules import DecisionRules
from .devices import on_device
from .folder import RunFolder
from .league import Entries, League
from .lessons import rows_of
from .model import make_model
from .resume import play_state, set_play_state

Array = np.ndarray[Any, Any]

_PATIENCE = 5.0  # seconds that the process gets to finish a step of all games when it is told to stop
_AT_ONCE = 4096  # the maximum number of rows in a forward pass
_MAX_RATIO = 2.0  # probability ratios, which weight advantages, are clipped here
_WEIGHTS = "order"  # the name in checkpoints of the array with the weights of the pending order


class RolloutTask(NamedTuple):
    """The order to play a rollout.

    Attributes:
        weights: float32, (n,): the concatenated parameters of the policy.
        entries: The opponents in a league with past selves, with their shares.
        by_rule: Whether rules decide power-downs and facings.
    """

    weights: Array
    entries: Entries
    by_rule: bool


class PlayState(NamedTuple):
    """The state between two rollouts, from which the next one is played.

    Attributes:
        entries: The last opponents, with their shares.
        arrays: From `play_state`.
    """

    entries: Entries
    arrays: Mapping[str, Array]


class Rollout(NamedTuple):
    """A rollout that was played.

    Attributes:
        rows: The arrays from `TurnRollout.rows`.
        episodes: The episodes that ended in it, in order.
        arrays: The arrays from `play_state` after the rollout.
    """

    rows: dict[str, Any]
    episodes: list[Episode]
    arrays: dict[str, Array]


def correct_off_policy(policy: Any, rows: dict[str, Any]) -> None:
    """Correct rows that an earlier policy played, so that a later policy can learn from them.

    PPO keeps a policy close to the one whose probabilities are in the rows. With those of the earlier policy, an update
    would first undo the previous update. So the log-probabilities are replaced by those of the policy that
    is about to learn, and the advantages are weighted by the clipped ratio of the probabilities.

    Args:
        policy: The policy that learns.
        rows: The arrays from `TurnRollout.rows`; changed in place.
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
    rows["advantages"] = rows["advantages"] * np.exp(now - rows["log_probs"]).clip(max=_MAX_RATIO)
    rows["log_probs"] = now


class SecondCore:
    """The learning process's handle on the process that plays, which starts with the first call of `take`.

    Args:
        folder: The run folder, which holds the configuration.
        play: The state from which the first rollout is played.
    """

    def __init__(self, folder: RunFolder, play: PlayState) -> None:
        self._folder = folder.path
        self._helper: Helper[Any, Any] | None = None
        self._order: RolloutTask | None = None
        self._play = play

    @property
    def busy(self) -> bool:
        """Tell whether a rollout has been ordered and not been taken yet."""
        return self._order is not None

    def submit(self, order: RolloutTask) -> None:
        """Order the next rollout."""
        self._order = order
        if self._helper:
            self._helper.submit((tuple(order), None))

    def take(self, report: Callable[[int], None]) -> Rollout:
        """Wait for the rollout that was ordered.

        Args:
            report: Called from time to time with the number of steps played.

        Raises:
            SharingError: The process was killed from outside.
            Exception: It was raised there; anything but an error for users becomes a RuntimeError with its traceback.
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
        self._play, self._order = PlayState(self._order.entries, rollout.arrays), None
        return rollout

    def close(self) -> None:
        """End the process, even in the middle of a rollout."""
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
        self._play = PlayState(numbers["entries"], own)


class Collector:
    """Plays the ordered rollouts, in the second process; orders and results are sent as plain tuples.

    Args:
        path: The run folder, which holds the configuration.
        directory: The working folder, to which paths in the configuration are relative.
    """

    def __init__(self, path: str, directory: str) -> None:
        os.chdir(directory)
        self._folder = RunFolder(path)
        config = TrainConfig.load(self._folder.config)
        torch.set_num_threads(config.training.threads)
        self._model = make_model(config)
        self._env = self._model.env
        self._league = League(self._model, self._folder)
        self._rules = DecisionRules(self._env.core) if config.algorithm.rules_until else None
        self._tally = _Tally(self._env.core)
        self._model.set_logger(Logger(None, []))
        self._model._setup_learn(0, self._tally)

    def __call__(
        self, task: tuple[tuple[Any, ...], tuple[Any, ...] | None], should_stop: ProgressCallback
    ) -> tuple[Any, ...] | None:
        """Play the rollout of a task: an order and, only in the first task, a state. Return None if it was stopped."""
        order = RolloutTask(*task[0])
        if task[1] is not None:
            play = PlayState(*task[1])
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
    """Collects the episodes that end in a rollout, and stops the rollout on request."""

    def __init__(self, core: Any) -> None:
        super().__init__()
        self._core = core

    def begin(self, should_stop: ProgressCallback) -> None:
        """Forget earlier episodes, and ask `should_stop` after every step from now on."""
        self._should_stop = should_stop
        self.episodes: list[Episode] = []
        self._steps = 0

    def _on_step(self) -> bool:
        self.episodes += episodes_of(self._core, self.locals["infos"], self.locals["ended"])
        self._steps += 1
        return not self._should_stop(self._steps)
