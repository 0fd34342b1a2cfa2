"""Lines of JSON that are chained by SHA-256, so that an edit of any of them is found.

A sealed line ends with two more fields: `prev`, the hash of the line before it, and `hash`, the SHA-256 of the line
without that field. So the hash of the last line, the head of the chain, stands for all lines. Whoever can write the
file can also compute all hashes anew; only a head that was published before tells such a chain from the first one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

START = "0" * 64  # in the place of the hash of a line before the first
_SEAL = re.compile(rb',"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}')
_SEAL_BYTES = len(f',"prev":"{START}","hash":"{START}"}}')
_HASH_BYTES = len(f',"hash":"{START}"}}')


def seal(text: str, prev: str) -> str:
    """Return a line with its place in the chain.

    Args:
        text: A JSON object with at least one field, without `prev` and `hash`.
        prev: The hash of the line before it, `START` for the first.
    """
    body = f'{text[:-1]},"prev":"{prev}"'
    return f'{body},"hash":"{_digest(body.encode())}"}}'


def unsealed(line: bytes) -> bytes:
    """Return a line without its place in the chain; a line that has none is returned as it is."""
    return line[:-_SEAL_BYTES] + b"}" if _SEAL.fullmatch(line[-_SEAL_BYTES:]) else line


def hash_of(line: bytes) -> str:
    """Return the hash that a sealed line ends with; an empty string if it is not sealed."""
    found = _SEAL.fullmatch(line[-_SEAL_BYTES:])
    return found[2].decode() if found else ""


def check_link(line: bytes, prev: str) -> str:
    """Return what is wrong with a sealed line, in words; an empty string if nothing is.

    Args:
        line: The line, without its end.
        prev: The hash of the line before it.
    """
    found = _SEAL.fullmatch(line[-_SEAL_BYTES:])
    if not found:
        return "it does not end with its hash"
    if _digest(line[:-_HASH_BYTES]) != found[2].decode():
        return "it was changed: its hash is another one"
    if found[1].decode() != prev:
        return "it does not follow the line before it: a line was changed, removed or inserted"
    return ""


def head_after(lines: Sequence[bytes]) -> str:
    """Return the hash that the next line has to name as `prev`.

    Lines of files that were begun without a chain are covered by it, too: the first sealed line after them names the
    SHA-256 of all of them.
    """
    if not lines:
        return START
    return hash_of(lines[-1]) or _digest(b"\n".join(lines))


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
