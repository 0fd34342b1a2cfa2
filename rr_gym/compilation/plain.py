"""Compile kernels by Numba's public interface alone, which is slower to compile and to run but works with any Numba.

Kernels are compiled this way if this package does not know the internals of the installed version of Numba. A kernel
is also compiled this way if a user's own function, decorated with `numba.njit`, calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba import types
from numba.extending import intrinsic, overload, overload_attribute, typeof_impl

from rr_gym.compilation.kernels import FORM_DISPATCH_LISTENERS, FORM_DISPATCHES, FormDispatch, Kernel
from rr_gym.compilation.records import RECORDS, STANDS_FOR
from rr_gym.compilation.settings import CHECKS_BOUNDS


@cache
def dispatcher(kernel: Kernel) -> Any:
    """Return the kernel as a dispatcher of Numba."""
    register()
    for short, long in STANDS_FOR.items():
        _read_as(short, long)
    return numba.njit(nogil=True, boundscheck=CHECKS_BOUNDS)(kernel.function)


# While a unit is lowered, the last entry returns the Numba type of a kernel.
type_hooks: list[Callable[[Any], Any]] = []


def _choose(choice: FormDispatch) -> None:
    """Tell Numba how to call a rule with two forms: in the full one if the record `table` has the field `mark`."""
    arguments = ", ".join(choice.parameters)
    without = f"base({arguments})" if callable(choice.base) else "base"
    names: dict[str, Any] = {"full": choice.full, "base": choice.base, "mark": choice.mark}
    exec(
        f"def with_it({arguments}):\n    return full({arguments})\n"
        f"def without({arguments}):\n    return {without}\n"
        f"def choose({arguments}):\n    return with_it if mark in table.fields else without\n",
        names,
    )
    overload(choice)(names["choose"])


@cache
def _read_as(name: str, other: str) -> None:
    """Let compiled code that gets the short record `name` read the fields of the longer record `other`.

    Rules mention fields that only the longer record has, but they check that a record has them before they read them.
    """
    short, long = numba.from_dtype(RECORDS[name]), numba.from_dtype(RECORDS[other])

    @intrinsic  # type: ignore[untyped-decorator]
    def as_long(context: Any, record: Any) -> Any:
        def cast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(long))

        return long(record), cast

    for field in long.fields:
        names: dict[str, Any] = {"as_long": as_long}
        exec(f"def read(record):\n    return lambda record: as_long(record).{field}\n", names)
        overload_attribute(short, field)(names["read"])


@cache
def register() -> None:
    """Register the types of kernels with Numba, which calls this function before it compiles anything."""

    @typeof_impl.register(Kernel)  # type: ignore[untyped-decorator]
    @typeof_impl.register(FormDispatch)  # type: ignore[untyped-decorator]
    def type_of(value: Any, context: Any) -> Any:
        if type_hooks:
            return type_hooks[-1](value)
        # For a choice this returns None, and Numba takes the overload that `_choose` has registered.
        return types.Dispatcher(dispatcher(value)) if isinstance(value, Kernel) else None

    for choice in FORM_DISPATCHES.values():
        _choose(choice)
    FORM_DISPATCH_LISTENERS.append(_choose)
