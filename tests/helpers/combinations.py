"""Parameters of tests: combinations of which only some run in the short suite, and many values in one test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

import pytest

Value = TypeVar("Value")


def combinations(*factors: Sequence[Any], one_in: int) -> list[Any]:
    """Return all combinations of values as parameters; one in `one_in` of them runs in the short suite.

    The others are marked as long. With three factors, the tested combinations include every pair of values, if each
    factor has at least `one_in` values.
    """
    return [
        parameters([value for _, value in numbered], sum(index for index, _ in numbered) % one_in == 0)
        for numbered in product(*map(enumerate, factors))
    ]


def named(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(map(named, value)) or "none"
    return str(getattr(value, "name", value))


def quick(values: Iterable[Any], *chosen: Any) -> list[Any]:
    """Return values as parameters: the chosen ones run in the short suite, the others are marked as long."""
    values = list(values)
    assert all(one in values for one in chosen), "chosen values must be among all values"
    return [parameters([value], value in chosen) for value in values]


def parameters(values: Sequence[Any], at_every_change: bool) -> Any:
    marks = [pytest.mark.long] * (not at_every_change)
    return pytest.param(*values, marks=marks, id="-".join(map(named, values)))


def for_each(
    values: Iterable[Value], name: Callable[[Value], str] = str
) -> Callable[[Callable[[Value], None]], Callable[[], None]]:
    """Return a decorator that turns a quick check of one value into one test of all values.

    With a test for each value, pytest itself takes longer than such checks. All values that fail are reported.

    Args:
        values: What is checked, one after another.
        name: Names a value in the report.
    """

    def decorate(check: Callable[[Value], None]) -> Callable[[], None]:
        def test() -> None:
            failed: list[BaseException] = []
            for value in values:
                try:
                    check(value)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"for {name(value)}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} values fail", failed)

        test.__name__, test.__qualname__ = check.__name__, check.__qualname__
        test.__module__, test.__doc__ = check.__module__, check.__doc__
        return test

    return decorate
