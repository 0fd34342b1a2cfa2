"""Writing files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from rr_gym.errors import RoboRallyError


class ReplayError(RoboRallyError):
    """A replay that cannot be read or written, or that the rules do not reproduce."""


def write_file(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file that appears under its name only when it is complete; missing folders are made.

    Raises:
        ReplayError: It cannot be written.
    """
    path = Path(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise ReplayError(f"{path}: cannot be written: {error.strerror}") from error
    return path
