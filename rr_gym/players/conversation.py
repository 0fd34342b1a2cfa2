"""What is said to a program and read from it, in the protocol that it speaks (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.player_calls import TableFacts
from rr_gym.players import messages
from rr_gym.players.kept_games import KeptGame
from rr_gym.players.messages import Said, read_answer
from rr_gym.players.protocol import SeatView
from rr_gym.players.protocol2.seat_games import SeatGame
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.settings import Settings

Array = np.ndarray[Any, Any]
Message = dict[str, Any]
Introduction = tuple[str, int | str]  # what a program is told once: the kind of message, and the number in it


@dataclass(slots=True)
class Question:
    """A turn that a program is asked about.

    Attributes:
        place: The index of its game in the batch.
        view: What the seat sees.
        number: The number of the turn in messages.
        game: How messages call the game.
        seed: The seed of the player.
        seat_game: The game with its time bank; None in protocol 1.
        sent: When it was sent, by `time.monotonic`.
    """

    place: int
    view: SeatView
    number: int
    game: str
    seed: int
    seat_game: SeatGame | None = None
    sent: float = 0.0

    @property
    def where(self) -> str:
        """Return which turn it is, for reports."""
        return f"game {self.game}, seat {self.view.seat}, turn {self.view.record['turn']}"


class Conversation:
    """Protocol 1.

    Args:
        seconds: Time for each decision.
        start_seconds: Additional time for the first answer after a start.
    """

    protocol: ClassVar[int] = messages.PROTOCOL
    preparation: ClassVar[float] = 0.0  # additional seconds for the first answer on a new course

    def __init__(self, seconds: float, start_seconds: float) -> None:
        self.seconds, self.start_seconds = seconds, start_seconds
        self._resets = 0
        self._rules: list[Settings] = []
        self._courses: list[Course] = []

    def reset(self) -> None:
        """Begin other games."""
        self._resets += 1

    def meet(self, games: Array, seat: int, facts: TableFacts) -> None:
        """Take note of games that begin at a table; see `Player.meet`."""

    def watch(self, arena: Arena, games: Array, seat: int, logs: Array, over: Array) -> Iterator[tuple[str, Message]]:
        """Take note of a turn that was played, and yield the last messages of games that are over, with their names."""
        return iter(())

    def forfeited(self, games: Array, seat: int) -> Array:
        """Return which games a seat has forfeited: bool, (n,)."""
        return np.zeros(len(games), np.bool_)

    def put_aside(self, game: GameRecord, seat: int) -> KeptGame | None:
        """Return what has to be remembered of a game that is interrupted, see `Player.put_aside`."""
        return None

    def take_up(self, game: GameRecord, seat: int, kept: KeptGame) -> None:
        """Remember a game that goes on, see `Player.take_up`."""

    def question(self, place: int, view: SeatView, number: int, seed: int) -> Question:
        """Return the question for the orders of a seat, under a number of its own."""
        game = view.record
        return Question(place, view, number, f"{self._resets}.{game['index']}.{game['episode']}", seed)

    def hello(self) -> Message:
        """Return the first message to a program."""
        return messages.hello(self.seconds)

    def introductions(self, question: Question) -> Iterator[tuple[Introduction, Callable[[], Message]]]:
        """Yield what a program must have been told before a question, each with a function that makes the message."""
        rules, course = self._numbers(question.view)
        yield ("rules", rules), lambda: messages.rules_message(rules, self._rules[rules - 1])
        yield ("course", course), lambda: messages.course_message(course, self._courses[course - 1])

    def turn(self, question: Question) -> Message:
        """Return the message of a question."""
        rules, course = self._numbers(question.view)
        numbers = {"rules": rules, "course": course}
        return messages.turn_message(
            question.view, question.number, self._resets, question.seed, self.seconds, numbers
        )

    def limit(self, question: Question) -> float:
        """Return the seconds for the answer to a question."""
        return self.seconds

    def read(self, line: bytes) -> Said:
        """Return what a line of a program says. Raises AnswerError."""
        return Said(*read_answer(line))

    def error(self, question: Question, fault: str, why: str) -> Message:
        """Return the message that tells a program that it has lost a decision."""
        return messages.error_message(question.number, fault, why)

    def _numbers(self, view: SeatView) -> tuple[int, int]:
        arena, k = view.arena, view.record["course"]
        return number_of(self._rules, arena.settings[k]), number_of(self._courses, arena.courses[k])


def number_of(known: list[Any], thing: Any) -> int:
    """Return the number of an object, from 1, in a list to which new objects are appended."""
    for number, other in enumerate(known, 1):
        if other is thing:
            return number
    known.append(thing)
    return len(known)
