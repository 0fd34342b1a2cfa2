"""Read and write results in a file, one per line; a result counts once its line is complete.

Lines are chained by their hashes (`rr_gym.line_chain`), so that an edited line is found. Files of earlier versions have
no hashes; they are read, and the first line that is added to them covers them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import TypeVar

from rr_gym.errors import RoboRallyError
from rr_gym.files import append_line, read_bytes, write_file, writing
from rr_gym.line_chain import START, check_link, hash_of, head_after, seal, unsealed

_TAIL = 200  # bytes at the end of a file that have the hash of its last line

Entry = TypeVar("Entry")
Key = TypeVar("Key", bound=Hashable)


def read_entries(
    path: Path, parse: Callable[[bytes], Entry], expected: str, error: type[RoboRallyError], beginning: bytes = b""
) -> list[Entry]:
    """Read the entries of a file, which need not exist; an incomplete line at its end is cut off.

    A line on stderr says so if the file has no hashes, as in earlier versions.

    Args:
        path: The file.
        parse: Reads a line without its place in the chain; it raises a ValueError, TypeError, LookupError or
            AttributeError if it is not an entry.
        expected: What a line should be, and what happens to the file without it, for errors.
        error: The class of error to raise.
        beginning: The beginning of every line. An incomplete line that begins otherwise was not written by this
            package, and is read like a complete one.

    Raises:
        RoboRallyError: A line is not an entry or was changed, or the file cannot be read or written; of the class
            `error`.
    """
    if not path.exists():
        return []
    content = read_bytes(path, error)
    *lines, rest = content.split(b"\n")
    # The process may have been killed while it wrote the last line.
    if not (rest.startswith(beginning) or beginning.startswith(rest)):
        lines.append(rest)
    entries = []
    first = next((number for number, line in enumerate(lines) if hash_of(line)), len(lines))  # with a hash
    head = head_after(lines[:first])
    for number, line in enumerate(lines, start=1):
        if number > first:
            if problem := check_link(line, head):
                raise error(f"{path}:{number}: expected {expected} ({problem})")
            head = hash_of(line)
        try:
            entries.append(parse(unsealed(line)))
        except (ValueError, TypeError, LookupError, AttributeError) as failure:
            raise error(f"{path}:{number}: expected {expected}") from failure
    if first and first == len(lines):
        print(f"rr_gym: {path}: its lines have no hashes, as in earlier versions: an edit of them would not be found",
              file=sys.stderr)  # fmt: skip
    if rest:
        with writing(path, error):
            os.truncate(path, len(content) - len(rest))
    return entries


def append_entry(path: Path, text: str, error: type[RoboRallyError]) -> None:
    """Append an entry to a file and to the chain of its lines; it is on disk when this returns.

    Args:
        path: The file, which need not exist.
        text: A JSON object.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The file cannot be read or written; of the class `error`.
    """
    append_line(path, seal(text, _head_of(path, error)), error)


def rewrite_entries(
    path: Path, change: Callable[[bytes], bytes], error: type[RoboRallyError]
) -> None:
    """Change the entries of a file and chain all lines anew, if any of them is another one then.

    Args:
        path: The file.
        change: Returns an entry, a JSON object, as it is to be.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The file cannot be read or written; of the class `error`.
    """
    before = [unsealed(line) for line in read_bytes(path, error).splitlines()]
    after = [change(line) for line in before]
    if after == before:
        return
    head, texts = START, []
    for entry in after:
        texts.append(seal(entry.decode(), head))
        head = hash_of(texts[-1].encode())
    write_file(path, "".join(f"{text}\n" for text in texts), error)


def _head_of(path: Path, error: type[RoboRallyError]) -> str:
    """Return the head of the chain of a file, reading no more of it than the last line if that has a hash."""
    if not path.exists():
        return START
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TAIL))
        tail = file.read().removesuffix(b"\n")
    return hash_of(tail) or head_after(read_bytes(path, error).splitlines())


def by_block(
    path: Path, entries: Iterable[tuple[int, Key, Entry]], name: Callable[[Key], str], error: type[RoboRallyError]
) -> dict[Key, Entry]:
    """Return the entries by block; one that occurs twice, because two processes shared the file, is taken once.

    Args:
        path: The file.
        entries: For each entry the number of its line, the block, and the result of the block.
        name: Returns the name of a block, for error messages.
        error: The class of error to raise.

    Raises:
        RoboRallyError: Two lines contradict each other on a block; of the class `error`.
    """
    found: dict[Key, Entry] = {}
    places: dict[Key, int] = {}
    for number, key, entry in entries:
        if found.setdefault(key, entry) != entry:
            raise error(
                f"{path}:{number}: {name(key)}: another block than in line {places[key]}: expected it once, or the "
                f"same twice: without line {places[key]} and those after it they are played again"
            )
        places.setdefault(key, number)
    return found
