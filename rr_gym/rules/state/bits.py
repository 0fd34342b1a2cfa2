"""Operations on words of 64 bits: go through the set bits of a mask, and compare eight bytes at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel

# The lower half of every two, four and eight bits. Adding halves counts ones; compilers recognize this.
LOWER_OF_2 = np.uint64(0x5555555555555555)
LOWER_OF_4 = np.uint64(0x3333333333333333)
LOWER_OF_8 = np.uint64(0x0F0F0F0F0F0F0F0F)
# The lowest bit of each of eight bytes, and the highest
ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)


@kernel
def bytes_above(word: Any, value: int) -> Any:
    """Return a word (uint64): the highest bit of a byte is set if that byte of `word` exceeds `value`.

    All bytes of `word` must be less than 128.
    """
    return (word | HIGH_BITS) - np.uint64(value + 1) * ONES & HIGH_BITS


@kernel
def bytes_in(mask: Any) -> int:
    """Return how many bytes are marked in the result (uint64) of `bytes_above`."""
    return int((mask >> np.uint64(7)) * ONES >> np.uint64(56))


@kernel
def lowest_bit(mask: int) -> int:
    """Return the index of the lowest bit that is set in a mask (uint64, not 0); `without_lowest` clears it."""
    count: Any = ~mask & (mask - np.uint64(1))  # counts the bits below it
    count = count - (count >> np.uint64(1) & LOWER_OF_2)
    count = (count & LOWER_OF_4) + (count >> np.uint64(2) & LOWER_OF_4)
    count = count + (count >> np.uint64(4)) & LOWER_OF_8
    return int(count * ONES >> np.uint64(56))


@kernel
def without_lowest(mask: int) -> Any:
    """Return a mask (uint64, not 0) without its lowest bit."""
    return mask & (mask - np.uint64(1))
