"""Combinations of test parameters, of which only some run in the short suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest


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
