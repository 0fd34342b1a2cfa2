"""The cache compared with the code: what it says of this version of the kernels is made again, and has to be the same.

What was made from other code, such as that of another checkout, is left as it is: nothing of this version asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from rr_gym.compilation.building import Build
from rr_gym.compilation.cache import (
    damaged,
    keep_library,
    libraries_of,
    names_of,
    open_library,
    stored_units,
)  # fmt: skip
from rr_gym.compilation.digests import settings
from rr_gym.compilation.files import write
from rr_gym.compilation.kernels import KERNELS, Kernel, find_kernel
from rr_gym.compilation.settings import current
from rr_gym.compilation.units import Units, unpack


@dataclass
class Checked:
    """What a check has found.

    Attributes:
        libraries: How many libraries say that they are of this code.
        units: How many lowered functions do.
        unknown: How many libraries are of kernels that are not of the project, and were not looked at.
        differing: What is not as the code says, in words.
    """

    libraries: int = 0
    units: int = 0
    unknown: int = 0
    differing: list[str] = field(default_factory=list)


def check_files(home: Path) -> list[str]:
    """Throw away files that are damaged, and return their names in words."""
    return [f"file {path.name} was damaged" for path in damaged(home)]


def check(home: Path, form: str) -> Checked:
    """Compare all that is kept of a form with what its code compiles to now, and repair what differs.

    Args:
        home: The folder of the cache.
        form: The form of the tables.
    """
    found = Checked()
    fresh = Units()  # nothing that was stored is taken
    Build(form, names_of(form), fresh, _tell_nobody)
    for path in libraries_of(home, f"*-{form}"):
        opened = open_library(path)
        if opened is None:
            continue
        contents = opened[0].contents
        names = sorted(contents.entries, key=lambda name: int(contents.entries[name][0].rpartition("_")[2]))
        kernels = list(filter(None, map(_kernel_of, names)))
        if len(kernels) < len(names):
            found.unknown += 1
        elif not opened[0].misfit(kernels):
            found.libraries += 1
            now, code = Build(form, names, fresh, _tell_nobody).link(contents.group, settings())
            entries = {name: tuple(said) for name, said in contents.entries.items()}
            if entries != now.entries or _machine_code(opened[1]) != _machine_code(code):
                found.differing.append(f"library {path.name}")
                path.unlink(missing_ok=True)
                keep_library(home, path.stem.rpartition("-")[0], now, code)
    found.differing += list(_check_units(home, fresh, found))
    return found


def _tell_nobody(done: int, expected: int) -> None:
    pass


def _kernel_of(entry: str) -> Kernel | None:
    """The kernel of an entry, if it is of the project or imported: no file has modules of other packages imported."""
    name = entry.partition("(")[0]
    return find_kernel(name) if current().owns(name) else KERNELS.get(name)


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
                name = re.search(r'^define [^@]*@"?([^"(]+)\.[0-9a-f]{16}"?\(', _text(made.bitcode), re.MULTILINE)
                yield f"function {name[1] if name else key} in {path.name}"
        if wrong:
            stored.used = {key: kept for key in unpack(data) if (kept := stored.stored(key)) is not None}
            write(path, stored.pack({key: fresh.used[key] for key in wrong}))


def _text(bitcode: bytes) -> str:
    return str(llvm.parse_bitcode(bitcode))


def _read(bitcode: bytes) -> str:
    """Return a module as text, without what differs between two runs of Numba on the same code.

    Inner names count on within a process, so they are replaced by their places. The order of changes of reference
    counts follows from sets of names, whose order changes with each process, so within a block they are sorted.
    """
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"@inner{len(numbers)}")

    body = re.sub(r"^; ModuleID.*$|^source_filename.*$", "", _text(bitcode), flags=re.MULTILINE)
    blocks = re.split(r"^(?=\S+:|define )", body, flags=re.MULTILINE)
    return re.sub(r'@"?(_ZN|\.)[^\s",()]*"?', number, "".join(map(_with_counts_last, blocks)))


def _with_counts_last(block: str) -> str:
    lines = block.splitlines()
    counts = [line for line in lines if "call void @NRT_" in line]
    return "\n".join([*(line for line in lines if line not in counts), *sorted(counts), ""])
