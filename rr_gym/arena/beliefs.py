"""What is known of the entries at a table: OpenSkill's ratings, updated game by game, by which matches are chosen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rr_gym.arena.lines import MatchLine
from rr_gym.errors import require
from rr_gym.evaluation.statistics.ratings import OpenSkill


class Beliefs:
    """The ratings of entries at one table; who has not played has the rating of a newcomer.

    Raises:
        MissingExtraError: The extra ``tournament`` is not installed.
    """

    def __init__(self) -> None:
        self._model: Any = require("openskill.models", extra="tournament").PlackettLuce()
        fresh = self._model.rating()
        self._fresh = OpenSkill(fresh.mu, fresh.sigma)
        self._rated: dict[str, OpenSkill] = {}
        self.beta: float = self._model.beta

    def __getitem__(self, entry: str) -> OpenSkill:
        """Return what is known of an entry."""
        return self._rated.get(entry, self._fresh)

    def add(self, match: MatchLine) -> None:
        """Update the ratings with the games of a match."""
        for game in match.games:
            teams = [[self._model.rating(self[name].mu, self[name].sigma)] for name in game.players]
            for name, (rated,) in zip(game.players, self._model.rate(teams, ranks=list(game.places)), strict=True):
                # Rounded, so that the last bits of a platform's arithmetic choose no matches.
                self._rated[name] = OpenSkill(round(rated.mu, 4), round(rated.sigma, 4))


def beliefs_by_table(tables: Iterable[str], matches: Iterable[MatchLine]) -> dict[str, Beliefs]:
    """Return what is known at each table after some matches."""
    found = {name: Beliefs() for name in tables}
    for match in matches:
        found[match.table].add(match)
    return found
