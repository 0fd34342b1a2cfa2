"""Regression control variates, by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rr_gym.evaluation.statistics.control_variates import RunningAdjustment, adjusted_stat, without_luck
from rr_gym.evaluation.statistics.intervals import bounded_stat

Array = np.ndarray[Any, Any]


def deals(generator: np.random.Generator, count: int, share: float) -> tuple[Array, Array]:
    """Draw for each deal the share of games won and the luck, which mostly decides it."""
    luck = generator.normal(0, 1, count)
    threshold = {0.5: 0.0, 0.8: -0.8416}[share] * np.sqrt(1.2)  # -0.8416 is below 80 % of the normal distribution
    won = luck + generator.normal(0, np.sqrt(0.2), count) > threshold
    return won.astype(float), luck


def slope(values: Array, luck: Array) -> float:
    """Return the coefficient of a regression with an intercept."""
    return float(np.polyfit(luck, values, 1)[0])


def test_a_deal_is_adjusted_by_the_regression_over_all_others() -> None:
    generator = np.random.default_rng(1)
    values, luck = deals(generator, 60, 0.5)
    without = without_luck(values, luck)
    for i in (0, 31, 59):
        others = np.arange(60) != i
        assert without[i] == pytest.approx(values[i] - slope(values[others], luck[others]) * luck[i])


def test_few_deals_and_no_luck_are_not_adjusted() -> None:
    values, luck = deals(np.random.default_rng(2), 40, 0.5)
    assert np.array_equal(without_luck(values[:19], luck[:19]), values[:19])
    assert np.array_equal(without_luck(values, np.zeros(40)), values)
    assert adjusted_stat(values, np.zeros(40)) == bounded_stat(values)
    assert adjusted_stat(values, luck) != bounded_stat(values)


@pytest.mark.parametrize("runs", [400, pytest.param(5000, marks=pytest.mark.long)])
@pytest.mark.parametrize("share", [0.5, 0.8])
@pytest.mark.parametrize("count", [40, 300])
def test_adjusted_intervals_are_narrow_unbiased_and_cover_the_truth(count: int, share: float, runs: int) -> None:
    generator = np.random.default_rng([count, int(10 * share)])
    plain, adjusted = [], []
    for _ in range(runs):
        values, luck = deals(generator, count, share)
        plain.append(bounded_stat(values))
        adjusted.append(adjusted_stat(values, luck))
    covered = np.mean([stat.low <= share <= stat.high for stat in adjusted])
    assert 0.93 < covered < 0.985
    means = np.array([stat.value for stat in adjusted])
    assert abs(means.mean() - share) < 4 * means.std() / np.sqrt(runs)
    width = np.mean([stat.high - stat.low for stat in adjusted]) / np.mean([stat.high - stat.low for stat in plain])
    assert 0.5 < width < 0.85


def test_running_adjustments_use_only_what_came_before() -> None:
    values, luck = deals(np.random.default_rng(4), 400, 0.8)
    running = RunningAdjustment()
    found = [running.next(*deal) for deal in zip(values.tolist(), luck.tolist(), strict=True)]
    assert found[:20] == (values - luck)[:20].tolist()
    assert found[100] == pytest.approx(values[100] - slope(values[:100], luck[:100]) * luck[100])
    assert np.var(found[100:]) < 0.6 * np.var(values[100:])
