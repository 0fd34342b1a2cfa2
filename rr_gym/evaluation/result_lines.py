"""Read and write results in a file, one per line; a result counts once its line is complete."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import TypeVar

from rr_gym.errors import RoboRallyError
from rr_gym.files import read_bytes, writing

Entry = TypeVar("Entry")
Key = TypeVar("Key", bound=Hashable)


def read_entries(
    path: Path, parse: Callable[[bytes], Entry], expected: str, error: type[RoboRallyError], beginning: bytes = b""
) -> list[Entry]:
    """Read the entries of a file, which need not exist; an incomplete line at its end is cut off.

    Args:
        path: The file.
        parse: Reads a line; it raises a ValueError, TypeError, LookupError or AttributeError if it is not an entry.
        expected: What a line should be, and what happens to the file without it, for errors.
        error: The class of error to raise.
        beginning: The beginning of every line. An incomplete line that begins otherwise was not written by this
            package, and is read like a complete one.

    Raises:
        RoboRallyError: A line is not an entry, or the file cannot be read or written; of the class `error`.
    """
    if not path.exists():
        return []
    content = read_bytes(path, error)
    *lines, rest = content.split(b"\n")
    # The process may have been killed while it wrote the last line.
    if not (rest.startswith(beginning) or beginning.startswith(rest)):
        lines.append(rest)
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entries.append(parse(line))
        except (ValueError, TypeError, LookupError, AttributeError) as failure:
            raise error(f"{path}:{number}: expected {expected}") from failure
    if rest:
        with writing(path, error):
            os.truncate(path, len(content) - len(rest))
    return entries


def by_block(
    path: Path, entries: Iterable[tuple[int, Key, Entry]], name: Callable[[Key], str], error: type[RoboRallyError]
) -> dict[Key, Entry]:
    """Return the entries by block; one that occurs twice, because two processes shared the file, is taken once.

    Args:
        path: The file.
        entries: For each entry the number of its line, the block, and the result of the block.
        name: Returns the name of a block, for errors.
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
                "same twice: remove one of these lines, or both, and the block is played again"
            )
        places.setdefault(key, number)
    return found
