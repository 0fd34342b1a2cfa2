"""Find the text that functions were imported from, which may differ from what their files contain by now.

A function is identified by its text in its file if that text compiles to the function's own code. If it does not (the
file was edited after the import, Python loaded an old `.pyc`, or there is no file), the function is identified by its
code, which is the same for one version of Python only.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import linecache
import os
import struct
import sys
import time
import types
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

_STARTED = time.time_ns()
_CLOCK = 50_000_000  # nanoseconds by which the clocks of processes and file systems may differ
_State = tuple[int, ...]
_noted: dict[str, _State | None] = {}


# Files that store and find machine code but do not make it
_APART = {"cache.py", "checking.py", "entering.py", "files.py", "groups.py", "shipped.py"}


def _made_by() -> dict[str, bytes]:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return {file.name: file.read_bytes() for file in files if file.name not in _APART}


_MADE_BY = _made_by()  # read now, since this file is imported before the others of its folder


@cache
def made_by() -> str:
    """Return a digest of the files of this package that make machine code, as they were when its import began."""
    return hashlib.sha256(b"\0".join(name.encode() + b"\0" + text for name, text in _MADE_BY.items())).hexdigest()


def edited_maker() -> str:
    """Return a file of this package that may differ from what was imported, or "" if there is none.

    As long as there is one, no machine code is stored.
    """
    for name, text in _made_by().items():
        file = str(Path(__file__).with_name(name))
        if text != _MADE_BY.get(name) or _is_compiled_before(file, os.stat(file)):
            return file
    return ""


def _state(found: os.stat_result) -> _State:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def note(file: str) -> None:
    """Record the state of a file while it is imported."""
    if file not in _noted:
        try:
            _noted[file] = _state(os.stat(file))
        except OSError:
            _noted[file] = None


def _is_compiled_before(file: str, found: os.stat_result) -> bool:
    """Tell whether Python loads a `.pyc` older than the text, which can happen if both were made in one second."""
    try:
        with open(importlib.util.cache_from_source(file), "rb") as opened:
            is_older = os.fstat(opened.fileno()).st_mtime_ns < found.st_mtime_ns
            _, checked_by, second, size = struct.unpack("<4I", opened.read(16))
    except (OSError, NotImplementedError, struct.error):
        return False
    if checked_by:  # it is validated by contents, or not at all
        return is_older
    return is_older and (second, size) == (int(found.st_mtime) & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF)


def digest_of_text(text: bytes) -> str:
    """Return a digest of the text of a file."""
    return hashlib.sha256(text).hexdigest()[:32]


@cache
def imported_text(file: str) -> str | None:
    """Return a digest of a file's text if it is surely what was imported, without comparing code; else return None."""
    if sys.flags.optimize:  # then code leaves out parts of its text
        return None
    try:
        with open(file, "rb") as opened:
            found = os.fstat(opened.fileno())
            text = opened.read()
    except OSError:
        return None
    unchanged = _noted.get(file) == _state(found) and found.st_ctime_ns < _STARTED - _CLOCK
    return digest_of_text(text) if unchanged and not _is_compiled_before(file, found) else None


def code_of(code: types.CodeType) -> str:
    """Return everything that a code object does as text, without its file, lines and addresses of inner functions."""
    constants = ", ".join(map(_constant, code.co_consts))
    return repr((
        code.co_code, code.co_exceptiontable, code.co_flags, code.co_argcount, code.co_posonlyargcount,
        code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, constants,
    ))  # fmt: skip


def _constant(value: Any) -> str:
    if isinstance(value, types.CodeType):
        return code_of(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_constant, value)))}}}"
    return f"{type(value).__name__} {value!r}"


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and those of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_in(constant)


_defined: dict[types.CodeType, str] = {}  # texts of functions that are in no file


def define(text: str, scope: dict[str, Any]) -> Any:
    """Compile a text to a function, for code with a line for each field of a record.

    Kernels cannot loop over fields. The function is identified by its text, like functions in files; tracebacks show
    its lines.

    Args:
        text: One `def` without a decorator.
        scope: The globals of the module that it belongs to.
    """
    file = f"<lines made in {scope['__name__']}>"
    tree = ast.parse(text, file)
    found: dict[str, Any] = {}
    exec(compile(tree, file, "exec", dont_inherit=True), scope, found)
    (node,), (function,) = tree.body, found.values()
    assert isinstance(node, ast.FunctionDef)
    _defined[function.__code__] = _written_function(node)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return function


def text_of(function: types.FunctionType) -> str:
    """Return the text of a function without its docstring and comments, the same for every version of Python."""
    code = function.__code__
    if code in _defined:
        return _defined[code]
    return _text(code.co_filename, code.co_qualname, code)


def is_written(function: types.FunctionType) -> bool:
    """Tell whether the text of a function is in its file."""
    code = function.__code__
    return (code.co_qualname, code_of(code)) in _texts_in(code.co_filename)


@cache
def _text(file: str, name: str, code: types.CodeType) -> str:
    written = code_of(code)
    found = _texts_in(file).get((name, written))
    return f"{sys.implementation.cache_tag} {written}" if found is None else found


@cache
def read_text(file: str) -> bytes | None:
    """Return the contents of a file as this process first read them; None if there is no such file."""
    try:
        return Path(file).read_bytes() if os.path.isfile(file) else None
    except (OSError, ValueError):
        return None


@cache
def _texts_in(file: str) -> dict[tuple[str, str], str]:
    """Return the texts of the functions that a file contains now, by their names and what they compile to."""
    text = read_text(file)
    if text is None:
        return {}
    try:
        tree = ast.parse(text)
        nodes = {
            (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.name): _written_function(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
        }
        codes = list(codes_in(compile(tree, file, "exec", dont_inherit=True)))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[tuple[str, str], str] = {}
    for code in codes:
        if (node := nodes.get((code.co_firstlineno, code.co_name))) is not None:
            found.setdefault((code.co_qualname, code_of(code)), node)
    return found


def _written_function(node: ast.FunctionDef) -> str:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    arguments = [*node.args.posonlyargs, *node.args.args, node.args.vararg, *node.args.kwonlyargs, node.args.kwarg]
    text = f"{[a and a.arg for a in arguments]} {'; '.join(map(_written, body))}"
    # `python -O` leaves out assertions and code under `if __debug__`.
    return f"{text} -O" if sys.flags.optimize and ("Assert(" in text or "__debug__" in text) else text


_UNWRITTEN = ("ctx", "kind", "type_comment", "type_params")  # implied by the place of a node, or without effect on code


def _written(node: Any) -> str:
    """Return a part of a function as text, without empty fields, of which newer versions of Python have more."""
    if isinstance(node, list):
        return f"[{','.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, getattr(node, name, None)) for name in node._fields if name not in _UNWRITTEN)
    parts = (f"{name}={_written(value)}" for name, value in fields if value is not None and value != [])
    return f"{type(node).__name__}({','.join(parts)})"
