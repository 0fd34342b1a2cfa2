"""Check a simulator that somebody else has written against the positions (`rr_gym.bots.positions`)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rr_gym.bots.manifest import BotError
from rr_gym.bots.positions import KINDS, Position, differences, kind_of, question_of
from rr_gym.players.process import Gone, Process, split_command
from rr_gym.players.sandbox import NONE, Sandbox, choose_kind

SECONDS = 10.0  # for each answer, by default
AGREES, DIFFERS, LEFT_OUT = "agrees", "differs", "left out"


@dataclass(slots=True)
class CheckedSimulator:
    """What came out of a check.

    Attributes:
        counts: How many positions of each kind agree, differ or were left out: `(kind, verdict)`.
        differing: The fields that differ, in words, by the name of the position.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    differing: dict[str, list[str]] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Tell whether it plays every position that it has not left out as the rules do, and at least one."""
        return not self.differing and any(verdict == AGREES for _, verdict in self.counts)

    def rows(self) -> list[tuple[str, int, int, int]]:
        """Return a row for each kind of positions: how many agree, differ, were left out."""
        asked = {kind for kind, _ in self.counts}
        words = (AGREES, DIFFERS, LEFT_OUT)
        return [(kind, *(self.counts[kind, word] for word in words)) for kind in KINDS if kind in asked]  # type: ignore[misc]

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json.dump`."""
        heads = ("kind", "agree", "differ", "left_out")
        return {"positions": [dict(zip(heads, row, strict=True)) for row in self.rows()], "differing": self.differing}


def check_simulator(
    command: str,
    positions: Sequence[Position],
    seconds: float = SECONDS,
    sandbox: str | None = None,
    report: Callable[[int, int], None] | None = None,
) -> CheckedSimulator:
    """Ask a simulator about positions, one after the other, and compare its answers with the rules.

    Args:
        command: The program, which answers each line of its standard input with a line.
        positions: Some of `load_positions`.
        seconds: Time for each answer.
        sandbox: The kind of its sandbox; None for the strongest that works here.
        report: Called with the number of positions asked and of all.

    Raises:
        RoboRallyError: There is no such program or sandbox, it ends too early, or does not answer in time.
    """
    words, kind = split_command(command), choose_kind(sandbox)
    try:
        process = Process(words, None if kind == NONE else Sandbox(kind))
    except OSError as error:
        raise BotError(f"{command}: cannot be started: {error.strerror or error}") from None
    checked = CheckedSimulator()
    try:
        for number, position in enumerate(positions, 1):
            found = differences(position, _answer(process, command, position, seconds))
            verdict = LEFT_OUT if found is None else DIFFERS if found else AGREES
            checked.counts[kind_of(position), verdict] += 1
            if found:
                checked.differing[position["name"]] = found
            if report:
                report(number, len(positions))
    finally:
        process.close()
    return checked


def _answer(process: Process, command: str, position: Position, seconds: float) -> bytes:
    """Return the line that answers a position. Raises BotError if there is none."""
    process.send(question_of(position))
    line = process.receive(time.monotonic() + seconds)
    if line is None or isinstance(line, Gone):
        why = line.why if line else f"no answer in {seconds:g} s"
        raise BotError(f"{command}: position {position['name']}: {process.verdict() or why}{process.last_words()}")
    return line.text
