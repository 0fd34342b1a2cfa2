"""Libraries on disk: those of this version are found by what they were made from, so every checkout shares them.

A library lies under a name that its contents give; an index for each state of the sources says which fit it, so that a
process looks at one file. Where the sources have changed, libraries are asked whether they still fit, and only then is
something compiled. Beside them lie the lowered units (`rr_gym.compilation.building`), so that little is done anew.

Environment: `RR_GYM_CACHE_DIR` says where all this is kept.
"""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rr_gym.compilation.digests import digest, lowered_with, settings, sources_digest
from rr_gym.compilation.groups import entries
from rr_gym.compilation.libraries import Contents, Library, load_object, pack, unpack
from rr_gym.progress import shown, waiting

if TYPE_CHECKING:
    from rr_gym.compilation.building import Build, Report, Stand

ALL = "all"  # the group of a library that has all entries of a form
_LIBRARY, _UNITS, _INDEX = "lib", "units", "index"
_MOST_FILES = 160  # of a kind; what was not used for longest goes
_MOST_BYTES = 400 << 20  # of all
_FORMAT = b"rr_gym cache 2\n"  # a part of checksums: files of another format are no files of ours
_CHECKSUM = 32
_OURS = "rr_gym."


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def cache_home() -> Path:
    """Where libraries are kept, whether it exists or not."""
    chosen = os.environ.get("RR_GYM_CACHE_DIR")
    return Path(os.path.expandvars(chosen)).expanduser() if chosen else _user_cache() / "rr_gym"


@cache
def notice(text: str) -> None:
    """Say something once."""
    print(f"rr_gym: {text}", file=sys.stderr)


def directory() -> Path | None:
    """The folder of the cache, made if need be; None where nothing can be kept, which is said once."""
    home = cache_home()
    try:
        home.mkdir(0o700, parents=True, exist_ok=True)
        state = home.stat()
    except OSError as error:
        notice(f"{home}: {error.strerror}: compiled code is not kept")
        return None
    others = state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if hasattr(os, "getuid") and (others or state.st_uid not in (os.getuid(), 0)):
        notice(f"{home}: others may write there, and what is loaded from there runs: compiled code is not kept")
        return None
    return home


def _read(path: Path) -> bytes | None:
    """A file's contents if they are whole, without their checksum; what is damaged is thrown away."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    body = data[_CHECKSUM:]
    if data[:_CHECKSUM] != hashlib.sha256(_FORMAT + body).digest():
        with suppress(OSError):
            path.unlink()
        return None
    with suppress(OSError):
        os.utime(path)  # it was used now
    return body


def read_library(path: Path) -> tuple[Contents, bytes] | None:
    """What is in a file of the cache and its machine code; None where there is none, or a damaged one."""
    data = _read(path)
    return None if data is None else unpack(data)


def _write(path: Path, body: bytes) -> None:
    """Write a file whole or not at all; where that cannot be, it is said once."""
    made = None
    try:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(_FORMAT + body).digest() + body)
        os.replace(made, path)
    except OSError as error:
        notice(f"{path.parent}: {error.strerror}: compiled code is not kept")
        if made is not None:
            with suppress(OSError):
                os.unlink(made)


def library(group: str, form: str, names: Iterable[str]) -> Library:
    """A library with some entries, from the cache or compiled now.

    Args:
        group: Which entries it is for; empty for one that is in none.
        form: The form of the tables.
        names: The entries that it must have.
    """
    names = list(names)
    home = directory()
    title = f"{group or digest(*names)[:16]}-{form}"
    if home is None:
        return load_object(*_make(home, title, group, form, names))
    found = _find(home, f"{ALL}-{form}", names) or _find(home, title, names)
    if found is None:
        with _alone(home, _lock_of(form), _PLAYED[form]):
            found = _find(home, title, names) or _make(home, title, group, form, names)
    return load_object(*found)


def compile_all(form: str) -> bool:
    """Have one library with all entries of a form in the cache, where there is one.

    Returns:
        Whether it had to be compiled.
    """
    missing = _missing(form)
    if missing is None:
        return False
    home, title, names = missing
    with _alone(home, _lock_of(form), _PLAYED[form]):
        _make(home, title, ALL, form, names)
    return True


def lower_all(form: str, pool: Executor) -> None:
    """Do the larger part of `compile_all` in the processes of a pool; what forms share is done once."""
    missing = _missing(form)
    if missing is not None:
        with _progress(form) as report:
            home, title, names = missing
            _lower(home, title, form, names, report, pool)


def _missing(form: str) -> tuple[Path, str, list[str]] | None:
    """The folder, the title and the entries of the library of a whole form, if it is still to be made."""
    names = [name for group in entries().get(form, {}).values() for name in group]
    home, title = directory(), f"{ALL}-{form}"
    return None if not names or home is None or _find(home, title, names) is not None else (home, title, names)


def _lock_of(form: str) -> str:
    """Processes with other settings, such as checks of indices, make libraries of their own."""
    return f"{form}-{digest(settings())[:8]}"


@contextmanager
def _alone(home: Path, name: str, what: str) -> Iterator[None]:
    """Let processes that need the same be made do it one after the other: most find it made when their turn comes.

    Args:
        home: The folder of the cache.
        name: Of the lock.
        what: Is compiled, in words.
    """
    try:
        import fcntl

        file = os.open(home / f"{name}.lock", os.O_CREAT | os.O_WRONLY, 0o600)
    except (ImportError, OSError):  # then each compiles for itself
        yield
        return
    try:
        with waiting(f"another process compiles the rules ({what}): waiting for it"):
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(0.1)
                except OSError:  # a file system without locks
                    break
        yield
    finally:
        os.close(file)


def _index(home: Path, title: str) -> Path:
    return home / f"{title}-{digest(sources_digest(), settings())[:16]}.{_INDEX}"


def _find(home: Path, title: str, names: list[str]) -> tuple[Contents, bytes] | None:
    # The index knows the package alone: kernels from elsewhere are looked at each time.
    ours = all(name.startswith(_OURS) for name in names)
    index = _index(home, title)
    said = _read(index) if ours else None
    if said is not None and "/" not in said.decode(errors="replace"):
        found = read_library(home / said.decode(errors="replace"))
        if found is not None and found[0].entries.keys() >= set(names):
            return found
    for path in sorted(home.glob(f"{title}-*.{_LIBRARY}"), key=_age):
        found = read_library(path)
        if found is not None and next(found[0].misfits(), None) is None and found[0].entries.keys() >= set(names):
            if ours:
                _write(index, path.name.encode())
            return found
    return None


def _age(path: Path) -> float:
    with suppress(OSError):
        return -path.stat().st_mtime
    return 0.0


def _make(home: Path | None, title: str, group: str, form: str, names: list[str]) -> tuple[Contents, bytes]:
    with _progress(form) as report, _no_collection():
        contents, code = _lower(home, title if group else "", form, names, report).link(group, settings())
    if home is not None:
        data = pack(contents, code)
        path = home / f"{title}-{hashlib.sha256(data).hexdigest()[:16]}.{_LIBRARY}"
        _write(path, data)
        _write(_index(home, title), path.name.encode())
        _tidy(home)
    return contents, code


def _lower(
    home: Path | None, title: str, form: str, names: list[str], report: Report, pool: Executor | None = None
) -> Build:
    """Lower what entries need, and keep it if it has a title."""
    from rr_gym.compilation.building import Build, Units
    from rr_gym.compilation.lowering import check_versions, versions

    check_versions()
    # Units of all forms, with checks and without: they share most of them.
    lowered_so = f"{digest(lowered_with(), *versions())[:16]}.{_UNITS}"
    with nullcontext() if home is None else _alone(home, "units", "what forms share"):
        paths = [] if home is None else home.glob(f"*-{lowered_so}")
        units = Units(data for path in paths if (data := _read(path)) is not None)
        try:
            return Build(form, names, units, report, pool)
        finally:  # what was lowered before an interruption need not be lowered again
            if home is not None and units.new and title:
                _write(home / f"{title}-{lowered_so}", units.pack())


def _tidy(home: Path) -> None:
    """Throw away what was not used for longest, where there is much."""
    total = 0
    counts = dict.fromkeys((_LIBRARY, _UNITS, _INDEX), 0)
    for path in sorted((p for kind in counts for p in home.glob(f"*.{kind}")), key=_age):
        kind = path.suffix[1:]
        with suppress(OSError):
            counts[kind] += 1
            total += path.stat().st_size
            if counts[kind] > _MOST_FILES or total > _MOST_BYTES:
                path.unlink()
    for path in home.glob(".new-*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > 3600:  # of a process that was killed
                path.unlink()


def clean() -> int:
    """Throw away all that is kept. Returns the number of bytes."""
    home, freed = cache_home(), 0
    kinds = [f"*.{kind}" for kind in (_LIBRARY, _UNITS, _INDEX)]
    for path in [p for kind in (*kinds, ".new-*", "*.lock") for p in home.glob(kind)]:
        with suppress(OSError):
            freed += path.stat().st_size
            path.unlink()
    for old in home.glob("*/"):
        if len(old.name) == 16 and not set(old.name) - set("0123456789abcdef"):
            shutil.rmtree(old, ignore_errors=True)
    return freed


_PLAYED = {
    "any": "what all need", "base": "base game", "options": "option cards", "full": "elements",
}  # fmt: skip
# Seconds as measured: of units by their size, of the first of them in addition, and of linking by the size of all.
_PER_BYTE, _FIRST, _FIRST_BYTES, _LINKING = 0.3e-3, 7.0, 28_000, 0.12e-3
_TRUST = 10.0  # seconds after which this machine's own speed counts as much as what was measured elsewhere


@contextmanager
def _progress(form: str) -> Iterator[Report]:
    """One line for all that is compiled, with what is left of it; nothing where it takes less than two seconds."""
    start = time.monotonic()
    last: list[tuple[Stand, float]] = []  # how far it is and since when; the last one before linking is kept

    def report(stand: Stand) -> None:
        last[(1 if stand.linking else 0) :] = [(stand, time.monotonic() - start)]

    def text(elapsed: float) -> str:
        said = f"rr_gym: compiling the rules ({_PLAYED[form]}): "
        if not last:  # nothing to go by
            return f"{said}{elapsed:.0f} s"
        stand, since = last[-1]
        said += "machine code" if stand.linking else f"{stand.done} of {stand.expected} functions"
        lowered = last[0][0].lowered
        measured = lowered * _PER_BYTE + _FIRST * min(1.0, lowered / _FIRST_BYTES)
        slower = ((since if stand.linking else elapsed) + _TRUST) / (measured + _TRUST)
        left = slower * (stand.left * _PER_BYTE + stand.size * _LINKING) - (elapsed - since if stand.linking else 0)
        return f"{said}, about {max(1.0, left):.0f} s left"

    with shown(text):
        yield report


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave garbage alone: compilation makes millions of objects that last until it ends."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
