"""A player that decides by a function, for networks from outside this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
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
    write_masks,
)
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.observations import make_observer
from rr_gym.errors import one_of, short_repr, truth_value
from rr_gym.policies.array_player import ArrayPlayer, ByArena
from rr_gym.policies.scaled_observations import FloatObservations, ScaledObservations
from rr_gym.policies.scaling import SCALED
from rr_gym.policies.spec import PolicyError
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import no_orders, take_games

Array = np.ndarray[Any, Any]


class FunctionPlayer(ArrayPlayer):
    """Plays as a function decides, which observes what an environment shows to a learner.

    Args:
        choose: Takes the observations of some rows, an array (rows, ...) or a dict of such arrays, and their masks,
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
        observation_dtype: str = "native",
        name: str = "function",
    ) -> None:
        if not callable(choose):
            raise PolicyError(f"choose: {short_repr(choose)}: expected a function of observations and masks")
        self.action = one_of("action", action, STEP_MODES, PolicyError)
        check_observation(observation, decisions=action == CARDS)
        check_lookahead(lookahead, observation)
        if not isinstance(name, str) or not name:
            raise PolicyError(f"name: {short_repr(name)}: expected a text")
        self.choose = choose
        self.observation, self.window = observation, window
        self.lookahead = DEFAULT_LOOKAHEAD if lookahead is None else lookahead
        self.decided, self.preview = decisions, truth_value("preview", preview, PolicyError)
        if preview and action != CARDS:
            raise PolicyError(f"preview: True: only with action='{CARDS}'")
        self.name = name
        dtypes = ("native", "float32", SCALED)
        self.observation_dtype = one_of("observation_dtype", observation_dtype, dtypes, PolicyError)
        self._turns = ByArena(partial(_Turns, self))

    def _decide(self, arena: Arena, games: Array, seats: Array) -> Array:
        """Return the orders that the function decides on, see `ArrayPlayer`."""
        return self._turns(arena, int(games["num_robots"][0])).decide(games, seats)


class _Turns:
    """Decides turns of games on one arena with one number of robots."""

    def __init__(self, player: FunctionPlayer, arena: Arena, num_robots: int) -> None:
        self._player, self._arena = player, arena
        mode = "draw" if player.action == CARDS else player.action
        self._layout = action_layout(mode, arena.settings, player.decided, course_features(arena.tables))
        if player.action == CARDS:
            self._steps = TurnSteps(arena, self._layout, player.preview)
        seen, window = player.observation, player.window
        if has_choices(seen):
            lookahead = player.lookahead
            self._choices = ChoicesObserver(seen, self._steps, num_robots, window, lookahead=lookahead)
            self._observer = self._choices.rest
            space: spaces.Space[Any] = self._choices.space()
        else:
            lookahead = None
            self._observer = make_observer(seen, arena, num_robots, window)
            space = self._observer.space()
        self._floats: FloatObservations | None = None
        if player.observation_dtype == "float32":
            self._floats = FloatObservations(space)
        elif player.observation_dtype == SCALED:
            facts = {
                "observation": seen, "num_robots": num_robots, "window": self._observer.window, "action": player.action,
                "decisions": self._layout.components[NUM_REGISTERS:], "preview": player.preview, "lookahead": lookahead,
                "elements": self._observer.elements,
            }  # fmt: skip
            self._floats = ScaledObservations(facts, self._observer, space)

    def decide(self, games: Array, seats: Array) -> Array:
        """Return the orders of one seat in each game, (games,), dtype `FULL_ORDERS`."""
        at = seats.astype(np.int8)[:, None]
        decide = self._one_by_one if self._player.action == CARDS else self._at_once
        actions = decide(games, at)
        orders = no_orders(len(games), MAX_ROBOTS, full=True)
        repaired = np.empty((len(games), 1), np.int32)
        decode_actions(games, self._arena.tables, self._layout.code, at, actions, orders, repaired)
        own: Array = orders[np.arange(len(games)), seats]
        return own

    def _one_by_one(self, games: Array, seats: Array) -> Array:
        """Return the actions of one seat in each game, decision by decision: int64, (games, 1, components)."""
        steps = self._steps
        steps.begin(games, seats)
        for _ in range(steps.count):
            masks = steps.masks()
            choices = np.zeros(len(games), np.int64)
            rows = np.flatnonzero(np.count_nonzero(masks, axis=1) > 1)
            if len(rows):
                if has_choices(self._player.observation):
                    seen: Any = self._choices.observe(rows)
                else:
                    seen = self._observe(steps.games, steps.seats, rows)
                choices[rows] = self._chosen(self._as_asked(seen, len(rows)), masks[rows])
            steps.choose(choices)
        return steps.actions

    def _at_once(self, games: Array, seats: Array) -> Array:
        """Return the actions of one seat in each game, all decisions together: int64, (games, 1, components)."""
        masks = np.empty((len(games), 1, *self._layout.shape), np.int8)
        write_masks(games, self._arena.tables, self._layout.code, seats, masks)
        actions = np.zeros((len(games), 1, len(self._layout.components)), np.int64)
        rows = np.flatnonzero((np.count_nonzero(masks[:, 0], axis=2) > 1).any(axis=1))
        if len(rows):
            seen = self._as_asked(self._observe(games, seats, rows), len(rows))
            actions[rows, 0] = self._chosen(seen, masks[rows, 0])
        return actions

    def _observe(self, games: Array, seats: Array, rows: Array) -> Any:
        """Return the observations of some rows as whole numbers."""
        seen = self._observer.observe(take_games(games, rows), seats[rows])
        return {name: array[:, 0] for name, array in seen.items()} if isinstance(seen, dict) else seen[:, 0]

    def _as_asked(self, seen: Any, rows: int) -> Any:
        """Return observations as floats where the function gets floats."""
        if self._floats is None:
            return seen
        floats = self._floats.buffer(rows)
        self._floats.write(seen, floats)
        return floats

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
