"""Lay out the arguments of calls as an image of the memory of a module of WebAssembly.

Numba's arrays live in the memory of a Python process. A module of WebAssembly has a memory of its own, which begins
with the contents of such an image: the arrays, and for each call the block of words that its entry reads
(`rr_gym.compilation.arguments`). Whoever runs the module changes arrays in place, and makes calls with the addresses of
their words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.compilation.arguments import DATA_AT, FIRST, SHAPE_AT, STRIDES_AT

_ALIGNMENT = 64


class MemoryImage:
    """An image of memory that grows by what is added. Arrays that share memory share it in the image, too.

    Args:
        start: The address of the image's first byte.
    """

    def __init__(self, start: int) -> None:
        self.start = -(-start // _ALIGNMENT) * _ALIGNMENT
        self._data = bytearray()
        self._owners: dict[int, tuple[int, Any]] = {}  # addresses of arrays by their id; the arrays must stay alive

    @property
    def end(self) -> int:
        """Return the address after the image."""
        return self.start + len(self._data)

    def to_bytes(self) -> bytes:
        """Return the contents of memory from `start` on."""
        return bytes(self._data)

    def add_call(self, arguments: Sequence[Any]) -> int:
        """Add the arguments of a kernel, and return the address of the words that its entry takes.

        Raises:
            TypeError: An argument is neither an array, a record, a number nor a tuple of them.
        """
        return self._add(np.array([0] * FIRST + self._words(arguments), np.int64).tobytes())

    def address(self, value: Any) -> int:
        """Return the address of the data of an array or a record, which is added if it is not in the image.

        Raises:
            TypeError: The array that owns the memory is not contiguous.
        """
        owner = value
        while isinstance(getattr(owner, "base", None), np.ndarray):
            owner = owner.base
        if id(owner) not in self._owners:
            if not owner.flags.c_contiguous:
                raise TypeError(f"an array of shape {owner.shape}: expected a contiguous one")
            self._owners[id(owner)] = self._add(owner.tobytes()), owner
        return self._owners[id(owner)][0] + _pointer(value) - _pointer(owner)

    def _words(self, arguments: Sequence[Any]) -> list[int]:
        words: list[int] = []
        for value in arguments:
            if isinstance(value, tuple):
                words += self._words(value)
            elif isinstance(value, np.ndarray):
                words.append(self._array(value))
            elif isinstance(value, np.void):
                fields = {DATA_AT["record"]: self.address(value)}
                words.append(self._object(fields, DATA_AT["record"] + 8))
            elif isinstance(value, float | np.floating):
                words.append(int(np.float64(value).view(np.int64)))
            elif isinstance(value, int | np.integer | np.bool_):
                words.append(int(np.uint64(int(value) % 2**64).astype(np.int64)))
            else:
                raise TypeError(f"a kernel takes arrays, records, numbers and tuples, not {type(value).__name__}")
        return words

    def _array(self, value: np.ndarray[Any, Any]) -> int:
        data = self.address(value)
        sizes = self._add(np.array([*value.shape, *value.strides], np.int64).tobytes())
        fields = {DATA_AT["array"]: data, SHAPE_AT: sizes, STRIDES_AT: sizes + 8 * value.ndim}
        return self._object(fields, STRIDES_AT + 8)

    def _object(self, fields: dict[int, int], size: int) -> int:
        """Add the header of an array or a record without the part that belongs to Python."""
        header = np.zeros(size // 8, np.int64)
        for place, address in fields.items():
            header[place // 8] = address
        return self._add(header.tobytes())

    def _add(self, data: bytes) -> int:
        self._data += bytes(-len(self._data) % _ALIGNMENT)
        place = self.end
        self._data += data
        return place


def _pointer(value: Any) -> int:
    return int(value.__array_interface__["data"][0])
