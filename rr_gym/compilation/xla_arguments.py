"""The arguments of kernels that XLA calls: what XLA passes, and what each call makes itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

READ, CHANGED, WRITTEN = "read", "changed", "written"


@dataclass(frozen=True)
class Rows:
    """An array argument that XLA passes, with a part for each row of the batch.

    Attributes:
        name: The name by which errors call it.
        dtype: The type of an item.
        shape: The shape of the part of one row.
        use: `READ`; `CHANGED`, for an input that is also a result; or `WRITTEN`, for a result.
        merged: Whether the kernel's first axis counts the rows and the first axis of `shape` together.
        numbered: Whether a result, int64, gets the numbers 0, 1, 2 and so on before the call.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...] = ()
    use: str = READ
    merged: bool = False
    numbered: bool = False

    @property
    def opaque(self) -> bool:
        """Tell whether XLA sees an item as bytes along a last axis, as it does with records and types of 64 bits."""
        return self.dtype.fields is not None or self.dtype.itemsize > 4

    @property
    def xla_shape(self) -> tuple[int, ...]:
        """Return the shape of the part of one row as XLA sees it."""
        return (*self.shape, self.dtype.itemsize) if self.opaque else self.shape

    @property
    def xla_dtype(self) -> np.dtype[Any]:
        """Return the type of an item as XLA sees it."""
        return np.dtype(np.uint8) if self.opaque else self.dtype

    @property
    def kernel_shape(self) -> tuple[int, ...]:
        """Return the shape of the array that the kernel gets for a batch of one row."""
        return self.shape if self.merged else (1, *self.shape)


@dataclass(frozen=True)
class Scratch:
    """An argument that each call gets a copy of, on its stack.

    Attributes:
        value: The array or record that is copied.
    """

    value: Any


@dataclass(frozen=True)
class Cache:
    """A constant that the kernel adds to, such as results that it need not compute again. Calls take turns to use it.

    Attributes:
        value: An array, or a tuple of arrays.
    """

    value: Any


@dataclass(frozen=True)
class Count:
    """An integer argument: the number of rows."""
