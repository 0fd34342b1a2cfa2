"""Online ratings by OpenSkill, updated after each game, by which the next matches are chosen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rr_gym.arena.lines import MatchLine
from rr_gym.errors import require
from rr_gym.evaluation.statistics.ratings import OpenSkill


class Beliefs:
    """The ratings of entries at one table. An entry that has not played has the rating of a newcomer.

    Raises:
        MissingExtraError: The extra ``tournament`` is not installed.
    """

    def __init__(self) -> None:
        self._model: Any = require("openskill.models", extra="tournament").PlackettLuce()
        rating = self._model.rating()
        self._newcomer = OpenSkill(rating.mu, rating.sigma)
        self._ratings: dict[str, OpenSkill] = {}
        self.beta: float = self._model.beta

    def __getitem__(self, entry: str) -> OpenSkill:
        """Return the rating of an entry."""
        return self._ratings.get(entry, self._newcomer)

    def add(self, match: MatchLine) -> None:
        """Update the ratings with the games of a match."""
        for game in match.games:
            teams = [[self._model.rating(self[name].mu, self[name].sigma)] for name in game.players]
            for name, (rated,) in zip(game.players, self._model.rate(teams, ranks=list(game.places)), strict=True):
                # Rounded, so that floating-point differences between platforms do not change the draw.
                self._ratings[name] = OpenSkill(round(rated.mu, 4), round(rated.sigma, 4))


def beliefs_by_table(tables: Iterable[str], matches: Iterable[MatchLine]) -> dict[str, Beliefs]:
    """Return the beliefs at each table after the given matches."""
    found = {name: Beliefs() for name in tables}
    for match in matches:
        found[match.table].add(match)
    return found
