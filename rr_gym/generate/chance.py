"""The random numbers of the generator: whole numbers, the same on every platform and in every version of Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from rr_gym.rules.state.chance import GOLDEN

_MASK = 2**64 - 1
_GOLDEN = int(GOLDEN)

Item = TypeVar("Item")


class Chance:
    """A generator of random numbers, by the algorithm SplitMix64."""

    def __init__(self, seed: int) -> None:
        """Start a sequence. The seed may be any whole number; it is taken modulo 2**64."""
        self._word = seed & _MASK

    def below(self, limit: int) -> int:
        """Draw a whole number from 0 to `limit` - 1."""
        self._word = (self._word + _GOLDEN) & _MASK
        word = self._word
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        word = (word ^ word >> 27) * 0x94D049BB133111EB & _MASK
        return (word ^ word >> 31) * limit >> 64

    def choice(self, items: Sequence[Item]) -> Item:
        """Draw one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in a random order."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = self.below(i + 1)
            result[i], result[j] = result[j], result[i]
        return result
