"""Ratings from places: a Plackett-Luce fit of all games with bootstrap intervals, and OpenSkill online.

In the Plackett-Luce model every player has a strength; first place goes to each player at a table with a probability
proportional to it, the next place to each of the others in proportion to theirs, and so on (docs/tournaments.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb, log
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError, require
from rr_gym.evaluation.statistics.intervals import Stat

Array = np.ndarray[Any, Any]
Ranking = tuple[int, Sequence[int], Sequence[int]]  # deal, players by seat, their places

ELO = 400 / log(10)  # points for a strength e times as large
SAMPLES = 1000  # of the bootstrap
_STEPS = 200  # of Newton's method, far more than needed
_TOLERANCE = 1e-9  # of Newton's method: largest step, and largest relative decrease of the likelihood


@dataclass(frozen=True, slots=True)
class OpenSkill:
    """A rating that was updated after every game: the belief about a skill, its mean and standard deviation."""

    mu: float
    sigma: float


@cache
def ranking_choices(places: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Decompose a ranking into choices of the Plackett-Luce model.

    Ties count as all orders of the tied players with equal weight.

    Args:
        places: The place of each seat; 1 is best, equal places are ties.

    Returns:
        For each choice, the seats that are chosen from and the weight of the choice.
    """
    choices = []
    for place in sorted(set(places)):
        tied = [seat for seat, other in enumerate(places) if other == place]
        behind = [seat for seat, other in enumerate(places) if other > place]
        for left in range(1, len(tied) + 1):
            # All subsets of this size are equally likely to be those that are still unplaced.
            choices += [((*some, *behind), 1 / comb(len(tied), left)) for some in combinations(tied, left)]
    return tuple(choices)


class Rankings:
    """Game results in the form that the fit needs.

    Args:
        players: The number of players.
        rankings: For each game the number of its deal, the players by seat, and their places; 1 is best, ties share.
        prior: The number of virtual draws of every player to add, spread evenly over all others.

    Raises:
        RoboRallyError: There are fewer than two players.
    """

    def __init__(self, players: int, rankings: Iterable[Ranking], prior: float = 1.0) -> None:
        if players < 2:
            raise RoboRallyError(f"players: {players}: expected at least 2 for ratings")
        deals: dict[int, int] = {}
        groups: dict[tuple[int, ...], int] = {}
        chosen: defaultdict[tuple[int, int], int] = defaultdict(int)
        weights: defaultdict[tuple[int, int], float] = defaultdict(float)
        for deal, seating, places in rankings:
            number = deals.setdefault(deal, len(deals))
            for player in seating:
                chosen[number, player] += 1
            for seats, weight in ranking_choices(tuple(places)):
                group = tuple(sorted(seating[seat] for seat in seats))
                weights[number, groups.setdefault(group, len(groups))] += weight
        pairs = [groups.setdefault(pair, len(groups)) for pair in combinations(range(players), 2)]
        self.members = np.zeros((len(groups), players))  # how often each player is in a group
        for group, row in groups.items():
            np.add.at(self.members[row], list(group), 1)
        self.chosen = np.zeros((len(deals), players))
        for (number, player), times in chosen.items():
            self.chosen[number, player] = times
        self._deal, self._group = np.array(list(weights), np.int64).reshape(-1, 2).T
        self._weight = np.array(list(weights.values()))
        # A draw is half a win for both: each is chosen from the pair half the time.
        self._more_chosen = np.full(players, prior / 2)
        self._more_weight = np.zeros(len(groups))
        self._more_weight[pairs] = prior / (players - 1)

    def strengths(self, times: Array | None = None, start: Array | None = None) -> Array:
        """Fit the players' strengths by maximum likelihood; return their logarithms, whose mean is 0.

        Args:
            times: (deals,): the weight of each deal; None for 1.
            start: (players,): where the search starts.

        Returns:
            float64, (players,).
        """
        times = np.ones(len(self.chosen)) if times is None else times
        chosen = times @ self.chosen + self._more_chosen
        weight = np.bincount(self._group, times[self._deal] * self._weight, len(self.members)) + self._more_weight
        used = weight > 0
        members, weight = self.members[used], weight[used]
        logs = np.zeros(len(chosen)) if start is None else start
        value = _likelihood(logs, chosen, members, weight)
        for _ in range(_STEPS):
            shares = members * np.exp(logs)
            shares /= shares.sum(1, keepdims=True)
            expected = shares.T * weight
            gradient = chosen - expected.sum(1)
            # Only differences matter: adding ones keeps the mean where it is.
            hessian = np.diag(expected.sum(1)) - expected @ shares + 1
            step = np.linalg.solve(hessian, gradient)
            # Far from the maximum the function is not quadratic, and a full step may lead anywhere.
            step /= max(1.0, float(np.abs(step).max()))
            while (better := _likelihood(logs + step, chosen, members, weight)) < value - _TOLERANCE * abs(value):
                step /= 2
            logs, value = logs + step, better
            if np.abs(step).max() < _TOLERANCE:
                break
        centred: Array = logs - logs.mean()
        return centred

    def ratings(self, seed: int = 0, samples: int | None = None) -> list[Stat]:
        """Return the ratings of all players with 95 % intervals; the mean of all players is 0.

        Args:
            seed: The seed of the bootstrap, which resamples the deals with replacement.
            samples: The number of resamples; None for `SAMPLES`.

        Returns:
            In the players' order; 400 points are a tenfold strength.
        """
        logs = self.strengths()
        return rating_stats(ELO * logs, ELO * self.resampled(logs, seed, samples or SAMPLES))

    def resampled(self, logs: Array, seed: int, samples: int) -> Array:
        """Return the strengths that resamples of the deals give, drawn with replacement: float64, (samples, players).

        Args:
            logs: The strengths of all deals.
            seed: The seed of the draws.
            samples: The number of resamples.
        """
        rng = np.random.default_rng([seed, 1])
        deals = len(self.chosen)
        draws = (np.bincount(rng.integers(deals, size=deals), minlength=deals) for _ in range(samples))
        return np.array([self.strengths(times, logs) for times in draws])


def rating_stats(values: Array, samples: Array) -> list[Stat]:
    """Return ratings with 95 % intervals.

    Args:
        values: (players,).
        samples: (samples, players): the ratings of resamples.
    """
    low, high = np.quantile(samples, (0.025, 0.975), 0)
    ends = zip(np.minimum(low, values), values, np.maximum(high, values), strict=True)
    return [Stat(*(round(float(x), 2) for x in (value, below, above))) for below, value, above in ends]


def _likelihood(logs: Array, chosen: Array, members: Array, weight: Array) -> float:
    return float(chosen @ logs - weight @ np.log(members @ np.exp(logs)))


def online_ratings(players: int, rankings: Iterable[Ranking]) -> list[OpenSkill]:
    """Update OpenSkill's ratings (its Plackett-Luce model) game by game; return them in the players' order.

    A player with several seats at a table gets the mean of their updates.

    Args:
        players: The number of players.
        rankings: As for `Rankings`, in the order of the updates.

    Raises:
        MissingExtraError: The extra ``tournament`` is not installed.
    """
    model = require("openskill.models", extra="tournament").PlackettLuce()
    fresh = model.rating()
    ratings = [(fresh.mu, fresh.sigma)] * players
    for _, seating, places in rankings:
        # An object for each seat, even of a player with several: it is changed in place.
        table = [[model.rating(*ratings[player])] for player in seating]
        earned: defaultdict[int, list[Any]] = defaultdict(list)
        for player, (rated,) in zip(seating, model.rate(table, ranks=list(places)), strict=True):
            earned[player].append((rated.mu, rated.sigma))
        for player, several in earned.items():
            mus, sigmas = zip(*several, strict=True)
            ratings[player] = sum(mus) / len(mus), sum(sigmas) / len(sigmas)
    return [OpenSkill(round(mu, 4), round(sigma, 4)) for mu, sigma in ratings]
