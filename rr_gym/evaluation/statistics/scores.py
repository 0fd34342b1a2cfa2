"""Scores of the benchmark: of a game, of a row, and of all rows (docs/player-benchmark.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.evaluation.statistics.intervals import Stat

Array = np.ndarray[Any, Any]

RESAMPLES = 2000


def placement_scores(places: Array, copies: int) -> Array:
    """Return the share of the other robots that the player's robots finished ahead of; a tie counts half.

    The player's robots are not compared with each other, so 1 means that they all came before all others. For a single
    robot this is 1 for first place, 0 for last, and evenly spaced in between.

    Args:
        places: The places of all robots, shape (..., robots); 1 is best, and robots that tie all have the better place
            (U32). The player's robots come first on the last axis.
        copies: The number of the player's robots; at least one robot belongs to another player.

    Returns:
        float64, in the shape of `places` without its last axis.
    """
    own, others = places[..., :copies, None], places[..., None, copies:]
    shares: Array = ((own < others) + 0.5 * (own == others)).mean((-2, -1))
    return shares


def pace_scores(flags: Array, finish: Array, turns: Array, num_flags: int, max_cycles: int) -> Array:
    """Return the share of the course that a robot playing alone covers per turn.

    That is 1 / turns for a robot that touched all flags. Any other robot counts as if it had needed `max_cycles` turns
    for the flags that it touched. All arrays have the same shape.

    Args:
        flags: The number of flags that the robot touched.
        finish: 1 if it touched all flags, else 0.
        turns: The number of turns played.
        num_flags: The number of flags on the course.
        max_cycles: Turns after which a game is truncated.
    """
    return flags / num_flags / np.where(finish > 0, turns, max_cycles)


def interquartile_mean(values: Array) -> Array:
    """Return the mean over the last axis, without the lowest and the highest quarter of its values.

    If the number of values is not divisible by four, a quarter is rounded down.
    """
    cut = values.shape[-1] // 4
    middle: Array = np.sort(values, axis=-1)[..., cut : values.shape[-1] - cut].mean(-1)
    return middle


def resampled_means(values: Sequence[float] | Array, seed: int) -> Array:
    """Return the means of bootstrap resamples of one stratum, drawn with replacement.

    Args:
        values: One value for each deal (the same hands and later draws, see docs/evaluation.md).
        seed: A whole number from 0; the same seed and number of values give the same draws.

    Returns:
        float64, (RESAMPLES,).
    """
    array = np.asarray(values, np.float64)
    draws = np.random.Generator(np.random.PCG64(seed)).integers(len(array), size=(RESAMPLES, len(array)))
    means: Array = array[draws].mean(1)
    return means


def bootstrap_stat(value: float, resamples: Array) -> Stat:
    """Return a figure with the interval from the 2.5 % to the 97.5 % quantile of its resamples."""
    low, high = np.quantile(resamples, (0.025, 0.975))
    return Stat(float(value), float(min(low, value)), float(max(high, value)))
