"""Errors that users of the package meet, and checks that raise them."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any

_MOST_SHOWN = 80  # characters of a value in a message
_BEGINNING, _END = 3000, 1000  # characters that are kept at both ends of a message that is too long
_MOST_BITS = 256  # larger whole numbers are described, not written out


class RoboRallyError(ValueError):
    """Bad input: the message names the place, the offending value and what was expected.

    The message is safe to show on a terminal and of limited length, whatever a file brings into it.
    """

    def __str__(self) -> str:
        return sanitize(super().__str__())


class BoardError(RoboRallyError):
    """A board text that does not follow the format RRB1."""


class CourseError(RoboRallyError):
    """A course that is not well formed, or that needs a rule which does not exist."""


class ReplayError(RoboRallyError):
    """A replay that cannot be read or written, or that the rules do not reproduce."""


class EnvError(RoboRallyError):
    """An argument of an environment has a wrong value."""


class MissingExtraError(ImportError):
    """An optional dependency that is needed but not installed."""


def printable(text: str) -> str:
    """Return a string in which everything that is not printable, such as control characters, is written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def sanitize(message: str) -> str:
    """Return a message that is safe to show: its lines made `printable`, and its middle left out if it is too long."""
    if len(message) > _BEGINNING + _END:
        message = f"{message[:_BEGINNING]} ... {message[-_END:]}"
    return "\n".join(map(printable, message.split("\n")))


def short_repr(value: Any, most: int = _MOST_SHOWN) -> str:
    """Return `repr(value)` cut to `most` characters, without ever building the whole of a large value's `repr`."""
    text = ""
    for piece in _pieces(value, most):
        text += piece
        if len(text) > most:
            return f"{text[: most - 3]}..."
    return text


def _pieces(value: Any, most: int) -> Iterator[str]:
    """Yield `repr(value)` piece by piece, so that a large value need not be written whole."""
    kind = type(value)
    if kind is dict:
        yield "{"
        for i, (key, item) in enumerate(value.items()):
            yield ", " if i else ""
            yield from _pieces(key, most)
            yield ": "
            yield from _pieces(item, most)
        yield "}"
    elif kind in (list, tuple):
        yield "[" if kind is list else "("
        for i, item in enumerate(value):
            yield ", " if i else ""
            yield from _pieces(item, most)
        yield "]" if kind is list else ",)" if len(value) == 1 else ")"
    elif kind in (str, bytes):
        yield repr(value[: most + 1])
    elif kind is int and value.bit_length() > _MOST_BITS:
        yield f"a whole number of {value.bit_length():,} bits"
    else:
        yield repr(value)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return ``did you mean 'x'?`` with the known name most similar to `name`, or an empty string if none is close."""
    near = difflib.get_close_matches(name if isinstance(name, str) else short_repr(name), list(known), n=1)
    return f"did you mean '{near[0]}'?" if near else ""


def whole_number(
    name: str, value: Any, low: int, high: int | None = None, error: type[RoboRallyError] = RoboRallyError
) -> int:
    """Return the value as an int after checking that it is a whole number in a range, bounds included.

    Args:
        name: A name for the value, for the message.
        value: A whole number of Python's or NumPy's types; truth values are refused.
        low: The lower bound.
        high: The upper bound; None for no bound.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The value is not such a number; of the class `error`.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        expected = f"a whole number, {low} or more" if high is None else f"a whole number from {low} to {high}"
        raise error(f"{name}: {short_repr(value)}: expected {expected}")
    return int(value)


def truth_value(name: str, value: Any, error: type[RoboRallyError] = RoboRallyError) -> bool:
    """Return the value as a bool if it is True or False, of Python's or NumPy's type. Raises `error` otherwise.

    Other values are refused because the text ``"false"``, for example, would count as True.
    """
    numpy = sys.modules.get("numpy")  # NumPy's type matters only if NumPy is loaded already
    if not isinstance(value, bool if numpy is None else (bool, numpy.bool_)):
        raise error(f"{name}: {short_repr(value)}: expected True or False")
    return bool(value)


def one_of(name: str, value: Any, known: Iterable[str], error: type[RoboRallyError] = RoboRallyError) -> str:
    """Return the value after checking that it is one of the allowed words. Arrays are always refused.

    Args:
        name: A name for the value, for the message.
        value: The given value.
        known: The allowed words.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The value is none of them; of the class `error`.
    """
    known = tuple(known)
    if not isinstance(value, str) or value not in known:
        raise error(f"{name}: {short_repr(value)}: expected {' | '.join(known)}")
    return value


def items(value: Any) -> list[Any] | None:
    """Return the items of a list, set, array or other iterable; None for texts and for what is not iterable."""
    try:
        return None if isinstance(value, str | bytes) else list(value)
    except TypeError:  # for example an array of shape (), which has `__iter__` but cannot be iterated
        return None


def list_of_names(name: str, value: Any, error: type[RoboRallyError] = RoboRallyError) -> list[str]:
    """Return the names in a list or another iterable; raise `error` for anything else, also for a single text."""
    names = items(value)
    if names is None or not all(isinstance(one, str) for one in names):
        raise error(f"{name}: {short_repr(value)}: expected a list of names")
    return names


MAX_SEED = 2**64 - 1


def check_seed(seed: Any, error: type[RoboRallyError] = RoboRallyError) -> int | None:
    """Return the seed as an int, or None if it is None. Raises `error` if it is not from 0 to 2**64 - 1."""
    return None if seed is None else whole_number("seed", seed, 0, MAX_SEED, error)


def check_report(report: Any, error: type[RoboRallyError] = RoboRallyError) -> None:
    """Raise `error` unless a progress callback is None or callable."""
    if report is not None and not callable(report):
        raise error(f"report: {short_repr(report)}: expected a function of the games played and of all games")


def check_memory(name: str, count: int, each: int, error: type[RoboRallyError] = RoboRallyError) -> None:
    """Raise `error` if a number of things would take more memory than this machine has.

    Args:
        name: The argument that counts them, for the message.
        count: The number of things.
        each: The size of one in bytes.
        error: The class of error to raise.
    """
    memory = machine_memory()
    if count * each > memory:
        raise error(
            f"{name}: {count}: expected at most {memory // each}: so many take {in_bytes(count * each)} of memory, "
            f"and this machine has {in_bytes(memory)}"
        )


def machine_memory() -> int:
    """Return the bytes of physical memory, or `sys.maxsize` on systems that do not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


def in_bytes(count: int) -> str:
    """Return a number of bytes in words, in the usual binary units, such as ``1.5 GiB``."""
    units = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    power = min(len(units) - 1, max(0, count.bit_length() - 1) // 10)
    return f"{count / 1024**power:,.{1 if power else 0}f} {units[power]}"


def require(module: str, extra: str) -> Any:
    """Import an optional module.

    Args:
        module: Dotted name, such as ``"PIL.Image"``.
        extra: The extra of this package that installs it.

    Returns:
        The imported module.

    Raises:
        MissingExtraError: The module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module} is not installed: it comes with the extra '{extra}' (pip install 'rr-gym[{extra}]')"
        ) from error
