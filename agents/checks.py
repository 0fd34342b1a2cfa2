"""Checks of single values in configurations: each takes where a value stands and the value, and returns it checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rr_gym.errors import RoboRallyError, did_you_mean, shown

Check = Callable[[str, Any], Any]


class ConfigError(RoboRallyError):
    """A configuration that is not as it should be: names the file, the key, the value and what was expected."""


def wrong(where: str, value: Any, expected: str) -> ConfigError:
    """Return the error for a value that does not fit; it names the place, the value and what was expected."""
    return ConfigError(f"{where}: {shown(value)}: expected {expected}")


def whole(low: int, high: int | None = None) -> Check:
    """Return a check for whole numbers from `low` to `high`, both included; without `high` there is no upper bound."""
    expected = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"

    def check(where: str, value: Any) -> int:
        if type(value) is not int or value < low or (high is not None and value > high):
            raise wrong(where, value, expected)
        return value

    return check


def number(low: float, high: float | None = None, *, above: bool = False) -> Check:
    """Return a check for finite numbers from `low` to `high`; with `above` they must be greater than `low`."""
    start = f"more than {low:g}" if above else f"at least {low:g}"
    expected = f"a number of {start}" + ("" if high is None else f" and at most {high:g}")

    def check(where: str, value: Any) -> float:
        if type(value) not in (int, float) or not (abs(value) <= sys.float_info.max):
            raise wrong(where, value, expected)
        if value < low or (above and value == low) or (high is not None and value > high):
            raise wrong(where, value, expected)
        return float(value)

    return check


def yes_or_no(where: str, value: Any) -> bool:
    """Check that a value is true or false, and return it."""
    if not isinstance(value, bool):
        raise wrong(where, value, "true or false")
    return value


def text(expected: str) -> Check:
    """Return a check for texts that are not empty, such as names and paths; `expected` describes them in the error."""

    def check(where: str, value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise wrong(where, value, expected)
        return value

    return check


def word(*known: str) -> Check:
    """Return a check for values that are one of a few words."""

    def check(where: str, value: Any) -> str:
        if value not in known:
            hint = did_you_mean(value, known)
            raise wrong(where, value, " | ".join(known) + (f"; {hint}" if hint else ""))
        return str(value)

    return check


def either(expected: str, *checks: Check) -> Check:
    """Return a check for values that pass at least one of the checks; the first that passes converts the value."""

    def check(where: str, value: Any) -> Any:
        for attempt in checks:
            try:
                return attempt(where, value)
            except ConfigError:
                continue
        raise wrong(where, value, expected)

    return check


def optional(check: Check) -> Check:
    """Return a check for values that are None (null in YAML) or pass the given check."""

    def checked(where: str, value: Any) -> Any:
        if value is None:
            return None
        try:
            return check(where, value)
        except ConfigError as error:
            expected, mark, hint = str(error).partition("; did you mean")
            raise ConfigError(f"{expected}, or null{mark}{hint}") from None

    return checked


def list_of(check: Check, expected: str, most: int | None = None) -> Check:
    """Return a check for lists whose items all pass a check; it returns the items as a tuple."""

    def checked(where: str, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str) or (most is not None and len(value) > most):
            raise wrong(where, value, expected)
        return tuple(check(f"{where}[{i}]", item) for i, item in enumerate(value))

    return checked


def mapping(expected: str) -> Check:
    """Return a check for mappings; it returns them as a dict, and does not check what is in them."""

    def check(where: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong(where, value, expected)
        return dict(value)

    return check
