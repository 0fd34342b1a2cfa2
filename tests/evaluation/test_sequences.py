"""Confidence sequences and sequential tests, by simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.evaluation.sequential import SequentialTest
from rr_gym.evaluation.statistics.sequences import (
    ABOVE,
    BELOW,
    UNDECIDED,
    BettingSequence,
    ConfidenceSequence,
    NormalSequence,
    Verdict,
)

Array = np.ndarray[Any, Any]
Draw = Callable[[np.random.Generator, int], Array]
LONG = pytest.mark.long


def duels(share: float) -> Draw:
    """Draw the means of deals with two independent games."""
    return lambda generator, count: generator.binomial(2, share, count) / 2


def split(generator: np.random.Generator, count: int) -> Array:
    """Draw the means of deals in which each player mostly wins one of the two games."""
    return np.where(generator.random(count) < 0.9, 0.5, generator.integers(0, 2, count))


def adjusted(generator: np.random.Generator, count: int) -> Array:
    """Draw skewed values, some below 0 or above 1, as they are after an adjustment."""
    return generator.binomial(2, 0.8, count) / 2 + generator.normal(0, 0.3, count)


def wrong(make: Callable[[float], ConfidenceSequence], draw: Draw, truth: float, runs: int, count: int) -> float:
    """Return the share of runs in which a sequence ever excluded the true mean."""
    generator = np.random.default_rng(7)
    found = 0
    for _ in range(runs):
        sequence = make(truth)
        for value in draw(generator, count).tolist():
            sequence.add(value)
            if sequence.verdict != UNDECIDED:
                break
        else:
            low, high = sequence.interval
            assert low <= truth <= high
        found += sequence.verdict != UNDECIDED
    return found / runs


@pytest.mark.parametrize(
    ("runs", "count"), [(60, 150), pytest.param(600, 2000, marks=LONG)], ids=["quick", "long"]
)
@pytest.mark.parametrize(
    ("make", "draw", "truth"),
    [
        (BettingSequence, duels(0.5), 0.5), (BettingSequence, duels(0.95), 0.95), (BettingSequence, split, 0.5),
        (NormalSequence, duels(0.5), 0.5), (NormalSequence, split, 0.5), (NormalSequence, adjusted, 0.8),
    ],
)  # fmt: skip
def test_the_truth_is_hardly_ever_excluded(
    make: Callable[[float], ConfidenceSequence], draw: Draw, truth: float, runs: int, count: int
) -> None:
    assert wrong(make, draw, truth, runs, count) <= 0.05


@pytest.mark.parametrize("make", [BettingSequence, NormalSequence])
@pytest.mark.parametrize(("share", "verdict", "most"), [(0.7, ABOVE, 120), (0.3, BELOW, 120), (0.98, ABOVE, 31)])
def test_clear_cases_are_decided_soon(
    make: Callable[[float], ConfidenceSequence], share: float, verdict: str, most: int
) -> None:
    sequence = make(0.5)
    values = duels(share)(np.random.default_rng(3), most)
    for value in values.tolist():
        sequence.add(value)
    assert sequence.verdict == verdict
    low, high = sequence.interval
    assert low < values.mean() < high
    assert low >= 0.5 if verdict == ABOVE else high <= 0.5


def test_sequences_narrow_to_the_mean() -> None:
    generator = np.random.default_rng(1)
    for sequence in (BettingSequence(0.5), NormalSequence(0.5)):
        assert sequence.interval == (0, 1)
        widths = []
        for value in duels(0.6)(generator, 1000).tolist():
            sequence.add(value)
            widths.append(sequence.interval[1] - sequence.interval[0])
        assert widths == sorted(widths, reverse=True)
        assert widths[-1] < 0.1


def test_rounds_are_whole_and_luck_is_subtracted() -> None:
    win = np.zeros((90, 2, 2))
    win[::3, :, 0] = 1  # the player wins on the first of three courses only
    test = SequentialTest("win", 0.5, 3, 2, 1000)
    test.add({"win": win[:1]})
    assert test.deals_used == 0
    test.add({"win": win[1:]})
    verdict = test.verdict
    assert verdict == Verdict("win", 0.5, BELOW, verdict.low, verdict.high, test.deals_used * 2, 1000)
    assert 30 < test.deals_used < 90

    generator = np.random.default_rng(5)
    luck = generator.normal(0, 0.5, (400, 2, 2))
    noisy = 0.52 + luck + generator.normal(0, 0.05, (400, 2, 2))
    adjusted_test = SequentialTest("win", 0.5, 1, 2, 800, adjusted=True)
    adjusted_test.add({"win": noisy, "luck": luck})
    plain = NormalSequence(0.5)
    for value in noisy[:, :, 0].mean(1).tolist():
        plain.add(value)
    assert (adjusted_test.verdict.verdict, plain.verdict) == (ABOVE, UNDECIDED)


def test_a_match_stops_when_it_is_decided_whatever_the_batch() -> None:
    found = [evaluate("greedy", ["random"], games=400, seed=1, until={"win": 0.5}, batch=n) for n in (3, 16)]
    assert found[0] == found[1]
    verdict = found[0].test
    assert verdict is not None
    assert (verdict.verdict, verdict.games, verdict.early) == (ABOVE, found[0].total.games, True)
    assert verdict.games < 60
    assert found[0].complete
    assert f"greedy: {verdict.text}" in found[0].text()
    assert "quote the confidence sequence" in found[0].text()
    even = evaluate("random", ["random"], games=20, max_cycles=2, until={"win": 0.5})
    assert even.test is not None
    assert (even.test.verdict, even.test.games, even.total.games) == (UNDECIDED, 20, 20)
    assert "win above or below 0.5: undecided after 20 of at most 20 games" in even.text()


@pytest.mark.parametrize(
    ("until", "message"),
    [
        ({"win": 2}, "^until win=2: expected a number between 0 and 1$"),
        ({"win": True}, "^until win=True: expected a number between 0 and 1$"),
        ({"flags": 1}, "^until: there is no test of 'flags': expected win | finish$"),
        ({"wins": 0.5}, "did you mean 'win'"),
        ({"win": 0.5, "finish": 0.5}, "^until: {'win': 0.5, 'finish': 0.5}: expected one figure and a value"),
        (0.5, "^until: 0.5: expected one figure and a value"),
    ],
)
def test_wrong_tests_are_refused(until: Any, message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        evaluate("random", ["random"], games=2, until=until)
