"""Words of 64 bits: masks, gone through bit by bit without a look at what is not in them, and eight bytes in one."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel

# Of every two, four and eight bits the lower half: ones are counted by adding halves, which a compiler knows
LOWER_OF_2 = np.uint64(0x5555555555555555)
LOWER_OF_4 = np.uint64(0x3333333333333333)
LOWER_OF_8 = np.uint64(0x0F0F0F0F0F0F0F0F)
# In each of eight bytes: its lowest bit, its highest
ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)


@kernel
def bytes_above(word: Any, value: int) -> Any:
    """The highest bit of each byte of a word (uint64) that is greater than a value; all are less than 128."""
    return (word | HIGH_BITS) - np.uint64(value + 1) * ONES & HIGH_BITS


@kernel
def bytes_in(mask: Any) -> int:
    """How many bytes a mask (uint64) of highest bits stands for."""
    return int((mask >> np.uint64(7)) * ONES >> np.uint64(56))


@kernel
def lowest_bit(mask: int) -> int:
    """The number of the lowest bit of a mask (uint64, not 0). `without_lowest` takes it away."""
    count: Any = ~mask & (mask - np.uint64(1))  # the bits below it are counted
    count = count - (count >> np.uint64(1) & LOWER_OF_2)
    count = (count & LOWER_OF_4) + (count >> np.uint64(2) & LOWER_OF_4)
    count = count + (count >> np.uint64(4)) & LOWER_OF_8
    return int(count * ONES >> np.uint64(56))


@kernel
def without_lowest(mask: int) -> Any:
    """The mask (uint64, not 0) without its lowest bit."""
    return mask & (mask - np.uint64(1))
