"""Find the source text that functions were imported from; their files may contain another text by now.

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
_noted: dict[str, _State | None] = {}  # the state of each file while it was imported; None if there was no file


# Files of this package that have no influence on what libraries contain: they store and find them, or make other things
_STORAGE_FILES = {
    "cache.py", "checking.py", "entering.py", "files.py", "groups.py", "launching.py", "memory_image.py", "ptx.py",
    "shipped.py", "webassembly.py",
}  # fmt: skip


def _read_compiler_files() -> dict[str, bytes]:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return {file.name: file.read_bytes() for file in files if file.name not in _STORAGE_FILES}


# Read at once: this file is imported before the others of its folder, so none can differ yet.
_COMPILER_FILES = _read_compiler_files()


@cache
def compiler_digest() -> str:
    """Return a digest of the files of the compiler, as they were when the import of this package began."""
    texts = (name.encode() + b"\0" + text for name, text in _COMPILER_FILES.items())
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


def edited_compiler_file() -> str:
    """Return a file of the compiler that may have been edited since its import, or "" if there is none.

    If there is one, no machine code may be kept, since it is unknown which text of the compiler made it.
    """
    for name, text in _read_compiler_files().items():
        file = str(Path(__file__).with_name(name))
        if text != _COMPILER_FILES.get(name) or _is_compiled_before(file, os.stat(file)):
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
    """Tell whether Python loads a `.pyc` that is older than the text of its file.

    That can happen if both were written in the same second, since a `.pyc` records the time of the text in seconds.
    """
    try:
        with open(importlib.util.cache_from_source(file), "rb") as opened:
            is_older = os.fstat(opened.fileno()).st_mtime_ns < found.st_mtime_ns
            _, checked_by, second, size = struct.unpack("<4I", opened.read(16))
    except (OSError, NotImplementedError, struct.error):
        return False
    if checked_by:  # Python compares a hash of the text, or nothing at all, but no times
        return is_older
    return is_older and (second, size) == (int(found.st_mtime) & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF)


def digest_of_text(text: bytes) -> str:
    """Return a digest of the text of a file."""
    return hashlib.sha256(text).hexdigest()[:32]


@cache
def imported_text(file: str) -> str | None:
    """Return a digest of a file's text if the file is known to be unchanged since its import; otherwise return None.

    This does not compare code, so it is fast.
    """
    if sys.flags.optimize:  # then parts of the text, such as assertions, are not compiled
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
    """Return a string that is the same for code objects that do the same.

    It leaves out their files, their lines, and the addresses of inner functions.
    """
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
    """Compile a generated text to a function.

    Kernels cannot loop over the fields of a record, so code with a line for each field is generated. The function is
    identified by its text, like functions in files; tracebacks show its lines.

    Args:
        text: One `def` statement without a decorator.
        scope: The globals of the module that the function belongs to.
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
    """Return the text of a function, without docstring and comments, in a form that no version of Python changes."""
    code = function.__code__
    if code in _defined:
        return _defined[code]
    return _text(code.co_filename, code.co_qualname, code)


def is_written(function: types.FunctionType) -> bool:
    """Tell whether a function's file contains source that compiles to the function's code."""
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
    """Return the texts of the functions that a file contains now, by their names and the code they compile to."""
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


def module_text(text: bytes) -> str:
    """Return a module without docstrings, comments and formatting, in a form that no version of Python changes.

    Args:
        text: Its contents.

    Raises:
        SyntaxError: It is not Python.
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, _WITH_DOCSTRINGS) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return _written(tree)


_WITH_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _written_function(node: ast.FunctionDef) -> str:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    arguments = [*node.args.posonlyargs, *node.args.args, node.args.vararg, *node.args.kwonlyargs, node.args.kwarg]
    text = f"{[a and a.arg for a in arguments]} {'; '.join(map(_written, body))}"
    # `python -O` leaves out assertions and code under `if __debug__`.
    return f"{text} -O" if sys.flags.optimize and ("Assert(" in text or "__debug__" in text) else text


_UNWRITTEN = ("ctx", "kind", "type_comment", "type_params")  # implied by the place of a node, or without effect on code


def _written(node: Any) -> str:
    """Return a part of a function's syntax tree as text.

    Empty fields are left out, since newer versions of Python add such fields to the nodes.
    """
    if isinstance(node, list):
        return f"[{','.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, getattr(node, name, None)) for name in node._fields if name not in _UNWRITTEN)
    parts = (f"{name}={_written(value)}" for name, value in fields if value is not None and value != [])
    return f"{type(node).__name__}({','.join(parts)})"
