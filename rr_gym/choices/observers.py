"""Observations of turns that are decided step by step, with where the choices of the decision at hand lead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD
from rr_gym.choices.facts import ChoiceFacts
from rr_gym.choices.trials import THOROUGH, Effort
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.observations import OBSERVATIONS, Observation, Observer, TablesObserver, make_observer
from rr_gym.errors import RoboRallyError, did_you_mean, shown
from rr_gym.rules.state.records import take_games

Array = np.ndarray[Any, Any]

CHOICES = "choices"
CHOICE_OBSERVATIONS = (CHOICES, *(f"{name}+{CHOICES}" for name in OBSERVATIONS))


def has_choices(observation: Any) -> bool:
    """Whether an observation is named that has the tables of choices."""
    return isinstance(observation, str) and observation.split("+")[-1] == CHOICES


def check_observation(name: Any, decisions: bool) -> None:
    """Whether there is an observation of that name. Raises RoboRallyError.

    Args:
        name: Of the observation.
        decisions: Whether a step is one decision, so that choices can be observed.
    """
    _check_name(name, (*OBSERVATIONS, *(CHOICE_OBSERVATIONS if decisions else ())))


def _check_name(name: Any, known: Sequence[str]) -> None:
    if not isinstance(name, str) or name not in known:
        hint = did_you_mean(name, known) or f"expected {' | '.join(known)}"
        raise RoboRallyError(f"observation: {shown(name)}: {hint}")


def check_lookahead(lookahead: Any, observation: str) -> None:
    """Raise RoboRallyError where it is said how far an observation without choices looks ahead."""
    if lookahead is not None and not has_choices(observation):
        expected = " | ".join(CHOICE_OBSERVATIONS)
        raise RoboRallyError(f"lookahead: {shown(lookahead)}: only with an observation of {expected}")


class ChoicesObserver:
    """Writes observations with the tables `choices` and `prospects`.

    Args:
        name: One of `CHOICE_OBSERVATIONS`.
        steps: The turns that are decided.
        num_robots: Robots of each game.
        window: Odd width of the part of the board that is seen; None for the default.
        elements: Groups of elements that are seen; None for those that the courses have.
        lookahead: One of `LOOKAHEADS`.
        effort: Of trials, where the lookahead has them.

    Attributes:
        rest: The observer of all other tables.
        facts: That of `choices` and `prospects`.
        low: Lowest values by name.
        high: Highest values.

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
        effort: Effort = THOROUGH,
    ) -> None:
        _check_name(name, CHOICE_OBSERVATIONS)
        self._own = name.removesuffix(f"+{CHOICES}")
        if name == CHOICES:
            chosen = {} if window is None else {"window": window}
            self.rest: Observer = TablesObserver(steps.arena, num_robots, elements=elements, **chosen)
        else:
            self.rest = make_observer(self._own, steps.arena, num_robots, window, elements)
        self.steps = steps
        self.facts = ChoiceFacts(steps, num_robots, lookahead, effort)
        self.low = {**self._named(self.rest.low), **self.facts.low}
        self.high = {**self._named(self.rest.high), **self.facts.high}

    def _named(self, observation: Observation) -> dict[str, Any]:
        return observation if isinstance(observation, dict) else {self._own: observation}

    def buffer(self, num_rows: int) -> dict[str, Array]:
        """Room for so many observations; not yet filled."""
        return {name: np.empty((num_rows, *low.shape), low.dtype) for name, low in self.low.items()}

    def write(self, out: dict[str, Array], numbers: Array | None = None) -> None:
        """Write observations.

        Args:
            out: What `buffer` makes: overwritten.
            numbers: (n,), whole numbers: which rows of the steps; None for all.
        """
        games, seats = self.steps.games, self.steps.seats
        if numbers is not None:
            games, seats = take_games(games, numbers), seats[numbers]
        tables = {name: out[name][:, None] for name in self._named(self.rest.low)}
        self.rest.write_own(games, seats, tables if isinstance(self.rest.low, dict) else tables[self._own])
        self.facts.write(out["choices"], out["prospects"], numbers)

    def observe(self, numbers: Array | None = None) -> dict[str, Array]:
        """New observations of some rows; None for all."""
        out = self.buffer(len(self.steps.games) if numbers is None else len(numbers))
        self.write(out, numbers)
        return out

    def space(self) -> spaces.Dict:
        """A new space of one observation."""
        return spaces.Dict({
            name: spaces.Box(low, self.high[name], dtype=low.dtype.type) for name, low in self.low.items()
        })
