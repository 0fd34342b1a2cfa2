"""A player that decides by a function, one decision at a time, for networks from outside this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD
from rr_gym.choices.observers import ChoicesObserver, check_lookahead, check_observation, has_choices
from rr_gym.encoding.act.actions import CARDS, action_layout, course_features, decode_actions
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.observations import make_observer
from rr_gym.errors import one_of, short_repr, truth_value
from rr_gym.policies.array_player import ArrayPlayer, ByArena
from rr_gym.policies.scaled_observations import ScaledObservations
from rr_gym.policies.scaling import SCALED
from rr_gym.policies.spec import PolicyError
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import no_orders, take_games

Array = np.ndarray[Any, Any]


class FunctionPlayer(ArrayPlayer):
    """Plays as a function decides, which observes what an environment with ``action="cards"`` shows to a learner.

    Args:
        choose: Takes the observations of some rows, an array (rows, ...) or a dict of such arrays, and their masks,
            int8, (rows, choices); returns a choice for each row, int, (rows,). It is called only for rows with several
            legal choices. An illegal choice counts as 0.
        observation: As for the environment, like all following arguments except `name`.
        window: Odd width of the part of the board that is observed; None for the default.
        decisions: Optional decisions besides the cards.
        preview: Whether the robot is observed where the cards chosen so far would bring it.
        lookahead: How far an observation with choices looks ahead; None for turns.
        observation_dtype: ``"scaled"`` or ``"native"``. Unlike environments, functions get whole numbers by default.
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
        window: int | None = None,
        decisions: Sequence[str] | str | None = None,
        preview: bool = False,
        lookahead: str | None = None,
        observation_dtype: str = "native",
        name: str = "function",
    ) -> None:
        if not callable(choose):
            raise PolicyError(f"choose: {short_repr(choose)}: expected a function of observations and masks")
        check_observation(observation, decisions=True)
        check_lookahead(lookahead, observation)
        if not isinstance(name, str) or not name:
            raise PolicyError(f"name: {short_repr(name)}: expected a text")
        self.choose = choose
        self.observation, self.window = observation, window
        self.lookahead = DEFAULT_LOOKAHEAD if lookahead is None else lookahead
        self.decided, self.preview = decisions, truth_value("preview", preview, PolicyError)
        self.name = name
        self.scaled = one_of("observation_dtype", observation_dtype, ("native", SCALED), PolicyError) == SCALED
        self._turns = ByArena(partial(_Turns, self))

    def _decide(self, arena: Arena, games: Array, seats: Array) -> Array:
        """Return the orders that the function decides on, see `ArrayPlayer`."""
        return self._turns(arena, int(games["num_robots"][0])).decide(games, seats)


class _Turns:
    """Decides turns of games on one arena with one number of robots."""

    def __init__(self, player: FunctionPlayer, arena: Arena, num_robots: int) -> None:
        self._player, self._arena = player, arena
        self._layout = action_layout("draw", arena.settings, player.decided, course_features(arena.tables))
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
        self._scaled: ScaledObservations | None = None
        if player.scaled:
            facts = {
                "observation": seen, "num_robots": num_robots, "window": self._observer.window, "action": CARDS,
                "decisions": self._layout.components[NUM_REGISTERS:], "preview": player.preview, "lookahead": lookahead,
                "elements": self._observer.elements,
            }  # fmt: skip
            self._scaled = ScaledObservations(facts, self._observer, space)

    def decide(self, games: Array, seats: Array) -> Array:
        """Return the orders of one seat in each game, (games,), dtype `FULL_ORDERS`."""
        steps, at = self._steps, seats.astype(np.int8)[:, None]
        steps.begin(games, at)
        for _ in range(steps.count):
            masks = steps.masks()
            choices = np.zeros(len(games), np.int64)
            rows = np.flatnonzero(np.count_nonzero(masks, axis=1) > 1)
            if len(rows):
                choices[rows] = self._chosen(self._observe(rows), masks[rows])
            steps.choose(choices)
        orders = no_orders(len(games), MAX_ROBOTS, full=True)
        repaired = np.empty((len(games), 1), np.int32)
        decode_actions(games, self._arena.tables, self._layout.code, at, steps.actions, orders, repaired)
        own: Array = orders[np.arange(len(games)), seats]
        return own

    def _observe(self, rows: Array) -> Any:
        """Return the observations of some rows."""
        seen = self._observe_whole(rows)
        if self._scaled is None:
            return seen
        scaled = self._scaled.buffer(len(rows))
        self._scaled.write(seen, scaled)
        return scaled

    def _observe_whole(self, rows: Array) -> Any:
        if has_choices(self._player.observation):
            return self._choices.observe(rows)
        seen = self._observer.observe(take_games(self._steps.games, rows), self._steps.seats[rows])
        return {name: array[:, 0] for name, array in seen.items()} if isinstance(seen, dict) else seen[:, 0]

    def _chosen(self, seen: Any, masks: Array) -> Array:
        """Return the function's choices; raise a PolicyError if they are not a choice for each row."""
        choices = np.asarray(self._player.choose(seen, masks))
        if choices.shape != masks.shape[:1] or choices.dtype.kind not in "iu":
            raise PolicyError(
                f"player '{self._player.name}': {choices.dtype} {choices.shape}: expected whole numbers of shape "
                f"{masks.shape[:1]}, a choice for each row"
            )
        return choices
