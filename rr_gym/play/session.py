"""One game of a person against players: the table seen from one seat."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rr_gym.encoding.observe.view import View
from rr_gym.errors import ReplayError, RoboRallyError
from rr_gym.game import Game
from rr_gym.play.table import Table, Thinking, game_of, not_asked, opponents_of, unfinished
from rr_gym.player_names import PERSON
from rr_gym.players import Player, SeatView
from rr_gym.registry import open_player
from rr_gym.render.words import Event
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.salt import choose_salt

__all__ = ["OWN_ROBOT", "PERSON", "Session"]

OWN_ROBOT = "your robot"


class Session(Table):
    """A game with a person in one seat and players in all others.

    Args:
        game: The game, before its first turn.
        seat: The seat of the person.
        opponents: The players of the other seats, in their order.
        seed: The seed of the opponents' own randomness, together with the game's salt.
        thinking: Returns a context, given a player's name, that is held while that player decides.

    Raises:
        RoboRallyError: The number of opponents or the seat does not fit the game.
    """

    def __init__(
        self, game: Game, seat: int, opponents: Sequence[Player], seed: int, thinking: Thinking = not_asked
    ) -> None:
        super().__init__(game, [seat], opponents, seed, thinking)
        self.seat = seat

    @classmethod
    def start(
        cls,
        course: str,
        against: Sequence[str],
        *,
        seat: int = 0,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        salt: int | str | None = None,
        thinking: Thinking = not_asked,
    ) -> Session:
        """Start a new game.

        Args:
            course: The id of a built-in course, or a path of a course or board.
            against: The names of the opponents, as the user typed them.
            seat: The seat of the person.
            seed: The seed of the game and of the opponents.
            settings: Settings by name.
            salt: 128 bits in addition to the seed, a whole number or up to 32 hexadecimal digits; 0 for none. None
                draws one if an opponent is external (`Player.outside`).
            thinking: Returns a context, given a player's name, that is held while that player decides.

        Raises:
            RoboRallyError: There is no such course, setting, seat or player.
        """
        if len(against) >= MAX_ROBOTS:
            raise RoboRallyError(f"against: {len(against)} players: expected at most {MAX_ROBOTS - 1}")
        opponents = [open_player(name) for name in against]
        game = Game(course, len(against) + 1, seed, settings, choose_salt(salt, opponents))
        return cls(game, seat, opponents, seed, thinking)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        against: Sequence[str] | None = None,
        *,
        seat: int | None = None,
        thinking: Thinking = not_asked,
    ) -> Session:
        """Resume a game that `save` wrote, or any replay of an unfinished game, by playing its turns again.

        Args:
            path: The file.
            against: Other opponents, as the user typed them; None for those of the file.
            seat: The seat of the person; None for the seat in the file.
            thinking: Returns a context, given a player's name, that is held while that player decides.

        Raises:
            RoboRallyError: The file is not such a replay, its game is over, or its players cannot be created from
                their names alone.
        """
        replay = unfinished(path)
        if seat is None and replay.players.count(PERSON) != 1:
            raise ReplayError(f"{path}: players: no seat named '{PERSON}': say which seat is yours")
        chosen = replay.players.index(PERSON) if seat is None else seat
        names = [name for i, name in enumerate(replay.players) if i != chosen] if against is None else against
        game = game_of(replay, path)
        opponents = opponents_of(path, names, typed=against is not None)
        session = cls(game, chosen, opponents, replay.known_seed(), thinking)
        session.catch_up(replay)
        return session

    @property
    def told(self) -> list[str]:
        """Return the names of robots for the story of a turn."""
        return [OWN_ROBOT if i == self.seat else label for i, label in enumerate(self.labels)]

    def view(self) -> View:
        """Return what the person sees."""
        return self.view_of(self.seat)

    def sight(self) -> SeatView:
        """Return what the person sees, in the form that players get."""
        return self.sight_of(self.seat)

    def check(self, orders: Mapping[str, Any]) -> None:
        """Raise OrderError, without the seat in its message, if the person's orders are illegal."""
        self.check_orders(self.seat, orders)

    def play(self, orders: Mapping[str, Any]) -> list[Event]:
        """Play a turn with the person's orders and those of the opponents.

        Returns:
            The events of the turn, including hidden ones.

        Raises:
            OrderError: The person's orders are illegal; nothing was played.
        """
        return self.play_turn({self.seat: orders})

    def advice(self, name: str) -> dict[str, Any]:
        """Return the orders that a player would give in the person's seat from what it sees, as far as they are legal.

        Raises:
            RoboRallyError: There is no such player.
        """
        return self.advise(self.seat, name)
