"""The loop that plays games: ask for decisions, play the turn, continue with the games that are not over.

The object that holds the games plays the turn and collects its results: `Batch` keeps games as they ended, others
record turns or write rows of data. `Seats` asks the players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from rr_gym.player_calls import orders_from
from rr_gym.players import Player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders, take_games

Array = np.ndarray[Any, Any]
TurnCallback = Callable[[int], None]  # called with the number of games that are over; stops the games by an exception
Decided = TypeVar("Decided", contravariant=True)
_Decided = TypeVar("_Decided")

_NOBODY = -1


class Games(Protocol[Decided]):
    """Games that are played at the same time, and what is collected about them."""

    @property
    def arena(self) -> Arena:
        """The arena in which they are played."""

    @property
    def running(self) -> Array:
        """The numbers of the games that are not over: int64, (running,)."""

    @property
    def records(self) -> Array:
        """These games: (running,), dtype `GAME`."""

    @property
    def num_over(self) -> int:
        """The number of games that are over."""

    def play(self, decided: Decided, /) -> None:
        """Play a turn of the games that are not over, with the decisions that were made for them."""


def play_out(games: Games[_Decided], ask: Callable[[], _Decided], tell: TurnCallback) -> None:
    """Play games to their end.

    Args:
        games: The games, which may already be in progress.
        ask: Returns the decisions for a turn of the games that are not over, such as `Seats.ask`.
        tell: Called after every turn with the number of games that are over.
    """
    while len(games.running):
        games.play(ask())
        tell(games.num_over)


class Seats:
    """Asks the players at the tables of games for their orders, and counts what they decide.

    Args:
        games: The games.
        players: The players; one may occur several times.
        seating: Whole numbers, (games, seats): the index in `players` of who sits there.
        at_once: The maximum number of games that a player is asked about in one call; None for all.
        skip_eliminated: Ask nobody for the orders of eliminated robots, which have no effect but may be recorded.

    Attributes:
        orders: The orders so far of a turn for which somebody has yet to be asked, (running, 8); None between turns.
        asked: The number of `questions` of that turn that have been answered.
        decisions: The number of orders that each player was asked for.
        faults: How often orders of each player could not be used, by fault.
    """

    def __init__(
        self,
        games: Games[Any],
        players: Sequence[Player],
        seating: Array,
        *,
        at_once: int | None = None,
        skip_eliminated: bool = False,
    ) -> None:
        self.games, self.players, self.seating = games, players, seating
        self.at_once, self.skip_eliminated = at_once, skip_eliminated
        self.orders: Array | None = None
        self.asked = 0
        self.decisions = [0] * len(players)
        self.faults: list[Counter[str]] = [Counter() for _ in players]

    def ask(self, tell: TurnCallback | None = None) -> Array:
        """Ask for the orders of all seats in the next turn: (running, 8), dtype `FULL_ORDERS`.

        Args:
            tell: Called after every answer with the number of games that are over. If it raises an exception, the next
                call continues with the questions that are left.

        Raises:
            FailedPlayerError: The code of a player raised an error, or returned something other than orders.
        """
        games, records = self.games, self.games.records
        if self.orders is None:
            self.orders = no_orders(len(records), MAX_ROBOTS, full=True)
        orders = self.orders
        for place, seat, rows in self.questions(records)[self.asked :]:
            player = self.players[place]
            some = records if len(rows) == len(records) else take_games(records, rows)
            before = Counter(player.faults)
            orders[rows, seat] = orders_from(player, games.arena, some, seat)
            self.faults[place] += Counter(player.faults) - before
            self.decisions[place] += len(rows)
            self.asked += 1
            if tell:
                tell(games.num_over)
        self.orders, self.asked = None, 0
        return orders

    def questions(self, records: Array) -> list[tuple[int, int, Array]]:
        """List the questions of a turn: the index of a player, a seat, and rows of `records`, the games not over."""
        who = self.seating[self.games.running]
        seats = who.shape[1]
        if self.skip_eliminated:
            who = np.where(records["robots"]["out"][:, :seats] == 1, _NOBODY, who)
        most = self.at_once or max(1, len(who))
        return [
            (place, seat, rows[first : first + most])
            for place in range(len(self.players))
            for seat in range(seats)
            for rows in [np.flatnonzero(who[:, seat] == place)]
            for first in range(0, len(rows), most)
        ]


class Batch:
    """Games of an arena; those that are over or truncated are set aside, and the others are played on.

    Args:
        arena: The arena in which they are played.
        games: (games,), dtype `GAME`; played in place until some of them are over.
        max_cycles: Turns after which a game is truncated.
        logs: (games,), dtype `LOG`: where the events of a turn are written; only for games that end together.

    Attributes:
        ended: (games,), dtype `GAME`: the games that are over, as they ended, and zeros in place of the others.
        turn: The number of turns played.
    """

    def __init__(self, arena: Arena, games: Array, max_cycles: int, logs: Array | None = None) -> None:
        self.arena, self.records, self.max_cycles, self.logs = arena, games, max_cycles, logs
        self.running: Array = np.arange(len(games))
        self.ended = np.zeros_like(games)
        self.turn = 0

    @property
    def num_over(self) -> int:
        """How many games are over."""
        return len(self.ended) - len(self.running)

    @property
    def games(self) -> Array:
        """Copies of all games, those that are over as they ended: (games,), dtype `GAME`."""
        games = self.ended.copy()
        games[self.running] = self.records
        return games

    def play(self, orders: Array) -> None:
        """Play a turn, and set aside the games that are over after it."""
        self.arena.play(self.records, orders, logs=self.logs)
        self.turn += 1
        over = (self.records["over"] == 1) | (self.turn == self.max_cycles)
        if over.any():
            self.ended[self.running[over]] = take_games(self.records, over)
            self.running, self.records = self.running[~over], take_games(self.records, ~over)
