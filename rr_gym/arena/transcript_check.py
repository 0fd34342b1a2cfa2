"""Check a transcript by the rules: what a program was told, and whether the orders that were played are its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from rr_gym.encoding.observe.view import view_of
from rr_gym.json_text import loads
from rr_gym.players.messages import AnswerError, legal_choices, read_answer, read_orders
from rr_gym.players.protocol import SeatView
from rr_gym.players.transcript import FROM, NOTE, TO, Transcript
from rr_gym.rules.state.records import OrdersRecord, no_orders


class SeatTranscript:
    """The transcript of a seat in one game, read turn by turn as the game is played again.

    Args:
        transcript: The transcript.

    Attributes:
        faults: How many decisions were lost so far, by kind.

    Raises:
        RoboRallyError: A line of the game is not JSON.
    """

    def __init__(self, transcript: Transcript) -> None:
        self.faults: Counter[str] = Counter()
        self._questions: list[dict[str, Any]] = []
        self._answers: dict[int, Any] = {}  # by the number of the question, the first to each
        self._lost: dict[int, str] = {}
        self._next = 0
        for line in transcript.lines:
            if line.way == TO and (message := loads(line.line, "transcript")).get("type") == "turn":
                self._questions.append(message)
            elif line.way == NOTE and "lost" in (note := loads(line.line, "transcript")):
                self._lost[note["lost"]] = note["fault"]
            elif line.way == FROM:
                self._hear(line.line)

    def _hear(self, line: str) -> None:
        try:
            number, orders = read_answer(line.encode(errors="surrogateescape"))
        except AnswerError:
            return  # a note says that a decision was lost by it
        self._answers.setdefault(number, orders)

    def check_turn(self, view: SeatView, played: OrdersRecord) -> Iterator[str]:
        """Yield what does not agree in the next turn.

        Args:
            view: What the seat sees by the rules.
            played: The orders that were played.
        """
        if self._next >= len(self._questions):
            yield "the program was not asked"
            return
        question = self._questions[self._next]
        self._next += 1
        course = view.arena.courses[view.record["course"]]
        true = {
            "turn": int(view.record["turn"]), "seat": view.seat, "legal": legal_choices(view),
            "view": view_of(view.record, view.seat, course).to_json(),
        }  # fmt: skip
        for name, value in true.items():
            # Compared as a program reads it, without types that JSON does not have
            if name in question and question[name] != _as_json(value):
                yield f"{name}: the program was told something else than what the rules say"
        number = question["id"]
        if number in self._lost:
            self.faults[self._lost[number]] += 1
            wanted: OrdersRecord = no_orders(1, full=True)[0]
        elif number in self._answers:
            try:
                wanted = read_orders(self._answers[number], view)
            except AnswerError as error:
                yield f"its answer was played, though it is none: {error}"
                return
        else:
            yield "there is neither an answer nor a note that the decision was lost"
            return
        if np.asarray(played).tobytes() != np.asarray(wanted).tobytes():
            yield "other orders were played than its answer"

    def rest(self) -> Iterator[str]:
        """Yield what is wrong after the last turn."""
        if self._next < len(self._questions):
            yield f"the program was asked {len(self._questions)} times: expected {self._next}"


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))
