"""Regression control variates: means with smaller errors, by what is known to be 0 on average.

Where a part of the noise of a figure can be measured, such as how lucky a player's cards were, it can be subtracted.
For values z and covariates c with the known expectation 0, the expectation of z - b c is that of z for every number b.
Its variance is smallest for the coefficient of the regression of z on c.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.evaluation.statistics.intervals import Stat, bounded_stat

Array = np.ndarray[Any, Any]

FEWEST = 20  # values from which a coefficient is estimated


def without_luck(values: Array, luck: Array) -> Array:
    """Subtract from the values of deals what their luck explains.

    The coefficient for a deal is that of the regression over all other deals. So it is independent of the luck of this
    deal, and the mean of the result has exactly the expectation of the mean of `values`, for any number of deals.

    Args:
        values: float64, (deals,).
        luck: float64, (deals,), independent from deal to deal, with the expectation 0.

    Returns:
        float64, (deals,); `values` themselves where luck never differs, and where there are fewer than `FEWEST` deals.
    """
    count = len(values)
    if count < FEWEST or not np.ptp(luck):
        return values
    x, y = luck - luck.mean(), values - values.mean()
    # Leaving deal i out subtracts these from the sums of squares and of products around the mean of the others.
    gone = x * count / (count - 1)
    squares = (x @ x) - x * gone
    slopes = ((x @ y) - y * gone) / np.maximum(squares, 1e-12)
    without: Array = values - slopes * luck
    return without


def adjusted_stat(values: Array, luck: Array) -> Stat:
    """Return the mean of values from 0 to 1 without luck, with the interval of `bounded_stat`; see `without_luck`."""
    return bounded_stat(without_luck(values, luck))


class RunningAdjustment:
    """Subtracts what luck explains from values that come one by one.

    The coefficient is that of the regression over the values before, or 1 while there are fewer than `FEWEST`. So given
    these the expectation of the next value does not change.
    """

    def __init__(self) -> None:
        self._seen = np.zeros((2, 0))

    def next(self, value: float, luck: float) -> float:
        """Return the next value without what its luck explains."""
        x, y = self._seen
        self._seen = np.column_stack([self._seen, [luck, value]])
        if len(x) < FEWEST or not np.ptp(x):
            return value - luck
        x = x - x.mean()
        return value - float(x @ y / (x @ x)) * luck
