"""Lower single kernels from Python to LLVM, each for one choice of argument types.

The kernels that a kernel calls are not compiled along with it. A call becomes a call of a symbol: the called kernel and
the types of its arguments give the name of the symbol, and the kernel's annotation gives the type of the result. So
each kernel is a unit of its own, and its compiled code can be reused as long as its own text and constants stay the
same. Tables of all forms are lowered as one type (`rr_gym.compilation.records.stand_for`). If a rule has two kernels
for different forms, linking decides which of the two a call gets.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numba
from numba import types

from rr_gym.compilation.interrupts import interrupts_wait
from rr_gym.compilation.kernels import RESULTS, FormDispatch, Kernel
from rr_gym.compilation.kinds import read_as, stands_for_others, widened
from rr_gym.compilation.linking import simplify
from rr_gym.compilation.numba_internals import Called, translate

_PAIR = types.UniTuple(types.int64, 2)
_RETURNS = dict(
    zip(
        RESULTS,
        (types.none, types.int64, types.boolean, types.float64, types.int64, types.uint64, _PAIR),
        strict=True,
    )
)


@dataclass(frozen=True)
class Unit:
    """A kernel with the types of its arguments, to be lowered by itself; or a rule with two forms, for linking."""

    kernel: Kernel | FormDispatch
    kinds: tuple[Any, ...]

    @staticmethod
    def of(kernel: Kernel | FormDispatch, kinds: Any) -> Unit:
        """Return the unit for a call with arguments of some types."""
        return Unit(kernel, tuple(map(read_as, kinds)))

    @property
    def symbol(self) -> str:
        """Return the name of the unit's function in LLVM."""
        digest = hashlib.sha256("; ".join(map(str, self.kinds)).encode()).hexdigest()[:16]
        return f"{self.kernel.name}.{digest}"


@dataclass
class Lowered:
    """A unit as LLVM bitcode.

    Attributes:
        bitcode: The LLVM module that contains the unit's function.
        calls: The units that the function calls.
        result: The Numba type of its return value.
    """

    bitcode: bytes
    calls: list[Unit] = field(default_factory=list)
    result: Any = types.none


_inferred: dict[Unit, Lowered] = {}  # units whose result had to be inferred


def forget() -> None:
    """Forget the inferred results of kernels whose annotations do not say what they return."""
    _inferred.clear()


def chosen(kernel: Kernel | FormDispatch | Any, kinds: Any) -> Any:
    """Resolve a call with arguments of these types to a kernel, or to the constant that takes a kernel's place.

    If the type of the table stands for several forms, a `FormDispatch` is returned unresolved, and linking decides.
    """
    while isinstance(kernel, FormDispatch):
        table = kinds[kernel.place]
        if stands_for_others(read_as(table)):
            break
        kernel = kernel.full if kernel.mark in table.fields else kernel.base
    return kernel


def result_of(unit: Unit) -> Any:
    """Return the type of a unit's result: from its annotation, or else inferred by Numba."""
    kernel = unit.kernel
    while isinstance(kernel, FormDispatch):
        kernel = kernel.full
    known = _RETURNS.get(kernel.returns)
    return lower(Unit(kernel, unit.kinds)).result if known is None else known


def _without_path(function: Any) -> FunctionType:
    """Return a copy of a function with the name of its module as its file, so that errors contain no path."""
    code = function.__code__.replace(co_filename=f"{function.__module__}.py")
    twin = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    twin.__module__, twin.__qualname__, twin.__doc__ = function.__module__, function.__qualname__, function.__doc__
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


def lower(unit: Unit) -> Lowered:
    """Lower one unit, which must be that of a kernel."""
    kernel = unit.kernel
    assert isinstance(kernel, Kernel)
    if unit in _inferred:
        return _inferred[unit]
    calls: dict[Unit, None] = {}

    def describe(called: Kernel | FormDispatch, kinds: tuple[Any, ...]) -> Called:
        given = widened(kinds)
        target = chosen(called, given)
        if not isinstance(target, Kernel | FormDispatch):
            kind = types.none if target is None else types.unliteral(numba.typeof(target))
            return Called(given, kind, constant=target)
        other = Unit.of(target, given)
        calls[other] = None
        return Called(given, result_of(other), other.symbol, other.kinds)

    declared = _RETURNS.get(kernel.returns)
    with interrupts_wait():
        function = _without_path(kernel.function)
        module, result = translate(kernel.name, unit.symbol, function, unit.kinds, declared, describe)
        lowered = Lowered(_bitcode(module, unit), list(calls), result)
    if declared is None:  # its callers need the inferred result
        _inferred[unit] = lowered
    return lowered


def _bitcode(module: Any, unit: Unit) -> bytes:
    if isinstance(unit.kernel, Kernel) and unit.kernel.cold:
        module.get_function(unit.symbol).add_function_attribute("cold")
    simplify(module)
    return bytes(module.as_bitcode())
