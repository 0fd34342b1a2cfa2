"""Keep libraries on disk. They are found by what they were made from, so that all checkouts share them.

A library's file name is a digest of its contents. Next to it is stored, for each version of Python, an index of the
bytecode of its kernels, so that a process recognizes a library that fits without reading any source. Otherwise source
texts are compared, and only if these differ is anything compiled. Lowered units
(`rr_gym.compilation.units`) are kept too, so that little has to be compiled again.

Environment, for a project called `toys`: `TOYS_CACHE_DIR` is the folder of the cache.
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
from rr_gym.compilation.sources import edited_compiler_file

if TYPE_CHECKING:
    from rr_gym.compilation.building import Build, Report

ALL = "all"  # the group of a library that has all entries of a form
_LIBRARY, _UNITS, _INDEX = "lib", "units", "index"
_MOST_FILES = 160  # of each kind; the least recently used are deleted
_MOST_BYTES = 400 << 20  # of all files
_spent = [0.0]  # seconds, see `seconds_spent`


def read_library(path: Path) -> tuple[Contents, bytes] | None:
    """Return the contents and the machine code of a library file, or None if it does not exist or is damaged."""
    data = read(path)
    try:
        return None if data is None else unpack(data)
    except TypeError:  # written by another version of this package, with other fields
        return None


def library(group: str, form: str, names: Iterable[str], entered: Iterable[Kernel]) -> Library:
    """Return a loaded library with some entries, from the cache or compiled now.

    Args:
        group: The group of the entries; empty for an entry that is in no group.
        form: The form of the tables.
        names: The entries that it must have.
        entered: The kernels that are entered now; everything that they reach must be up to date in the library.
    """
    names, entered = list(names), list(entered)
    home = directory()
    title = f"{group or digest(*names)[:16]}-{form}"
    if home is None:
        with _counted():
            return load_object(*_make(home, title, group, form, names))
    found = _find(home, f"{ALL}-{form}", names, entered) or _find(home, title, names, entered)
    if found is None:
        with _counted(), _exclusive(home, _lock_of(form), current().title_of(form)):
            found = _find(home, title, names, entered) or _make(home, title, group, form, names)
    return load_object(*found)


def seconds_spent() -> float:
    """Return how many seconds of this process have gone into compiling what was entered, or into waiting for it."""
    return _spent[0]


@contextmanager
def _counted() -> Iterator[None]:
    """Count the time in this context as spent."""
    begin = time.monotonic()
    try:
        yield
    finally:
        _spent[0] += time.monotonic() - begin


def compile_all(form: str) -> bool:
    """Make sure that the cache, if there is one, has one up-to-date library with all entries of a form.

    Returns:
        Whether it had to be compiled.
    """
    missing = _missing(form)
    if missing is None:
        return False
    home, title, names = missing
    with _exclusive(home, _lock_of(form), current().title_of(form)):
        _make(home, title, ALL, form, names)
    return True


def lower_all(form: str, pool: Executor) -> None:
    """Do most of the work of `compile_all` in the processes of a pool; units that forms share are lowered once."""
    missing = _missing(form)
    if missing is not None:
        with _progress(form) as report:
            home, title, names = missing
            _lower(home, title, form, names, report, pool)


def names_of(form: str) -> list[str]:
    """Return all entries of a form."""
    return [name for group in entries().get(form, {}).values() for name in group]


def _missing(form: str) -> tuple[Path, str, list[str]] | None:
    """Return folder, title and entries of the library of a whole form if it has to be made, else None."""
    names, home, title = names_of(form), directory(), f"{ALL}-{form}"
    if not names or home is None:
        return None
    kernels = [kernel for name in names if (kernel := find_kernel(name.partition("(")[0])) is not None]
    return None if _find(home, title, names, kernels) is not None else (home, title, names)


def _lock_of(form: str) -> str:
    """Return the name of a form's lock; processes with other settings (such as checks of indices) lock another file."""
    return f"{form}-{digest(settings())[:8]}"


@contextmanager
def _exclusive(home: Path, name: str, what: str) -> Iterator[None]:
    """Hold a lock, so that only one process at a time compiles a form; the others then find its result in the cache.

    Args:
        home: The folder of the cache.
        name: The name of the lock.
        what: What is compiled, in words, for the message to those who wait.
    """
    try:
        import fcntl

        file = os.open(home / f"{name}.lock", os.O_CREAT | os.O_WRONLY, 0o600)
    except (ImportError, OSError):  # without locks, each process compiles for itself
        yield
        return
    try:
        message = f"{current().name}: another process compiles the {current().kernels} ({what}): waiting for it"
        with current().show(lambda seconds: f"{message}, {seconds:.0f} s"):
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
    """Return the most recently used library that fits, with its machine code, or None."""
    for path in libraries_of(home, title):
        found = open_library(path)
        if found is not None:
            fit, code, codes = found
            if fit.contents.entries.keys() >= set(names) and not fit.misfit(entered):
                codes.keep()
                return fit, code
    return None


def libraries_of(home: Path, title: str) -> list[Path]:
    """Return the libraries with a title, the most recently used first."""
    return sorted(home.glob(f"{title}-*.{_LIBRARY}"), key=age)


def open_library(path: Path) -> tuple[Fit, bytes, Codes] | None:
    """Return a library of the cache, its machine code and its index of Python code, or None if it cannot be read."""
    found = read_library(path)
    if found is None:
        return None
    contents, code = found
    codes = Codes(path.with_name(f"{path.stem}-{this_python()}.{_INDEX}"))
    return Fit(contents, codes.has_text), code, codes


class Codes:
    """An index of a library's kernels by their compiled Python code, for one version of Python.

    With it a kernel is recognized without reading its source.

    Args:
        path: The file of the index.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._new = path, False
        try:
            self._known = dict(json.loads(read(path) or b"{}"))
        except (ValueError, TypeError):
            self._known = {}

    def has_text(self, kernel: Kernel, text: str) -> bool:
        """Tell whether a kernel has the text with this digest (`rr_gym.compilation.digests.text_digest`)."""
        found = f"{text} {code_digest(kernel)}"
        if self._known.get(kernel.name) != found:
            if text_digest(kernel) != text:
                return False
            self._known[kernel.name], self._new = found, True
        return True

    def keep(self) -> None:
        """Write the index to its file if it has new entries."""
        if self._new:
            self._new = False
            write(self._path, json.dumps(self._known).encode())


def _make(home: Path | None, title: str, group: str, form: str, names: list[str]) -> Found:
    with building(home, title if group else "", form, names) as build:
        contents, code = build.link(group, settings())
    if home is None or not may_keep():
        return Fit(contents, lambda kernel, text: text_digest(kernel) == text), code
    return keep_library(home, title, contents, code), code


@contextmanager
def building(home: Path | None, title: str, form: str, names: list[str]) -> Iterator[Build]:
    """Lower what entries need, and keep the new units if they have a title; linking belongs into this context too."""
    with _progress(form) as report, _no_collection():
        yield _lower(home, title, form, names, report)


def keep_library(home: Path, title: str, contents: Contents, code: bytes) -> Fit:
    """Write a library that has just been made, with its index."""
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
    """Tell whether compiled code may be kept: the files that make it were not edited since they were imported."""
    edited = edited_compiler_file()
    if edited:
        notice(f"{edited} was edited while it ran: compiled code is not kept")
    return not edited


def _lower(
    home: Path | None, title: str, form: str, names: list[str], report: Report, pool: Executor | None = None
) -> Build:
    """Lower what entries need, and keep the new units if they have a title."""
    from rr_gym.compilation.building import Build
    from rr_gym.compilation.numba_internals import check_versions, versions
    from rr_gym.compilation.units import Units

    check_versions()
    ending = units_name(*versions())
    with nullcontext() if home is None else _exclusive(home, "units", "what forms share"):
        units = Units(data for _, data in ([] if home is None else stored_units(home)))
        try:
            return Build(form, names, units, report, pool)
        finally:  # what was lowered before an interruption need not be lowered again
            if home is not None and units.new and title and may_keep():
                write(home / f"{title}-{ending}", units.pack())


def stored_units(home: Path) -> list[tuple[Path, bytes]]:
    """Return the files with units that a build of this version can use, each with its contents."""
    from rr_gym.compilation.numba_internals import versions

    paths = sorted(home.glob(f"*-{units_name(*versions())}"))
    return [(path, data) for path in paths if (data := read(path)) is not None]


def damaged(home: Path) -> list[Path]:
    """Delete damaged files and return their paths."""
    paths = [path for kind in (_LIBRARY, _UNITS, _INDEX) for path in sorted(home.glob(f"*.{kind}"))]
    return [path for path in paths if read(path, touch=False) is None and not path.exists()]


def units_name(*versions: str) -> str:
    """Return the ending of the names of files with units, which depends on the versions of Python and of the compiler.

    Forms, and builds with and without checks, share most units, so they share these files.
    """
    return f"{digest(lowered_with(), *versions)[:16]}.{_UNITS}"


def _tidy(home: Path) -> None:
    """Delete the least recently used files if there are too many or they take too much space."""
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
            if time.time() - path.stat().st_mtime > 3600:  # left by a process that was killed
                path.unlink()


def clean() -> int:
    """Delete everything that is kept, and return the number of bytes freed."""
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
    """Keep a line on display that shows the progress of the compilation of a form."""
    message = f"{current().name}: compiling the {current().kernels} ({current().title_of(form)}): "
    stage = [""]

    def report(done: int, expected: int) -> None:
        stage[0] = "machine code, " if done == expected else f"{done} of {expected} functions, "

    with current().show(lambda seconds: f"{message}{stage[0]}{seconds:.0f} s"):
        yield report


@contextmanager
def _no_collection() -> Iterator[None]:
    """Switch garbage collection off: compilation makes millions of objects that all live until it ends."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
