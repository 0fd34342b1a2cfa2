"""Observers of turns that are decided step by step, with features of the current decision's choices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD
from rr_gym.choices.facts import ChoiceFacts
from rr_gym.choices.trials import Effort
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.observations import (
    OBSERVATIONS,
    OBSERVERS,
    Observation,
    Observer,
    TablesObserver,
    make_observer,
)
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr
from rr_gym.rules.state.records import take_games

Array = np.ndarray[Any, Any]

CHOICES = "choices"
CHOICE_OBSERVATIONS = (CHOICES, *(f"{name}+{CHOICES}" for name in OBSERVATIONS))


def has_choices(observation: Any) -> bool:
    """Tell whether an observation of this name contains the tables of choices."""
    return isinstance(observation, str) and observation.split("+")[-1] == CHOICES


def check_observation(name: Any, decisions: bool) -> None:
    """Raise a RoboRallyError unless there is an observation of that name.

    Args:
        name: The name of the observation.
        decisions: Whether a step is a single decision; only then can choices be observed.
    """
    _check_name(name, (*OBSERVERS, *(CHOICE_OBSERVATIONS if decisions else ())))


def _check_name(name: Any, known: Sequence[str]) -> None:
    if not isinstance(name, str) or name not in known:
        hint = did_you_mean(name, known) or f"expected {' | '.join(known)}"
        raise RoboRallyError(f"observation: {short_repr(name)}: {hint}")


def check_lookahead(lookahead: Any, observation: str) -> None:
    """Raise a RoboRallyError if a lookahead is given for an observation without choices."""
    if lookahead is not None and not has_choices(observation):
        expected = " | ".join(CHOICE_OBSERVATIONS)
        raise RoboRallyError(f"lookahead: {short_repr(lookahead)}: only with an observation of {expected}")


class ChoicesObserver:
    """Writes observations with the tables `choices` and `prospects`.

    Args:
        name: One of `CHOICE_OBSERVATIONS`.
        steps: The turns that are being decided.
        num_robots: Robots of each game.
        window: Odd width, in squares, of the observed part of the board; None for the default.
        elements: Groups of board elements to observe; None for those that occur on the courses.
        lookahead: One of `LOOKAHEADS`.
        effort: How many programs to try with the lookaheads "trials" and "trials+value"; None for `thorough`.

    Attributes:
        rest: The observer of all other tables.
        facts: The writer of `choices` and `prospects`.
        low: Lowest values by name.
        high: Highest values by name.

    Raises:
        RoboRallyError: There is no such observation or lookahead, or the window or the elements are wrong.
    """

    def __init__(
        self,
        name: str,
        steps: TurnSteps,
        num_robots: int,
        window: int | None = None,
        elements: Iterable[str] | None = None,
        lookahead: str = DEFAULT_LOOKAHEAD,
        effort: Effort | None = None,
    ) -> None:
        _check_name(name, CHOICE_OBSERVATIONS)
        self._own = name.removesuffix(f"+{CHOICES}")
        if name == CHOICES:
            self.rest: Observer = TablesObserver(steps.arena, num_robots, window, elements)
        else:
            self.rest = make_observer(self._own, steps.arena, num_robots, window, elements)
        self.steps = steps
        self.facts = ChoiceFacts(steps, num_robots, lookahead, effort)
        self.low = {**self._named(self.rest.low), **self.facts.low}
        self.high = {**self._named(self.rest.high), **self.facts.high}

    def _named(self, observation: Observation) -> dict[str, Any]:
        return observation if isinstance(observation, dict) else {self._own: observation}

    def buffer(self, num_rows: int) -> dict[str, Array]:
        """Allocate uninitialised arrays for the observations of `num_rows` rows, by name."""
        return {name: np.empty((num_rows, *low.shape), low.dtype) for name, low in self.low.items()}

    def write(self, out: dict[str, Array], numbers: Array | None = None) -> None:
        """Write observations into a buffer.

        Args:
            out: Made by `buffer`; overwritten.
            numbers: int, (n,): the rows of `steps` to observe; None for all.
        """
        games, seats = self.steps.games, self.steps.seats
        if numbers is not None:
            games, seats = take_games(games, numbers), seats[numbers]
        tables = {name: out[name][:, None] for name in self._named(self.rest.low)}
        self.rest.write_own(games, seats, tables if isinstance(self.rest.low, dict) else tables[self._own])
        self.facts.write(out["choices"], out["prospects"], numbers)

    def observe(self, numbers: Array | None = None) -> dict[str, Array]:
        """Return new observations of the given rows; None for all."""
        out = self.buffer(len(self.steps.games) if numbers is None else len(numbers))
        self.write(out, numbers)
        return out

    def space(self) -> spaces.Dict:
        """Make a new space for one observation."""
        return spaces.Dict({
            name: spaces.Box(low, self.high[name], dtype=low.dtype.type) for name, low in self.low.items()
        })
