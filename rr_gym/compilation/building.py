"""How a library is made: lower what the entries reach, link it, and say what it was made from.

Units that were lowered before are taken as they are if nothing that they are made from has changed (`Units`).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numba import types

from rr_gym.compilation.digests import callees, digest, kernel_digest
from rr_gym.compilation.forms import MARKS
from rr_gym.compilation.kernels import KERNELS, Choice, Kernel, find_kernel
from rr_gym.compilation.libraries import Contents, layout_digest
from rr_gym.compilation.linking import Entry, make_object
from rr_gym.compilation.lowering import Lowered, Unit, kind_of, lower, result_of, split_types
from rr_gym.records import RECORDS

Report = Callable[[int, int, str], None]  # units done, units in all as far as is known, what is being done


class Units:
    """Lowered units by what they were made from, those of earlier builds and those of this one."""

    def __init__(self, stored: Iterable[bytes] = ()) -> None:
        self._known: dict[str, Lowered] = {}
        self.used: dict[str, Lowered] = {}
        for data in stored:
            self._known.update(_unpacked(data))

    def lowered(self, unit: Unit) -> Lowered:
        """A unit as it was lowered before, or now."""
        key = _key(unit)
        found = self._known.get(key)
        if found is None:
            found = lower(unit)
        self.used[key] = found
        return found

    def pack(self) -> bytes:
        """What was used, to be stored."""
        units = {
            key: (unit.bitcode, [(call.kernel.name, call.kinds) for call in unit.calls], unit.result)
            for key, unit in self.used.items()
        }
        return pickle.dumps(units)


def _unpacked(data: bytes) -> Iterator[tuple[str, Lowered]]:
    for key, (bitcode, calls, result) in pickle.loads(data).items():
        if all(name in KERNELS for name, _ in calls):
            yield key, Lowered(bitcode, [Unit(KERNELS[name], kinds) for name, kinds in calls], result)


def _key(unit: Unit) -> str:
    """What the module of a unit follows from."""
    records = [layout_digest(name) for name in sorted(_records_in(unit.kinds))]
    inferred = [kernel_digest(k) for k in callees(unit.kernel) if isinstance(k, Kernel) and not k.says_result]
    return digest(kernel_digest(unit.kernel), unit.symbol, *records, *inferred)


def _records_in(kinds: Iterable[Any]) -> Iterator[str]:
    """The records among types of Numba, by name."""
    for kind in kinds:
        if isinstance(kind, types.Array):
            yield from _records_in([kind.dtype])
        elif isinstance(kind, types.Record):
            name = _record_names().get(kind)
            if name:
                yield name
        elif isinstance(kind, types.BaseTuple):
            yield from _records_in(kind.types)


def _record_names() -> dict[Any, str]:
    import numba

    if len(_names) != len(RECORDS):
        _names.update({numba.from_dtype(dtype): name for name, dtype in reversed(RECORDS.items())})
    return _names


_names: dict[Any, str] = {}


def build(
    group: str, form: str, names: Iterable[str], settings: str, units: Units, report: Report
) -> tuple[Contents, bytes]:
    """Compile entries and everything they reach into one object.

    Args:
        group: What the library is for.
        form: The form of the tables.
        names: The entries, `kernel(types)`.
        settings: How libraries are built now.
        units: What has been lowered before; takes what is lowered now.
        report: Is told how far it is.
    """
    wanted: dict[str, Unit] = {}
    for name in names:
        unit = unit_of(name)
        if unit is not None:
            wanted[name] = unit
    expected = _reached([unit.kernel for unit in wanted.values()], form)
    todo, lowered = list(wanted.values()), dict[Unit, Lowered]()
    while todo:
        unit = todo.pop()
        if unit in lowered:
            continue
        report(len(lowered), max(expected, len(lowered) + 1), "functions")
        lowered[unit] = units.lowered(unit)
        todo += lowered[unit].calls
    report(len(lowered), len(lowered), "machine code")
    contents = Contents(group, form, settings)
    entries = []
    for number, (name, unit) in enumerate(wanted.items()):
        symbol = f"rr_gym_{form}_{group or 'one'}_{number}"
        contents.entries[name] = symbol, str(result_of(unit))
        entries.append(Entry(symbol, unit.symbol, [a for kind in unit.kinds for a in _words(kind)]))
    for unit in lowered:
        contents.kernels[unit.kernel.name] = kernel_digest(unit.kernel)
        contents.records.update({name: layout_digest(name) for name in _records_in(unit.kinds)})
    ordered = sorted(lowered, key=lambda unit: unit.symbol)
    return contents, make_object([lowered[unit].bitcode for unit in ordered], entries)


def unit_of(name: str) -> Unit | None:
    """The unit of an entry, `kernel(types)`; None where there is no such kernel or type any more."""
    kernel, _, kinds = name.partition("(")
    found = find_kernel(kernel)
    if found is None:
        return None
    try:
        types_of = tuple(map(kind_of, split_types(kinds[:-1])))
    except (KeyError, ImportError, AttributeError):
        return None
    return Unit(found, types_of) if len(types_of) == len(found.parameters) else None


def _words(kind: Any) -> list[tuple[Any, ...]]:
    """How an argument stands in words."""
    if isinstance(kind, types.Array):
        item = kind.dtype.size if isinstance(kind.dtype, types.Record) else np.dtype(str(kind.dtype)).itemsize
        return [("array", kind.ndim, item)]
    if isinstance(kind, types.Record):
        return [("record",)]
    if isinstance(kind, types.BaseTuple):
        return [words for part in kind.types for words in _words(part)]
    return [("i8",) if kind == types.boolean else ("double",) if kind == types.float64 else ("i64",)]


def _reached(kernels: Iterable[Kernel], form: str) -> int:
    """About how many kernels are reached from some for a form."""
    todo: list[Kernel | Choice] = list(kernels)
    seen: set[Kernel] = set()
    marks = {MARKS[f] for f in MARKS if f == form or (form == "full")}
    while todo:
        kernel: Any = todo.pop()
        while isinstance(kernel, Choice):
            kernel = kernel.full if kernel.mark in marks else kernel.base
        if isinstance(kernel, Kernel) and kernel not in seen:
            seen.add(kernel)
            todo += callees(kernel)
    return len(seen)
