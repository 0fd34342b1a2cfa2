"""What machine code depends on, by contents: the text of kernels, what they read, and layouts of records.

A docstring, a comment or a word of another module changes nothing. No compiler is needed to work these digests out.
The digest of a kernel has two halves: of its text (`rr_gym.compilation.sources`), which takes long to work out and
never changes for a function that is imported, and of what it reads (`rr_gym.compilation.reads`), which may change at
any time.
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
from rr_gym.compilation.reads import reached, values_digest
from rr_gym.compilation.settings import CHECKS_BOUNDS, current
from rr_gym.compilation.sources import code_of, made_by, text_of

HALF = 16  # characters of a half


def digest(*parts: str) -> str:
    """Return a short digest of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@cache
def lowered_with() -> str:
    """Return what lowered units depend on besides the kernels: how they are made, and for what."""
    return digest(sys.platform, platform.machine(), made_by(), current().name, *current().apart)


@cache
def settings() -> str:
    """Return what a build depends on besides the kernels: the same, and whether indices are checked."""
    return digest(lowered_with(), f"bounds={CHECKS_BOUNDS}")


@cache
def this_python() -> str:
    """Return what the code of functions depends on besides their text."""
    return digest(str(sys.implementation.cache_tag), importlib.util.MAGIC_NUMBER.hex(), str(sys.flags.optimize))[:8]


def kernel_digest(kernel: Kernel) -> str:
    """Return a digest of what a kernel is lowered from, with the names and results of the kernels it calls."""
    return text_digest(kernel) + values_digest(kernel)


def text_digest(kernel: Kernel) -> str:
    """Return the first half: of the text of a kernel and of the plain functions that it reaches."""
    return _of_functions(kernel, text_of)


@cache
def _one_code(code: types.CodeType) -> str:
    return digest(code_of(code))


def code_digest(kernel: Kernel) -> str:
    """Return the same of their code, which is quicker to work out, for one version of Python."""
    return _of_functions(kernel, lambda function: _one_code(function.__code__))


def _of_functions(kernel: Kernel, said: Callable[[types.FunctionType], str]) -> str:
    return digest(*map(said, reached(kernel.function)))[:HALF]
