"""Play games among the players of a league, and compute their payoff matrix and ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rr_gym.evaluation.statistics.ratings import ELO, Rankings
from rr_gym.player_calls import orders_from_seats
from rr_gym.players import Player
from rr_gym.players.protocol import reset_players
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders, take_games
from rr_gym.runner import Batch, play_out

Array = np.ndarray[Any, Any]

_ROUNDING = 1e-9  # (1 - 0.8) * 20 is a little less than 4


def meet(
    arena: Arena, player: Player, others: Sequence[Player], num_robots: int, games: int, max_cycles: int, seed: int
) -> list[float]:
    """Let a player meet others, one at a time, in games in which the two players have alternating seats.

    Args:
        arena: The courses; game i is played on course i modulo their number.
        player: The player that meets the others.
        others: The players that it meets.
        num_robots: The number of robots in a game, at least 2.
        games: The number of games against each other player; the two take turns at having the first seat.
        max_cycles: Turns after which a game is truncated.
        seed: The seed of the deals and of the players.

    Returns:
        For each other player: the share, among all pairs of their robots in all games, in which the player's robot is
        placed ahead; ties count half.
    """
    if not others:
        return []
    count = games * len(others)
    number = np.arange(count) % games
    courses = number % len(arena.courses)
    batch = Batch(arena, arena.new_games(count, num_robots, seed=seed, course_index=courses), max_cycles)
    everybody = [*others, player]
    reset_players([player, *others], seed)
    own = (np.arange(num_robots) + number[:, None]) % 2 == 0
    rival = np.repeat(np.arange(len(others)), games)
    seating = np.where(own, len(others), rival[:, None])

    def ask() -> Array:
        orders = no_orders(len(batch.records), MAX_ROBOTS, full=True)
        for place, one in enumerate(everybody):
            chosen, seats = np.nonzero(seating[batch.running] == place)
            if len(chosen):
                orders[chosen, seats] = orders_from_seats(one, arena, take_games(batch.records, chosen), seats)
        return orders

    play_out(batch, ask, lambda over: None)
    places = arena.placements(batch.ended)[:, :num_robots].astype(np.int64)
    scores = (1 + np.sign(places[:, None, :] - places[:, :, None])) / 2  # of each seat against each other one
    pairs = own[:, :, None] & ~own[:, None, :]
    return [float(scores[rival == k][pairs[rival == k]].mean()) for k in range(len(others))]


class Payoffs:
    """The payoff matrix of all players that have met.

    Attributes:
        names: The names of the players, in the order in which they were added.
        taken: By the name of a snapshot, the update after which it was taken and the rows learned from by then.
        scores: By pair of names, each pair once, the score of the first name and the number of games.
        newest_rating: The rating of the newest snapshot at the last call of `rate`; None before the first call.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.taken: dict[str, tuple[int, int]] = {}
        self.scores: dict[tuple[str, str], tuple[float, int]] = {}
        self.newest_rating: float | None = None

    def add(self, name: str, update: int, rows: int) -> None:
        """Add a snapshot."""
        self.names.append(name)
        self.taken[name] = update, rows

    def note(self, name: str, other: str, score: float, games: int) -> None:
        """Add the score of a player in a number of games against another player."""
        if other not in self.names:
            self.names.append(other)
        self.scores[name, other] = score, games

    def score(self, name: str, other: str) -> float | None:
        """Return the score of a player against another; None if they have not met."""
        if (name, other) in self.scores:
            return self.scores[name, other][0]
        return 1 - self.scores[other, name][0] if (other, name) in self.scores else None

    def ratings(self) -> dict[str, float]:
        """Compute ratings by name, in points above the first snapshot; 400 points are a tenfold strength (`Rankings`).

        A player without opponents has the rating 0.
        """
        if len(self.names) < 2:
            return dict.fromkeys(self.names, 0.0)
        place = {name: k for k, name in enumerate(self.names)}
        rankings = []
        for (name, other), (score, games) in self.scores.items():
            seats = place[name], place[other]
            won = int(score * games + _ROUNDING)  # a draw is half a win
            lost = int((1 - score) * games + _ROUNDING)
            results = [(1, 2)] * won + [(2, 1)] * lost + [(1, 1)] * (games - won - lost)
            rankings += [(0, seats, places) for places in results]
        points = ELO * Rankings(len(self.names), rankings).strengths()
        return {name: float(points[k] - points[0]) for name, k in place.items()}

    def rate(self) -> dict[str, float]:
        """Return `ratings`, and remember the rating of the newest snapshot."""
        ratings = self.ratings()
        self.newest_rating = ratings[list(self.taken)[-1]]
        return ratings

    def get_state(self) -> dict[str, Any]:
        """Return the state that `set_state` restores, as plain data."""
        scores = [[*pair, *value] for pair, value in self.scores.items()]
        return {"names": self.names, "taken": self.taken, "scores": scores, "rating": self.newest_rating}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state that `get_state` returned."""
        self.names = list(state["names"])
        self.taken = {name: (int(update), int(rows)) for name, (update, rows) in state["taken"].items()}
        self.scores = {(name, other): (float(score), int(games)) for name, other, score, games in state["scores"]}
        self.newest_rating = state["rating"]
