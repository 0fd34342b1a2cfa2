"""Transcripts: every line between games and a program that plays, with its time (docs/protocol.md)."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rr_gym.files import read_text, write_file
from rr_gym.json_text import loads
from rr_gym.typed_data import typed

TO, FROM, ERRORS, NOTE = ">", "<", "!", "#"
MOST_ERRORS = 2**20  # bytes of standard error that a transcript keeps


class TranscriptLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a transcript.

    Attributes:
        time: Seconds since the transcript began: when the line was sent, or when it arrived.
        way: `>` from the game to the program, `<` from the program to the game, `!` the program's standard error, `#` a
            note of the game, which is JSON: `{"start": n}` when the program is started for the n-th time,
            `{"end": why}` when it is found to have ended, `{"lost": id, "fault": ..., "why": ...}` for a decision that
            default orders replace, and `{"forfeit": why}` when a game is forfeited by the decision before.
        game: The name that the messages give the game, such as `1.0.0`; empty for what belongs to no single one, such
            as `hello`, `course`, standard error, and lines of the program that answer nothing.
        line: The line without its end. What is not UTF-8 is kept in lone surrogates (Python's `surrogateescape`).
    """

    time: Annotated[float, Meta(ge=0)]
    way: Literal[">", "<", "!", "#"]
    game: str
    line: str

    def text(self) -> str:
        """Return the line as JSON in ASCII, without an end."""
        return json.dumps({"time": round(self.time, 6), "way": self.way, "game": self.game, "line": self.line})


class Transcript:
    """A record of what a program hears and says; `ProgramPlayer.transcript` is written to while it plays.

    It may be written to by several threads. Everything that is sent or read is kept, of standard error the first MiB.

    Args:
        lines: What it begins with.
    """

    def __init__(self, lines: Iterable[TranscriptLine] = ()) -> None:
        self._lines = list(lines)
        self._begin = time.monotonic()
        self._errors = 0
        self._lock = threading.Lock()

    def add(self, way: str, line: str | bytes, game: str = "", when: float | None = None) -> None:
        """Add a line.

        Args:
            way: One of `TO`, `FROM`, `ERRORS` and `NOTE`.
            line: The line, without its end.
            game: The name of its game, if it belongs to one.
            when: Its time by `time.monotonic`; None for now.
        """
        text = line if isinstance(line, str) else line.decode(errors="surrogateescape")
        at: Any = way
        with self._lock:
            if way == ERRORS:
                if self._errors > MOST_ERRORS:
                    return
                self._errors += len(line) + 1
            now = (time.monotonic() if when is None else when) - self._begin
            self._lines.append(TranscriptLine(max(0.0, now), at, game, text))

    @property
    def lines(self) -> tuple[TranscriptLine, ...]:
        """Return all lines so far, in the order in which the game has sent or read them."""
        with self._lock:
            return tuple(self._lines)

    def games(self) -> list[str]:
        """Return the names of the games, in the order in which the program was asked about them."""
        return list(dict.fromkeys(line.game for line in self.lines if line.game))

    def of_game(self, game: str) -> Transcript:
        """Return the transcript of one game: its own lines, and those that belong to no single game."""
        return Transcript(line for line in self.lines if line.game in ("", game))

    def text(self) -> str:
        """Return the transcript as JSON, an object for each line."""
        return "".join(f"{line.text()}\n" for line in self.lines)

    def write(self, path: Path) -> None:
        """Write the transcript to a file. Raises RoboRallyError if it cannot be written."""
        write_file(path, self.text())

    @classmethod
    def read(cls, path: Path) -> Transcript:
        """Read a transcript from a file.

        Raises:
            RoboRallyError: A line is none of a transcript; the message names the file, the line and the field.
        """
        return cls.parse(read_text(path), str(path))

    @classmethod
    def parse(cls, content: str, filename: str = "transcript") -> Transcript:
        """Read a transcript from its text; see `read`."""
        return cls(_lines_of(content, filename))


def _lines_of(content: str, filename: str) -> Iterator[TranscriptLine]:
    for number, text in enumerate(content.removesuffix("\n").split("\n"), 1):
        place = f"{filename}:{number}"
        data = loads(text, place)
        line: TranscriptLine = typed(data, TranscriptLine, place)
        yield line
