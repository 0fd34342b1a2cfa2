"""Combinations of parameters, of which a part is enough for every change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest


def combinations(*factors: Sequence[Any], one_in: int) -> list[Any]:
    """All combinations of values; one in so many is tested at every change, the others are long.

    Those of three factors have every pair of values, where each factor has at least so many of them.
    """
    found = []
    for numbered in product(*map(enumerate, factors)):
        values = [value for _, value in numbered]
        marks = [pytest.mark.long] * (sum(index for index, _ in numbered) % one_in != 0)
        found.append(pytest.param(*values, marks=marks, id="-".join(map(named, values))))
    return found


def named(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(map(named, value)) or "none"
    return str(getattr(value, "name", value))


def quick(values: Iterable[Any], *chosen: Any) -> list[Any]:
    """Values as parameters; those chosen, by themselves or by name, are tested at every change, the others are long."""
    found = []
    for value in values:
        marks = [pytest.mark.long] * (value not in chosen and named(value) not in chosen)
        found.append(pytest.param(value, marks=marks, id=named(value)))
    return found
