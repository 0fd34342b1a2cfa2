"""Words of 64 bits: masks, gone through bit by bit without a look at what is not in them, and eight bytes in one."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel

# Multiplied with a power of two it has that power's number in its six highest bits, in an order of its own.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
BIT_NUMBER = np.zeros(64, np.int8)
BIT_NUMBER[[(int(DE_BRUIJN) << bit) % 2**64 >> 58 for bit in range(64)]] = range(64)
# In each of eight bytes: its lowest bit, all but its highest, its highest
ONES = np.uint64(0x0101010101010101)
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
HIGH_BITS = ~LOW_BITS


@kernel
def bytes_equal(word: Any, value: int) -> Any:
    """The highest bit of each byte of a word (uint64) that equals the lowest byte of a value: all eight at one time."""
    other: Any = word ^ np.uint64(int(value) & 255) * ONES
    return ~((other & LOW_BITS) + LOW_BITS | other | LOW_BITS)


@kernel
def bytes_above(word: Any, value: int) -> Any:
    """Likewise of each byte that is greater than a value; they and the value are less than 128."""
    return (word | HIGH_BITS) - np.uint64(value + 1) * ONES & HIGH_BITS


@kernel
def lowest_bit(mask: int) -> int:
    """The number of the lowest bit of a mask (uint64, not 0). `without_lowest` takes it away."""
    lowest: Any = mask & (~mask + np.uint64(1))
    return int(BIT_NUMBER[(lowest * DE_BRUIJN) >> np.uint64(58)])


@kernel
def without_lowest(mask: int) -> Any:
    """The mask (uint64, not 0) without its lowest bit."""
    return mask & (mask - np.uint64(1))
