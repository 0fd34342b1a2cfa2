"""Read text files, fill templates, and write files completely or not at all."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from rr_gym.errors import RoboRallyError, short_repr


def check_path(name: str, path: Any, error: type[RoboRallyError] = RoboRallyError) -> Path:
    """Check that a value is a path, and return it as a `Path`; raise `error`, with `name` in its message, if not."""
    if not isinstance(path, str | os.PathLike):
        raise error(f"{name}: {short_repr(path)}: expected a path")
    if "\0" in str(path):
        raise error(f"{name}: {short_repr(path)}: cannot be read or written: expected a path without null characters")
    return Path(path)


def read_bytes(path: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError) -> bytes:
    """Read a file.

    Raises:
        RoboRallyError: The file cannot be read; of the class `error`.
    """
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as failure:  # ValueError: a path that no file can have
        raise error(f"{path}: cannot be read: {getattr(failure, 'strerror', None) or failure}") from failure


@contextmanager
def writing(path: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError) -> Iterator[None]:
    """Convert any OSError in the block to an `error` that says that the path cannot be written."""
    try:
        yield
    except OSError as failure:
        raise error(f"{path}: cannot be written: {failure.strerror}") from failure


def read_text(path: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError) -> str:
    """Read a text file in UTF-8.

    Raises:
        RoboRallyError: The file cannot be read; of the class `error`.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as failure:  # ValueError: not UTF-8, or a path that no file can have
        raise error(f"{path}: cannot be read: {getattr(failure, 'strerror', None) or failure}") from failure


def fill(template: str, parts: Mapping[str, str]) -> str:
    """Return the template with each ``{{name}}`` replaced by the part of that name; parts are inserted as they are."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], template)


def check_writable(
    path: str | os.PathLike[str], where: str = "", error: type[RoboRallyError] = RoboRallyError
) -> None:
    """Raise an error unless a file or folder can be written; call it before long work whose results go there.

    The check leaves nothing behind.

    Args:
        path: The file or folder; neither it nor its parent folder need exist.
        where: A word to put before the path in the message, such as the name of an option.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The file cannot be written; of the class `error`.
    """
    try:
        folder = Path(path) if Path(path).is_dir() else Path(path).parent
        while not folder.exists():
            folder = folder.parent
        TemporaryFile(dir=folder).close()
    except (OSError, ValueError) as failure:  # ValueError: a path that no file can have
        raise error(f"{where}{path}: cannot be written: {getattr(failure, 'strerror', failure)}") from failure


def write_file(
    path: str | os.PathLike[str],
    content: str | bytes,
    error: type[RoboRallyError] = RoboRallyError,
    *,
    private: bool = False,
) -> Path:
    """Write a file atomically: it appears under its name only when it is complete. Missing folders are created.

    Args:
        path: The file, which is replaced if it exists.
        content: Bytes, or text, which is written as UTF-8.
        error: The class of error to raise.
        private: Whether only the user may read the file, from its first byte on.

    Returns:
        The path.

    Raises:
        RoboRallyError: The file cannot be written; of the class `error`.
    """
    path = Path(path)
    write_files(path.parent, {path.name: content}, error, private=private)
    return path


def write_files(
    folder: str | os.PathLike[str],
    contents: Mapping[str, str | bytes],
    error: type[RoboRallyError] = RoboRallyError,
    *,
    private: bool = False,
) -> None:
    """Write files that belong together. All are on the disk before the first appears under its name.

    If there are several, the last file is removed before the others change and appears last, so its
    presence means that the others match it.

    Args:
        folder: The folder of the files, which is created if necessary.
        contents: The contents by file name, as for `write_file`; existing files are replaced.
        error: The class of error to raise.
        private: Whether only the user may read the files.

    Raises:
        RoboRallyError: A file cannot be written; of the class `error`.
    """
    folder = Path(folder)
    unfinished = {name: folder / f".{name}.{os.getpid()}" for name in contents}
    path = folder if len(contents) > 1 else folder / next(iter(contents))
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            path = folder / name
            with open(unfinished[name], "wb", opener=_private if private else None) as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
        if len(contents) > 1:
            path.unlink(missing_ok=True)
        for name in contents:
            path = folder / name
            unfinished[name].replace(path)
    except OSError as failure:
        for left in unfinished.values():
            with suppress(OSError):
                left.unlink()
        with suppress(OSError):
            for parent in made:
                parent.rmdir()
        raise error(f"{path}: cannot be written: {failure.strerror}") from failure


def _private(path: str, flags: int) -> int:
    """Open a file that only the user may read, if it does not exist yet."""
    return os.open(path, flags, 0o600)


def append_line(
    path: str | os.PathLike[str], line: str, error: type[RoboRallyError] = RoboRallyError
) -> None:
    """Append a line to a file and return once it is on the disk. If it cannot be written, the file stays as it was.

    Args:
        path: The file, which need not exist, in a folder that exists.
        line: The line, without a newline at its end.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The file cannot be written; of the class `error`.
    """
    path = Path(path)
    left = memoryview(f"{line}\n".encode())
    with writing(path, error), path.open("ab", buffering=0) as file:
        before = file.tell()
        try:
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(before)
            raise


def free_bytes(folder: str | os.PathLike[str]) -> int | None:
    """Return how many bytes can still be written to the disk of a folder; None if the file system does not say."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None
    return usage.free if usage.total else None
