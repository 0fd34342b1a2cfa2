"""Notes on players in reports, in addition to their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rr_gym.asking import FAILED
from rr_gym.players.protocol import Player

Counts = list[tuple[int, dict[str, int]]]  # decisions and faults of each player
MAX_FAULTS = 0.05  # the share of its decisions that a player may lose before figures say nothing about it


@dataclass(frozen=True, slots=True)
class Losses:
    """The decisions that a player lost: default orders were played instead.

    Attributes:
        player: Its name.
        decisions: How many orders it was asked for; 0 if it does not count them.
        faults: How many of them were lost, by fault; at least one.
        last: The last fault, in words; empty if it does not say.
    """

    player: str
    decisions: int
    faults: Mapping[str, int]
    last: str = ""

    @property
    def share(self) -> float:
        """The share of the decisions that were lost; 1 if they are not counted."""
        return sum(self.faults.values()) / self.decisions if self.decisions else 1.0

    def line(self) -> str:
        """The losses in words."""
        of = f" of {self.decisions:,}" if self.decisions else ""
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in Counter(self.faults).most_common())
        last = f"; the last: {self.last}" if self.last else ""
        return f"{self.player}: {sum(self.faults.values()):,}{of} decisions lost: {kinds}{last}"


def above(losses: Iterable[Losses], max_faults: float) -> tuple[str, ...]:
    """The names of the players that lost more than this share of their decisions."""
    return tuple(one.player for one in losses if one.share > max_faults)


def loss_lines(losses: Sequence[Losses], max_faults: float) -> list[str]:
    """The first lines of a report: what was lost, and if that is too much, that no share of games won is claimed."""
    lines = [one.line() for one in losses]
    if faulty := above(losses, max_faults):
        lines.append(
            f"no share of games won is claimed: {', '.join(faulty)} lost more than {100 * max_faults:g} % of "
            f"{'its' if len(faulty) == 1 else 'their'} decisions (--max-faults)"
        )
    return lines


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

    def losses(self) -> tuple[Losses, ...]:
        """The losses of each player whose orders could not always be used."""
        found = []
        for number, (name, (decisions, faults)) in enumerate(zip(self._names, self.counts(), strict=True)):
            if faults:
                reports = [self._why[number]] if number in self._why else self._players[number].reports
                found.append(Losses(name, decisions, faults, reports[-1] if reports else ""))
        return tuple(found)

    def lines(self) -> list[str]:
        """A line for each player that is not reproducible, and for each whose orders could not always be used."""
        return [*self.remarks(), *(one.line() for one in self.losses())]

    def remarks(self) -> list[str]:
        """A line for each player that is not reproducible."""
        return [
            f"{name} is not reproducible: the same seed may give other results"
            for name, player in zip(self._names, self._players, strict=True)
            if not player.reproducible
        ]
