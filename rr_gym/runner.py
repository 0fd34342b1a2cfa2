"""The loop that plays games: ask for decisions, play the turn, continue with the games that are not over.

The object that holds the games plays the turn and collects its results: `Batch` keeps games as they ended, others
record turns or write rows of data. `Seats` asks the players.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from rr_gym.player_calls import TableFacts, orders_from, tell_table, tell_turn
from rr_gym.player_names import PROGRAM
from rr_gym.players import Player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import games_for
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import LOG, no_orders, take_games

Array = np.ndarray[Any, Any]
TurnCallback = Callable[[int], None]  # called with the number of games that are over; stops the games by an exception
Decided = TypeVar("Decided", contravariant=True)
_Decided = TypeVar("_Decided")

NOBODY = -1  # in a seating: a seat whose player is not asked


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
        seating: Whole numbers, (games, seats): the index in `players` of who sits there, or `NOBODY`.
        at_once: The maximum number of games that a player is asked about in one call; None for all.
        skip_eliminated: Ask nobody for the orders of eliminated robots, which have no effect but may be recorded.
        names: The names of the players at the table, as players are told; None for their own.
        scored: What counts, `wins` or `places`, as players are told.

    Attributes:
        orders: The orders so far of a turn for which somebody has yet to be asked, (running, 8); None between turns.
        asked: The number of `questions` of that turn that have been answered.
        forfeits: Which games have been forfeited by the player in a seat: bool, (games, seats).
        decisions: The number of orders that each player was asked for.
        faults: How often orders of each player could not be used, by fault.
        seconds: How long each player thought, in this process.
    """

    def __init__(
        self,
        games: Games[Any],
        players: Sequence[Player],
        seating: Array,
        *,
        at_once: int | None = None,
        skip_eliminated: bool = False,
        names: Sequence[str] | None = None,
        scored: str = "wins",
    ) -> None:
        self.games, self.players, self.seating = games, players, seating
        self.at_once, self.skip_eliminated = at_once, skip_eliminated
        self.orders: Array | None = None
        self.asked = 0
        self.decisions = [0] * len(players)
        self.faults: list[Counter[str]] = [Counter() for _ in players]
        self.names = list(map(_told_name, players)) if names is None else names
        self.scored = scored
        self.forfeits = np.zeros(seating.shape, np.bool_)
        self._watched = any(player.watches for player in players)
        if self._watched and isinstance(games, Batch):
            games.on_turn = self._watch
        self._met = False
        self.seconds = [0.0] * len(players)

    def ask(self, tell: TurnCallback | None = None) -> Array:
        """Ask for the orders of all seats in the next turn: (running, 8), dtype `FULL_ORDERS`.

        Args:
            tell: Called after every answer with the number of games that are over. If it raises an exception, the next
                call continues with the questions that are left.

        Raises:
            FailedPlayerError: The code of a player raised an error, or returned something other than orders.
        """
        games, records = self.games, self.games.records
        self.meet()
        if self.orders is None:
            self.orders = no_orders(len(records), MAX_ROBOTS, full=True)
        orders = self.orders
        for place, seat, rows in self.questions(records)[self.asked :]:
            player = self.players[place]
            some = records if len(rows) == len(records) else take_games(records, rows)
            before = Counter(player.faults)
            begin = time.perf_counter()
            orders[rows, seat] = orders_from(player, games.arena, some, seat)
            self.seconds[place] += time.perf_counter() - begin
            self.faults[place] += Counter(player.faults) - before
            self.decisions[place] += len(rows)
            self.asked += 1
            if tell:
                tell(games.num_over)
        self.orders, self.asked = None, 0
        return orders

    def meet(self) -> None:
        """Tell the players who watch who sits at the tables of the games that are not over, before they are asked."""
        if self._met or not self._watched:
            return
        self._met, records = True, self.games.records
        max_cycles: int | None = getattr(self.games, "max_cycles", None)
        for row, number in enumerate(self.games.running):
            who = self.seating[number]
            facts = TableFacts(tuple(self.names[place] for place in who), self.scored, max_cycles)
            for seat, place in enumerate(who):
                if self.players[place].watches:
                    player = self.players[place]
                    tell_table(player, games_for(player, records[row : row + 1]), seat, facts)

    def _watch(self, records: Array, logs: Array, over: Array) -> None:
        """Tell the players who watch what happened in a turn of the games that were not over before it."""
        running = self.games.running
        who = self.seating[running]
        for place, player in enumerate(self.players):
            if not player.watches or player in self.players[:place]:
                continue
            for seat in range(who.shape[1]):
                rows = np.flatnonzero(np.isin(who[:, seat], [k for k, one in enumerate(self.players) if one is player]))
                if len(rows):
                    some = games_for(player, take_games(records, rows))
                    forfeited = tell_turn(player, self.games.arena, some, seat, logs[rows], over[rows])
                    self.forfeits[running[rows], seat] |= forfeited

    def questions(self, records: Array) -> list[tuple[int, int, Array]]:
        """List the questions of a turn: the index of a player, a seat, and rows of `records`, the games not over."""
        who = self.seating[self.games.running]
        seats = who.shape[1]
        if self.skip_eliminated:
            who = np.where(records["robots"]["out"][:, :seats] == 1, NOBODY, who)
        most = self.at_once or max(1, len(who))
        return [
            (place, seat, rows[first : first + most])
            for place in range(len(self.players))
            for seat in range(seats)
            for rows in [np.flatnonzero(who[:, seat] == place)]
            for first in range(0, len(rows), most)
        ]


def _told_name(player: Player) -> str:
    """Return how players are told of a player: programs have names, but their command lines are nobody's business."""
    return PROGRAM if player.name.startswith(f"{PROGRAM}:") and not player.digest else player.name


class Batch:
    """Games of an arena; those that are over or truncated are set aside, and the others are played on.

    Args:
        arena: The arena in which they are played.
        games: (games,), dtype `GAME`; played in place until some of them are over.
        max_cycles: Turns after which a game is truncated.
        logs: (games,), dtype `LOG`: where the events of a turn are written; only for games that end together.

    Attributes:
        on_turn: Called after every turn with the games that were not over before it, the events of the turn, and which
            of the games are over or truncated now; None for nobody.
        ended: (games,), dtype `GAME`: the games that are over, as they ended, and zeros in place of the others.
        turn: The number of turns played.
    """

    def __init__(self, arena: Arena, games: Array, max_cycles: int, logs: Array | None = None) -> None:
        self.arena, self.records, self.max_cycles, self.logs = arena, games, max_cycles, logs
        self.running: Array = np.arange(len(games))
        self.ended = np.zeros_like(games)
        self.turn = 0
        self.on_turn: Callable[[Array, Array, Array], None] | None = None

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
        if self.on_turn and self.logs is None:
            self.logs = np.zeros(len(self.records), LOG)
            self.logs["on"] = 1
        self.arena.play(self.records, orders, logs=self.logs)
        self.turn += 1
        over = (self.records["over"] == 1) | (self.turn == self.max_cycles)
        if self.on_turn and self.logs is not None:
            self.on_turn(self.records, self.logs, over)
        if over.any():
            self.ended[self.running[over]] = take_games(self.records, over)
            self.running, self.records = self.running[~over], take_games(self.records, ~over)
            self.logs = None if self.logs is None else self.logs[~over]
