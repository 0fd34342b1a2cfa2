"""Files of results whose lines are chained again, as after an edit by somebody who knows how."""

from __future__ import annotations

from collections.abc import Iterable

from rr_gym.line_chain import START, hash_of, seal, unsealed


def chained(lines: Iterable[bytes | str]) -> bytes:
    """Return a file of these lines, with or without ends and chains of their own, chained from the beginning."""
    content, head = b"", START
    for line in lines:
        text = unsealed((line if isinstance(line, bytes) else line.encode()).rstrip(b"\n")).decode()
        sealed = seal(text, head).encode()
        head = hash_of(sealed)
        content += sealed + b"\n"
    return content
