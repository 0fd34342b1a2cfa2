"""Output that nobody takes any more does not end a command: what it has done is kept, and the loss is reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast


class Enduring:
    """A stream whose texts go nowhere from the first one on that could not be written.

    Args:
        stream: Where they go before.

    Attributes:
        failure: Why a text could not be written; None so far.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        """Write a text, or drop it."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._lose(error)
            return len(text)

    def flush(self) -> None:
        """Write what waits, or drop it."""
        try:
            self._stream.flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        self.failure = self.failure or error
        with suppress(OSError):  # streams without a file have nothing that waits
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())  # or what waits would fail once more at the interpreter's end
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def enduring() -> Iterator[Enduring]:
    """Make stdout and stderr `Enduring`; gives stdout."""
    before = sys.stdout, sys.stderr
    out, err = map(Enduring, before)
    sys.stdout, sys.stderr = cast(TextIO, out), cast(TextIO, err)
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdout, sys.stderr = before
