"""One game of a person against players, seen from the person's seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rr_gym.encoding.observe.view import View
from rr_gym.errors import RoboRallyError
from rr_gym.game import Game
from rr_gym.play.human_game import HumanGame, Thinking, no_thinking
from rr_gym.players import Player, SeatView
from rr_gym.render.words import Event

OWN_ROBOT = "your robot"


class Session(HumanGame):
    """A game with a person in one seat and players in all others; its arguments are those of `HumanGame`.

    Attributes:
        seat: The seat of the person.
    """

    def __init__(
        self,
        game: Game,
        people: Sequence[int],
        opponents: Sequence[Player],
        seed: int,
        thinking: Thinking = no_thinking,
    ) -> None:
        super().__init__(game, people, opponents, seed, thinking)
        if len(people) != 1:
            raise RoboRallyError(f"people: {len(people)}: expected one: several play at pages in browsers")
        self.seat = people[0]

    @property
    def robot_names(self) -> list[str]:
        """Return the names by which the story of a turn calls the robots."""
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
