"""Build a library: lower what the entries reach, link it, and record what it was made from.

Units that were lowered before are reused if none of their sources has changed (`rr_gym.compilation.units`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numba import types

from rr_gym.compilation.accelerators import chain_of, target_of
from rr_gym.compilation.digests import kernel_digest
from rr_gym.compilation.kernels import FormDispatch, Kernel, find_kernel, resolve
from rr_gym.compilation.kinds import kind_of, records_in, split_types
from rr_gym.compilation.libraries import Contents, layout_digest
from rr_gym.compilation.linking import EntryPoint, link, make_object
from rr_gym.compilation.lowering import Lowered, Unit, forget
from rr_gym.compilation.reads import called
from rr_gym.compilation.records import RECORDS
from rr_gym.compilation.settings import current
from rr_gym.compilation.targets import this_computer
from rr_gym.compilation.units import Units

# Called with the number of functions that are lowered and the number expected; once they are equal, linking begins.
Report = Callable[[int, int], None]


class Build:
    """Everything that the given entries reach, lowered and ready to be linked into one object.

    Args:
        form: The form of the tables.
        names: The entries, `kernel(types)`.
        units: Units that were lowered before; units that are lowered now are added.
        report: Called with the progress.
        pool: Processes that lower units in parallel; without a pool this process lowers them.

    Attributes:
        wanted: The units of the entries that exist, by name.
        choices: What linking decides: for a symbol that another one stands for, the other one, or a constant.
    """

    def __init__(
        self, form: str, names: Iterable[str], units: Units, report: Report, pool: Executor | None = None
    ) -> None:
        self.form, self._report = form, report
        forget()  # the values that rules read may have changed since an earlier build in this process
        self.wanted = {name: unit for name in names if (unit := unit_of(name)) is not None}
        rules = form if form in current().form_names else _form_within(self.wanted.values())
        self._lowered: dict[Unit, Lowered] = {}
        self.choices: dict[str, str | int | None] = {}  # what linking decides, by symbol
        self._renamed: dict[Unit, dict[str, str]] = {}  # symbols to rename in the module of a unit
        self._accelerated: dict[str, list[str]] = {}  # names of accelerators by rule
        self._made_of: dict[str, str] = {}  # digests of kernels by name
        self._rules = rules
        expected = _number_reached([unit.kernel for unit in self.wanted.values()], rules)
        todo: list[tuple[Unit, Unit | None]] = [(unit, None) for unit in self.wanted.values()]
        while todo:  # lower everything that the last units call, in parallel
            asked_now, todo = todo, []
            wanted = {unit: None for asked, by in asked_now if (unit := self._chosen(asked, by)) is not None}
            made_of = {unit.kernel.name: _digest_of(unit) for unit in wanted}
            for unit, lowered in units.lowered([unit for unit in wanted if unit not in self._lowered], pool):
                self._lowered[unit] = lowered
                self._made_of[unit.kernel.name] = made_of[unit.kernel.name]
                report(len(self._lowered), max(expected, len(self._lowered) + 1))
                todo += [(call, unit) for call in lowered.calls]

    def _chosen(self, asked: Unit, caller: Unit | None) -> Unit | None:
        """Return the unit that a call gets in this form of the rules, or None for a constant.

        The choice is recorded for linking. A caller that gets a different kernel than other callers uses a separate
        symbol for it.
        """
        chosen = resolve(asked.kernel, self._rules)
        if not isinstance(chosen, Kernel):
            self.choices[asked.symbol] = chosen
            return None
        module = caller.kernel.module if caller is not None and isinstance(caller.kernel, Kernel) else ""
        target = target_of(chosen, self._rules, module)
        unit, symbol = Unit(target, asked.kinds), asked.symbol
        if target is not target_of(chosen, self._rules, "") and caller is not None:
            symbol = f"{symbol} in {module}"
            self._renamed.setdefault(caller, {})[asked.symbol] = symbol
        chain = chain_of(chosen, self._rules)
        self._accelerated[chosen.name] = [fast.name for fast in chain]
        means = unit.symbol
        if chain and target is chosen:  # the reference; its symbol stands for the accelerator
            means = f"{unit.symbol} itself"
            self._renamed.setdefault(unit, {})[unit.symbol] = means
        if means != symbol:
            self.choices[symbol] = means
        return unit

    def link(self, group: str, settings: str) -> tuple[Contents, bytes]:
        """Link everything, and return a description of the library and its object code; see `linked`."""
        contents, module = self.linked(group, settings)
        return contents, make_object(module)

    def linked(self, group: str, settings: str) -> tuple[Contents, Any]:
        """Link everything, and return a description of the library and its module of LLVM.

        Args:
            group: The group of the entries.
            settings: A digest of the current settings of the build.

        Raises:
            RuntimeError: What a kernel reads has changed since it was lowered.
        """
        contents = Contents(group, self.form, settings, kernels=self._made_of, rules=self._rules)
        contents.accelerated = {name: chain for name, chain in self._accelerated.items() if chain}
        entries = []
        for number, (name, unit) in enumerate(self.wanted.items()):
            symbol = f"{current().name}_{self.form}_{group or 'one'}_{number}"
            contents.entries[name] = symbol, str(self._lowered[self._entered(unit)].result)
            entries.append(EntryPoint(symbol, unit.symbol, [a for kind in unit.kinds for a in words_of(kind)]))
        for unit in self._lowered:
            contents.records.update({name: layout_digest(name) for name in records_in(unit.kinds)})
        return contents, link(self.code(), entries, self.choices, this_computer())

    def code(self) -> list[tuple[bytes, dict[str, str]]]:
        """Return the bitcode of all units to be linked, each with the symbols in it that are to be renamed.

        Raises:
            RuntimeError: What a kernel reads has changed since it was lowered.
        """
        self._report(len(self._lowered), len(self._lowered))
        for unit in self._lowered:
            if _digest_of(unit) != self._made_of[unit.kernel.name]:
                raise RuntimeError(
                    f"{unit.kernel.name}: what it reads has changed while it was compiled: call it again"
                )
        ordered = sorted(self._lowered, key=lambda unit: unit.symbol)
        return [(self._lowered[unit].bitcode, self._renamed.get(unit, {})) for unit in ordered]

    def _entered(self, unit: Unit) -> Unit:
        """Return the unit that an entry of a kernel enters: the kernel itself, or its accelerator."""
        assert isinstance(unit.kernel, Kernel)
        return Unit(target_of(unit.kernel, self._rules, ""), unit.kinds)


def _form_within(units: Iterable[Unit]) -> str:
    """Return the form of the rules for entries whose tables occur only within other arguments."""
    names = (RECORDS[name].names or () for unit in units for name in records_in(unit.kinds))
    compiler = current()
    return next((compiler.form_of(found) for found in names if compiler.tables_have in found), compiler.forms[0].name)


def _digest_of(unit: Unit) -> str:
    """Return the digest of a lowered unit's kernel; only kernels are lowered, never choices."""
    assert isinstance(unit.kernel, Kernel)
    return kernel_digest(unit.kernel)


def unit_of(name: str) -> Unit | None:
    """Return the unit of an entry, `kernel(types)`, or None if such a kernel or type no longer exists."""
    kernel, _, kinds = name.partition("(")
    found = find_kernel(kernel)
    if found is None:
        return None
    try:
        types_of = tuple(map(kind_of, split_types(kinds[:-1])))
    except (KeyError, ImportError, AttributeError):
        return None
    return Unit.of(found, types_of) if len(types_of) == len(found.parameters) else None


def words_of(kind: Any) -> list[tuple[Any, ...]]:
    """Return how an argument of a type is laid out in words, as `EntryPoint` describes it; a tuple gives several."""
    if isinstance(kind, types.Array):
        item = kind.dtype.size if isinstance(kind.dtype, types.Record) else np.dtype(str(kind.dtype)).itemsize
        return [("array", kind.ndim, item)]
    if isinstance(kind, types.Record):
        return [("record",)]
    if isinstance(kind, types.BaseTuple):
        return [words for part in kind.types for words in words_of(part)]
    return [("i8",) if kind == types.boolean else ("double",) if kind == types.float64 else ("i64",)]


def _number_reached(kernels: Iterable[Kernel | FormDispatch], form: str) -> int:
    """Estimate how many kernels are reached from the given ones in a form."""
    todo: list[Any] = list(kernels)
    seen: set[Kernel] = set()
    while todo:
        kernel = resolve(todo.pop(), form)
        if isinstance(kernel, Kernel) and kernel not in seen:
            seen.add(kernel)
            todo += [*called(kernel), *chain_of(kernel, form)]
    return len(seen)
