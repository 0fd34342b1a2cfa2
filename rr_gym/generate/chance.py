"""The generator's own random numbers: whole numbers only, the same on every platform and in every version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from rr_gym.rules.state.chance import GOLDEN

_MASK = 2**64 - 1
_GOLDEN = int(GOLDEN)

Item = TypeVar("Item")


class Chance:
    """A SplitMix64 sequence."""

    def __init__(self, seed: int) -> None:
        """Begin a sequence. The seed is any whole number; it counts modulo 2**64."""
        self._word = seed & _MASK

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1."""
        self._word = (self._word + _GOLDEN) & _MASK
        word = self._word
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        word = (word ^ word >> 27) * 0x94D049BB133111EB & _MASK
        return (word ^ word >> 31) * limit >> 64

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = self.below(i + 1)
            result[i], result[j] = result[j], result[i]
        return result
