"""Feed a recorded game to a program again, and compare what it answers with what it answered then."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.json_text import loads
from rr_gym.players.messages import AnswerError
from rr_gym.players.process import ENDED, Gone, OutputLine
from rr_gym.players.protocol2.messages import read_line
from rr_gym.players.transcript import FROM, NOTE, TO, Transcript, TranscriptLine

SAME, OTHER, LOST, NO_ANSWER = "same", "other", "lost then", "no answer"


class ReplayedProgram(Protocol):
    """A program that is running, as `rr_gym.players.process.Process` is."""

    def send(self, text: str) -> None:
        """Send a line."""

    def receive(self, until: float) -> OutputLine | Gone | None:
        """Return its next line, `Gone`, or None if none comes by `until` (`time.monotonic`)."""

    def close(self) -> None:
        """End it."""


@dataclass(slots=True)
class AskedTurn:
    """A turn that the program was asked about when the game was recorded.

    Attributes:
        message: The message, in plain data.
        line: The line that was sent.
        seat: The seat that was asked.
        then: The orders that it answered, as it wrote them; None if it did not answer, or not by an answer.
        fault: Why default orders were played, in words; empty if they were not.
        seconds_then: How long its answer took.
        previews: The lines that answered its previews (protocol 2).
        later: The other lines that were sent before the next turn.
        verdict: `SAME`, `OTHER`, `LOST` or `NO_ANSWER`, once it was asked again.
        now: The orders that it answers now.
        why: Why there is no answer now, in words.
        seconds_now: How long its answer takes now.
    """

    message: dict[str, Any]
    line: str
    seat: int
    then: Any = None
    fault: str = ""
    seconds_then: float = 0.0
    previews: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)
    verdict: str = ""
    now: Any = None
    why: str = ""
    seconds_now: float = 0.0

    @property
    def name(self) -> str:
        """Return which turn it is, in words."""
        return f"game {self.message['game']}, seat {self.seat}, turn {self.number}"

    @property
    def number(self) -> int:
        """Return the number of the turn in its game, from 1, as pages count; messages count from 0."""
        return int(self.message["turn"]) + 1

    def text(self) -> str:
        """Return what has come out, in words; turns with the same answer need none."""
        now = self.why or f"now:  {json.dumps(self.now)} ({self.seconds_now:.3f} s)"
        then = f"lost: {self.fault}" if self.fault else f"then: {json.dumps(self.then)} ({self.seconds_then:.3f} s)"
        return f"{self.name}: {self.verdict}\n  {then}\n  {now}"


@dataclass(slots=True)
class AskedRun:
    """What a program heard from one of its starts to the next.

    Attributes:
        before: The lines before its first turn.
        turns: The turns.
    """

    before: list[str] = field(default_factory=list)
    turns: list[AskedTurn] = field(default_factory=list)


def runs_of(transcript: Transcript) -> list[AskedRun]:
    """Return what a program heard, start by start, with its answers.

    Raises:
        RoboRallyError: A recorded message is none, or no turn was recorded.
    """
    runs: list[AskedRun] = []
    asked: dict[int, tuple[AskedTurn, float]] = {}
    seats: dict[str, int] = {}  # of games of protocol 2, whose turns do not name the seat
    for line in transcript.lines:
        if line.way == NOTE:
            note = _object(line)
            if "start" in note:
                runs.append(AskedRun())
            elif "lost" in note and (lost := _number(note, "lost")) in asked:
                asked[lost][0].fault = f"{note.get('fault')}: {note.get('why')}"
        elif line.way == TO:
            runs = runs or [AskedRun()]
            _add_message(runs[-1], line, asked, seats)
        elif line.way == FROM:
            with suppress(AnswerError, UnicodeEncodeError):
                said = read_line(line.line.encode(errors="surrogateescape"))
                question = asked.get(said.number)
                if question and said.previews is None and question[0].then is None:
                    question[0].then, question[0].seconds_then = said.orders, max(0.0, line.time - question[1])
    if not any(run.turns for run in runs):
        raise RoboRallyError("transcript: no turn in it: expected a game of a program")
    return [run for run in runs if run.before or run.turns]


def _add_message(
    run: AskedRun, line: TranscriptLine, asked: dict[int, tuple[AskedTurn, float]], seats: dict[str, int]
) -> None:
    """Add a line that a program heard to a run; take note of turns, and of the seats of games."""
    message = _object(line)
    kind = message.get("type")
    if kind == "turn":
        known = seats.get(str(message.setdefault("game", line.game)))
        turn = AskedTurn(message, line.line, _number(message, "seat") if known is None else known)
        _number(message, "turn")
        asked[_number(message, "id")] = turn, line.time
        run.turns.append(turn)
    elif kind == "preview" and (number := _number(message, "id")) in asked:
        asked[number][0].previews.append(line.line)
    else:
        if kind == "game":
            seats[str(message.get("game"))] = _number(message, "seat")
        (run.turns[-1].later if run.turns else run.before).append(line.line)


def replay_runs(
    runs: Sequence[AskedRun],
    start: Callable[[], ReplayedProgram],
    seconds: float | None,
    until: int | None = None,
    report: Callable[[int, int], None] | None = None,
) -> Iterator[AskedTurn]:
    """Ask a program about recorded turns again, and yield each with what it answers now.

    The program hears the lines that it heard then, in the same order, and is started as often; every turn waits for the
    answer to the one before.

    Args:
        runs: What it heard, from `runs_of`.
        start: Starts the program. Raises OSError if it cannot be started.
        seconds: Time for each answer; None for no limit.
        until: The last turn of each game that is asked about, from 1; None for all.
        report: Called with the number of turns asked and of all.

    Raises:
        RoboRallyError: The program cannot be started.
    """
    total, done = sum(len(run.turns) for run in runs), 0
    for run in runs:
        try:
            program = start()
        except OSError as error:
            raise RoboRallyError(f"the program cannot be started: {error.strerror or error}") from None
        try:
            for line in run.before:
                program.send(line)
            for turn in run.turns:
                if until is not None and turn.number > until:
                    for line in turn.later:  # such as the beginning of the next game
                        program.send(line)
                    continue
                gone = _ask(program, turn, seconds)
                done += 1
                if report:
                    report(done, total)
                yield turn
                if gone:
                    break  # then it had ended too, or later: the next start follows
        finally:
            program.close()


def _ask(program: ReplayedProgram, turn: AskedTurn, seconds: float | None) -> bool:
    """Ask about a turn and wait for the answer. Returns whether the program has ended."""
    program.send(turn.line)
    begin, previews = time.monotonic(), iter(turn.previews)
    until = begin + seconds if seconds else float("inf")
    while True:
        came = program.receive(until)
        if came is None or isinstance(came, Gone):
            turn.verdict = NO_ANSWER
            turn.why = came.why if came else f"no answer in {seconds:g} s"
            break
        try:
            said = read_line(came.text)
        except AnswerError as error:
            turn.verdict, turn.why = NO_ANSWER, f"{short_repr(came.text.decode(errors='replace'))}: {error}"
            break
        if said.number != turn.message["id"]:
            continue
        if said.previews is None:
            turn.now, turn.seconds_now = said.orders, came.time - begin
            turn.verdict = LOST if turn.fault else SAME if said.orders == turn.then else OTHER
            break
        line = next(previews, None)  # what such a request was answered then
        if line is None:
            turn.verdict, turn.why = NO_ANSWER, "it asks for more previews than it got then"
            break
        program.send(line)
    for line in turn.later:
        program.send(line)
    return isinstance(came, Gone)


class AttachedProgram:
    """A program on this terminal, as its own process would be: no sandbox, no limits, so that debuggers work.

    It has the same process group, so it may read from the terminal (``/dev/tty``), and its standard error is shown.

    Args:
        command: The program with its arguments.
        folder: The folder that it is in; None for that of this process.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, command: Sequence[str], folder: Path | None = None) -> None:
        self._process = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)

    def send(self, text: str) -> None:
        """Send a line."""
        assert self._process.stdin
        with suppress(OSError):  # `receive` says that it has ended
            self._process.stdin.write(text.encode() + b"\n")
            self._process.stdin.flush()

    def receive(self, until: float) -> OutputLine | Gone:
        """Return its next line, however long it takes; `Gone` if there is none."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        return OutputLine(line.rstrip(b"\r\n"), time.monotonic()) if line else Gone(ENDED)

    def close(self) -> None:
        """Close its input and wait until it ends."""
        assert self._process.stdin
        with suppress(OSError):
            self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()


def _number(message: dict[str, Any], name: str) -> int:
    """Return a whole number of a message. Raises RoboRallyError if it has none of this name."""
    number = message.get(name)
    if not isinstance(number, int) or isinstance(number, bool):
        kind = message.get("type", "note")
        raise RoboRallyError(f"transcript: {kind}: {name}: {short_repr(number)}: expected a whole number")
    return number


def _object(line: TranscriptLine) -> dict[str, Any]:
    """Return the JSON object in a line. Raises RoboRallyError if there is none."""
    data = loads(line.line, "transcript")
    if not isinstance(data, dict):
        raise RoboRallyError(f"transcript: {short_repr(line.line)}: expected an object")
    return data
