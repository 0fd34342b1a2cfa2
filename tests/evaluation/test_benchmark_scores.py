"""Scores of the benchmark, calculated by hand."""

from __future__ import annotations

import numpy as np
import pytest

from rr_gym.evaluation.statistics.scores import (
    RESAMPLES,
    bootstrap_stat,
    interquartile_mean,
    pace_scores,
    placement_scores,
    resampled_means,
)


@pytest.mark.parametrize(
    ("places", "copies", "score"),
    [
        ([1, 2], 1, 1), ([2, 1], 1, 0), ([1, 1], 1, 0.5),
        ([1, 2, 3, 4], 1, 1), ([2, 1, 3, 4], 1, 2 / 3), ([4, 1, 2, 3], 1, 0),
        ([2, 1, 2, 4], 1, 0.5), ([1, 1, 1, 1], 1, 0.5),
        ([1, 2, 3, 4], 3, 1), ([2, 3, 4, 1], 3, 0), ([1, 3, 4, 2], 3, 1 / 3), ([1, 2, 2, 2], 3, 2 / 3),
        ([1, 4, 2, 3], 2, 0.5),
    ],
)  # fmt: skip
def test_a_game_with_others_is_scored_by_who_came_before_whom(places: list[int], copies: int, score: float) -> None:
    assert placement_scores(np.array([[places]], float), copies) == pytest.approx(np.array([[score]]))


def test_a_game_alone_is_scored_by_its_pace() -> None:
    flags, finish = np.array([3.0, 3, 0, 2]), np.array([1.0, 1, 0, 0])
    scores = pace_scores(flags, finish, np.array([1.0, 6, 60, 7]), num_flags=3, max_cycles=60)
    assert scores.tolist() == [1, 1 / 6, 0, 2 / 3 / 60]


@pytest.mark.parametrize(
    ("values", "mean"),
    [([5], 5), ([1, 2, 6], 3), ([9, 0, 1, 2], 1.5), ([0, 1, 2, 3, 100], 2), ([7, 1, 2, 3, 4, 5, 6, -90], 3.5)],
)
def test_interquartile_mean(values: list[float], mean: float) -> None:
    assert interquartile_mean(np.array(values, float)) == mean
    assert interquartile_mean(np.array([values, values], float)).tolist() == [mean, mean]


def test_the_bootstrap_has_the_spread_of_the_mean() -> None:
    assert resampled_means([0.25] * 7, 1).tolist() == [0.25] * RESAMPLES
    values = [0.0] * 60 + [1.0] * 40
    means = resampled_means(values, 5)
    assert means.mean() == pytest.approx(0.4, abs=0.01)
    assert means.std() == pytest.approx((0.4 * 0.6 / 100) ** 0.5, rel=0.1)
    stat = bootstrap_stat(0.4, means)
    assert (stat.low, stat.high) == pytest.approx((0.304, 0.496), abs=0.015)
    assert resampled_means(values, 5).tolist() == means.tolist()
    assert resampled_means(values, 6).tolist() != means.tolist()
