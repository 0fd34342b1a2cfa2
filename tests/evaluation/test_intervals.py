"""Confidence intervals, against published tables and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from rr_gym.evaluation import Stat
from rr_gym.evaluation.statistics.intervals import bounded_stat, ratio_stat, student_975, wilson


# R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998)
@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_shares_of_independent_games_are_in_the_textbook(hits: int, count: int, low: float, high: float) -> None:
    assert wilson(hits / count, count) == pytest.approx((low, high), abs=5e-5)
    values = np.zeros(count)
    values[:hits] = 1
    assert bounded_stat(values) == Stat(hits / count, *map(pytest.approx, wilson(hits / count, count)))
    assert bounded_stat(1 - values).high == pytest.approx(1 - wilson(hits / count, count)[0])


def test_student_is_in_the_tables() -> None:
    table = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 10: 2.228, 30: 2.042, 120: 1.980}
    assert {degrees: student_975(degrees) for degrees in table} == pytest.approx(table, abs=1e-3)


def test_means_have_students_interval() -> None:
    mean = ratio_stat(np.array([1.0, 2, 3, 4, 5]), np.ones(5), 0, 100)
    assert mean == Stat(3, pytest.approx(3 - 1.963, abs=1e-3), pytest.approx(3 + 1.963, abs=1e-3))
    assert ratio_stat(np.array([2.0, 4, 0]), np.array([1, 2, 0]), 0, 9) == Stat(2, 2, 2)  # nothing in the last deal
    assert ratio_stat(np.array([0.0, 8]), np.ones(2), 1, 9) == Stat(4, 1, 9)
    assert ratio_stat(np.array([6.0]), np.array([2]), 1, 9) == Stat(3, 1, 9)


def test_bounded_figures_are_never_certain() -> None:
    for value in (0.0, 0.5, 1.0):
        stat = bounded_stat(np.full(100, value))
        assert stat.value == value
        assert 0 <= stat.low <= value <= stat.high <= 1
        assert 0.005 < stat.high - stat.low < 0.05
    assert bounded_stat(np.ones(5), 1, 1) == Stat(1, 1, 1)
    one = bounded_stat(np.array([2.0]), 0, 3)
    assert one.high - one.low > 2


def test_rotations_count_only_as_far_as_they_are_independent() -> None:
    """If the games of a deal always have the same result, a deal counts as one game; independent games all count."""
    generator = np.random.default_rng(1)
    deals = (generator.random(2000) < 0.3).astype(float)
    agreeing = bounded_stat(np.repeat(deals[:, None], 4, 1).mean(1))
    assert agreeing == bounded_stat(deals)
    independent = bounded_stat(generator.binomial(4, 0.3, 2000) / 4)
    assert independent.high - independent.low == pytest.approx((agreeing.high - agreeing.low) / 2, rel=0.1)


@pytest.mark.parametrize("deals", [30, 250])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.95])
@pytest.mark.parametrize("kind", ["independent", "alike", "opposed"])
def test_intervals_cover_the_truth(kind: str, share: float, deals: int) -> None:
    generator = np.random.default_rng([deals, int(100 * share)])
    runs = 1000
    match kind:
        case "independent":
            means = generator.binomial(4, share, (runs, deals)) / 4
        case "alike":  # every deal has a share of its own
            means = generator.binomial(4, generator.beta(share, 1 - share, (runs, deals))) / 4
        case _:  # a player that wins a deal in one seat mostly loses it in the other
            means = np.where(generator.random((runs, deals)) < 0.8, 0.5, generator.random((runs, deals)) < share)
            share = 0.8 * 0.5 + 0.2 * share
    stats = [bounded_stat(run) for run in means]
    covered = np.mean([stat.low <= share <= stat.high for stat in stats])
    assert covered > 0.93
    too_high = np.mean([stat.low > share for stat in stats])  # how often a claim "at least" is wrong
    assert too_high < 0.06


def test_intervals_of_ratios_cover_the_truth() -> None:
    generator = np.random.default_rng(2)
    covered = 0
    for _ in range(1000):
        counts = generator.binomial(4, generator.beta(1, 1, 60))
        stat = ratio_stat(generator.poisson(8 * counts), counts, 1, 100)
        covered += stat.low <= 8 <= stat.high
    assert covered > 930
