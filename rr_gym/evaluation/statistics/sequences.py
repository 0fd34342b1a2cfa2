"""Confidence sequences: intervals for a mean that hold at every time at once, so that one may stop when they decide.

A 95 % confidence interval is wrong once in twenty times. Whoever looks at it after every game and stops as soon as it
excludes some value is wrong far more often. A confidence sequence excludes the true mean at any time, however
late, with a probability of at most 5 %.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

ALPHA = 0.05  # the probability that the sequence ever excludes the true mean is at most this
ABOVE, BELOW, UNDECIDED = "above", "below", "undecided"
_CANDIDATES = 1000  # candidate means are this fraction of the range apart
_FRACTIONS = (0.05, 0.1, 0.2, 0.4, 0.8)  # the fractions of their capital that gamblers bet
_MAX_CAPITAL = 1e9  # capital is capped here, far above what excludes a candidate, so that it stays finite
_FEWEST = 30  # values from which on the normal approximation is used
_NARROWEST = sqrt((-2 * log(ALPHA) + log(1 - 2 * log(ALPHA))) / 100)  # the sequence is narrowest after 100 values


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a sequential test has found out about a mean.

    Attributes:
        figure: The figure whose mean is tested.
        against: The value with which the mean is compared.
        verdict: `ABOVE` or `BELOW` if the confidence sequence excludes the value, else `UNDECIDED`.
        low: The lower end of the confidence sequence.
        high: Its upper end.
        games: The number of games that were used.
        most: The number of games after which the test would have ended undecided.
    """

    figure: str
    against: float
    verdict: str
    low: float
    high: float
    games: int
    most: int

    @property
    def text(self) -> str:
        """Return the verdict in one line, without the name of the player."""
        found = f"above or below {self.against:g}: undecided" if self.verdict == UNDECIDED else self._found
        return (
            f"{self.figure} {found} after {self.games:,} of at most {self.most:,} games, "
            f"95 % confidence sequence {self.low:.3f} to {self.high:.3f}"
        )

    @property
    def _found(self) -> str:
        return f"{self.verdict} {self.against:g}: decided"

    @property
    def early(self) -> bool:
        """Whether games were left when the test was decided."""
        return self.verdict != UNDECIDED and self.games < self.most


class ConfidenceSequence(ABC):
    """A confidence sequence for a mean, and a test of whether the mean is above or below a value.

    Values come one by one. They may depend on one another in any way, as long as each has the same mean given all those
    before it.
    """

    @abstractmethod
    def add(self, value: float) -> None:
        """Continue with the next value."""

    @property
    @abstractmethod
    def interval(self) -> tuple[float, float]:
        """The ends of the confidence sequence after the values so far; the true mean lies between them."""

    @property
    @abstractmethod
    def verdict(self) -> str:
        """`ABOVE` or `BELOW` if the mean was found to be above or below the tested value, else `UNDECIDED`."""


class BettingSequence(ConfidenceSequence):
    """A confidence sequence for the mean of values from 0 to 1, valid for any number of them.

    For every candidate mean m some gamblers share a coin and bet on the next value being above or below m (I.
    Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, JRSS B 86, 2024). Each always
    bets the same fraction of its capital. If m is the true mean, their games are fair and their common capital is a
    martingale, which reaches 1 / `ALPHA` with a probability of at most `ALPHA` (Ville's inequality). A candidate
    against which that much was won is excluded. The best fraction depends on the variance and on how far m is from the
    mean; with several of them, one is always near it.

    Args:
        tested: The value that is tested, above 0 and below 1.
    """

    def __init__(self, tested: float) -> None:
        self._grid = np.union1d(np.arange(1, _CANDIDATES) / _CANDIDATES, [tested])
        self._tested = int(np.searchsorted(self._grid, tested))
        self._fractions = np.array(_FRACTIONS)[:, None]
        # The capital of gamblers who bet on values above the candidates, and of those who bet on values below
        self._above, self._below = np.full((2, len(_FRACTIONS), len(self._grid)), 0.5 / len(_FRACTIONS))
        self._excluded = np.zeros(len(self._grid), np.bool_)

    def add(self, value: float) -> None:
        """Continue with the next value."""
        assert 0 <= value <= 1
        for capital, ratio in ((self._above, value / self._grid), (self._below, (1 - value) / (1 - self._grid))):
            capital *= 1 + self._fractions * (ratio - 1)
            np.minimum(capital, _MAX_CAPITAL, out=capital)
        self._excluded |= self._above.sum(0) + self._below.sum(0) >= 1 / ALPHA

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the confidence sequence: the nearest candidates that are excluded, or 0 and 1."""
        ends = np.concatenate([[0.0], self._grid, [1.0]])
        left = np.flatnonzero(~self._excluded)
        if not len(left):  # all are excluded, with a probability of at most `ALPHA`
            return 0.0, 1.0
        return float(ends[left[0]]), float(ends[left[-1] + 2])

    @property
    def verdict(self) -> str:
        """What the test says; see `ConfidenceSequence`."""
        at = self._tested
        if not self._excluded[at]:
            return UNDECIDED
        return ABOVE if self._above[:, at].sum() > self._below[:, at].sum() else BELOW


class NormalSequence(ConfidenceSequence):
    """A confidence sequence for the mean of values of any size, valid for many of them (asymptotically).

    The sum of many values is nearly a Brownian motion, for which a mixture of normal distributions is a martingale (I.
    Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, Time-uniform central limit theory and asymptotic
    confidence sequences, Annals of Statistics 52, 2024). It says nothing before there are `_FEWEST` values. The
    variance includes two values at 0 and 1, so that it is never 0.

    Args:
        tested: The value that is tested.
    """

    def __init__(self, tested: float) -> None:
        self._tested = tested
        self._count, self._sum, self._squares = 0, 0.0, 0.0
        self._low, self._high = -inf, inf

    def add(self, value: float) -> None:
        """Continue with the next value."""
        self._count += 1
        self._sum += value
        self._squares += value**2
        if self._count < _FEWEST:
            return
        count, mean = self._count, self._sum / self._count
        variance = (self._squares + 1) / (count + 2) - ((self._sum + 1) / (count + 2)) ** 2
        much = count * _NARROWEST**2
        half = sqrt(variance * 2 * (much + 1) / (count * much) * log(sqrt(much + 1) / ALPHA))
        self._low, self._high = max(self._low, mean - half), min(self._high, mean + half)

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the confidence sequence, cut to 0 and 1, between which the mean is known to lie."""
        return min(1.0, max(0.0, self._low)), max(0.0, min(1.0, self._high))

    @property
    def verdict(self) -> str:
        """What the test says; see `ConfidenceSequence`."""
        return ABOVE if self._low >= self._tested else BELOW if self._high <= self._tested else UNDECIDED
