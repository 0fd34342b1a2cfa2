"""A full disk, simulated by a limit on the size of files."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FULL = "File too large"  # what the system says then
needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot limit the sizes of files")


@contextmanager
def no_file_above(limit: int) -> Iterator[None]:
    """Limit the size of files while the context is open: a write is cut off at the limit, and the next one fails."""
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
    """Return the contents of all files in a folder, including hidden ones, by path."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
