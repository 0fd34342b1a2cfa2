"""A player that decides by a function, for networks from outside this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD
from rr_gym.choices.observers import check_lookahead, check_observation, has_choices
from rr_gym.encoding.act.actions import CARDS, STEP_MODES
from rr_gym.errors import one_of, short_repr, truth_value
from rr_gym.policies.array_player import ArrayPlayer, ByArena
from rr_gym.policies.scaled_observations import RowObservations
from rr_gym.policies.scaling import NATIVE, OBSERVATION_DTYPES
from rr_gym.policies.spec import PolicyError
from rr_gym.policies.step_form import StepForm
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders

Array = np.ndarray[Any, Any]


class FunctionPlayer(ArrayPlayer):
    """Plays as a function decides, which observes what an environment shows to a learner.

    Args:
        choose: Takes the observations of rows, an array (rows, ...) or a dict of such arrays, and their masks,
            int8, (rows, choices); returns a choice for each row, int, (rows,). If it decides whole turns (`action`),
            masks have the shape (rows, components, choices) and choices (rows, components). It is called only for rows
            with several legal choices. An illegal choice counts as 0.
        observation: As for the environment, like all following arguments except `name`. With whole turns it has no
            choices.
        action: ``"cards"`` for one decision of a turn after the other; ``"draw"`` or ``"slots"`` for whole turns.
        window: Odd width of the part of the board that is observed; None for the default.
        decisions: Optional decisions besides the cards.
        preview: With ``"cards"``: whether the robot is observed where the cards chosen so far would bring it.
        lookahead: How far an observation with choices looks ahead; None for turns.
        observation_dtype: ``"scaled"``, ``"native"`` or ``"float32"``. Unlike environments for learners, functions get
            whole numbers by default.
        name: The name in reports and replays.

    Raises:
        RoboRallyError: `choose` is not callable, or another argument has a wrong value. Arguments that do not fit a
            game raise an error when the player plays it.
    """

    outside = True  # the function is not part of this package

    def __init__(
        self,
        choose: Callable[[Any, Array], Any],
        observation: str = "choices",
        *,
        action: str = CARDS,
        window: int | None = None,
        decisions: Sequence[str] | str | None = None,
        preview: bool = False,
        lookahead: str | None = None,
        observation_dtype: str = NATIVE,
        name: str = "function",
    ) -> None:
        if not callable(choose):
            raise PolicyError(f"choose: {short_repr(choose)}: expected a function of observations and masks")
        self.action = one_of("action", action, STEP_MODES, PolicyError)
        check_observation(observation, decisions=action == CARDS)
        check_lookahead(lookahead, observation)
        if not isinstance(name, str) or not name:
            raise PolicyError(f"name: {short_repr(name)}: expected text")
        self.choose = choose
        self.observation, self.window = observation, window
        self.lookahead = DEFAULT_LOOKAHEAD if lookahead is None else lookahead
        self.decided, self.preview = decisions, truth_value("preview", preview, PolicyError)
        if preview and action != CARDS:
            raise PolicyError(f"preview: True: only with action='{CARDS}'")
        self.name = name
        self.observation_dtype = one_of("observation_dtype", observation_dtype, OBSERVATION_DTYPES, PolicyError)
        self._turns = ByArena(partial(_Turns, self))

    def _decide(self, arena: Arena, games: Array, seats: Array) -> Array:
        """Return the orders that the function decides on; see `ArrayPlayer`."""
        return self._turns(arena, int(games["num_robots"][0])).decide(games, seats)


class _Turns:
    """Decides turns of games on one arena with one number of robots."""

    def __init__(self, player: FunctionPlayer, arena: Arena, num_robots: int) -> None:
        self._player = player
        lookahead = player.lookahead if has_choices(player.observation) else None
        self._form = StepForm(
            arena, num_robots, player.action, player.observation, player.window, player.decided, player.preview,
            lookahead,
        )  # fmt: skip
        self._seen = RowObservations(self._form, player.observation_dtype)

    def decide(self, games: Array, seats: Array) -> Array:
        """Return the orders of one seat in each game, (games,), dtype `FULL_ORDERS`."""
        form, at = self._form, seats.astype(np.int8)[:, None]
        if form.steps:
            form.steps.begin(games, at)
            for _ in range(form.stages):
                form.steps.choose(self._choices(games, at))
        actions = form.steps.actions if form.steps else self._choices(games, at)
        orders = no_orders(len(games), MAX_ROBOTS, full=True)
        form.decode(games, at, actions, orders)
        own: Array = orders[np.arange(len(games)), seats]
        return own

    def _choices(self, games: Array, seats: Array) -> Array:
        """Return the function's choices in the next step: int64, (games,), or (games, components) for whole turns."""
        form = self._form
        masks = np.empty((len(games), *form.mask_shape), np.int8)
        form.write_masks(games, seats, masks)
        actions = np.zeros((len(games), *form.action_shape), np.int64)
        several = np.count_nonzero(masks, axis=-1) > 1
        rows = np.flatnonzero(several.reshape(len(games), -1).any(axis=1))
        if len(rows):
            actions[rows] = self._chosen(self._seen.observe(games, seats, rows), masks[rows])
        return actions

    def _chosen(self, seen: Any, masks: Array) -> Array:
        """Return the function's choices; raise a PolicyError if they are not a choice for each row and component."""
        choices = np.asarray(self._player.choose(seen, masks))
        if choices.shape != masks.shape[:-1] or choices.dtype.kind not in "iu":
            each = "row" if masks.ndim == 2 else "component of each row"
            raise PolicyError(
                f"player '{self._player.name}': {choices.dtype} {choices.shape}: expected whole numbers of shape "
                f"{masks.shape[:-1]}, a choice for each {each}"
            )
        return choices
