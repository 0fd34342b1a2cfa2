"""The cache compared with the code: what it says of this version of the rules is made again, and has to be the same.

What was made from other code, such as that of another checkout, is left as it is: nothing of this version asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from rr_gym.compilation.building import Build, Stand
from rr_gym.compilation.cache import (
    ALL,
    damaged,
    keep_library,
    libraries_of,
    names_of,
    open_library,
    stored_units,
)  # fmt: skip
from rr_gym.compilation.digests import settings
from rr_gym.compilation.files import write
from rr_gym.compilation.groups import entries
from rr_gym.compilation.kernels import Kernel, find_kernel
from rr_gym.compilation.units import Units, unpack


@dataclass
class Checked:
    """What a check has found.

    Attributes:
        libraries: How many libraries say that they are of this code.
        units: How many lowered functions do.
        differing: What is not as the code says, in words.
    """

    libraries: int = 0
    units: int = 0
    differing: list[str] = field(default_factory=list)


def check_files(home: Path) -> list[str]:
    """Throw away files that are damaged, and return their names in words."""
    return [f"file {path.name} was damaged" for path in damaged(home)]


def check(home: Path, form: str) -> Checked:
    """Compare all that is kept of a form with what its code compiles to now, and repair what differs.

    Args:
        home: The folder of the cache.
        form: The form of the rules.
    """
    found = Checked()
    fresh = Units()  # nothing that was stored is taken
    wanted = {ALL: names_of(form)} | {group: list(names) for group, names in entries().get(form, {}).items()}
    for group, names in wanted.items():
        title = f"{group}-{form}"
        fitting = [path for path in libraries_of(home, title) if _fits(path, names)]
        if group != ALL and not fitting:
            continue
        contents, code = Build(form, names, fresh, _tell_nobody).link(group, settings())
        found.libraries += len(fitting)
        wrong = [path for path in fitting if not _is_same_library(path, contents.entries, code)]
        for path in wrong:
            found.differing.append(f"library {path.name}")
            path.unlink(missing_ok=True)
        if wrong:
            keep_library(home, title, contents, code)
    found.differing += list(_check_units(home, fresh, found))
    return found


def _tell_nobody(stand: Stand) -> None:
    pass


def _fits(path: Path, names: list[str]) -> bool:
    """Whether a library says that it is of this code."""
    opened = open_library(path)
    if opened is None:
        return False
    kernels: list[Kernel] = [k for name in names if (k := find_kernel(name.partition("(")[0])) is not None]
    return opened[0].contents.entries.keys() >= set(names) and not opened[0].misfit(kernels)


def _is_same_library(path: Path, names: dict[str, tuple[str, str]], code: bytes) -> bool:
    opened = open_library(path)
    if opened is None:
        return False
    fit, kept, _ = opened
    return fit.contents.entries == names and _machine_code(kept) == _machine_code(code)


def _machine_code(code: bytes) -> list[tuple[str, bytes]]:
    """What runs of an object, and the data that it reads: names of its inner functions differ each time."""
    sections: Any = llvm.ObjectFileRef.from_data(code).sections()
    kept = [((section.name() or b"").decode(), section.data()) for section in sections]
    return [(name, data) for name, data in kept if name.startswith((".text", ".rodata", ".data", "__text", "__const"))]


def _check_units(home: Path, fresh: Units, found: Checked) -> Iterator[str]:
    """Compare the units of all files that this version would take."""
    for path, data in stored_units(home):
        stored = Units([data])
        wrong = []
        for key in unpack(data):
            made, kept = fresh.used.get(key), stored.stored(key)
            if made is None or kept is None:  # of other code, or of another form
                continue
            found.units += 1
            calls = {unit.symbol for unit in made.calls} == {unit.symbol for unit in kept.calls}
            if not calls or made.result != kept.result or _read(made.bitcode) != _read(kept.bitcode):
                wrong.append(key)
                name = next(re.finditer(r'^define .*@"?(rr_gym\.[^"(]*)', _text(made.bitcode), re.MULTILINE), None)
                yield f"function {name[1].rpartition('.')[0] if name else key} in {path.name}"
        if wrong:
            stored.used = {key: kept for key in unpack(data) if (kept := stored.stored(key)) is not None}
            write(path, stored.pack({key: fresh.used[key] for key in wrong}))


def _text(bitcode: bytes) -> str:
    return str(llvm.parse_bitcode(bitcode))


def _read(bitcode: bytes) -> str:
    """A module as text, with names of inner things by their places: Numba counts on within a process."""
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"@inner{len(numbers)}")

    body = re.sub(r"^; ModuleID.*$|^source_filename.*$", "", _text(bitcode), flags=re.MULTILINE)
    return re.sub(r'@"?(_ZN|\.)[^\s",()]*"?', number, body)
