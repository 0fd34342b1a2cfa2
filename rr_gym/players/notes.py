"""Notes in reports on players that lost decisions or are not reproducible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rr_gym.player_calls import FAILED
from rr_gym.players.protocol import Player
from rr_gym.players.sandbox import not_guaranteed

Counts = list[tuple[int, dict[str, int]]]  # decisions and faults of each player
MAX_FAULTS = 0.05  # the share of its decisions that a player may lose before figures say nothing about it


@dataclass(frozen=True, slots=True)
class Losses:
    """The decisions that a player lost, in which default orders were played instead.

    Attributes:
        player: The name of the player.
        decisions: How many orders it was asked for; 0 if it does not count them.
        faults: How many decisions were lost, by kind of fault; at least one.
        last: The last fault, in words; empty if there is no description.
    """

    player: str
    decisions: int
    faults: Mapping[str, int]
    last: str = ""

    @property
    def share(self) -> float:
        """Return the share of the decisions that were lost; 1 if decisions are not counted."""
        return sum(self.faults.values()) / self.decisions if self.decisions else 1.0

    @property
    def all_lost(self) -> bool:
        """Tell whether every decision was lost, so that the player has not played at all."""
        return 0 < self.decisions <= sum(self.faults.values())

    def line(self) -> str:
        """Return the losses in words."""
        of = f" of {self.decisions:,}" if self.decisions else ""
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in Counter(self.faults).most_common())
        last = f"; the last: {self.last}" if self.last else ""
        return f"{self.player}: {sum(self.faults.values()):,}{of} decisions lost: {kinds}{last}"


def above(losses: Iterable[Losses], max_faults: float) -> tuple[str, ...]:
    """Return the names of the players that lost more than this share of their decisions, or all of them."""
    return tuple(one.player for one in losses if one.share > max_faults or one.all_lost)


def loss_lines(losses: Sequence[Losses], max_faults: float) -> list[str]:
    """Return the first lines of a report: the losses, and a warning if they are too many to state winning shares."""
    lines = [one.line() for one in losses]
    if faulty := above(losses, max_faults):
        whose = "its" if len(faulty) == 1 else "their"
        how = f"more than {100 * max_faults:g} % of {whose} decisions (--max-faults)"
        if max_faults >= 1:  # nobody can lose more than that
            how = f"all {whose} decisions"
        lines.append(f"no share of games won is claimed: {', '.join(faulty)} lost {how}")
    return lines


def sandboxes_of(names: Iterable[str], players: Iterable[Player]) -> dict[str, str]:
    """Return the kind of sandbox of each player that is a program, by its name."""
    return {name: player.sandbox for name, player in zip(names, players, strict=False) if player.sandbox}


def sandbox_lines(sandboxes: Mapping[str, str]) -> list[str]:
    """Return a line for each kind of sandbox: who runs in it, and what it does not guarantee."""
    kinds = dict.fromkeys(sandboxes.values())
    return [
        f"{', '.join(name for name, kind in sandboxes.items() if kind == one)}: {not_guaranteed(one)}" for one in kinds
    ]


class PlayerNotes:
    """Records what players do from its creation on.

    Args:
        players: All players of a race, a match or a tournament; one with several seats may occur several times.
        earlier: The `counts` of an earlier run with the same players, which are added.
        names: Names to use in the notes; by default each player's own.
    """

    def __init__(
        self, players: Iterable[Player], earlier: Counts | None = None, names: Sequence[str] | None = None
    ) -> None:
        players = list(players)
        self._players = list({id(player): player for player in players}.values())
        own = [player.name for player in self._players]
        names_by_id = dict(zip(map(id, reversed(players)), reversed(names or []), strict=False))  # by its first seat
        self._names = [
            names_by_id.get(id(player), player.name) if own.count(player.name) > 1 else player.name
            for player in self._players
        ]
        self._before = [(Counter(player.faults), player.decisions) for player in self._players]
        self._failed: Counter[int] = Counter()  # by the index of the player
        self._why: dict[int, str] = {}
        self._earlier = earlier or [(0, {}) for _ in self._players]
        if len(self._earlier) != len(self._players):
            raise ValueError(f"{len(self._earlier)} counts: expected {len(self._players)}, one for each player")

    def lose(self, player: Player, why: str) -> None:
        """Count a decision that a player lost because its code raised an error: default orders were played instead."""
        number = next(i for i, other in enumerate(self._players) if other is player)
        self._failed[number] += 1
        self._why[number] = why

    def counts(self) -> Counts:
        """Return decisions and faults of each distinct player."""
        found = []
        rows = zip(self._players, self._before, self._earlier, strict=True)
        for number, (player, (faults, decisions), (decided, lost)) in enumerate(rows):
            new = Counter(player.faults) - faults + Counter(lost) + Counter({FAILED: self._failed[number]})
            found.append((player.decisions - decisions + decided, dict(new)))
        return found

    def add(self, counts: Counts, last: Sequence[str]) -> None:
        """Add what the same players did in another process: its `counts` and `last`."""
        self._earlier = [
            (before + decided, dict(Counter(lost) + Counter(faults)))
            for (before, lost), (decided, faults) in zip(self._earlier, counts, strict=True)
        ]
        self._why.update({number: why for number, why in enumerate(last) if why})

    def last(self) -> list[str]:
        """Return the last fault of each distinct player in words; empty where none was described."""
        reports = [player.reports for player in self._players]
        return [self._why.get(number) or (some[-1] if some else "") for number, some in enumerate(reports)]

    def losses(self) -> tuple[Losses, ...]:
        """Return the losses of each player that lost decisions."""
        rows = zip(self._names, self.counts(), self.last(), strict=True)
        return tuple(Losses(name, decisions, faults, last) for name, (decisions, faults), last in rows if faults)

    def lines(self) -> list[str]:
        """Return a line for each player that is not reproducible, and for each that lost decisions."""
        return [*self.remarks(), *(one.line() for one in self.losses())]

    def remarks(self) -> list[str]:
        """Return a line for each player that is not reproducible, and for each kind of sandbox."""
        lines = [
            f"{name} is not reproducible: the same seed may give other results"
            for name, player in zip(self._names, self._players, strict=True)
            if not player.reproducible
        ]
        return lines + sandbox_lines(self.sandboxes())

    def sandboxes(self) -> dict[str, str]:
        """Return the kind of sandbox of each player that is a program, by its name."""
        return sandboxes_of(self._names, self._players)
