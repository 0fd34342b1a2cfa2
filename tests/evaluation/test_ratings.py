"""Ratings, compared with closed forms, brute force and simulation."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import combinations, permutations
from math import log
from typing import Any

import numpy as np
import pytest
from openskill.models import PlackettLuce

from rr_gym.errors import MissingExtraError, RoboRallyError
from rr_gym.evaluation.statistics.ratings import ELO, OpenSkill, Rankings, online_ratings, ranking_choices

Array = np.ndarray[Any, Any]


def likelihood(logs: Array, rankings: list[Any], prior: float) -> float:
    """Return the log likelihood of results; ties count as all orders, and the prior as draws between all pairs."""
    strengths, value = np.exp(logs), 0.0
    pairs = list(combinations(range(len(logs)), 2))
    weighted = [(1.0, seating, places) for _, seating, places in rankings]
    weighted += [(prior / (len(logs) - 1), pair, (1, 1)) for pair in pairs]
    for weight, seating, places in weighted:
        orders = [o for o in permutations(range(len(places))) if [places[s] for s in o] == sorted(places)]
        for order in orders:
            left = [strengths[seating[seat]] for seat in order]
            value += weight / len(orders) * sum(log(left[k] / sum(left[k:])) for k in range(len(left)))
    return value


def simulated(logs: Array, deals: int, seats: int, seed: int, tie: float = 0.0) -> list[Any]:
    """Return simulated results, four games per deal, in which places follow from strengths with noise."""
    rng = np.random.default_rng(seed)
    rankings = []
    for game in range(4 * deals):
        seating = rng.permutation(len(logs))[:seats]
        noisy = logs[seating] + rng.gumbel(size=seats)
        places = [1 + int((noisy > mine + tie).sum()) for mine in noisy]
        rankings.append((game // 4, seating.tolist(), places))
    return rankings


@pytest.mark.parametrize("places", [(1, 2, 3), (2, 1, 1), (1, 1, 1, 4), (3, 1, 3, 1, 3)])
def test_ties_count_as_the_mean_of_all_orders(places: tuple[int, ...]) -> None:
    expected: Counter[frozenset[int]] = Counter()
    orders = [o for o in permutations(range(len(places))) if [places[s] for s in o] == sorted(places)]
    for order in orders:
        for k in range(len(order)):
            expected[frozenset(order[k:])] += 1 / len(orders)  # type: ignore[assignment]
    found = {frozenset(seats): weight for seats, weight in ranking_choices(places)}
    assert found == pytest.approx(dict(expected))
    assert len(found) == len(ranking_choices(places))


@pytest.mark.parametrize(("wins", "losses", "ties"), [(7, 3, 0), (10, 0, 0), (2, 5, 6), (0, 0, 4)])
@pytest.mark.parametrize("prior", [1.0, 0.01])
def test_two_players_have_a_closed_form(wins: int, losses: int, ties: int, prior: float) -> None:
    results = [(1, 2)] * wins + [(2, 1)] * losses + [(1, 1)] * ties
    logs = Rankings(2, [(n, (0, 1), places) for n, places in enumerate(results)], prior).strengths()
    ratio = (wins + ties / 2 + prior / 2) / (losses + ties / 2 + prior / 2)
    assert logs[0] - logs[1] == pytest.approx(log(ratio), abs=1e-6)
    assert logs.sum() == pytest.approx(0, abs=1e-9)


def test_the_fit_is_most_probable() -> None:
    rankings = simulated(np.array([1.0, 0.4, -0.3, -1.1, 0]), 15, 4, seed=3, tie=0.6)
    assert any(len(set(places)) < 4 for _, _, places in rankings)
    logs = Rankings(5, rankings, 0.7).strengths()
    best = likelihood(logs, rankings, 0.7)
    rng = np.random.default_rng(0)
    for _ in range(20):
        offset = rng.normal(size=5)
        offset -= offset.mean()
        assert likelihood(logs + 1e-3 * offset, rankings, 0.7) < best
    assert Rankings(5, rankings, 0.7).strengths(start=np.array([9.0, -9, 5, 0, 0])) == pytest.approx(logs, abs=1e-6)


def test_players_with_several_seats_are_fitted() -> None:
    rankings = [(0, (0, 0, 1), (1, 3, 2)), (1, (0, 1, 1), (1, 2, 3)), (2, (1, 0, 0), (1, 2, 2))]
    logs = Rankings(2, rankings).strengths()
    best = likelihood(logs, rankings, 1.0)
    for step in (-1e-3, 1e-3):
        assert likelihood(logs + np.array([step, -step]), rankings, 1.0) < best


@pytest.mark.parametrize("seeds", [5, pytest.param(20, marks=pytest.mark.long)])
def test_strengths_are_recovered_and_intervals_cover_them(seeds: int) -> None:
    truth = np.array([1.5, 0.5, 0.1, -0.6, -1.5])
    covered = []
    for seed in range(seeds):
        ratings = Rankings(5, simulated(truth, 100, 4, seed)).ratings(seed, samples=200)
        covered += [r.low <= ELO * t <= r.high for r, t in zip(ratings, truth, strict=True)]
        assert [r.value for r in ratings] == pytest.approx(ELO * truth, abs=60)
    assert np.mean(covered) > 0.88


def test_games_of_a_deal_that_agree_count_as_one() -> None:
    single = [(n, seating, places) for n, (_, seating, places) in enumerate(simulated(np.zeros(3), 40, 3, seed=1))]
    agreeing = [ranking for ranking in single for _ in range(4)]
    widths = [[r.high - r.low for r in Rankings(3, some, 1e-6).ratings()] for some in (single, agreeing)]
    assert widths[0] == pytest.approx(widths[1], rel=1e-3)


def test_extremes_stay_finite() -> None:
    unbeaten = [(n, (0, 1, 2), (1, 2, 2)) for n in range(2000)]
    best, *others = Rankings(3, unbeaten).ratings(samples=20)
    assert 400 < best.value < 4000
    assert others[0].value == pytest.approx(others[1].value, abs=0.01)


def test_one_player_has_no_rating() -> None:
    with pytest.raises(RoboRallyError, match="players: 1: expected at least 2"):
        Rankings(1, [])


def test_online_ratings_are_openskills() -> None:
    rankings = [(0, (0, 1, 2), (1, 2, 3)), (0, (2, 0, 1), (1, 1, 3)), (1, (1, 2), (2, 1))]
    model = PlackettLuce()
    now = [model.rating() for _ in range(3)]
    for _, seating, places in rankings:
        for player, (rating,) in zip(
            seating, model.rate([[now[player]] for player in seating], ranks=list(places)), strict=True
        ):
            now[player] = rating
    assert online_ratings(3, rankings) == [OpenSkill(round(r.mu, 4), round(r.sigma, 4)) for r in now]
    assert online_ratings(3, rankings[::-1]) != online_ratings(3, rankings)
    fresh = online_ratings(4, rankings)[3]
    assert (fresh.mu, fresh.sigma) == (25, pytest.approx(25 / 3, abs=1e-4))


def test_several_seats_earn_their_mean() -> None:
    model = PlackettLuce()
    (first,), (second,), (third,) = model.rate([[model.rating()] for _ in range(3)], ranks=[1, 2, 3])
    twice, other = online_ratings(2, [(0, (0, 1, 0), (1, 2, 3))])
    assert twice.mu == pytest.approx((first.mu + third.mu) / 2, abs=1e-4)
    assert other.mu == pytest.approx(second.mu, abs=1e-4)


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(MissingExtraError, match=r"rr-gym\[tournament\]"):
        online_ratings(2, [])
