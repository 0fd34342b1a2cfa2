"""Find what kernels read besides their arguments: globals, attributes of modules and classes, closures, defaults.

Numba treats all of these values as constants, so compiled code is out of date when one of them changes. A function's
code tells what it reads: a path of a name and the attributes that are read from it in turn (`at.B1`,
`components.Kind.MOVE`). Of a module or a class, only the attributes in such paths count. A value that may hide further
dependencies (a module passed on as a value, an object of an unknown class) is refused.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import sys
import types
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from rr_gym.compilation.arguments import layout
from rr_gym.compilation.kernels import FormDispatch, Kernel
from rr_gym.compilation.sources import codes_in

# Objects of these libraries are identified by their names: nobody edits them, and versions are compared elsewhere.
_LIBRARIES = sys.stdlib_module_names | {"numpy", "numba", "llvmlite"}
_ATTRIBUTES = {dis.opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in dis.opmap}
_GLOBAL, _EXTENDED = dis.opmap["LOAD_GLOBAL"], dis.opmap["EXTENDED_ARG"]
_ATTRIBUTE_SHIFT = int(sys.version_info >= (3, 12))  # from 3.12 on the lowest bit tells whether a method is loaded
_FIXED = (
    int, float, complex, str, bytes, np.number, np.bool_, np.dtype, Kernel, FormDispatch, types.NoneType,
    types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type,
)  # fmt: skip
_MISSING = object()

Path = tuple[str, ...]


@cache
def _paths(code: types.CodeType) -> tuple[Path, ...]:
    """Return the paths of globals that a code object reads, itself or in the code of functions within it."""
    return tuple(sorted({path for part in codes_in(code) for path in _global_paths(part)}))


def _global_paths(code: types.CodeType) -> Iterator[Path]:
    """Yield the paths of globals that one code object reads.

    It reads the bytes of the code, which is faster than `dis`: this is done for all kernels that a process enters.
    """
    text, names = code.co_code, code.co_names
    found = text.find(_GLOBAL)
    while found >= 0:
        if found % 2 == 0:  # instructions are at even positions, arguments at odd ones
            path, place = [names[_argument(text, found) >> 1]], _next(text, found)
            while place < len(text) and text[place] in _ATTRIBUTES:
                path.append(names[_argument(text, place) >> _ATTRIBUTE_SHIFT])
                place = _next(text, place)
            yield tuple(path)
        found = text.find(_GLOBAL, found + 1)


def _argument(text: bytes, place: int) -> int:
    argument, shift = text[place + 1], 8
    while place >= 2 and text[place - 2] == _EXTENDED:
        place -= 2
        argument |= text[place + 1] << shift
        shift += 8
    return argument


def _next(text: bytes, place: int) -> int:
    """Return the position of the next instruction, past inline caches (zeros) and extensions of arguments."""
    place += 2
    while place < len(text) and text[place] in (0, _EXTENDED):
        place += 2
    return place


def _closure_paths(code: types.CodeType) -> set[Path]:
    """Return the paths of variables of enclosing functions that a code object reads."""
    found = set()
    for part in codes_in(code):
        path: list[str] = []
        for one in dis.get_instructions(part):
            if path and one.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                path.append(str(one.argval))
                continue
            if path:
                found.add(tuple(path))
            path = [str(one.argval)] if "DEREF" in one.opname and one.argval in code.co_freevars else []
    return found


def reads(function: types.FunctionType) -> dict[str, Any]:
    """Return the values that a function reads, as they are now, by their dotted paths.

    Raises:
        TypeError: A module is used as a value, so that it is unknown what is read from it.
    """
    found: dict[str, Any] = {}
    globals_ = function.__globals__
    for path in _paths(function.__code__):
        if path[0] in globals_:
            _follow(function, path, globals_[path[0]], found)
    if function.__closure__:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))
        for path in sorted(_closure_paths(function.__code__)):
            try:
                value = cells[path[0]].cell_contents
            except ValueError:  # the variable has no value yet
                value = _MISSING
            _follow(function, path, value, found)
    return found


def _follow(function: types.FunctionType, path: Path, value: Any, found: dict[str, Any]) -> None:
    name = path[0]
    for attribute in path[1:]:
        if not _is_own_module(value) and not _is_own_class(value):
            break
        name, value = f"{name}.{attribute}", getattr(value, attribute, _MISSING)
    if _is_own_module(value):
        raise TypeError(
            f"{function.__module__}.{function.__qualname__}: module {name} is used as a value, so what the kernel "
            f"reads of it cannot be told: expected {name}.NAME"
        )
    found[name] = value


def _is_library(module: Any) -> bool:
    return str(module).partition(".")[0] in _LIBRARIES


def _is_own_module(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and not _is_library(value.__name__)


def _is_own_class(value: Any) -> bool:
    return isinstance(value, type) and not _is_library(value.__module__)


def plain_function(value: Any) -> types.FunctionType | None:
    """Return a value that is a Python function, or the Python function that `numba.njit` compiled; None otherwise."""
    value = getattr(value, "py_func", value)
    return value if isinstance(value, types.FunctionType) and not _is_library(value.__module__) else None


def functions_reached(function: types.FunctionType) -> dict[types.FunctionType, dict[str, Any]]:
    """Return what a function reads, and what each plain function reads that it calls directly or indirectly.

    Plain functions are compiled along with the functions that call them.
    """
    found: dict[types.FunctionType, dict[str, Any]] = {}
    todo = [function]
    while todo:
        one = todo.pop(0)
        if one not in found:
            found[one] = reads(one)
            todo += [plain for value in _parts(found[one].values()) if (plain := plain_function(value)) is not None]
    return found


def _parts(values: Any) -> Iterator[Any]:
    """Yield values, and what tuples and lists among them contain."""
    for value in values:
        yield value
        if isinstance(value, tuple | list):
            yield from _parts(value)


def called(kernel: Kernel) -> Iterator[Kernel | FormDispatch]:
    """Yield the kernels that a kernel's code names, or that the code of a plain function that it calls names."""
    for read in functions_reached(kernel.function).values():
        yield from (value for value in _parts(read.values()) if isinstance(value, Kernel | FormDispatch))


# For each kernel the values that it read last and their digest, which is reused while no value changes
_last_values: dict[Kernel, tuple[list[Any], str]] = {}


def values_digest(kernel: Kernel) -> str:
    """Return a digest of the values that a kernel reads, and of the names and results of the kernels that it calls.

    Raises:
        TypeError: The kernel reads a value whose contents are unknown.
    """
    found: dict[str, Any] = {}
    functions = functions_reached(kernel.function)
    for place, (function, read) in enumerate(functions.items()):
        found.update({f"{place} {name}": value for name, value in read.items()})
        found.update({f"{place} ()": function.__defaults__, f"{place} (*)": function.__kwdefaults__})
    values = list(found.values())
    before = _last_values.get(kernel)
    if before is not None and len(before[0]) == len(values) and all(map(_is_same, values, before[0])):
        return before[1]
    order = list(functions)
    parts = [kernel.name, kernel.returns, f"cold={kernel.cold}"]
    for name, value in found.items():
        try:
            parts.append(f"{name}={describe_constant(value, order)}")
        except _UnknownContents as error:
            raise TypeError(
                f"{kernel.name}: {name.partition(' ')[2]} is {error}, so what the kernel reads of it cannot be told: "
                "expected numbers, texts, arrays, types of them, tuples, or functions"
            ) from None
    made = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    _last_values[kernel] = values, made
    return made


def _is_same(value: Any, before: Any) -> bool:
    """Tell whether a value is the same object as before and of a type that cannot change."""
    return value is before and isinstance(value, _FIXED)


class _UnknownContents(Exception):
    """A value is refused, since machine code may depend on it in ways that cannot be seen; the message describes it."""


def describe_constant(value: Any, order: Sequence[types.FunctionType] = ()) -> str:
    """Return a string for everything about a constant that machine code depends on; it is the same in every process.

    Args:
        value: The constant.
        order: The plain functions whose own texts are digested, too; the result names a function by its position here.
    """
    if value is _MISSING:
        return "missing"
    if isinstance(value, FormDispatch):
        return f"{describe_constant(value.full)} {value.mark} {describe_constant(value.base)}"
    if isinstance(value, Kernel):
        return f"{value.name}({', '.join(value.parameters)}) -> {value.returns}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__} {value.name} {describe_constant(value.value)}"
    if isinstance(value, np.ndarray):
        order_of_items = value.flags.c_contiguous, value.flags.f_contiguous, value.flags.writeable
        return f"{layout(value.dtype)} {value.shape} {order_of_items} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, np.dtype):
        return layout(value)
    if isinstance(value, np.generic):
        return f"{layout(value.dtype)} {value.tobytes().hex()}"
    if isinstance(value, tuple | list):
        return f"{type(value).__qualname__}({', '.join(describe_constant(part, order) for part in value)})"
    if isinstance(value, dict):
        items = (f"{describe_constant(name)}: {describe_constant(part, order)}" for name, part in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, bool | int | float | complex | str | bytes | slice | None):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, type):
        return _describe_class(value)
    if (function := plain_function(value)) is not None:  # the function's text and what it reads are digested separately
        return f"function {order.index(function)} {sorted(getattr(value, 'targetoptions', {}).items())}"
    return _describe_by_name(value)


def _describe_class(value: type) -> str:
    if issubclass(value, tuple):
        defaults = getattr(value, "_field_defaults", {})
        return f"{value.__qualname__} {getattr(value, '_fields', ())} {describe_constant(defaults)}"
    if issubclass(value, enum.Enum):
        return f"{value.__qualname__} ({', '.join(map(describe_constant, value))})"
    if _is_library(value.__module__) or issubclass(value, BaseException):
        return f"{value.__module__.partition('.')[0]}.{value.__qualname__}"
    raise _UnknownContents(f"the class {value.__module__}.{value.__qualname__}")


def _describe_by_name(value: Any) -> str:
    """Return the name of a library's function or of a Numba type; raise _UnknownContents for anything else."""
    kind = type(value)
    module = getattr(value, "__module__", None) or kind.__module__
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(name, str) and callable(value) and _is_library(module):
        return f"{module.partition('.')[0]}.{name}"
    if kind.__module__.startswith("numba.core.types") or value is ...:
        return str(value)
    raise _UnknownContents(f"an object of {kind.__module__}.{kind.__qualname__}")
