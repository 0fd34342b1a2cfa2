"""Games that the player under test lost, kept by their deals and orders, so that replays can be made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.replay import Recorder, Replay
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import new_log, take_games
from rr_gym.runner import Batch

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class LostGame:
    """A game that the player under test did not win.

    Attributes:
        deal: The number of its deal, from 0.
        seats: The seat of each player of the line-up.
        start: (1,), dtype `GAME`: the game before its first turn.
        orders: (turns, 8), dtype `FULL_ORDERS`: the orders of each turn.
    """

    deal: int
    seats: tuple[int, ...]
    start: Array
    orders: Array

    @property
    def name(self) -> str:
        """Return the name of its files, without an ending: deals and seats are counted from 1."""
        return f"deal-{self.deal + 1}-seat-{self.seats[0] + 1}"

    def replay(self, arena: Arena, names: Sequence[str]) -> Replay:
        """Play it again by the rules and return its replay.

        Args:
            arena: The courses of the match.
            names: The names of the line-up.
        """
        by_seat = [names[place] for place in np.argsort(self.seats)]
        games, log = self.start.copy(), new_log()
        recorder = Recorder(arena, games, players=by_seat)
        for turn in range(len(self.orders)):
            orders = self.orders[turn : turn + 1]
            arena.play(games, orders, logs=log)
            recorder.add(orders, log)
        return recorder.replay(games, reveal=True)


class PlayedOrders:
    """Remembers the orders of games as they are played.

    Args:
        batch: The games before their first turn.
        ask: Returns the orders of the games that are not over, as `Seats.ask` does.
    """

    def __init__(self, batch: Batch, ask: Callable[[], Array]) -> None:
        self._batch, self._ask = batch, ask
        self._starts = take_games(batch.records, np.arange(len(batch.records)))
        self._turns: list[tuple[Array, Array]] = []  # the numbers of the games and their orders

    def ask(self) -> Array:
        """Ask for the orders of a turn and remember them."""
        orders = self._ask()
        self._turns.append((self._batch.running, orders))
        return orders

    def lost(self, won: Array, deals: Array, seats: Sequence[int], most: int) -> list[LostGame]:
        """Return the first games that the player under test did not win.

        Args:
            won: float64, (games,): its share of each game; half a game without a winner is not lost.
            deals: The number of each game's deal.
            seats: The seat of each player of the line-up.
            most: The number of games to return at most.
        """
        return [
            LostGame(int(deals[game]), tuple(seats), take_games(self._starts, np.array([game])), self._orders_of(game))
            for game in np.flatnonzero(won == 0)[:most].tolist()
        ]

    def _orders_of(self, game: int) -> Array:
        """Return the orders of a game: (turns, 8), dtype `FULL_ORDERS`."""
        places = ((np.searchsorted(running, game), running, orders) for running, orders in self._turns)
        return np.stack([orders[at] for at, running, orders in places if at < len(running) and running[at] == game])
