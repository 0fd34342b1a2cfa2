"""The errors that users of the package meet."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from numbers import Integral
from typing import Any


class RoboRallyError(ValueError):
    """Bad input: the message names the place, the offending value and what was expected."""


class BoardError(RoboRallyError):
    """A board text that does not follow the format RRB1."""


class CourseError(RoboRallyError):
    """A course that is not well formed, or that needs a rule which does not exist."""


class ReplayError(RoboRallyError):
    """A replay that cannot be read or written, or that the rules do not reproduce."""


class MissingExtraError(ImportError):
    """An optional dependency is needed that is not installed."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """``did you mean 'x'?`` with the known name that is most like a wrong one, or nothing where none is."""
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return f"did you mean '{near[0]}'?" if near else ""


def whole_number(
    name: str, value: Any, low: int, high: int | None = None, error: type[RoboRallyError] = RoboRallyError
) -> int:
    """The value if it is a whole number in a range that includes its ends.

    Args:
        name: What it is, for the message.
        value: Of Python's or of NumPy's types; truth values are no numbers.
        low: The least.
        high: The most; None for any.
        error: What is raised.

    Raises:
        RoboRallyError: It is not; of the class `error`.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        expected = f"a whole number, {low} or more" if high is None else f"a whole number from {low} to {high}"
        raise error(f"{name}: {value!r}: expected {expected}")
    return int(value)


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
