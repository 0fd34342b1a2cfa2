"""Compute digests of everything that machine code depends on: texts of kernels, what they read, layouts of records.

Docstrings, comments and other parts of a module change nothing. The digests are computed without a compiler. The digest
of a kernel has two halves: one of its text (`rr_gym.compilation.sources`), which takes long to compute and never
changes for a function that is imported, and one of the values it reads (`rr_gym.compilation.reads`), which may change
at any time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import platform
import sys
import types
from collections.abc import Callable
from functools import cache

from rr_gym.compilation.kernels import Kernel
from rr_gym.compilation.reads import functions_reached, values_digest
from rr_gym.compilation.settings import CHECKS_BOUNDS, current
from rr_gym.compilation.sources import code_of, compiler_digest, text_of

HALF = 16  # characters in each half of a digest


def digest(*parts: str) -> str:
    """Return a digest of texts, 32 hexadecimal digits."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@cache
def lowered_with() -> str:
    """Return a digest of all that lowered units depend on besides the kernels: platform, compiler and project."""
    return digest(sys.platform, platform.machine(), compiler_digest(), current().name, *current().no_alias)


@cache
def settings() -> str:
    """Return a digest of all that a build depends on besides the kernels.

    This is `lowered_with`, and whether indices are checked.
    """
    return digest(lowered_with(), f"bounds={CHECKS_BOUNDS}")


@cache
def this_python() -> str:
    """Return a digest of all that the compiled Python code of functions depends on besides their text."""
    return digest(str(sys.implementation.cache_tag), importlib.util.MAGIC_NUMBER.hex(), str(sys.flags.optimize))[:8]


def kernel_digest(kernel: Kernel) -> str:
    """Return a digest of what a kernel is lowered from, including the names and results of kernels that it calls."""
    return text_digest(kernel) + values_digest(kernel)


def text_digest(kernel: Kernel) -> str:
    """Return the first half of the digest: of the text of a kernel and of the plain functions that it reaches."""
    return _digest_functions(kernel, text_of)


@cache
def _one_code(code: types.CodeType) -> str:
    return digest(code_of(code))


def code_digest(kernel: Kernel) -> str:
    """Return a digest of the compiled Python code of the same functions.

    It is quicker to compute, but valid for one version of Python.
    """
    return _digest_functions(kernel, lambda function: _one_code(function.__code__))


def _digest_functions(kernel: Kernel, text_by: Callable[[types.FunctionType], str]) -> str:
    return digest(*map(text_by, functions_reached(kernel.function)))[:HALF]
