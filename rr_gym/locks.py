"""Locks that keep other processes away from work that can be resumed.

A lock is a lock of the operating system on a separate file beside what the lock guards. The system releases it when the
process that holds it ends, even by a crash. So nothing depends on comparing process ids, which the system may give to
other processes later. The text in the file only tells people who holds the lock. A process that the holder forks does
not hold the lock.
"""

from __future__ import annotations

import errno
import json
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rr_gym.errors import RoboRallyError
from rr_gym.json_text import loads

_BYTE = 1 << 30  # the byte that is locked; far behind the text, since on Windows others cannot read a locked byte
_LONGEST = 4096  # the most bytes of a lock's text that are read
_WORDS = {"pid", "host", "since", "command"}
_REFUSED = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # another process holds the lock
_UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)  # no locks there

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, _BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        # Not `flock`: forked processes would inherit that lock, and it would outlive the holder in them.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _BYTE)


# The locks that this process holds, by device and inode of the lock file: the thread that holds each lock, and how many
# times it has acquired it. Asking the system is not enough: it would grant the lock to the same process again, and
# would drop the lock as soon as that process closes any descriptor of the file.
_held: dict[tuple[int, int], list[int]] = {}
_mutex = threading.RLock()


def _forget_all() -> None:
    """Forget all locks in a forked process, which holds none of its parent's."""
    global _mutex
    _held.clear()
    _mutex = threading.RLock()  # the old one may be held by a thread that exists only in the parent


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def lock_of(path: Path) -> Path:
    """Return the path of the lock file: inside a folder, or beside a file."""
    return path / ".lock" if path.is_dir() else path.with_name(f"{path.name}.lock")


@contextmanager
def hold(path: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError) -> Iterator[None]:
    """Hold the lock on a folder or a file that can be resumed, so that other processes and threads keep away from it.

    The thread that holds a lock may acquire it again. If the file system does not support locks, a line on stderr says
    so, and nothing is guarded.

    Args:
        path: A folder that exists, or a file in such a folder, which need not exist itself.
        error: The class of the error to raise.

    Raises:
        RoboRallyError: Another process or thread holds the lock, and the message says which; or the lock file cannot be
            written. The error is of the class `error`.
    """
    lock = lock_of(Path(path))
    try:
        key, file = _acquire(lock)
    except BlockingIOError as failure:
        raise error(f"{path}: {failure.strerror}") from None
    except OSError as failure:
        raise error(f"{lock}: cannot be written: {failure.strerror}") from failure
    try:
        yield
    finally:
        with _mutex:
            if key in _held:  # a process forked inside the context holds nothing
                _held[key][1] -= 1
                if not _held[key][1]:
                    del _held[key]
                    _release(lock, file)


def _acquire(lock: Path) -> tuple[tuple[int, int], int]:
    """Acquire a lock; return the key of its file and the open descriptor, which is -1 if this thread held it before.

    Raises BlockingIOError if another process or thread holds it.
    """
    while True:
        with _mutex:
            with suppress(FileNotFoundError):
                key = _key(os.stat(lock))
                if key in _held:
                    if _held[key][0] != threading.get_ident():
                        raise BlockingIOError(errno.EAGAIN, "in use by another thread of this process")
                    _held[key][1] += 1
                    return key, -1
            file = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
            try:
                holder = _read(file)
                if holder is None:
                    raise FileExistsError(errno.EEXIST, "there is something else under this name")
                _lock_or_report(file, holder, lock)
                key = _key(os.fstat(file))
                if _leads_to(lock, key):
                    _write_holder(lock, file)
                    _held[key] = [threading.get_ident(), 1]
                    return key, file
            except BaseException:
                os.close(file)
                raise
            os.close(file)  # its holder has just removed this file, so try again


def _write_holder(lock: Path, file: int) -> None:
    """Write into a lock file who holds it. If that fails, for example on a full disk, remove the file."""
    try:
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        left = (json.dumps(_this_process()) + "\n").encode()
        while left:  # a write can stop halfway without an error, as when a disk becomes full
            left = left[os.write(file, left) :]
    except OSError:
        with suppress(OSError):
            lock.unlink()
        raise


def _lock_or_report(file: int, holder: dict[str, Any], lock: Path) -> None:
    """Lock an open lock file, or raise a BlockingIOError that says who holds it.

    If the file system does not support locks, warn on stderr.
    """
    try:
        _lock(file)
    except OSError as failure:
        if failure.errno in _REFUSED:
            raise BlockingIOError(errno.EAGAIN, f"in use by {_holder_text(holder)}: wait until it has ended") from None
        if failure.errno not in _UNSUPPORTED:
            raise
        print(f"rr_gym: {lock.parent}: no locks on this file system: make sure that only one process writes there",
              file=sys.stderr)  # fmt: skip


def _release(lock: Path, file: int) -> None:
    """Release a lock and remove its file."""
    if sys.platform == "win32":  # an open file cannot be removed there
        os.close(file)
        with suppress(OSError):
            lock.unlink()
        return
    with suppress(OSError):
        if _leads_to(lock, _key(os.fstat(file))):
            lock.unlink()
    os.close(file)


def _key(state: os.stat_result) -> tuple[int, int]:
    """Return the numbers of the device and the inode, which identify a file."""
    return state.st_dev, state.st_ino


def _leads_to(lock: Path, key: tuple[int, int]) -> bool:
    """Tell whether the path of a lock still leads to the file with this key."""
    try:
        return _key(os.stat(lock)) == key
    except FileNotFoundError:
        return False


def _this_process() -> dict[str, Any]:
    """Describe this process, for the text of its locks."""
    program = os.path.basename(sys.argv[0]) if sys.argv else ""
    name = "rr-gym" if program in ("__main__.py", "rr-gym", "rr-gym.exe") else program
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
        "command": shlex.join([name, *sys.argv[1:]])[:500],
    }


def _read(file: int) -> dict[str, Any] | None:
    """Return the holder that a lock file names, or None if the file is not a lock file.

    The result is empty if the holder has not written the text yet.
    """
    text = os.read(file, _LONGEST).strip(b"\0\n ")
    if not text:
        return {}
    try:
        holder = loads(text, "lock")
    except RoboRallyError:
        return None
    return holder if isinstance(holder, dict) and holder.keys() == _WORDS else None


def _holder_text(holder: dict[str, Any]) -> str:
    """Describe the holder of a lock in words, for messages."""
    if not holder:
        return "another process"
    words = {name: "".join(c if c.isprintable() else "?" for c in str(value)) for name, value in holder.items()}
    return f"process {words['pid']} on {words['host']} since {words['since']} ({words['command']})"
