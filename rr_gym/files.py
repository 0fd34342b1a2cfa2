"""Reading files of text, filling templates, and writing files whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from rr_gym.errors import RoboRallyError, shown


def check_path(name: str, path: Any, error: type[RoboRallyError] = RoboRallyError) -> Path:
    """The path if it is one, a text or such an object, else an error of the class `error` that begins with `name`."""
    if not isinstance(path, str | os.PathLike):
        raise error(f"{name}: {shown(path)}: expected a path")
    if "\0" in str(path):
        raise error(f"{name}: {shown(path)}: cannot be read or written: expected a path without null characters")
    return Path(path)


def read_text(path: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError) -> str:
    """The text of a file in UTF-8.

    Raises:
        RoboRallyError: It cannot be read; of the class `error`.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as failure:  # no text, or a path that cannot be one
        raise error(f"{path}: cannot be read: {getattr(failure, 'strerror', None) or failure}") from failure


def fill(template: str, parts: Mapping[str, str]) -> str:
    """A text with every ``{{name}}`` replaced by the part of that name, whatever stands in the parts themselves."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], template)


def check_writable(
    path: str | os.PathLike[str], where: str = "", error: type[RoboRallyError] = RoboRallyError
) -> None:
    """Find out whether a file or folder of this name can be written, before the work whose results go there.

    Nothing is left of it.

    Args:
        path: There or not, as its folder.
        where: Stands before the path in the message, such as an option.
        error: What is raised.

    Raises:
        RoboRallyError: It cannot be written; of the class `error`.
    """
    try:
        folder = Path(path) if Path(path).is_dir() else Path(path).parent
        while not folder.exists():
            folder = folder.parent
        TemporaryFile(dir=folder).close()
    except (OSError, ValueError) as failure:  # ValueError: a path that cannot be one
        raise error(f"{where}{path}: cannot be written: {getattr(failure, 'strerror', failure)}") from failure


def write_file(
    path: str | os.PathLike[str], content: str | bytes, error: type[RoboRallyError] = RoboRallyError
) -> Path:
    """Write a file that appears under its name only when it is complete; missing folders are made.

    Args:
        path: The file, replaced if it is there.
        content: Text is written as UTF-8.
        error: What is raised.

    Returns:
        The path.

    Raises:
        RoboRallyError: It cannot be written; of the class `error`.
    """
    path = Path(path)
    unfinished = path.parent / f".{path.name}.{os.getpid()}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)
        unfinished.replace(path)
    except OSError as failure:
        with suppress(OSError):
            unfinished.unlink()
        raise error(f"{path}: cannot be written: {failure.strerror}") from failure
    return path
