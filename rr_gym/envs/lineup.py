"""The seating: the learners of a game and their opponents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError, shown, whole_number
from rr_gym.players import Player
from rr_gym.players.protocol import reset_players
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import games_for
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import take_games

Array = np.ndarray[Any, Any]

ROTATE = "rotate"


class LineupError(RoboRallyError):
    """Opponents or seats that do not fit the game."""


class Lineup:
    """Learners and opponents around a table.

    Args:
        num_robots: Seats of a game, 1 to 8.
        opponents: Registered names, paths of policies, or `Player` objects; learners take the other seats. A name
            that is given twice is one player with two seats.
        seat: ``"rotate"``: everybody moves one seat further with every game of a batch and every episode; or the
            fixed seat of the first learner. Learners come first, then the opponents, around the table.

    Raises:
        LineupError: More opponents than seats, or no such seat.
        PlayerError: There is no such player.
    """

    def __init__(self, num_robots: int, opponents: Sequence[str | Player] = (), seat: int | str = ROTATE) -> None:
        self.num_robots = whole_number("num_robots", num_robots, 1, MAX_ROBOTS, LineupError)
        if seat != ROTATE and (isinstance(seat, bool | str) or seat not in range(num_robots)):
            raise LineupError(f"seat: {shown(seat)}: expected '{ROTATE}' or a seat from 0 to {num_robots - 1}")
        self.seat = seat
        self.opponents, self._made = self._players(opponents)
        self.num_learners = self.num_robots - len(self.opponents)
        self.at_table = self.num_robots  # the first so many seats have a robot: `num_robots` or fewer
        if self.num_learners < 1:
            count = len(self.opponents)
            raise LineupError(f"opponents: {count}: expected at most {num_robots - 1}, leaving a seat for a learner")

    def _players(self, opponents: Sequence[str | Player]) -> tuple[tuple[Player, ...], tuple[Player, ...]]:
        """The players of all opponents' seats, and those of them that are created here."""
        if isinstance(opponents, str | Player) or not isinstance(opponents, Sequence):
            raise LineupError(f"opponents: {shown(opponents)}: expected a list of names and players")
        made: dict[str, Player] = {}
        for opponent in opponents:
            if isinstance(opponent, str):
                made[opponent] = made.get(opponent) or make_player(opponent)
            elif not isinstance(opponent, Player):
                raise LineupError(f"opponents: {shown(opponent)}: expected the name of a player, or a Player")
        return tuple(made[o] if isinstance(o, str) else o for o in opponents), tuple(made.values())

    def replace(self, opponents: Sequence[str | Player]) -> None:
        """Replace the opponents by as many others. Raises LineupError."""
        players, made = self._players(opponents)
        if len(players) != len(self.opponents):
            raise LineupError(f"opponents: {len(players)}: expected {len(self.opponents)}, as many as before")
        self.close()
        self.opponents, self._made = players, made

    def close(self) -> None:
        """Close the players that were created here from names; the others belong to the caller."""
        for player in self._made:
            player.close()

    def reset(self, seed: int) -> None:
        """Give every opponent its own seed, derived from this one."""
        reset_players(self.opponents, seed % 2**64)

    def _first_seats(self, games: Array) -> Array:
        """The seat of the first learner in every game, (n,)."""
        if self.seat != ROTATE:
            return np.full(len(games), int(self.seat))
        if not self.opponents:
            return np.zeros(len(games), np.int64)
        first: Array = (games["index"].astype(np.int64) + games["episode"]) % self.at_table
        return first

    def learner_seats(self, games: Array) -> Array:
        """Where the learners sit: int8, (n, learners); without opponents that may be seats without a robot."""
        around = self._first_seats(games)[:, None] + np.arange(self.num_learners)
        return (around % (self.at_table if self.opponents else self.num_robots)).astype(np.int8)

    def give_orders(self, arena: Arena, games: Array, mask: Array, orders: Array) -> None:
        """Write the opponents' orders in the games of a mask into `orders`, (n, 8)."""
        if not self.opponents:
            return
        first = self._first_seats(games)
        for player in dict.fromkeys(self.opponents):
            for seat in range(self.at_table):
                number = (seat - first) % self.at_table - self.num_learners
                sits = np.array([o is player for o in self.opponents])[np.maximum(number, 0)] & (number >= 0) & mask
                if sits.all():
                    orders[:, seat] = player.act(arena, games_for(player, games), seat)
                elif sits.any():
                    chosen = np.flatnonzero(sits)
                    some = games_for(player, take_games(games, chosen))
                    orders[chosen, seat] = player.act(arena, some, seat)
