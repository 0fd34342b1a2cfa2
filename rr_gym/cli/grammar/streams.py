"""Let a command finish when its output can no longer be written: its work is kept, and the loss is reported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast


class Enduring:
    """A stream that drops all text from the first failure to write on, instead of raising an error.

    Args:
        stream: The stream to write to.

    Attributes:
        failure: The error of the first failure; None if there was none.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        """Write a string, or drop it."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._lose(error)
            return len(text)

    def flush(self) -> None:
        """Write the buffered text, or drop it."""
        try:
            self._stream.flush()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        self.failure = self.failure or error
        with suppress(OSError):  # streams without a file have no buffer to drop
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())  # else the buffer would fail again at exit
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def enduring() -> Iterator[Enduring]:
    """Replace stdout and stderr by `Enduring` streams within a context, and yield the one for stdout."""
    before = sys.stdout, sys.stderr
    out, err = map(Enduring, before)
    sys.stdout, sys.stderr = cast(TextIO, out), cast(TextIO, err)
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdout, sys.stderr = before
