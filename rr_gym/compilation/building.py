"""How a library is made: lower what the entries reach, link it, and say what it was made from.

Units that were lowered before are taken as they are if nothing that they are made from has changed (`Units`).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import types

from rr_gym.compilation.digests import callees, digest, kernel_digest
from rr_gym.compilation.forms import BASE, FORMS, form_of
from rr_gym.compilation.kernels import Choice, Kernel, find_callee, find_kernel, resolve
from rr_gym.compilation.kinds import kind_of, split_types
from rr_gym.compilation.libraries import Contents, layout_digest
from rr_gym.compilation.linking import Entry, make_object
from rr_gym.compilation.lowering import Lowered, Unit, lower
from rr_gym.records import RECORDS


@dataclass(frozen=True, slots=True)
class Stand:
    """How far a build is; sizes are bytes of Python's code, which the time that units take follows.

    Attributes:
        done: Units that are there.
        expected: Units in all, as far as is known.
        lowered: The size of those that were lowered now.
        left: The size that is still to be lowered, as far as is known.
        size: Of all units, which are linked at last.
        linking: Nothing is left but that.
    """

    done: int
    expected: int
    lowered: int
    left: float
    size: int
    linking: bool = False


Report = Callable[[Stand], None]


class Units:
    """Lowered units by what they were made from, those of earlier builds and those of this one.

    What was stored must come from a build with the same settings and the same versions of libraries.
    """

    def __init__(self, stored: Iterable[bytes] = ()) -> None:
        self._stored: dict[str, bytes] = {}  # each by itself: some may name what is there no more
        self.used: dict[str, Lowered] = {}
        self.new = 0  # how many had to be lowered
        self.lowered_size = 0  # of these, see `Stand`
        for data in stored:
            self._stored.update(pickle.loads(data))

    def lowered(self, wanted: Iterable[Unit], pool: Executor | None) -> Iterator[tuple[Unit, Lowered]]:
        """Units as they were lowered before, or now: in the processes of a pool, or without one in this process."""
        keys = {unit: _key(unit) for unit in wanted}
        missing = []
        for unit, key in keys.items():
            found = self.used.get(key) or self._before(key)
            if found is None:
                missing.append(unit)
            else:
                self.used[key] = found
                yield unit, found
        for unit, made in zip(missing, (pool.map if pool else map)(lower, missing), strict=True):
            self.used[keys[unit]] = made
            self.new += 1
            self.lowered_size += _size(unit.kernel)
            yield unit, made

    def _before(self, key: str) -> Lowered | None:
        """A unit of an earlier build; None where it has none, or where a kernel that it calls is gone."""
        if key not in self._stored:
            return None
        bitcode, calls, result = pickle.loads(self._stored[key])
        found = [(find_callee(name), kinds) for name, kinds in calls]
        units = [Unit(kernel, kinds) for kernel, kinds in found if kernel is not None]
        return Lowered(bitcode, units, result) if len(units) == len(calls) else None

    def pack(self) -> bytes:
        """What was used, to be stored."""
        units = {
            key: (unit.bitcode, [(call.kernel.name, call.kinds) for call in unit.calls], unit.result)
            for key, unit in self.used.items()
        }
        return pickle.dumps({key: pickle.dumps(unit) for key, unit in units.items()})


def _key(unit: Unit) -> str:
    """What the module of a unit follows from."""
    records = [layout_digest(name) for name in sorted(_records_in(unit.kinds))]
    return digest(unit.symbol, *_fields_in(unit.kinds), *map(kernel_digest, _typed_with(unit.kernel)), *records)


def _fields_in(kinds: Iterable[Any]) -> Iterator[str]:
    """The names of the fields of tuples, which the names of their types do not say."""
    for kind in kinds:
        if isinstance(kind, types.BaseTuple):
            yield " ".join(getattr(kind, "fields", ()))
            yield from _fields_in(kind.types)


def _typed_with(kernel: Any) -> list[Kernel]:
    """A kernel, and those whose text says what its calls return because no annotation does."""
    found = [kernel]
    for one in found:
        for called in callees(one):
            found += [k for k in _either(called) if not k.says_result and k not in found]
    return found


def _either(called: Kernel | Choice | Any) -> list[Kernel]:
    """The kernels that a call may get."""
    if isinstance(called, Choice):
        return _either(called.full) + _either(called.base)
    return [called] if isinstance(called, Kernel) else []


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
    if len(_names) != len(RECORDS):
        _names.update({numba.from_dtype(dtype): name for name, dtype in reversed(RECORDS.items())})
    return _names


_names: dict[Any, str] = {}


class Build:
    """What entries reach, lowered, of which one object is made.

    Args:
        form: The form of the tables.
        names: The entries, `kernel(types)`.
        units: What has been lowered before; takes what is lowered now.
        report: Is told how far it is.
        pool: The processes that lower; without one this process does.
    """

    def __init__(
        self, form: str, names: Iterable[str], units: Units, report: Report, pool: Executor | None = None
    ) -> None:
        self.form, self._report = form, report
        self._wanted = {name: unit for name in names if (unit := unit_of(name)) is not None}
        rules = form if form in FORMS else _form_within(self._wanted.values())
        self._lowered: dict[Unit, Lowered] = {}
        self._choices: dict[str, str | int | None] = {}  # by symbol
        reached = _reached([unit.kernel for unit in self._wanted.values()], rules)
        whole, seen, before = sum(map(_size, reached)), 0, units.lowered_size
        todo = list(self._wanted.values())
        while todo:  # all that is called by what was lowered last, side by side
            called, todo = todo, []
            wanted = {unit: None for asked in called if (unit := self._chosen(asked, rules)) is not None}
            for unit, lowered in units.lowered([unit for unit in wanted if unit not in self._lowered], pool):
                self._lowered[unit] = lowered
                seen += _size(unit.kernel)
                new = units.lowered_size - before
                report(Stand(
                    len(self._lowered), max(len(reached), len(self._lowered) + 1),
                    new, max(0, whole - seen) * new / seen, max(whole, seen),  # the rest as what was seen
                ))  # fmt: skip
                todo += lowered.calls
        self._size = seen

    def _chosen(self, asked: Unit, rules: str) -> Unit | None:
        """The unit that a call gets in a form of the rules; None for a constant. The choice is noted for linking."""
        chosen = resolve(asked.kernel, rules)
        if chosen is asked.kernel:
            return asked
        unit = Unit(chosen, asked.kinds) if isinstance(chosen, Kernel) else None
        self._choices[asked.symbol] = chosen if unit is None else unit.symbol
        return unit

    def link(self, group: str, settings: str) -> tuple[Contents, bytes]:
        """One object, and what is in it.

        Args:
            group: What the library is for.
            settings: How libraries are built now.
        """
        self._report(Stand(len(self._lowered), len(self._lowered), 0, 0, self._size, linking=True))
        contents = Contents(group, self.form, settings)
        entries = []
        for number, (name, unit) in enumerate(self._wanted.items()):
            symbol = f"rr_gym_{self.form}_{group or 'one'}_{number}"
            contents.entries[name] = symbol, str(self._lowered[unit].result)
            entries.append(Entry(symbol, unit.symbol, [a for kind in unit.kinds for a in _words(kind)]))
        for unit in self._lowered:
            contents.kernels[unit.kernel.name] = kernel_digest(unit.kernel)
            contents.records.update({name: layout_digest(name) for name in _records_in(unit.kinds)})
        ordered = sorted(self._lowered, key=lambda unit: unit.symbol)
        return contents, make_object([self._lowered[unit].bitcode for unit in ordered], entries, self._choices)


def _form_within(units: Iterable[Unit]) -> str:
    """The form of the rules for what has a table only within other arguments."""
    names = (RECORDS[name].names or () for unit in units for name in _records_in(unit.kinds))
    return next((form_of(found) for found in names if "squares" in found), BASE)


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
    return Unit.of(found, types_of) if len(types_of) == len(found.parameters) else None


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


def _size(kernel: Any) -> int:
    """The size of a kernel as Python has it."""
    return len(kernel.function.__code__.co_code)


def _reached(kernels: Iterable[Kernel | Choice], form: str) -> set[Kernel]:
    """About what kernels are reached from some for a form."""
    todo: list[Any] = list(kernels)
    seen: set[Kernel] = set()
    while todo:
        kernel = resolve(todo.pop(), form)
        if isinstance(kernel, Kernel) and kernel not in seen:
            seen.add(kernel)
            todo += callees(kernel)
    return seen
