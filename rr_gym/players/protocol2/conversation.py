"""Protocol 2: what is said to a program and read from it (docs/protocol.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.player_calls import TableFacts
from rr_gym.players.conversation import Conversation, Introduction, Message, Question
from rr_gym.players.kept_games import KeptGame
from rr_gym.players.messages import Said
from rr_gym.players.protocol import SeatView
from rr_gym.players.protocol2 import messages
from rr_gym.players.protocol2.course_message import course_message
from rr_gym.players.protocol2.events import turn_report
from rr_gym.players.protocol2.seat_games import SeatGames
from rr_gym.render.words import events_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.settings import Settings

Array = np.ndarray[Any, Any]

PREPARATION = 5.0  # seconds
BANK_DECISIONS = 60  # by default, the time bank is so many times the time of a decision


class SecondConversation(Conversation):
    """Protocol 2.

    Args:
        seconds: Time for each decision.
        start_seconds: Additional time for the first answer after a start.
        bank: Seconds for all decisions of a game; None for `BANK_DECISIONS` times the seconds of one.
    """

    protocol: ClassVar[int] = messages.PROTOCOL
    preparation: ClassVar[float] = PREPARATION

    def __init__(self, seconds: float, start_seconds: float, bank: float | None = None) -> None:
        super().__init__(seconds, start_seconds)
        self.games = SeatGames(BANK_DECISIONS * seconds if bank is None else bank)
        self._played: list[tuple[Arena, Settings, int]] = []

    def reset(self) -> None:
        """Begin other games."""
        self.games.clear()

    def meet(self, games: Array, seat: int, facts: TableFacts) -> None:
        """Take note of games that begin at a table; see `Player.meet`."""
        for game in games:
            self.games.meet(int(game["index"]), int(game["episode"]), seat, facts)

    def watch(self, arena: Arena, games: Array, seat: int, logs: Array, over: Array) -> Iterator[tuple[str, Message]]:
        """Take note of a turn that was played, and yield the last messages of games that are over, with their names."""
        places = arena.placements(games) if over.any() else None
        for row, (game, log) in enumerate(zip(games, logs, strict=True)):
            known = self.games.find(game, seat)
            if known is None:
                continue
            width = arena.courses[game["course"]].size[0]
            known.last = turn_report(events_of(log), game, seat, width)
            if places is not None and over[row]:
                self.games.end(game, seat)
                ranks = [int(place) for place in places[row, : game["num_robots"]]]
                yield known.name, messages.end_message(known, game, ranks)

    def forfeited(self, games: Array, seat: int) -> Array:
        """Return which games a seat has forfeited: bool, (n,)."""
        found = (self.games.find(game, seat) for game in games)
        return np.array([game is not None and bool(game.forfeited) for game in found], np.bool_)

    def put_aside(self, game: GameRecord, seat: int) -> KeptGame | None:
        """Return the time bank and the losses of a game, see `Player.put_aside`."""
        return self.games.put_aside(game, seat)

    def take_up(self, game: GameRecord, seat: int, kept: KeptGame) -> None:
        """Take over the time bank and the losses of a game, see `Player.take_up`."""
        self.games.take_up(game, seat, kept)

    def question(self, place: int, view: SeatView, number: int, seed: int) -> Question:
        """Return the question for the orders of a seat, under a number of its own."""
        game = self.games.asked(view)
        return Question(place, view, number, game.name, seed, game)

    def hello(self) -> Message:
        """Return the first message to a program."""
        return messages.hello(self.start_seconds)

    def introductions(self, question: Question) -> Iterator[tuple[Introduction, Callable[[], Message]]]:
        """Yield what a program must have been told before a question, each with a function that makes the message."""
        view, game = question.view, question.seat_game
        arena, index = view.arena, int(view.record["course"])
        course = self._course_number(arena, index)
        facts = messages.course_facts(self.seconds, self.games.bank, self.preparation)
        yield ("course", course), lambda: course_message(course, arena, index, facts)
        if game:
            robots = int(view.record["num_robots"])
            yield ("game", game.name), lambda: messages.game_message(game, course, robots)

    def turn(self, question: Question) -> Message:
        """Return the message of a question."""
        assert question.seat_game
        limit = self.limit(question)
        return messages.turn_message(question.view, question.number, question.seat_game, question.seed, limit)

    def limit(self, question: Question) -> float:
        """Return the seconds for the answer to a question: those of a decision, or what the time bank has left."""
        return min(self.seconds, question.seat_game.bank) if question.seat_game else self.seconds

    def read(self, line: bytes) -> Said:
        """Return what a line of a program says. Raises AnswerError."""
        return messages.read_line(line)

    def error(self, question: Question, fault: str, why: str) -> Message:
        """Return the message that tells a program that it has lost a decision."""
        assert question.seat_game
        return messages.error_message(question.number, question.seat_game, fault, why)

    def _course_number(self, arena: Arena, index: int) -> int:
        """Return the number of a course with its settings; the same course of an equal arena keeps its number."""
        course, settings = arena.courses[index], arena.settings[index]
        for number, (other, rules, k) in enumerate(self._played, 1):
            if other is arena and k == index:
                return number
            if other.courses[k] is course and rules == settings:
                return number
        self._played.append((arena, settings, index))
        return len(self._played)


def make_conversation(protocol: int, seconds: float, start_seconds: float, bank: float | None) -> Conversation:
    """Return a conversation in a version of the protocol; see `SecondConversation` for the other arguments.

    Raises:
        RoboRallyError: A number is none of seconds, or there is a time bank in protocol 1.
    """
    numbers = {"seconds": seconds, "start_seconds": start_seconds, "bank": 1.0 if bank is None else bank}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise RoboRallyError(f"{name}: {short_repr(value)}: expected a number of seconds above 0")
    if protocol > 1:
        return SecondConversation(seconds, start_seconds, bank)
    if bank is not None:
        raise RoboRallyError(f"bank: {bank}: expected none: protocol 1 has no time bank")
    return Conversation(seconds, start_seconds)
