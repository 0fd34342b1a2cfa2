"""Verify a transcript: that the program was sent what the rules say, and that its own orders were played.

A transcript has all lines in the order in which the game sent or read them, so the conversation can be repeated: each
message to the program is generated again and compared, and each line of the program is parsed again.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rr_gym.json_text import loads
from rr_gym.player_calls import TableFacts
from rr_gym.players.conversation import Introduction, Question
from rr_gym.players.messages import (
    CRASH,
    NOT_AN_ANSWER,
    OUT,
    TIME_OUT,
    AnswerError,
    lost_orders,
    read_orders,
    shortened,
)
from rr_gym.players.program import LONGEST_WHY, START_SECONDS, STARTS
from rr_gym.players.protocol import SeatView
from rr_gym.players.protocol2.conversation import SecondConversation, make_conversation
from rr_gym.players.protocol2.messages import BANK_USED_UP, FORFEIT, preview_message
from rr_gym.players.protocol2.previews import preview_results
from rr_gym.players.transcript import ERRORS, FROM, NOTE, TO, Transcript
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import OrdersRecord

Array = np.ndarray[Any, Any]

_WRONG_MESSAGE = "the message to the program is not the one that the rules give"
_NO_OUTCOME = "there is neither an answer nor a note that the decision was lost"
_TOO_LATE = re.compile(rf"no answer in \d[\d.e+-]* s(, and {BANK_USED_UP})?")
_ROUNDING = 0.001  # seconds; messages round the time left in the bank
_TURNS_ROUNDING = 0.011  # turns to go are computed in floating point, and rounded to two digits


class _ContradictionError(Exception):
    """A line is invalid at its position, so the lines after it cannot be checked."""


class SeatTranscript:
    """The transcript of a seat in one game, checked while the game is played again.

    After a line that is invalid at its position, the rest of the transcript is not checked.

    Args:
        transcript: The transcript, of a program that was started for this game.
        seat: The seat.
        facts: The facts about the table that the program was sent.
        seconds: How long the program may take per decision.
        seed: The seed of the player.

    Attributes:
        faults: The number of decisions lost so far, by kind.
        forfeited: Whether the seat has forfeited the game.
    """

    def __init__(self, transcript: Transcript, seat: int, facts: TableFacts, seconds: float, seed: int) -> None:
        self.faults: Counter[str] = Counter()
        self.forfeited = False
        self._lines = deque(line for line in transcript.lines if line.way != ERRORS)
        self._seat, self._facts, self._seed = seat, facts, seed
        self._conversation = make_conversation(_protocol_of(transcript), seconds, START_SECONDS, None)
        self._conversation.reset()
        self._asked = 0
        self._starts = self._ends = 0
        self._runs = self._cannot_start = self._broken = False
        self._last_end = ""
        self._sent: set[Introduction] = set()
        self._found: list[str] = []

    def begin(self, games: Array) -> None:
        """Start checking with the game before its first turn: (1,), dtype `GAME`, without hidden data (`games_for`)."""
        if isinstance(self._conversation, SecondConversation):
            self._conversation.meet(games, self._seat, self._facts)

    def check_turn(self, view: SeatView, played: OrdersRecord) -> Iterator[str]:
        """Yield the problems of the next decision.

        Args:
            view: What the seat sees.
            played: The orders that were played.
        """
        if self._broken:
            return
        self._found = []
        try:
            wanted = self._decision(view)
        except _ContradictionError as problem:
            self._broken = True
            yield from [*self._found, str(problem)]
            return
        yield from self._found
        if np.asarray(played).tobytes() != np.asarray(wanted).tobytes():
            yield "the orders that were played are not its answer"

    def check_events(self, arena: Arena, games: Array, logs: Array, over: bool) -> Iterator[str]:
        """Yield the problems after a turn, and record its events for the next message.

        Args:
            arena: The arena of the game.
            games: The game after the turn, (1,), dtype `GAME`, without hidden data.
            logs: The events of the turn, (1,), dtype `LOG`.
            over: Whether the game is over, or truncated.
        """
        self.forfeited = bool(self._conversation.forfeited(games, self._seat)[0])
        self._found = []
        for name, message in self._conversation.watch(arena, games, self._seat, logs, np.array([over])):
            if not self._broken and ("game", name) in self._sent:
                try:
                    self._check_message(message)
                except _ContradictionError as problem:
                    self._broken = True
                    self._found.append(str(problem))
        yield from self._found

    def check_end(self) -> Iterator[str]:
        """Yield a problem if lines are left after the last turn."""
        more = sum(line.way != FROM for line in self._lines)
        if more and not self._broken:
            yield f"{more} lines of its transcript do not belong to any turn"

    def _decision(self, view: SeatView) -> OrdersRecord:
        """Repeat the conversation about a decision, and return its orders. Raises _ContradictionError."""
        self._asked += 1
        question = self._conversation.question(0, view, self._asked, self._seed)
        ended = self._skip_leftovers()
        if question.seat_game and question.seat_game.forfeited:
            return self._lost(FORFEIT, question.seat_game.forfeited)
        if ended:
            return self._lose(question, CRASH, self._last_end)
        self._start()
        if not self._runs:
            if self._ends < STARTS and not self._cannot_start:
                raise _ContradictionError("the program was not asked")
            return self._lose(question, OUT, None)
        for told, describe in self._conversation.introductions(question):
            if told not in self._sent:
                self._sent.add(told)
                self._check_message(describe())
        self._adopt_times(question)
        self._check_message(self._conversation.turn(question))
        return self._answer(question)

    def _skip_leftovers(self) -> bool:
        """Skip lines that the program wrote between turns; return whether it has ended after them."""
        while self._lines and self._lines[0].way == FROM:
            self._lines.popleft()
        if (end := self._note("end")) is None:
            return False
        self._program_ended(end)
        return True

    def _start(self) -> None:
        """Start the program as recorded, if it is not running."""
        if self._runs or self._ends >= STARTS or self._cannot_start:
            return
        if (start := self._note("start")) is None:
            return
        if start != {"start": self._starts + 1}:
            raise _ContradictionError(f"start {start.get('start')}: expected {self._starts + 1}")
        if not (self._lines and self._lines[0].way == TO):
            self._cannot_start = True
            return
        self._starts += 1
        self._runs = True
        heard = self._message()
        # Other versions of the package may have the same rules.
        self._check_message({**self._conversation.hello(), "rr_gym": heard.get("rr_gym")})

    def _program_ended(self, note: Mapping[str, Any]) -> None:
        if not self._runs:
            raise _ContradictionError("the program ended, but was not running")
        self._last_end = str(note["end"])
        self._runs = False
        self._ends += 1
        self._sent.clear()

    def _adopt_times(self, question: Question) -> None:
        """Adopt the time left in the bank from the message, since it depends on real time; it can only decrease."""
        if not (game := question.seat_game):
            return
        heard = self._message()
        bank, limit = heard.get("bank_seconds"), heard.get("seconds")
        if isinstance(bank, int | float) and isinstance(limit, int | float) and 0 <= bank <= game.bank + _ROUNDING:
            # If the bank is the limit, the limit has its time without rounding.
            game.bank = limit if round(limit, 3) == bank and limit < self._conversation.seconds else bank

    def _answer(self, question: Question) -> OrdersRecord:
        """Process lines until the decision is made or lost."""
        number = question.number
        while self._lines:
            if (end := self._note("end")) is not None:
                self._program_ended(end)
                lost = self._peek_note("lost") or {}
                return self._lose(question, TIME_OUT if lost.get("fault") == TIME_OUT else CRASH, self._last_end)
            if self._lines[0].way == NOTE:
                why = str((self._peek_note("lost") or {}).get("why"))
                if not _TOO_LATE.fullmatch(why):
                    raise _ContradictionError(_NO_OUTCOME)
                return self._lose(question, TIME_OUT, why)
            if self._lines[0].way == TO:
                raise _ContradictionError(_NO_OUTCOME)
            line = self._lines.popleft().line.encode(errors="surrogateescape")
            try:
                said = self._conversation.read(line)
                if said.number != number and not 1 <= said.number <= self._asked:
                    open_turn = f"expected that of an open turn, such as {number}"
                    raise AnswerError(NOT_AN_ANSWER, f"id: {said.number}: {open_turn}")
            except AnswerError as error:
                return self._lose(question, error.fault, str(error))
            if said.number != number:
                continue  # a late answer
            if said.previews is None:
                try:
                    orders = read_orders(said.orders, question.view)
                except AnswerError as error:
                    if not self._peek_note("lost"):
                        raise _ContradictionError(f"its answer was played, but is invalid: {error}") from None
                    return self._lose(question, error.fault, str(error))
                if (self._peek_note("lost") or {}).get("lost") == number:
                    raise _ContradictionError("its answer was not played, but is valid")
                return orders
            if self._lines and self._lines[0].way == TO:  # there is no reply if no time was left
                results = preview_results(question.view, said.previews, math.inf)
                self._check_message(preview_message(number, results or []))
        raise _ContradictionError(_NO_OUTCOME)

    def _lose(self, question: Question, fault: str, why: str | None) -> OrdersRecord:
        """Lose a decision for a reason; None takes the recorded reason, which depends on real time."""
        told = self._peek_note("lost") or {}
        why = str(told.get("why")) if why is None else shortened(why, LONGEST_WHY)
        orders = self._lost(fault, why)
        if game := question.seat_game:
            used_up = fault == TIME_OUT and game.bank <= self._conversation.seconds
            if fault == TIME_OUT and abs(game.bank - self._conversation.seconds) <= _ROUNDING:  # too close to decide
                used_up = self._peek_note("forfeit") is not None
            if game.lose(BANK_USED_UP if used_up else "") and self._note("forfeit") != {"forfeit": game.forfeited}:
                raise _ContradictionError(f"expected a note that the game is forfeited: {game.forfeited}")
        if self._runs:
            self._check_message(self._conversation.error(question, fault, why))
        return orders

    def _lost(self, fault: str, why: str) -> OrdersRecord:
        """Consume the note that the decision was lost, and return the orders that are played then."""
        if (note := self._note("lost")) is None:
            raise _ContradictionError(_NO_OUTCOME)
        if note != {"lost": self._asked, "fault": fault, "why": why}:
            found = f"decision {note['lost']} was lost by {note.get('fault')}: {note.get('why')}"
            raise _ContradictionError(f"{found}: expected decision {self._asked} by {fault}: {why}")
        self.faults[fault] += 1
        return lost_orders()

    def _check_message(self, wanted: Mapping[str, Any]) -> None:
        """Consume the next message, and compare it with the expected one. Raises _ContradictionError."""
        heard = self._message()
        if heard.get("type") != wanted["type"]:
            raise _ContradictionError(f"{wanted['type']}: {_WRONG_MESSAGE}")
        self._lines.popleft()
        # Compared as the program reads it, that is after JSON
        true = json.loads(json.dumps(wanted))
        for name in {**true, **heard}:
            same = name in true and name in heard and (
                _same_tables(heard[name], true[name]) if name == "tables" else heard[name] == true[name]
            )  # fmt: skip
            if not same:
                self._found.append(f"{name}: {_WRONG_MESSAGE}")

    def _message(self) -> dict[str, Any]:
        """Return the next message to the program without consuming it; empty if the next line is something else."""
        if not self._lines or self._lines[0].way != TO:
            return {}
        message = loads(self._lines[0].line, "transcript")
        return message if isinstance(message, dict) else {}

    def _peek_note(self, key: str) -> dict[str, Any] | None:
        """Return the next line if it is a note with this key."""
        if not self._lines or self._lines[0].way != NOTE:
            return None
        note = loads(self._lines[0].line, "transcript")
        return note if isinstance(note, dict) and key in note else None

    def _note(self, key: str) -> dict[str, Any] | None:
        """Consume and return the next line if it is a note with this key."""
        note = self._peek_note(key)
        if note is not None:
            self._lines.popleft()
        return note


def _protocol_of(transcript: Transcript) -> int:
    """Return the protocol of a program from its greeting; if it never started, only protocol 2 has forfeits."""
    for line in transcript.lines:
        if line.way == TO and (message := loads(line.line, "transcript")).get("type") == "hello":
            return 2 if message.get("protocol") == 2 else 1
    notes = (loads(line.line, "transcript") for line in transcript.lines if line.way == NOTE)
    return 2 if any("forfeit" in note for note in notes) else 1


def _same_tables(found: Any, wanted: Any) -> bool:
    """Return whether tables of a course are equal up to rounding."""
    key = "turns_to_go"
    return {**found, key: None} == {**wanted, key: None} and np.allclose(
        found[key], wanted[key], rtol=0, atol=_TURNS_ROUNDING
    )
