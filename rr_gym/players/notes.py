"""What a report has to say of players besides their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rr_gym.players.protocol import Player


class PlayerNotes:
    """Notes on what players do from now on.

    Args:
        players: Those of a race, a match or a tournament; one that has several seats may be there several times.
    """

    def __init__(self, players: Iterable[Player]) -> None:
        self._players = list({id(player): player for player in players}.values())
        self._before = [(Counter(player.faults), player.decisions) for player in self._players]

    def lines(self) -> list[str]:
        """A line for each player that is not reproducible, and for each whose orders could not always be used."""
        lines = [
            f"{player.name} is not reproducible: the same seed may give other results"
            for player in self._players
            if not player.reproducible
        ]
        for player, (faults, decisions) in zip(self._players, self._before, strict=True):
            new = Counter(player.faults) - faults
            if new:
                of = f" of {player.decisions - decisions:,}" if player.decisions else ""
                kinds = ", ".join(f"{count:,} {kind}" for kind, count in new.most_common())
                last = f"; the last: {player.reports[-1]}" if player.reports else ""
                lines.append(f"{player.name}: {new.total():,}{of} decisions lost: {kinds}{last}")
        return lines
