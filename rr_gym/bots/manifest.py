"""The manifest of a submission, `bot.toml`: who made it, how it is built and started, and what it needs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.files import read_text
from rr_gym.player_names import BOT, BUILT_IN, PERSON, PROGRAM
from rr_gym.players.sandbox import Limits
from rr_gym.typed_data import at, typed

MANIFEST = "bot.toml"
_END = r"(?!.|\n)"  # the end of the text; `$` would also match before a final newline
_TABLE = re.compile(r"\s*\[([A-Za-z0-9_-]+)\]")
_KEY = re.compile(r"\s*\"?([A-Za-z0-9_-]+)\"?\s*=")


class BotError(RoboRallyError):
    """A submission that cannot be played: its manifest, its files or its build step."""


class BuildError(BotError):
    """A build step that ended and failed, which is the fault of the submission and not of the machine."""


Name = Annotated[
    str, Meta(pattern=f"^[A-Za-z0-9][A-Za-z0-9._-]{{0,31}}{_END}", title="up to 32 letters, digits, '.', '_' and '-'")
]
Version = Annotated[
    str, Meta(pattern=f"^[0-9A-Za-z][0-9A-Za-z.+-]{{0,19}}{_END}", title="a version such as \"1.0.2\" in quotes")
]
Line = Annotated[
    str, Meta(pattern=f"^[^\\x00-\\x1f\\x7f]{{0,200}}{_END}", title="text of up to 200 characters in one line")
]
Words = Annotated[list[str], Meta(title="a list of words, such as [\"python3\", \"bot.py\"]")]
Seats = Annotated[
    list[Annotated[int, Meta(ge=1, le=8)]],
    Meta(min_length=2, max_length=2, title="the least and the most robots of a game, such as [2, 8]"),
]


class BotOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a submission needs, or can do.

    Attributes:
        seats: The least and the most robots of games that it plays.
        memory: MiB that it may use.
        processes: How many processes and threads it may have.
        build_seconds: How long its build step may take.
    """

    seats: Seats = msgspec.field(default_factory=lambda: [1, 8])
    memory: Annotated[int, Meta(ge=16, le=4096)] = 512
    processes: Annotated[int, Meta(ge=1, le=256)] = 32
    build_seconds: Annotated[int, Meta(ge=1, le=600)] = 60


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `bot.toml`.

    Attributes:
        name: Its name in tables and replays, where the version follows it.
        version: Must differ from that of earlier submissions of the same name.
        command: The program with its arguments: a program of the system, or a file of the folder.
        protocol: The version of the protocol that it speaks (docs/protocol.md).
        author: Free text.
        licence: The licence of its files.
        build: The command that builds the program from the files; empty if nothing has to be built.
        options: What it needs, or can do.
    """

    name: Name
    version: Version
    command: Words
    protocol: Literal[1, 2]
    author: Line = ""
    licence: Line = ""
    build: Words = msgspec.field(default_factory=list)
    options: BotOptions = BotOptions()

    @property
    def title(self) -> str:
        """Return the name with the version."""
        return f"{self.name} {self.version}"

    @property
    def limits(self) -> Limits:
        """Return what it may use while it plays."""
        return Limits(memory=self.options.memory, processes=self.options.processes)

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """Read the manifest in a folder. Raises BotError, which names file, line, key, value and what was expected."""
        path = folder / MANIFEST
        if not folder.is_dir():
            raise BotError(f"{folder}: expected a folder with a {MANIFEST} (rr-gym bot new makes one)")
        if not path.is_file():
            raise BotError(f"{path}: there is none: expected a manifest (rr-gym bot new makes one)")
        return cls.read(read_text(path, BotError), str(path))

    @classmethod
    def read(cls, content: str, filename: str = MANIFEST) -> Manifest:
        """Read a manifest from text in TOML; see `load`."""
        try:
            data = tomllib.loads(content)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"at line (\d+)", str(error))
            raise BotError(f"{filename}:{found[1] if found else 1}: not TOML: {error}") from None

        def where(path: tuple[Any, ...]) -> str:
            return f"{filename}:{_line_of(content, path)}"

        manifest: Manifest = typed(data, cls, where, BotError)
        for key, problem in _contradictions(manifest):
            raise BotError(f"{at(where, key)}: {problem}")
        return manifest


def _contradictions(manifest: Manifest) -> list[tuple[tuple[Any, ...], str]]:
    """Return the errors that types cannot express: paths of keys with what is wrong with their values."""
    found: list[tuple[tuple[Any, ...], str]] = []
    taken = (*BUILT_IN, PROGRAM, BOT, PERSON)
    if manifest.name.lower() in taken:
        found.append((("name",), f"{short_repr(manifest.name)}: expected a name that no player of the package has"))
    low, high = manifest.options.seats
    if low > high:
        found.append((("options", "seats"), f"[{low}, {high}]: expected the smaller number first"))
    for key in ("command", "build"):
        words = getattr(manifest, key)
        if key == "command" and not words:
            found.append(((key,), f"[]: expected {_WORDS}"))
        for number, word in enumerate(words):
            if not word or not word.isprintable():
                found.append(((key, number), f"{short_repr(word)}: expected a word in one line"))
        path = PurePosixPath(words[0]) if words and words[0] else PurePosixPath("x")
        if path.is_absolute() or ".." in path.parts:
            expected = "a program of the system by its name, or a file of the folder by its path in it"
            found.append(((key, 0), f"{short_repr(words[0])}: expected {expected}"))
    return found


_WORDS = 'a program with its arguments, such as ["python3", "bot.py"]'


def _line_of(content: str, path: tuple[Any, ...]) -> int:
    """Return the line of a key in a text of TOML, or the line of its table; 1 if neither is found."""
    keys = [key for key in path if isinstance(key, str)]
    table, best = "", 1
    for number, line in enumerate(content.splitlines(), 1):
        if found := _TABLE.match(line):
            table = found[1]
            if keys and table == keys[0]:
                best = number
        elif (found := _KEY.match(line)) and [*([table] if table else []), found[1]] == keys[: 1 + bool(table)]:
            return number
    return best
