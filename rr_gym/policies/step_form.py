"""The form of a step: what rows observe and choose, for steps that are whole turns or single decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD
from rr_gym.choices.observers import ChoicesObserver, check_lookahead, check_observation, has_choices
from rr_gym.encoding.act.actions import (
    CARDS,
    STEP_MODES,
    action_layout,
    course_features,
    decode_actions,
    repair_actions,
    write_masks,
)
from rr_gym.encoding.act.components import ActionError
from rr_gym.encoding.act.spaces import action_space
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.observations import Observation, Observer, make_observer
from rr_gym.errors import EnvError, one_of, short_repr, truth_value
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import no_orders, take_games

Array = np.ndarray[Any, Any]


class StepForm:
    """What rows observe and choose in a step. Rows are the seats of all games, game by game.

    Args:
        arena: Where the games are played.
        num_robots: Robots of each game.
        action: One of `STEP_MODES`; this and the arguments after it are explained in `rr_gym.envs.core.Core`.
        observation: The name of the observation.
        window: Odd width of the part of the board that is observed.
        decisions: Optional components of the action.
        preview: Whether robots are observed where the cards chosen so far would bring them.
        lookahead: How far an observation with choices looks ahead.

    Attributes:
        layout: The layout of an action that decides a whole turn.
        steps: The decisions of the current turns; None if a step is a turn.
        stages: Steps of a turn.
        mask_shape: The shape of the mask of a row.
        action_shape: The shape of the action of a row.
        observation: The name of the observation.
        observer: Observes everything but choices.
        choices_observer: Observes choices too; None if the observation has none.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """

    def __init__(
        self,
        arena: Arena,
        num_robots: int,
        action: str,
        observation: str,
        window: int | None,
        decisions: Sequence[str] | str | None,
        preview: bool,
        lookahead: str | None,
    ) -> None:
        one_of("action", action, STEP_MODES, EnvError)
        self._arena = arena
        mode = "draw" if action == CARDS else action
        self.layout = action_layout(mode, arena.settings, decisions, course_features(arena.tables))
        self._code = self.layout.code
        if truth_value("preview", preview, EnvError) and action != CARDS:
            raise EnvError(f"preview: {short_repr(preview)}: only with action='{CARDS}'")
        self.steps = TurnSteps(arena, self.layout, preview) if action == CARDS else None
        self.stages = self.steps.count if self.steps else 1
        self.mask_shape = (self.layout.width,) if self.steps else self.layout.shape
        self.action_shape = () if self.steps else (len(self.layout.components),)
        self.observation = observation
        self.choices_observer: ChoicesObserver | None = None
        if has_choices(observation):
            if not self.steps:
                raise EnvError(f"observation: {short_repr(observation)}: only with action='{CARDS}'")
            known = DEFAULT_LOOKAHEAD if lookahead is None else lookahead
            self.choices_observer = ChoicesObserver(observation, self.steps, num_robots, window, lookahead=known)
            self.observer: Observer = self.choices_observer.rest
            return
        check_observation(observation, decisions=self.steps is not None)
        check_lookahead(lookahead, observation)
        self.observer = make_observer(observation, arena, num_robots, window)

    def play_on(self, arena: Arena) -> None:
        """Continue with games on another arena.

        It may differ only in settings that change neither actions nor observations.
        """
        self._arena = arena
        self.observer.tables = arena.tables
        if self.steps:
            self.steps.arena = arena

    def facts(self) -> dict[str, Any]:
        """Return what observations and actions depend on, in types that JSON has: fields of a policy's spec."""
        return {
            "observation": self.observation,
            "window": self.observer.window,
            "num_robots": self.observer.num_robots,
            "action": CARDS if self.steps else self.layout.mode,
            "decisions": list(self.layout.components[NUM_REGISTERS:]),
            "preview": bool(self.steps and self.steps.preview),
            "lookahead": self.choices_observer.facts.lookahead if self.choices_observer else None,
            "elements": list(self.observer.elements),
        }

    def space(self) -> spaces.Space[Any]:
        """Make a new space for one row's observation."""
        return (self.choices_observer or self.observer).space()

    def action_space(self) -> spaces.MultiDiscrete | spaces.Discrete:
        """Make a new space for one row's action."""
        return spaces.Discrete(self.layout.width) if self.steps else action_space(self.layout)

    def buffer(self, rows: int) -> Observation:
        """Allocate buffers for the observations of `rows` rows."""
        if self.choices_observer:
            return self.choices_observer.buffer(rows)
        return _shaped(self.observer.buffer(rows, 1), (rows,), 2)

    def observe(self, games: Array, seats: Array, numbers: Array | None, out: Observation = None) -> Observation:
        """Return the observations of rows.

        Args:
            games: (n,), dtype `GAME`.
            seats: (n, k), int8.
            numbers: (m,): indices of the games whose rows to observe; None for all.
            out: A buffer from `buffer` to overwrite; None to allocate one.
        """
        per_game = 1
        if self.steps:
            games, seats, per_game = self.steps.games, self.steps.seats, seats.shape[1]
        chosen = None
        if numbers is not None:
            chosen = (np.asarray(numbers)[:, None] * per_game + np.arange(per_game)).ravel()
            games, seats = take_games(games, chosen), seats[chosen]
        out = self.buffer(seats.size) if out is None else out
        if self.choices_observer:
            self.choices_observer.write(out, chosen)
        else:
            self.observer.write_own(games, seats, _shaped(out, seats.shape))
        return out

    def write_masks(self, games: Array, seats: Array, out: Array) -> None:
        """Write the masks of the next step of games, (n,), for seats, (n, k), into `out`: int8, (rows, *mask_shape)."""
        if self.steps:
            self.steps.masks(out)
        else:
            write_masks(games, self._arena.tables, self._code, seats, out.reshape(*seats.shape, *self.mask_shape))

    def check_actions(self, actions: Any, rows: int) -> Array:
        """Return the actions of `rows` rows as an array.

        Raises:
            ActionError: They are not integers of the right shape.
        """
        shape = (rows, *self.action_shape)
        return _whole_numbers("actions", actions, shape, f"whole numbers of shape {shape}")

    def check_action(self, action: Any, name: str = "action") -> Array:
        """Return the action of one row, which errors call `name`, as an array.

        Raises:
            ActionError: Its shape or type is wrong.
        """
        numbers = "one whole number" if self.steps else f"{len(self.layout.components)} whole numbers"
        return _whole_numbers(name, action, self.action_shape, f"{numbers}, shape {self.action_shape}")

    def decode(self, games: Array, seats: Array, actions: Array, orders: Array) -> tuple[Array, Array]:
        """Write the orders of a turn, of which this is the last step.

        Args:
            games: (n,), dtype `GAME`.
            seats: (n, k), int8.
            actions: From `check_actions`; not read if a turn has several steps, since `steps` holds the actions of all.
            orders: (n, 8), dtype `FULL_ORDERS`: overwritten for these seats.

        Returns:
            For each seat the number of choices of the turn that its mask did not allow, and of those that it allowed
            but that conflicted with others of the same action: int32, (n, k) each.
        """
        given = self.steps.actions if self.steps else actions.reshape(*seats.shape, -1)
        given = np.ascontiguousarray(given, np.int64)
        repaired = np.empty(seats.shape, np.int32)
        decode_actions(games, self._arena.tables, self._code, seats, given, orders, repaired)
        if self.steps:
            return repaired + self.steps.illegal, np.zeros_like(repaired)
        if not repaired.any():
            return repaired, np.zeros_like(repaired)
        masks = np.empty((*seats.shape, *self.mask_shape), np.int8)
        self.write_masks(games, seats, masks)
        choice = np.clip(given, 0, self.layout.width - 1)
        allowed = (choice == given) & (np.take_along_axis(masks, choice[..., None], axis=-1)[..., 0] > 0)
        illegal = np.count_nonzero(~allowed, axis=-1).astype(np.int32)
        return illegal, repaired - illegal

    def without_conflicts(self, games: Array, seats: Array, actions: Array) -> Array:
        """Return the actions of all rows with every choice that cannot be carried out replaced by its default.

        A mask allows each choice by itself, yet two registers may name the same slot, or two options the same card.
        """
        if self.steps:
            return actions  # the mask of a single decision excludes conflicts
        settled = np.array(actions.reshape(*seats.shape, -1), np.int64)
        orders = no_orders(len(games), MAX_ROBOTS, full=True)
        repair_actions(games, self._arena.tables, self._code, seats, settled, orders)
        return settled.reshape(actions.shape)


def _whole_numbers(name: str, given: Any, shape: tuple[int, ...], expected: str) -> Array:
    """Return whole numbers of a shape as an array; raise an ActionError for anything else."""
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.empty(0)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise ActionError(f"{name}: {array.dtype} {array.shape}: expected {expected}")
    return array


def _shaped(observation: Observation, lead: tuple[int, ...], axes: int = 1) -> Observation:
    """Reshape observations so that `lead` replaces their first `axes` axes; the memory is shared."""
    if isinstance(observation, dict):
        return {name: _shaped(array, lead, axes) for name, array in observation.items()}
    return observation.reshape(*lead, *observation.shape[axes:])
