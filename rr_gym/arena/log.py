"""The log of an arena: the file, whose lines are chained by hashes, and queries over its lines."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from rr_gym.arena.errors import LadderError
from rr_gym.arena.lines import (
    FORMAT,
    AnyLine,
    ArenaLine,
    CloseLine,
    EntryLine,
    MatchLine,
    Pairing,
    RetireLine,
    RoundLine,
    SeasonLine,
    VoidLine,
    outcome_problem,
)
from rr_gym.arena.tables import LadderTable
from rr_gym.files import append_line, read_bytes, write_file, writing
from rr_gym.json_text import loads
from rr_gym.line_chain import START, check_link, hash_of, seal
from rr_gym.typed_data import typed

LOG = "log.jsonl"


def utc_now() -> str:
    """Return the current time in the format of log lines."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class ArenaLog:
    """The lines of a log, or a prefix of them.

    Args:
        lines: The lines in order.

    Attributes:
        lines: The lines in order.
    """

    def __init__(self, lines: Iterable[AnyLine]) -> None:
        self.lines = list(lines)

    @property
    def head(self) -> str:
        """Return the hash of the last line, which commits to all lines."""
        return str(self.lines[-1].hash)

    @property
    def arena(self) -> ArenaLine:
        """Return the first line."""
        first = self.lines[0]
        assert isinstance(first, ArenaLine)  # checked by `read_log`
        return first

    @property
    def tables(self) -> dict[str, LadderTable]:
        """Return the tables by name."""
        return {table.name: table for table in self.arena.tables}

    @property
    def seasons(self) -> list[SeasonLine]:
        """Return the seasons in order."""
        return [line for line in self.lines if isinstance(line, SeasonLine)]

    @property
    def closed(self) -> dict[int, CloseLine]:
        """Return the closing lines of seasons by season number."""
        return {line.season: line for line in self.lines if isinstance(line, CloseLine)}

    @property
    def open_season(self) -> SeasonLine | None:
        """Return the open season, if there is one."""
        last = self.seasons[-1] if self.seasons else None
        return last if last and last.season not in self.closed else None

    @property
    def entries(self) -> dict[str, EntryLine]:
        """Return all entries by name, in the order in which they entered."""
        return {line.entry: line for line in self.lines if isinstance(line, EntryLine)}

    @property
    def retired(self) -> dict[str, RetireLine]:
        """Return the retirements by entry."""
        return {line.entry: line for line in self.lines if isinstance(line, RetireLine)}

    @property
    def active(self) -> list[EntryLine]:
        """Return the entries that have not retired."""
        return [entry for name, entry in self.entries.items() if name not in self.retired]

    @property
    def matches(self) -> dict[int, MatchLine]:
        """Return the matches that were played, by number in ascending order."""
        found = [line for line in self.lines if isinstance(line, MatchLine)]
        return {line.match: line for line in sorted(found, key=lambda line: line.match)}

    @property
    def rounds(self) -> list[RoundLine]:
        """Return the rounds in order."""
        return [line for line in self.lines if isinstance(line, RoundLine)]

    @property
    def pairings(self) -> dict[int, Pairing]:
        """Return all matches that were drawn, by number."""
        return {pairing.match: pairing for line in self.rounds for pairing in line.matches}

    @property
    def unplayed(self) -> list[Pairing]:
        """Return the matches that were drawn but not played yet."""
        done = {line.match for line in self.lines if isinstance(line, MatchLine | VoidLine)}
        return [pairing for number, pairing in self.pairings.items() if number not in done]

    def until(self, count: int) -> ArenaLog:
        """Return the log as it was after its first `count` lines."""
        return ArenaLog(self.lines[:count])


class LogFile:
    """The file of a log, open for appending. The caller must hold the lock of the folder.

    Args:
        folder: The folder of the arena.

    Raises:
        LadderError: The file cannot be read or written, or a line is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOG
        self.log = ArenaLog([])
        if self.path.exists():
            content = read_bytes(self.path, LadderError)
            whole = content[: content.rfind(b"\n") + 1]
            self.log = ArenaLog(_read_lines(whole, self.path))
            if len(whole) != len(content):  # a process was killed while it was writing the last line
                with writing(self.path, LadderError):
                    os.truncate(self.path, len(whole))

    def begin(self, lines: Iterable[AnyLine]) -> None:
        """Write the first lines of a new log, all or none of them. Raises LadderError if they cannot be written."""
        log, texts = ArenaLog([]), []
        for line in lines:
            text, added = _sealed(line, log)
            texts.append(f"{text}\n")
            log.lines.append(added)
        write_file(self.path, "".join(texts), LadderError)
        self.log.lines += log.lines

    def append(self, line: AnyLine) -> None:
        """Append a line, which is on disk when this returns. Raises LadderError if it cannot be written."""
        text, added = _sealed(line, self.log)
        append_line(self.path, text, LadderError)
        self.log.lines.append(added)


def _sealed(line: AnyLine, log: ArenaLog) -> tuple[str, AnyLine]:
    """Return the text of a line that follows a log, and the line with its place in the chain."""
    prev = log.head if log.lines else START
    text = seal(msgspec.json.encode(line).decode(), prev)
    added: AnyLine = msgspec.structs.replace(line, prev=prev, hash=hash_of(text.encode()))
    return text, added


def read_log(folder: str | os.PathLike[str]) -> ArenaLog:
    """Read the log of an arena, ignoring an incomplete last line; another process may be appending to it.

    Raises:
        LadderError: There is no arena, or a line is damaged, breaks the chain, or has another format.
    """
    path = Path(folder) / LOG
    if not path.is_file():
        raise LadderError(f"{folder}: not an arena (it has no {LOG}): create one with rr-gym arena new")
    content = read_bytes(path, LadderError)
    return ArenaLog(_read_lines(content[: content.rfind(b"\n") + 1], path))


def _read_lines(content: bytes, path: Path) -> list[AnyLine]:
    lines: list[AnyLine] = []
    seats: dict[str, int] = {}
    entries: set[str] = set()
    prev = START
    for number, text in enumerate(content.split(b"\n")[:-1], 1):
        where = f"{path}:{number}"
        if problem := check_link(text, prev):
            raise LadderError(f"{where}: {problem}")
        prev = hash_of(text)
        line = _read_line(text, where)
        lines.append(line)
        if (number == 1) != isinstance(line, ArenaLine):
            raise LadderError(f"{where}: expected a line of kind arena first, and only there")
        if isinstance(line, ArenaLine):
            seats = {table.name: table.seats for table in line.tables}
        elif isinstance(line, EntryLine):
            entries.add(line.entry)
        elif isinstance(line, MatchLine) and (problem := outcome_problem(line, seats.get(line.table, 0), entries)):
            raise LadderError(f"{where}: match {line.match}: {problem}")
    if not lines:
        raise LadderError(f"{path}: empty: expected the log of an arena")
    return lines


def _read_line(text: bytes, where: str) -> AnyLine:
    try:
        line: AnyLine = msgspec.json.decode(text, type=AnyLine)
    except msgspec.DecodeError:
        data = loads(text, where, LadderError)
        if isinstance(data, dict) and data.get("kind") == "arena" and data.get("format") != FORMAT:
            found = data.get("format")
            raise LadderError(f"{where}: format: {found}: expected {FORMAT}, the only supported one") from None
        line = typed(data, AnyLine, where, LadderError)
    return line
