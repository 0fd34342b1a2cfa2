"""A few kernels with records of their own, for tests of how kernels are compiled and kept."""

SOURCE = '''
"""Kernels that compute small things."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel, cold
from rr_gym.forms import with_expansions
from rr_gym.compilation.records import Array, Record, i4, shape

WORTH = np.array([5, 7, 9], np.int64)
SCALE = 10


class SmallTable(Record):
    """A table of the base form."""

    squares: Array[i4] = shape(4)


class WideTable(Record):
    """A table of the form with expansions."""

    ground: Array[i4] = shape(4)
    squares: Array[i4] = shape(4)


@kernel
def twice(k: int) -> int:
    """Return twice a number."""
    return 2 * k


@kernel
def halvings(k: int) -> int:
    """Return how many times a number can be halved."""
    return 1 + halvings(k // 2) if k > 1 else 0


@with_expansions(1)
def worth(table: WideTable, k: int) -> int:
    return table.ground[k]


@kernel
def look(table: SmallTable, k: int) -> int:
    return table.squares[k] + SCALE * worth(table, k)


@kernel
def look_from_afar(tables: Array[SmallTable], k: int) -> int:
    return look(tables[0], twice(k) // 2) + WORTH[0] - 5


@kernel
def total(numbers: np.ndarray, scale: float, negative: bool) -> float:
    found = 0.0
    for k in range(numbers.shape[0]):
        for j in range(numbers.shape[1]):
            found += numbers[k, j] * scale
    return -found if negative else found


@kernel
def middle(numbers: np.ndarray) -> int:
    copy = np.zeros(numbers.size, np.int64)
    for k in range(numbers.size):
        copy[numbers.size - 1 - k] = numbers[k]
    return copy[numbers.size // 2]


@kernel
def corner(numbers: np.ndarray, rows: int) -> int:
    return numbers.reshape((rows, numbers.size // rows))[rows - 1, 1]


@kernel
def word(number: np.uint64) -> np.uint64:
    return number * np.uint64(0x9E3779B97F4A7C15)


@kernel
def both(pair: tuple[int, int]) -> tuple[int, int]:
    return pair[1], pair[0]


@kernel
def share(number: int, parts: int) -> int:
    return number // parts
'''

RUN = """
import numpy as np
from small_rules_here import SmallTable, WideTable, look_from_afar
base, wide = np.zeros(1, SmallTable.dtype), np.zeros(1, WideTable.dtype)
base["squares"], wide["squares"], wide["ground"] = 3, 4, 7
print(look_from_afar(base, 2), look_from_afar(wide, 2))
"""
RESULT = "13 74\n"
