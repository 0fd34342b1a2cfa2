"""Libraries on disk: those of this version are found by what they were made from, so every checkout shares them.

A library lies under a name that its contents give, beside an index of the code that its kernels have in some version of
Python: so a process knows a library that fits without reading any source. Where none fits by that, texts are compared,
and only then is something compiled. Beside them lie the lowered units (`rr_gym.compilation.units`), so that little is
done anew.

Environment, for a project called `toys`: `TOYS_CACHE_DIR` says where all this is kept.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rr_gym.compilation.digests import HALF, code_digest, digest, lowered_with, settings, text_digest, this_python
from rr_gym.compilation.files import age, cache_home, directory, notice, read, write
from rr_gym.compilation.groups import entries
from rr_gym.compilation.kernels import KERNELS, Kernel, find_kernel
from rr_gym.compilation.libraries import Contents, Fit, Library, load_object, pack, unpack
from rr_gym.compilation.settings import current
from rr_gym.compilation.sources import edited_maker

if TYPE_CHECKING:
    from rr_gym.compilation.building import Build, Report

ALL = "all"  # the group of a library that has all entries of a form
_LIBRARY, _UNITS, _INDEX = "lib", "units", "index"
_MOST_FILES = 160  # of a kind; what was not used for longest goes
_MOST_BYTES = 400 << 20  # of all


def read_library(path: Path) -> tuple[Contents, bytes] | None:
    """What is in a file of the cache and its machine code; None where there is none, or a damaged one."""
    data = read(path)
    try:
        return None if data is None else unpack(data)
    except TypeError:  # of another version of this package, which says other things of its libraries
        return None


def library(group: str, form: str, names: Iterable[str], entered: Iterable[Kernel]) -> Library:
    """A library with some entries, from the cache or compiled now.

    Args:
        group: Which entries it is for; empty for one that is in none.
        form: The form of the tables.
        names: The entries that it must have.
        entered: The kernels that are entered now: what these reach must be in it as it is now.
    """
    names, entered = list(names), list(entered)
    home = directory()
    title = f"{group or digest(*names)[:16]}-{form}"
    if home is None:
        return load_object(*_make(home, title, group, form, names))
    found = _find(home, f"{ALL}-{form}", names, entered) or _find(home, title, names, entered)
    if found is None:
        with _alone(home, _lock_of(form), current().title_of(form)):
            found = _find(home, title, names, entered) or _make(home, title, group, form, names)
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
    with _alone(home, _lock_of(form), current().title_of(form)):
        _make(home, title, ALL, form, names)
    return True


def lower_all(form: str, pool: Executor) -> None:
    """Do the larger part of `compile_all` in the processes of a pool; what forms share is done once."""
    missing = _missing(form)
    if missing is not None:
        with _progress(form) as report:
            home, title, names = missing
            _lower(home, title, form, names, report, pool)


def names_of(form: str) -> list[str]:
    """All entries of a form."""
    return [name for group in entries().get(form, {}).values() for name in group]


def _missing(form: str) -> tuple[Path, str, list[str]] | None:
    """The folder, the title and the entries of the library of a whole form, if it is still to be made."""
    names, home, title = names_of(form), directory(), f"{ALL}-{form}"
    if not names or home is None:
        return None
    kernels = [kernel for name in names if (kernel := find_kernel(name.partition("(")[0])) is not None]
    return None if _find(home, title, names, kernels) is not None else (home, title, names)


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
        said = f"{current().name}: another process compiles the {current().kernels} ({what}): waiting for it"
        with current().show(lambda seconds: f"{said}, {seconds:.0f} s"):
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


Found = tuple[Fit, bytes]


def _find(home: Path, title: str, names: list[str], entered: list[Kernel]) -> Found | None:
    """The first library of those used last that fits."""
    for path in libraries_of(home, title):
        found = open_library(path)
        if found is not None:
            fit, code, codes = found
            if fit.contents.entries.keys() >= set(names) and not fit.misfit(entered):
                codes.keep()
                return fit, code
    return None


def libraries_of(home: Path, title: str) -> list[Path]:
    """The libraries with a title, those that were used last first."""
    return sorted(home.glob(f"{title}-*.{_LIBRARY}"), key=age)


def open_library(path: Path) -> tuple[Fit, bytes, Codes] | None:
    """A library of the cache, its machine code and what code its kernels have; None where there is none."""
    found = read_library(path)
    if found is None:
        return None
    contents, code = found
    codes = Codes(path.with_name(f"{path.stem}-{this_python()}.{_INDEX}"))
    return Fit(contents, codes.has_text), code, codes


class Codes:
    """The code that the kernels of a library have in one version of Python: no text need be read to know them again.

    Args:
        path: The file that says so.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._new = path, False
        try:
            self._known = dict(json.loads(read(path) or b"{}"))
        except (ValueError, TypeError):
            self._known = {}

    def has_text(self, kernel: Kernel, text: str) -> bool:
        """Whether a kernel has the text with this digest (`rr_gym.compilation.digests.text_digest`)."""
        found = f"{text} {code_digest(kernel)}"
        if self._known.get(kernel.name) != found:
            if text_digest(kernel) != text:
                return False
            self._known[kernel.name], self._new = found, True
        return True

    def keep(self) -> None:
        """Write what was found out."""
        if self._new:
            self._new = False
            write(self._path, json.dumps(self._known).encode())


def _make(home: Path | None, title: str, group: str, form: str, names: list[str]) -> Found:
    with _progress(form) as report, _no_collection():
        contents, code = _lower(home, title if group else "", form, names, report).link(group, settings())
    if home is None or not may_keep():
        return Fit(contents, lambda kernel, text: text_digest(kernel) == text), code
    return keep_library(home, title, contents, code), code


def keep_library(home: Path, title: str, contents: Contents, code: bytes) -> Fit:
    """Write a library that was made now."""
    data = pack(contents, code)
    path = home / f"{title}-{hashlib.sha256(data).hexdigest()[:16]}.{_LIBRARY}"
    write(path, data)
    codes = Codes(path.with_name(f"{path.stem}-{this_python()}.{_INDEX}"))
    for name, made in contents.kernels.items():
        codes.has_text(KERNELS[name], made[:HALF])
    codes.keep()
    _tidy(home)
    return Fit(contents, codes.has_text)


def may_keep() -> bool:
    """Whether what this process compiles is what its version of the compiler compiles."""
    edited = edited_maker()
    if edited:
        notice(f"{edited} was edited while it ran: compiled code is not kept")
    return not edited


def _lower(
    home: Path | None, title: str, form: str, names: list[str], report: Report, pool: Executor | None = None
) -> Build:
    """Lower what entries need, and keep it if it has a title."""
    from rr_gym.compilation.building import Build
    from rr_gym.compilation.numba_internals import check_versions, versions
    from rr_gym.compilation.units import Units

    check_versions()
    lowered_so = units_name(*versions())
    with nullcontext() if home is None else _alone(home, "units", "what forms share"):
        units = Units(data for _, data in ([] if home is None else stored_units(home)))
        try:
            return Build(form, names, units, report, pool)
        finally:  # what was lowered before an interruption need not be lowered again
            if home is not None and units.new and title and may_keep():
                write(home / f"{title}-{lowered_so}", units.pack())


def stored_units(home: Path) -> list[tuple[Path, bytes]]:
    """The files with units that a build of this version takes, and what is in them."""
    from rr_gym.compilation.numba_internals import versions

    paths = sorted(home.glob(f"*-{units_name(*versions())}"))
    return [(path, data) for path in paths if (data := read(path)) is not None]


def damaged(home: Path) -> list[Path]:
    """Throw away what is damaged, and say what that was."""
    paths = [path for kind in (_LIBRARY, _UNITS, _INDEX) for path in sorted(home.glob(f"*.{kind}"))]
    return [path for path in paths if read(path, touch=False) is None and not path.exists()]


def units_name(*versions: str) -> str:
    """How the names of files with units end: those of all forms, with checks and without, share most of them."""
    return f"{digest(lowered_with(), *versions)[:16]}.{_UNITS}"


def _tidy(home: Path) -> None:
    """Throw away what was not used for longest, where there is much."""
    total = 0
    counts = dict.fromkeys((_LIBRARY, _UNITS, _INDEX), 0)
    for path in sorted((p for kind in counts for p in home.glob(f"*.{kind}")), key=age):
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


@contextmanager
def _progress(form: str) -> Iterator[Report]:
    """Keep one line that says how far the compilation of a form is."""
    said = f"{current().name}: compiling the {current().kernels} ({current().title_of(form)}): "
    far = [""]

    def report(done: int, expected: int) -> None:
        far[0] = "machine code, " if done == expected else f"{done} of {expected} functions, "

    with current().show(lambda seconds: f"{said}{far[0]}{seconds:.0f} s"):
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
