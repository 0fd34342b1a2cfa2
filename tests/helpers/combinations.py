"""Combinations of parameters, of which a part is enough for every change."""

from __future__ import annotations

from collections.abc import Sequence
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
    return str(getattr(value, "name", len(value) if isinstance(value, tuple) else value))
