"""Sequential tests of matches: they stop as soon as a figure is known to be above or below a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rr_gym.errors import did_you_mean, short_repr
from rr_gym.evaluation.match_log import EvaluationError
from rr_gym.evaluation.statistics.control_variates import RunningAdjustment
from rr_gym.evaluation.statistics.sequences import (
    UNDECIDED,
    BettingSequence,
    ConfidenceSequence,
    NormalSequence,
    Verdict,
)

Array = np.ndarray[Any, Any]

TESTED = ("win", "finish")  # shares of games, which lie from 0 to 1


def read_test(until: Any) -> tuple[str, float]:
    """Return the figure and the value of a test given as ``{"win": 0.5}``.

    Raises:
        EvaluationError: It is not one figure that can be tested, with a number between 0 and 1.
    """
    if not isinstance(until, Mapping) or len(until) != 1:
        raise EvaluationError(f"until: {short_repr(until)}: expected one figure and a value, such as {{'win': 0.5}}")
    ((name, value),) = until.items()
    check_test(name, value)
    return str(name), float(value)


def check_test(name: Any, value: Any, where: str = "until") -> None:
    """Raise an EvaluationError, which calls the test `where`, if a figure cannot be tested against a value."""
    if name not in TESTED:
        hint = did_you_mean(str(name), TESTED) or f"expected {' | '.join(TESTED)}"
        raise EvaluationError(f"{where}: there is no test of {short_repr(name)}: {hint}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise EvaluationError(f"{where} {name}={short_repr(value)}: expected a number between 0 and 1")


class SequentialTest:
    """Tests whether a figure of the player under test is above or below a value, round by round.

    A round has a deal on each course, in each direction of the line-up, and in every rotation; its observation is the
    mean over its games. Rounds are independent and have the same expectation, which is what confidence sequences need.
    What the test says depends on the rounds alone, not on how many are played in one batch.

    Args:
        figure: One of `TESTED`.
        against: The value, between 0 and 1.
        deals: The number of deals in a round.
        rotations: The number of games of a deal.
        most: The number of games of the whole match.
        adjusted: Whether to test shares of games won without luck. Their sequence is valid for many rounds, while
            that of plain shares is valid for any number.
    """

    def __init__(
        self, figure: str, against: float, deals: int, rotations: int, most: int, adjusted: bool = False
    ) -> None:
        self._figure, self._against = figure, against
        self._deals, self._rotations, self._most = deals, rotations, most
        self._adjustment = RunningAdjustment() if adjusted and figure == "win" else None
        self._sequence: ConfidenceSequence = (NormalSequence if self._adjustment else BettingSequence)(against)
        self._left: list[tuple[float, float]] = []  # values and luck of the deals of a round that is not complete
        self._rounds = 0

    @property
    def decided(self) -> bool:
        """Whether the figure was found to be above or below the value."""
        return self._sequence.verdict != UNDECIDED

    @property
    def deals_used(self) -> int:
        """How many deals the test has used; those after a decision are not needed."""
        return self._rounds * self._deals

    def add(self, facts: Mapping[str, Array]) -> None:
        """Continue with the facts of the next deals, by name as in `facts_of`: (deals, rotations, ...)."""
        values = facts[self._figure][:, :, 0].mean(1)
        luck = facts["luck"][:, :, 0].mean(1) if self._adjustment else np.zeros(len(values))
        for deal in zip(values.tolist(), luck.tolist(), strict=True):
            if self.decided:
                return
            self._left.append(deal)
            if len(self._left) == self._deals:
                value, lucky = np.mean(self._left, 0).tolist()
                self._sequence.add(self._adjustment.next(value, lucky) if self._adjustment else value)
                self._rounds += 1
                self._left.clear()

    @property
    def verdict(self) -> Verdict:
        """What the test has found out so far."""
        low, high = self._sequence.interval
        games = self.deals_used * self._rotations
        return Verdict(self._figure, self._against, self._sequence.verdict, low, high, games, self._most)
