"""Files of the cache: read and written whole, and only where nobody else may have put something.

What is loaded from there runs. So a file is looked at when it is open, and its folder with all folders above it. Each
belongs to this user or to the administrator, and nobody else may write to it.
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
    """Return where libraries are kept, whether it exists or not."""
    chosen = os.environ.get(current().variable("CACHE_DIR"))
    return Path(os.path.expandvars(chosen)).expanduser() if chosen else _user_cache() / current().name


@cache
def notice(text: str) -> None:
    """Say something once."""
    print(f"{current().name}: {text}", file=sys.stderr)


def directory() -> Path | None:
    """Return the folder of the cache, made if need be; None where nothing can be kept, which is said once."""
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
    """Return the first folder from the root to the cache in which others may put something; None if there is none."""
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
    """Check whether somebody else may write to a file or a folder.

    Args:
        found: What the open file says.
        is_above: It is a folder above the cache. Some systems let a group of the user's own write to all that is made,
            and where the sticky bit is set (`/tmp`) nobody moves what is not theirs.
    """
    if found.st_uid not in (os.getuid(), 0):
        return True
    if is_above and found.st_mode & stat.S_ISVTX:
        return False
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not (is_above and _is_own_group(found.st_gid, found.st_uid))


def _is_own_group(group: int, user: int) -> bool:
    """Check whether a group is that of one user alone."""
    import grp
    import pwd

    try:
        found, name = grp.getgrgid(group), pwd.getpwuid(user).pw_name
    except KeyError:
        return False
    return found.gr_name == name and not set(found.gr_mem) - {name}


def _checksum(body: bytes) -> bytes:
    """Return what a file begins with: files of another project or another format are no files of ours."""
    return hashlib.sha256(f"{current().name} cache 2\n".encode() + body).digest()


def read(path: Path, touch: bool = True) -> bytes | None:
    """Return a file's contents if they are whole, without their checksum; what is damaged is thrown away.

    A file that others may write to is not read, which is said once.

    Args:
        path: The file.
        touch: Note that it was used now.
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
    """Write a file whole or not at all; where that cannot be, it is said once."""
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
    """Return a number by which files are sorted, those that were used last first."""
    with suppress(OSError):
        return -path.stat().st_mtime
    return 0.0
