"""A disk that is full, without one: no file may have more than so many bytes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FULL = "File too large"  # what the system says then
needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="no such limit")


@contextmanager
def no_file_above(limit: int) -> Iterator[None]:
    """Files cannot grow beyond so many bytes: a write that would is cut off there, and the next one is an error."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def contents(folder: Path) -> dict[str, bytes]:
    """What is in a folder, by path; hidden files too."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
