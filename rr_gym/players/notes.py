"""Notes on players in reports, in addition to their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rr_gym.asking import FAILED
from rr_gym.players.protocol import Player

Counts = list[tuple[int, dict[str, int]]]  # decisions and faults of each player


class PlayerNotes:
    """Notes on what players do from now on.

    Args:
        players: Of a race, a match or a tournament; one with several seats may occur several times.
        earlier: The `counts` of an earlier run with the same players, which are added.
        names: What each of them is called here; by default by its own name.
    """

    def __init__(
        self, players: Iterable[Player], earlier: Counts | None = None, names: Sequence[str] | None = None
    ) -> None:
        players = list(players)
        self._players = list({id(player): player for player in players}.values())
        own = [player.name for player in self._players]
        told = dict(zip(map(id, reversed(players)), reversed(names or []), strict=False))  # by its first seat
        self._names = [
            told.get(id(player), player.name) if own.count(player.name) > 1 else player.name for player in self._players
        ]
        self._before = [(Counter(player.faults), player.decisions) for player in self._players]
        self._failed: Counter[int] = Counter()  # by the index of the player
        self._why: dict[int, str] = {}
        self._earlier = earlier or [(0, {}) for _ in self._players]
        if len(self._earlier) != len(self._players):
            raise ValueError(f"{len(self._earlier)} counts: expected {len(self._players)}, one for each player")

    def lose(self, player: Player, why: str) -> None:
        """Count a decision that a player did not make because its code failed: default orders were played instead."""
        number = next(i for i, other in enumerate(self._players) if other is player)
        self._failed[number] += 1
        self._why[number] = why

    def counts(self) -> Counts:
        """Decisions and faults of each player, each player once."""
        found = []
        rows = zip(self._players, self._before, self._earlier, strict=True)
        for number, (player, (faults, decisions), (decided, lost)) in enumerate(rows):
            new = Counter(player.faults) - faults + Counter(lost) + Counter({FAILED: self._failed[number]})
            found.append((player.decisions - decisions + decided, dict(new)))
        return found

    def lines(self) -> list[str]:
        """A line for each player that is not reproducible, and for each whose orders could not always be used."""
        lines = [
            f"{name} is not reproducible: the same seed may give other results"
            for name, player in zip(self._names, self._players, strict=True)
            if not player.reproducible
        ]
        for number, (name, (decisions, faults)) in enumerate(zip(self._names, self.counts(), strict=True)):
            new = Counter(faults)
            if new:
                of = f" of {decisions:,}" if decisions else ""
                kinds = ", ".join(f"{count:,} {kind}" for kind, count in new.most_common())
                reports = [self._why[number]] if number in self._why else self._players[number].reports
                last = f"; the last: {reports[-1]}" if reports else ""
                lines.append(f"{name}: {new.total():,}{of} decisions lost: {kinds}{last}")
        return lines
