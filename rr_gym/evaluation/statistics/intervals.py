"""95 % confidence intervals of means over deals (docs/evaluation.md).

The games of one deal are not independent, so the deal is the unit: every function takes one number per deal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

NORMAL_975 = 1.959963984540054  # 97.5 % of the standard normal distribution lie below this
_T_975 = (12.7062, 4.3027, 3.1824, 2.7764)  # that bound for Student's t with 1 to 4 degrees of freedom


@dataclass(frozen=True, slots=True)
class Stat:
    """A figure with the ends of its 95 % confidence interval."""

    value: float
    low: float
    high: float

    @property
    def percent(self) -> str:
        """The figure as a percentage: ``12.3 % (10.0 to 15.0)``."""
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"

    def words(self, form: str = ".2f") -> str:
        """Return the figure as text, with numbers in this format: ``1.25 (1.00 to 1.50)``."""
        return f"{self.value:{form}} ({self.low:{form}} to {self.high:{form}})"


def student_975(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution with 1 or more degrees of freedom, accurate to 0.001."""
    if degrees <= len(_T_975):
        return _T_975[degrees - 1]
    # The first terms of the expansion of the quantile in 1 / degrees, around that of the normal distribution.
    z = NORMAL_975
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * degrees**4)
    )


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return the ends of Wilson's score interval for a share of `count` independent yes-or-no games.

    `count` need not be whole.
    """
    square = NORMAL_975**2 / count
    centre = (share + square / 2) / (1 + square)
    half = sqrt(square * share * (1 - share) + square**2 / 4) / (1 + square)
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def bounded_stat(values: Array, low: float = 0.0, high: float = 1.0) -> Stat:
    """Return the mean of bounded numbers with Wilson's interval for a matching number of games.

    The matching number is that of independent yes-or-no games whose mean would vary as much as that of `values`. The
    variance includes two pseudo-deals, one at either end of the range, so that it is never 0; for values that are
    themselves yes or no, the number is exactly that of the deals.

    Args:
        values: float64, (deals,), at least one, each from `low` to `high`; individual values may lie outside, as after
            `rr_gym.evaluation.statistics.control_variates.without_luck`, as long as their expectation does not.
        low: The smallest possible value.
        high: The largest possible value.
    """
    if high == low:
        return Stat(low, low, low)
    scaled = (values - low) / (high - low)
    share = min(1.0, max(0.0, float(scaled.mean())))
    more = np.concatenate([scaled, [0.0, 1.0]])
    mean, variance = float(more.mean()), float(more.var())
    mean = min(1 - 1 / len(more), max(1 / len(more), mean))  # always true if all values are within the range
    below, above = wilson(share, len(scaled) * mean * (1 - mean) / variance)
    return Stat(*(low + (high - low) * end for end in (share, below, above)))


def ratio_stat(sums: Array, counts: Array, low: float, high: float) -> Stat:
    """Return the mean over all items with Student's interval, where deals may have different numbers of items.

    Args:
        sums: float64, (deals,): the sum over the items of each deal.
        counts: (deals,): the number of items of each deal, not all 0; deals without items are left out.
        low: The smallest possible mean; intervals end there.
        high: The largest possible mean; intervals end there.

    Returns:
        The mean; its interval is the whole range if only one deal has items.
    """
    sums, counts = sums[counts > 0], counts[counts > 0]
    deals = len(counts)
    mean = float(sums.sum() / counts.sum())
    if deals == 1:
        return Stat(mean, low, high)
    # The linearised error of the ratio: how far each deal's sum is from the mean of as many items.
    error = sqrt(deals / (deals - 1) * float(((sums - mean * counts) ** 2).sum())) / float(counts.sum())
    half = student_975(deals - 1) * error
    return Stat(mean, max(low, mean - half), min(high, mean + half))
