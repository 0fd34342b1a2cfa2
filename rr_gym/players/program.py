"""Players that are programs in any language, run as separate processes (docs/protocol.md)."""

from __future__ import annotations

import json
import shlex
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.compilation.cache import seconds_spent
from rr_gym.errors import whole_number
from rr_gym.player_calls import TableFacts
from rr_gym.players.conversation import Introduction, Question
from rr_gym.players.kept_games import KeptGame
from rr_gym.players.messages import (
    CRASH,
    NOT_AN_ANSWER,
    OUT,
    TIME_OUT,
    AnswerError,
    Said,
    lost_orders,
    read_orders,
    shortened,
    write_line,
)  # fmt: skip
from rr_gym.players.process import ENDED, Gone, OutputLine, Process, split_command
from rr_gym.players.protocol import Player, SeatView
from rr_gym.players.protocol2.conversation import make_conversation
from rr_gym.players.protocol2.messages import BANK_USED_UP, FORFEIT, preview_message
from rr_gym.players.protocol2.previews import preview_results
from rr_gym.players.sandbox import NONE, PROCESS, Limits, Sandbox, choose_kind
from rr_gym.players.sandbox.sandbox import keep_memory_private
from rr_gym.players.transcript import ERRORS, FROM, NOTE, TO, Transcript
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GameRecord, OrdersRecord, no_orders

Array = np.ndarray[Any, Any]

SECONDS = 1.0
STARTS = 10
START_SECONDS = 10.0
HUNG = 10  # time-outs in a row after which a process is killed
MOST_REPORTS = 100
MOST_IDLE = 2**17  # bytes of lines without effect between two answers, after which a program is stopped
MOST_UNREAD = 2**27  # bytes that wait for a program to read them; one that asks for more is stopped
LONGEST_WHY, _SHOWN = 400, 120  # characters of an error, and of its line, that reports show


class ProgramPlayer(Player):
    """A program that reads turns from its standard input and writes orders to its standard output, as lines of JSON.

    It is started for the first decision, serves all games and seats of this player, and is restarted after a crash.
    Whatever it does, the games continue: a turn without valid orders in time gets default orders and is counted in
    `faults`. The program sees only what its seat sees. It is ended by `close`, with this object, or with the
    interpreter.

    Args:
        command: The program with its arguments: a list, or one string, split as by a shell.
        seconds: Time for each decision, from when it is asked for, from the program's previous answer in time, or from
            when the decision before it was lost, whichever is latest.
        starts: How often the program is started at most; then it is not asked any more. Ten time-outs in a row count as
            a crash.
        start_seconds: Additional time for the first answer after a start.
        protocol: The version of the protocol that it speaks, 1 or 2.
        bank: In protocol 2, seconds for all decisions of a game; None for 60 times the seconds of one.
        sandbox: Where it runs: `bubblewrap`, `process` or `none` (docs/arena.md); None for the strongest that works.
        limits: What it may use in a sandbox.
        folder: Its folder, which it sees in a sandbox and is in; None for the folders of the files that its command
            names, and for being in the same folder as this process.

    Attributes:
        sandbox: The kind of its sandbox.
        decisions: How many orders it was asked for.
        faults: How many of these were lost, by kind (docs/protocol.md).
        reports: The last hundred faults, in words.
        transcript: Where everything is recorded that the program hears and says from its next start on; None for
            nowhere. Close the player before you set another one, so that each begins with a start of the program.

    Raises:
        RoboRallyError: There is no such program or sandbox, or a number is wrong.
    """

    reproducible = False  # answers in time depend on the machine
    outside = True

    def __init__(
        self,
        command: str | Sequence[str],
        seconds: float = SECONDS,
        *,
        starts: int = STARTS,
        start_seconds: float = START_SECONDS,
        protocol: int = 1,
        bank: float | None = None,
        sandbox: str | None = None,
        limits: Limits = Limits(),  # noqa: B008  (it cannot change)
        folder: Path | None = None,
    ) -> None:
        self.name = f"program:{command if isinstance(command, str) else shlex.join(command)}"
        self.command = split_command(command, folder)
        self.starts = whole_number("starts", starts, 1)
        self.protocol = whole_number("protocol", protocol, 1, 2)
        self._talk = make_conversation(self.protocol, seconds, start_seconds, bank)
        self.watches = self.protocol > 1
        self.sandbox = choose_kind(sandbox)
        self._sandbox = None if self.sandbox == NONE else Sandbox(self.sandbox, limits, folder)
        self._folder = folder
        if self.sandbox == PROCESS:
            keep_memory_private()
        self.faults: Counter[str] = Counter()
        self.decisions = 0
        self.reports: deque[str] = deque(maxlen=MOST_REPORTS)
        self.transcript: Transcript | None = None
        self._process: Process | None = None
        self._crashes = self._starts = 0
        self._last_end = ""  # why the process ended last
        self._forget()

    def _forget(self) -> None:
        """Reset the state that belongs to a process, since there is a new one or none."""
        self._told: set[Introduction] = set()
        self._held: OutputLine | None = None  # a line that has arrived early
        self._answered = False
        self._timed_out = 0  # in a row
        self._idle_bytes = 0  # of lines without effect since its last answer
        self._ended_between = ""  # why it ended between two decisions, until the next one is lost for it
        self._free = 0.0  # when it had answered all earlier turns
        self._allowance = 0.0  # seconds that its next answer may take in addition

    @property
    def seconds(self) -> float:
        """Return the time for each decision."""
        return self._talk.seconds

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        self._talk.seconds = seconds

    def reset(self, seed: int = 0) -> None:
        """Start over with this seed; messages tell the program the number of resets."""
        super().reset(seed)
        self._talk.reset()

    def close(self) -> None:
        """End the process; the next decision starts another."""
        if self._process:
            self._process.close()
        self._process = None
        self._forget()

    def meet(self, games: Array, seat: int, facts: TableFacts) -> None:
        """Hear of games that begin, see `Player.meet`."""
        self._talk.meet(games, seat, facts)

    def watch(self, arena: Arena, games: Array, seat: int, logs: Array, over: Array) -> Array:
        """Hear what happened in a turn, see `Player.watch`."""
        forfeited = self._talk.forfeited(games, seat)
        for game, message in self._talk.watch(arena, games, seat, logs, over):
            if ("game", game) in self._told:
                self._send(message, game)
                self._told.remove(("game", game))
        return forfeited

    def put_aside(self, game: GameRecord, seat: int) -> KeptGame | None:
        """Return its time bank and losses, see `Player.put_aside`."""
        return self._talk.put_aside(game, seat)

    def take_up(self, game: GameRecord, seat: int, kept: KeptGame) -> None:
        """Remember its time bank and losses, see `Player.take_up`."""
        self._talk.take_up(game, seat, kept)

    def orders(self, view: SeatView) -> OrdersRecord:
        """Return the orders for one turn, see `Player.orders`."""
        order: OrdersRecord = self._decide([view])[0]
        return order

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """Return the orders of one seat in a batch, see `Player.act`."""
        return self._decide(SeatView.of(arena, game, seat) for game in games)

    def start(self) -> Process:
        """Start a process of the program; subclasses override this for other kinds of programs. Raises OSError."""
        heard = partial(self.transcript.add, ERRORS) if self.transcript else None
        return Process(self.command, self._sandbox, self._folder, heard)

    def _decide(self, views: Iterable[SeatView]) -> Array:
        """Return the orders of some seats, (n,), dtype `FULL_ORDERS`; `lost_orders` where the program gives none."""
        self._read_leftovers()
        waiting: dict[int, Question] = {}
        given: dict[int, OrdersRecord] = {}
        count = 0
        for view in views:
            if not view.record["over"] and not view.robot["out"]:
                given[count] = lost_orders()  # unless it answers
                self._begin_decision(count, view, waiting)
            count += 1
        while waiting:
            self._listen(waiting, given)
        orders = no_orders(count, full=True)
        for place, order in given.items():
            orders[place] = order
        return orders

    def _begin_decision(self, place: int, view: SeatView, waiting: dict[int, Question]) -> None:
        """Ask for the orders of a seat, if it has not forfeited the game."""
        self.decisions += 1
        question = self._talk.question(place, view, self.decisions, self.seed)
        if question.seat_game and question.seat_game.forfeited:
            self.faults[FORFEIT] += 1
            self._note(question.game, lost=question.number, fault=FORFEIT, why=question.seat_game.forfeited)
            return
        waiting[question.number] = question
        if self._ended_between:
            why, self._ended_between = self._ended_between, ""
            self._lose(question.number, waiting, CRASH, why)
            return
        self._ask(question)

    def _listen(self, waiting: dict[int, Question], given: dict[int, OrdersRecord]) -> None:
        """Wait for the next event: a line, the end of the process, or the end of the time for an answer."""
        if self._process is None:
            after = f" after {self._starts} start{'s' * (self._starts != 1)}" if self._starts else ""
            why = f"not started again{after} ({self._last_end})"
            for number in list(waiting):
                self._lose(number, waiting, OUT, why)
            return
        oldest = next(iter(waiting.values()))
        since = max(oldest.sent, self._free)
        deadline = since + self._talk.limit(oldest) + self._allowance
        came = self._receive(deadline)
        if isinstance(came, Gone):
            self._lose(oldest.number, waiting, CRASH, self._end(came))
            self._ask_again(waiting)
        elif came is None or came.time > deadline:
            self._held = came
            self._lose_by_time(waiting, deadline, deadline - since)
        else:
            compiled = seconds_spent()
            self._settle(came, waiting, given, deadline)
            self._allowance += seconds_spent() - compiled  # the program does not pay for it

    def _receive(self, until: float) -> OutputLine | Gone | None:
        held, self._held = self._held, None
        return held or (self._process.receive(until) if self._process else None)

    def _ask(self, question: Question) -> None:
        """Send a question and the messages that it refers to; do nothing if the program has crashed too often."""
        if self._process is None:
            if self._crashes >= self.starts:
                return
            try:
                self._note(start=self._starts + 1)
                self._process = self.start()
            except OSError as error:
                self._crashes = self.starts
                self._last_end = f"{self.command[0]} cannot be started: {error.strerror or error}"
                self.reports.append(self._last_end)
                return
            self._starts += 1
            self._allowance = self._talk.start_seconds
            self._send(self._talk.hello())
        for told, describe in self._talk.introductions(question):
            if told not in self._told:
                self._told.add(told)
                self._send(describe(), question.game if told[0] == "game" else "")
                if told[0] == "course":
                    self._allowance += self._talk.preparation
        message = self._talk.turn(question)
        question.sent = time.monotonic()
        self._send(message, question.game)

    def _send(self, message: Mapping[str, Any], game: str = "") -> None:
        """Send a message to the program, if it runs, and record it; `game` is the game that it belongs to."""
        if self._process:
            line = write_line(message)
            self._record(TO, line, game)
            self._process.send(line)

    def _record(self, way: str, line: str | bytes, game: str = "", when: float | None = None) -> None:
        if self.transcript:
            self.transcript.add(way, line, game, when)

    def _note(self, game: str = "", **facts: int | str) -> None:
        """Record something that happens to the program or to one of its decisions."""
        if self.transcript:
            self.transcript.add(NOTE, json.dumps(facts), game)

    def _settle(
        self, line: OutputLine, waiting: dict[int, Question], given: dict[int, OrdersRecord], deadline: float
    ) -> None:
        """Take a line for what it says about the turn that it names, or else as a wrong answer to the oldest one."""
        oldest = number = next(iter(waiting))
        said: Said | None = None
        wrong: AnswerError | None = None
        try:
            said = self._talk.read(line.text)
            number = said.number
            if number not in waiting and not self._was_asked(number):
                raise AnswerError(NOT_AN_ANSWER, f"id: {number}: expected that of an open turn, such as {oldest}")
        except AnswerError as error:
            number, wrong = oldest, error
        question = waiting.get(number)
        self._record(FROM, line.text, question.game if question else "", line.time)
        if question is None:  # it was settled: what comes late, or a second answer, gives no time to others
            if gone := self._count_idle(line.text):
                self._lose(oldest, waiting, CRASH, self._end(gone))
                self._ask_again(waiting)
            return
        if said and said.previews is not None and not wrong:
            if self._process and self._process.unread > MOST_UNREAD:
                self._lose(number, waiting, CRASH, self._end(Gone("it asked for previews and did not read them")))
                self._ask_again(waiting)
                return
            until = self._latest_answer(number, waiting, deadline)
            if results := preview_results(question.view, said.previews, until):  # None if there is no time left
                self._send(preview_message(number, results), question.game)
            return
        forfeits = ""
        if game := question.seat_game:
            used = line.time - max(question.sent, self._free) - self._allowance
            if used > game.bank:  # it was not the oldest question, whose bank bounds how long is waited
                forfeits = BANK_USED_UP
            game.spend(used)
        try:
            if wrong:
                raise wrong
            if forfeits:
                raise AnswerError(TIME_OUT, f"answered after {used:.3g} s, and {forfeits}")
            given[question.place] = read_orders(said and said.orders, question.view)
            del waiting[number]
        except AnswerError as error:
            self._lose(number, waiting, error.fault, str(error), line.text, forfeits)
        self._answered, self._timed_out, self._free, self._allowance = True, 0, line.time, 0.0
        self._idle_bytes = 0

    def _count_idle(self, line: bytes) -> Gone | None:
        """Count a line without effect; return why the process has to end if there were too many since its last answer.

        They are recorded and cost no decision, so they are bounded.
        """
        self._idle_bytes += len(line)
        return Gone(f"it wrote more than {MOST_IDLE:,} bytes without effect") if self._idle_bytes > MOST_IDLE else None

    def _latest_answer(self, number: int, waiting: Mapping[int, Question], deadline: float) -> float:
        """Return until when an open turn may be answered if all before it take their whole time.

        Args:
            number: The number of the turn.
            waiting: The open turns, the oldest first.
            deadline: The end of the time for the oldest one.
        """
        later = list(waiting.values())[1:]
        before = (question for question in later if question.number <= number)
        return deadline + sum(self._talk.limit(question) for question in before)

    def _was_asked(self, number: int) -> bool:
        """Tell whether there was such a turn; an answer to a lost one is late, which is not a fault of its own."""
        return 1 <= number <= self.decisions

    def _lose(
        self, number: int, waiting: dict[int, Question], fault: str, why: str,
        line: bytes | None = None, forfeits: str = "",
    ) -> None:  # fmt: skip
        """Count a decision that default orders replace; the program is told before its next turn.

        With `forfeits`, a reason, the game is forfeited at once.
        """
        question = waiting.pop(number)
        why = shortened(why, LONGEST_WHY)
        self.faults[fault] += 1
        shown = "" if line is None else f": {shortened(ascii(line.decode(errors='replace')), _SHOWN)}"
        self.reports.append(f"{question.where}: {fault}: {why}{shown}")
        self._note(question.game, lost=number, fault=fault, why=why)
        if (game := question.seat_game) and game.lose(forfeits):
            self.reports.append(f"{question.where}: {FORFEIT}: {game.forfeited}: it counts as lost")
            self._note(question.game, forfeit=game.forfeited)
        self._send(self._talk.error(question, fault, why), question.game)

    def _lose_by_time(self, waiting: dict[int, Question], deadline: float, limit: float) -> None:
        oldest = next(iter(waiting.values()))
        why, forfeits = f"no answer in {limit:g} s", ""
        if game := oldest.seat_game:
            if game.bank <= self.seconds:
                forfeits = BANK_USED_UP
                why = f"{why}, and {forfeits}"
            game.spend(limit - self._allowance)
        if self._timed_out + 1 == HUNG or not self._answered:
            often = f", {HUNG} times in a row" if self._answered else ""
            ended = self._end(Gone(f"{why}{often}: it was stopped"))
            self._lose(oldest.number, waiting, TIME_OUT, ended, forfeits=forfeits)
            self._ask_again(waiting)
            return
        self._lose(oldest.number, waiting, TIME_OUT, why, forfeits=forfeits)
        self._free, self._allowance = deadline, 0.0
        self._timed_out += 1

    def _end(self, gone: Gone) -> str:
        """End a process that is useless; return what happened to it, with its last words."""
        self._crashes += 1
        words = self._process.last_words() if self._process else ""
        status = self._process.status if self._process and gone.why == ENDED else None
        verdict = self._process.verdict() if self._process else ""
        self.close()
        how = "" if status is None else f" with exit status {status}"
        self._last_end = f"{verdict or f'{gone.why}{how}'}{words}"
        self._note(end=self._last_end)
        return self._last_end

    def _ask_again(self, waiting: dict[int, Question]) -> None:
        for question in waiting.values():
            self._ask(question)

    def _read_leftovers(self) -> None:
        """Drop everything that came after the last decision: late answers and unsolicited lines.

        If the process has ended, the next decision is lost, as it would be if it had been asked for already.
        """
        unasked: list[bytes] = []
        now = time.monotonic()
        while came := self._receive(0.0):
            if isinstance(came, Gone):
                self._ended_between = self._end(came)
                break
            if came.time > now:  # it may keep writing as fast as it is read
                self._held = came
                break
            self._record(FROM, came.text, when=came.time)
            try:
                late = self._was_asked(self._talk.read(came.text).number)
            except AnswerError:
                late = False
            if not late:
                unasked.append(came.text)
            if gone := self._count_idle(came.text):
                self._ended_between = self._end(gone)
                break
        if unasked:
            first = shortened(ascii(unasked[0].decode(errors="replace")), _SHOWN)
            self.reports.append(f"{len(unasked)} unsolicited lines, the first: {first}")
