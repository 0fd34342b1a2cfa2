"""Rules compiled apart from their callers.

Numba optimizes the whole of a function's callees anew with every caller, which for a turn full of expansions takes
minutes. A function that is `separate` is compiled once for each form of the tables, as a C function of its own, and
kernels call it by its symbol. Machine code that comes from the cache names the symbols that it needs; they are
resolved before it is linked.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import types
from numba.core import config as numba_config
from numba.core.ccallback import CFunc

from rr_gym.compilation.code_files import keep_forms_apart
from rr_gym.compilation.widths import overload
from rr_gym.interrupts import interrupts_wait

# The forms of the tables, and of what is compiled for them: a base course; one with option cards or variants; one with
# elements of expansions. A field of the tables tells them apart, and those after them.
BASE, OPTIONS, FULL = "base", "options", "full"
MARKS = {OPTIONS: "ground", FULL: "elements"}
_SYMBOL = re.compile(rb"rr_gym_separate_\w+?_in_(?:base|options|full)_form")
_NUMBERS = {"int": types.int64, "bool": types.boolean}
_RETURNS = {"None": types.none, "int": types.int64}

_records: dict[str, dict[str, Any]] = {BASE: {}, OPTIONS: {}, FULL: {}}  # type of a parameter by form and name
_functions: dict[str, tuple[Callable[..., Any], str]] = {}  # function and form by symbol
_compiled: dict[str, CFunc] = {}
_cache_directory: list[Callable[[str], str]] = []


def form_of(fields: Iterable[str]) -> str:
    """The form of a table by the names of its fields; `BASE` for other records."""
    fields = set(fields)
    return FULL if MARKS[FULL] in fields else OPTIONS if MARKS[OPTIONS] in fields else BASE


def form_of_types(kinds: Iterable[Any]) -> str:
    """The form of a function by the types of its arguments, one of which may be a table."""
    return form_of(chain.from_iterable(kind.fields for kind in kinds if isinstance(kind, types.Record)))


def declare_records(form: str, records: dict[str, np.dtype[Any]]) -> None:
    """The record types of the parameters of separate functions by name, for tables of a form."""
    _records[form].update({name: numba.from_dtype(dtype) for name, dtype in records.items()})


def keep_in(directory: Callable[[str], str]) -> None:
    """Where machine code is kept, by the name of the module that it is made of."""
    _cache_directory[:] = [directory]


def _symbol(function: Callable[..., Any], form: str) -> str:
    name = f"{function.__module__}.{function.__qualname__}".replace(".", "_")
    return f"rr_gym_separate_{name}_in_{form}_form"


def _signature(function: Callable[..., Any], form: str) -> Any:
    parameters = inspect.signature(function).parameters
    arguments = [_NUMBERS.get(p.annotation) or _records[form][name] for name, p in parameters.items()]
    return _RETURNS[function.__annotations__["return"]](*arguments)


def resolve(symbol: str) -> None:
    """Compile the function behind a symbol, or load it from the cache, and make the symbol known to the linker."""
    if symbol in _compiled:
        return
    with interrupts_wait():
        _compiled[symbol] = _compile(symbol)


def _compile(symbol: str) -> CFunc:
    function, form = _functions[symbol]
    signature = _signature(function, form)
    callback = CFunc(function, (signature.args, signature.return_type), locals={}, options={})
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = _cache_directory[0](function.__module__)
    try:
        callback.enable_caching()
    finally:
        numba_config.CACHE_DIR = before
    keep_forms_apart(callback)
    resolve_before_loading(callback)
    callback.compile()
    llvm.add_symbol(symbol, callback.address)
    return callback


def _resolve_all(data: Any) -> None:
    if isinstance(data, bytes):
        for symbol in sorted(set(_SYMBOL.findall(data))):
            resolve(symbol.decode())
    elif isinstance(data, tuple | list):
        for part in data:
            _resolve_all(part)


def resolve_before_loading(compiled: Any) -> None:
    """Let a function that is kept on disk resolve the symbols it calls before its machine code is linked."""
    implementation = compiled._cache._impl
    rebuild = implementation.rebuild

    def resolved(target: Any, payload: Any) -> Any:
        _resolve_all(payload)
        return rebuild(target, payload)

    implementation.rebuild = resolved


def separate(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as kernels call it: by its symbol. Its parameters are declared records, `int` and `bool`.

    It must not raise, and returns nothing or an `int`.
    """
    names: dict[str, Any] = {"function": function}
    arguments = ", ".join(inspect.signature(function).parameters)
    for form in _records:
        _functions[_symbol(function, form)] = function, form

    def call(*given: Any) -> Callable[..., Any]:
        form = form_of_types(given)
        symbol = _symbol(function, form)
        resolve(symbol)
        inside: dict[str, Any] = {"external": types.ExternalFunction(symbol, _signature(function, form))}
        exec(f"def called({arguments}):\n    return external({arguments})", inside)
        called: Callable[..., Any] = inside["called"]
        return called

    names["call"] = call
    exec(f"def {function.__name__}({arguments}):\n    return function({arguments})", names)
    exec(f"def choose({arguments}):\n    return call({arguments})", names)
    stub: Callable[..., Any] = names[function.__name__]
    stub.__doc__, stub.__module__ = function.__doc__, function.__module__
    overload(stub, names["choose"])
    return stub
