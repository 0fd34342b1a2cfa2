"""What a program player remembers of each game of a seat: its time bank, its losses, and what happened last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rr_gym.player_calls import TableFacts
from rr_gym.players.kept_games import KeptGame
from rr_gym.players.protocol import SeatView

FORFEIT_LOST, FORFEIT_SHARE = 3, 0.25  # a game is forfeited with so many lost decisions, if they are above this share


@dataclass(slots=True)
class SeatGame:
    """A game as one seat plays it.

    Attributes:
        name: How messages call it; another one for every game and seat.
        seat: The seat.
        facts: What is known about the table.
        bank: Seconds that are left in its time bank.
        turn: The number of the turn that was asked last.
        decisions: How many turns it was asked for.
        lost: How many of them were lost.
        forfeited: Why it was forfeited; empty if it was not.
        last: What happened in the last turn, if it is known.
    """

    name: str
    seat: int
    facts: TableFacts
    bank: float
    turn: int = -1
    decisions: int = 0
    lost: int = 0
    forfeited: str = ""
    last: dict[str, Any] | None = None

    def lose(self, why: str = "") -> bool:
        """Count a lost decision, and forfeit the game if there are too many, or for a reason of its own.

        Returns:
            Whether the game is forfeited by this decision, and was not before.
        """
        before = self.forfeited
        self.lost += 1
        self.forfeited = self.forfeited or why
        if self.lost >= FORFEIT_LOST and self.lost > FORFEIT_SHARE * self.decisions:
            self.forfeited = self.forfeited or f"{self.lost} of {self.decisions} decisions of this game were lost"
        return self.forfeited != before

    def spend(self, seconds: float) -> None:
        """Take time from the bank; a negative one, as of an answer within additional time, takes nothing."""
        self.bank = max(0.0, self.bank - max(0.0, seconds))


@dataclass(slots=True)
class SeatGames:
    """All games of a program player that go on.

    Attributes:
        bank: Seconds in the time bank of a new game.
        started: How many games have begun.
    """

    bank: float
    started: int = 0
    _games: dict[tuple[int, int, int], SeatGame] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget all games."""
        self._games.clear()

    def meet(self, index: int, episode: int, seat: int, facts: TableFacts) -> None:
        """Begin a game with a seat at a table that is known."""
        self.started += 1
        self._games[index, episode, seat] = SeatGame(str(self.started), seat, facts, self.bank)

    def asked(self, view: SeatView) -> SeatGame:
        """Return the game of a seat that is asked for its orders; a new one if its turns do not go on."""
        game = view.record
        key = (int(game["index"]), int(game["episode"]), view.seat)
        found = self._games.get(key)
        if found is None or game["turn"] <= found.turn:
            self.meet(*key, TableFacts())
            found = self._games[key]
        found.turn = int(game["turn"])
        found.decisions += 1
        return found

    def find(self, game: Any, seat: int) -> SeatGame | None:
        """Return the game of a seat, if it goes on."""
        return self._games.get((int(game["index"]), int(game["episode"]), seat))

    def put_aside(self, game: Any, seat: int) -> KeptGame | None:
        """Return what is kept of the game of a seat before a turn, if it goes on."""
        found = self.find(game, seat)
        if found is None:
            return None
        again = found.turn >= game["turn"]  # it was asked about this turn already, and is asked again
        return KeptGame(found.bank, found.decisions - int(again), found.lost, found.forfeited)

    def take_up(self, game: Any, seat: int, kept: KeptGame) -> None:
        """Take over what was kept of the game of a seat."""
        if found := self.find(game, seat):
            found.bank, found.decisions = kept.bank, kept.decisions
            found.lost, found.forfeited = kept.lost, kept.forfeited

    def end(self, game: Any, seat: int) -> None:
        """Forget a game that is over."""
        self._games.pop((int(game["index"]), int(game["episode"]), seat), None)
