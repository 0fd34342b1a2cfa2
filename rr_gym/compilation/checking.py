"""Check the cache: compile this version of the kernels again, and compare the result with the files.

Files that were made from other code, such as that of another checkout, are ignored: this version never uses them.
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
    """The result of a check.

    Attributes:
        libraries: The number of checked libraries, whose description names this code.
        units: The number of checked lowered functions.
        unknown: The number of libraries with kernels from outside the project, which were not checked.
        differing: Descriptions of everything that differs from what the code compiles to.
    """

    libraries: int = 0
    units: int = 0
    unknown: int = 0
    differing: list[str] = field(default_factory=list)


def check_files(home: Path) -> list[str]:
    """Delete damaged files and return a description of each."""
    return [f"file {path.name} was damaged" for path in damaged(home)]


def check(home: Path, form: str) -> Checked:
    """Compare all cached files of a form with what the code compiles to now, and repair those that differ.

    Args:
        home: The folder of the cache.
        form: The form of the tables.
    """
    found = Checked()
    fresh = Units()  # without any stored units
    Build(form, names_of(form), fresh, _no_report)
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
            now, code = Build(form, names, fresh, _no_report).link(contents.group, settings())
            entries = {name: tuple(words) for name, words in contents.entries.items()}
            if entries != now.entries or _machine_code(opened[1]) != _machine_code(code):
                found.differing.append(f"library {path.name}")
                path.unlink(missing_ok=True)
                keep_library(home, path.stem.rpartition("-")[0], now, code)
    found.differing += list(_check_units(home, fresh, found))
    return found


def _no_report(done: int, expected: int) -> None:
    pass


def _kernel_of(entry: str) -> Kernel | None:
    """Return the kernel of an entry if it belongs to the project or is imported already, else None.

    Modules of other packages are never imported just because a file of the cache names them.
    """
    name = entry.partition("(")[0]
    return find_kernel(name) if current().owns(name) else KERNELS.get(name)


def _machine_code(code: bytes) -> list[tuple[str, bytes]]:
    """Return the code and data sections of an object, without the names of inner functions, which differ each time."""
    sections: Any = llvm.ObjectFileRef.from_data(code).sections()
    kept = [((section.name() or b"").decode(), section.data()) for section in sections]
    return [(name, data) for name, data in kept if name.startswith((".text", ".rodata", ".data", "__text", "__const"))]


def _check_units(home: Path, fresh: Units, found: Checked) -> Iterator[str]:
    """Compare the units of all files that this version would use, repair those that differ, and describe them."""
    for path, data in stored_units(home):
        stored = Units([data])
        wrong = []
        for key in unpack(data):
            made, kept = fresh.used.get(key), stored.stored(key)
            if made is None or kept is None:  # of other code, or of another form
                continue
            found.units += 1
            calls = {unit.symbol for unit in made.calls} == {unit.symbol for unit in kept.calls}
            same = calls and made.result == kept.result
            if not same or _normalized_text(made.bitcode) != _normalized_text(kept.bitcode):
                wrong.append(key)
                name = re.search(r'^define [^@]*@"?([^"(]+)\.[0-9a-f]{16}"?\(', _text(made.bitcode), re.MULTILINE)
                yield f"function {name[1] if name else key} in {path.name}"
        if wrong:
            stored.used = {key: kept for key in unpack(data) if (kept := stored.stored(key)) is not None}
            write(path, stored.pack({key: fresh.used[key] for key in wrong}))


def _text(bitcode: bytes) -> str:
    return str(llvm.parse_bitcode(bitcode))


def _normalized_text(bitcode: bytes) -> str:
    """Return a module as text, without the differences between two runs of Numba on the same code.

    Numba numbers inner names through the whole process, so they are replaced by their rank. The order of changes of
    reference counts depends on the order of sets, which changes with each process, so they are sorted within each
    block.
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
