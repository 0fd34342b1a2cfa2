"""What machine code depends on, by contents: the text of kernels, the constants they use, and layouts of records.

A docstring, a comment or a word of another module changes nothing. No compiler is needed to work these digests out.
"""

from __future__ import annotations

import ast
import hashlib
import platform
import sys
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.compilation.arguments import layout
from rr_gym.compilation.kernels import CHECKS_BOUNDS, Choice, Kernel

_PACKAGE = Path(__file__).parents[1]


def digest(*parts: str) -> str:
    """A short digest of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@cache
def sources_digest() -> str:
    """A digest of all Python files of the package: where they are the same, nothing else is looked at.

    Agents are left out: they have no kernels, and in a wheel they lie within the package.
    """
    found = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        name = file.relative_to(_PACKAGE).as_posix()
        if not name.startswith("agents/"):
            found.update(name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:32]


@cache
def lowered_with() -> str:
    """What lowered units depend on besides the kernels: how they are made, and for what."""
    how = [file.read_text() for file in sorted(Path(__file__).parent.glob("*.py"))]
    return digest(sys.platform, platform.machine(), *how)


@cache
def settings() -> str:
    """What a build depends on besides the kernels: the same, and whether indices are checked."""
    return digest(lowered_with(), f"bounds={CHECKS_BOUNDS}")


@cache
def _functions_in(file: str) -> dict[int, ast.FunctionDef]:
    """The functions of a file by the line at which their code begins, decorators included."""
    found = {}
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            found[min([node.lineno, *(d.lineno for d in node.decorator_list)])] = node
    return found


def _text(function: Callable[..., Any]) -> str:
    code = function.__code__
    file = code.co_filename
    node = _functions_in(file).get(code.co_firstlineno) if Path(file).is_file() else None
    if node is None:  # no source: made by exec
        return f"{code.co_code.hex()} {code.co_consts} {code.co_names} {code.co_varnames}"
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return f"{[a.arg for a in node.args.args]} {'; '.join(map(_written, body))}"


_UNWRITTEN = ("ctx", "kind", "type_comment", "type_params")  # said by where it stands, or by nothing that compiles


def _written(node: Any) -> str:
    """A part of a function as text, the same for every version of Python: newer ones know more empty fields."""
    if isinstance(node, list):
        return f"[{','.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, getattr(node, name, None)) for name in node._fields if name not in _UNWRITTEN)
    parts = (f"{name}={_written(value)}" for name, value in fields if value is not None and value != [])
    return f"{type(node).__name__}({','.join(parts)})"


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def uses(kernel: Kernel) -> dict[str, Any]:
    """What a kernel uses by its names: kernels, constants, functions of Python and NumPy."""
    function = kernel.function
    found = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
    closure = function.__closure__ or ()
    found.update(zip(function.__code__.co_freevars, (cell.cell_contents for cell in closure), strict=True))
    return dict(sorted(found.items()))


def callees(kernel: Kernel) -> Iterator[Kernel | Choice]:
    """The kernels that a kernel names."""
    return (value for value in uses(kernel).values() if isinstance(value, Kernel | Choice))


@cache
def kernel_digest(kernel: Kernel) -> str:
    """A digest of what a kernel is lowered from, with the names and results of the kernels it calls."""
    return digest(
        kernel.name,
        kernel.returns,
        f"seldom={kernel.seldom}",
        _text(kernel.function),
        repr(kernel.function.__defaults__),
        *(f"{name}={_constant(value)}" for name, value in uses(kernel).items()),
    )


def _constant(value: Any) -> str:
    if isinstance(value, Choice):
        return f"{_constant(value.full)} {value.mark} {_constant(value.base)}"
    if isinstance(value, Kernel):
        return f"{value.name}({', '.join(value.parameters)}) -> {value.returns}"
    if isinstance(value, np.ndarray):
        return f"{layout(value.dtype)} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, np.dtype):
        return layout(value)
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    if isinstance(value, type) and issubclass(value, tuple):
        return f"{value.__qualname__} {getattr(value, '_fields', ())}"
    if isinstance(value, np.generic):
        return f"{value.dtype.str} {value.item()!r}"
    if isinstance(value, bool | int | float | str | bytes | None):
        return f"{type(value).__name__} {value!r}"
    return str(getattr(value, "__qualname__", type(value)))
