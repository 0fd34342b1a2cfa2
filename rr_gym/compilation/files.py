"""Read and write files of the cache atomically, and only in folders to which no other user can write.

What is loaded from the cache is executed. So every file is checked after it has been opened, and its folder with all
folders above: they must belong to this user or to the administrator, and nobody else may write to them.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from rr_gym.compilation.settings import current

_CHECKSUM = 32
_KEPT = "compiled code is not kept"
_HAS_OWNERS = hasattr(os, "getuid")
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def cache_home() -> Path:
    """Return the folder of the cache, whether it exists or not."""
    chosen = os.environ.get(current().variable("CACHE_DIR"))
    return Path(os.path.expandvars(chosen)).expanduser() if chosen else _user_cache() / current().name


@cache
def notice(text: str) -> None:
    """Print a message to standard error, once per process."""
    print(f"{current().name}: {text}", file=sys.stderr)


def directory() -> Path | None:
    """Return the folder of the cache, made if it is missing; return None, and say why once, if nothing can be kept."""
    home = cache_home()
    try:
        for folder in (*reversed(home.parents), home):
            if not folder.is_dir():
                folder.mkdir(0o700, exist_ok=True)
        whose = _others_write_above(home) if _HAS_OWNERS else None
    except OSError as error:
        notice(f"{home}: {error.strerror}: {_KEPT}")
        return None
    if whose is not None:
        notice(f"{whose}: others may write there, and what is loaded from {home} runs: {_KEPT}")
        return None
    return home


def _others_write_above(home: Path) -> Path | None:
    """Return the first folder from the root to the cache to which others may write, or None."""
    place = Path(home.resolve().anchor)
    opened = os.open(place, _FOLDER)
    try:
        for part in ("", *home.resolve().parts[1:]):
            if part:
                place /= part
                inner = os.open(part, _FOLDER, dir_fd=opened)
                os.close(opened)
                opened = inner
            if _others_write(os.fstat(opened), is_above=place != home.resolve()):
                return place
    finally:
        os.close(opened)
    return None


def _others_write(found: os.stat_result, is_above: bool = False) -> bool:
    """Tell whether somebody else may write to a file or folder.

    Args:
        found: The status of the open file.
        is_above: Whether it is a folder above the cache. Such a folder may be writable for a group that has only this
            user, and for everybody if its sticky bit is set (as for `/tmp`): then others cannot move the user's files.
    """
    if found.st_uid not in (os.getuid(), 0):
        return True
    if is_above and found.st_mode & stat.S_ISVTX:
        return False
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not (is_above and _is_own_group(found.st_gid, found.st_uid))


def _is_own_group(group: int, user: int) -> bool:
    """Tell whether a group has only one user."""
    import grp
    import pwd

    try:
        found, name = grp.getgrgid(group), pwd.getpwuid(user).pw_name
    except KeyError:
        return False
    return found.gr_name == name and not set(found.gr_mem) - {name}


def _checksum(body: bytes) -> bytes:
    """Return the checksum that a file begins with; it includes the project and the version of the file format."""
    return hashlib.sha256(f"{current().name} cache 2\n".encode() + body).digest()


def read(path: Path, touch: bool = True) -> bytes | None:
    """Return a file's contents without their checksum, or None if it does not exist or is damaged.

    A damaged file is deleted. A file that others may write to is not read, which is reported once.

    Args:
        path: The file.
        touch: Record that it was used now.
    """
    try:
        with open(os.open(path, _FILE), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or (_HAS_OWNERS and _others_write(found)):
                notice(f"{path}: others may write to it: it is not used")
                return None
            data = file.read()
    except OSError:
        return None
    body = data[_CHECKSUM:]
    if data[:_CHECKSUM] != _checksum(body):
        with suppress(OSError):
            path.unlink()
        return None
    if touch:
        with suppress(OSError):
            os.utime(path)
    return body


def write(path: Path, body: bytes) -> None:
    """Write a file whole or not at all; a failure is reported once, and not raised."""
    made = None
    try:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(_checksum(body) + body)
        os.replace(made, path)
    except OSError as error:
        notice(f"{path.parent}: {error.strerror}: {_KEPT}")
        if made is not None:
            with suppress(OSError):
                os.unlink(made)


def age(path: Path) -> float:
    """Return a sort key by which the most recently used files come first."""
    with suppress(OSError):
        return -path.stat().st_mtime
    return 0.0
