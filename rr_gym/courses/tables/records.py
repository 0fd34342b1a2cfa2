"""Structured types whose scalars give their fields as attributes, in compiled and in interpreted code."""

from __future__ import annotations

from typing import Any

import numpy as np


def _alignment(dtype: np.dtype[Any]) -> int:
    """The alignment a field needs. NumPy forgets that of record types, so theirs is found field by field."""
    base = dtype.base
    return max(_alignment(field[0]) for field in base.fields.values()) if base.fields else base.alignment


def record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """An aligned structured type whose scalars give their fields as attributes."""
    formats = [np.dtype(field[1:] if len(field) == 3 else field[1]) for field in fields]
    offsets, end, widest = [], 0, 1
    for dtype in formats:
        alignment = _alignment(dtype)
        widest = max(widest, alignment)
        offsets.append(-(-end // alignment) * alignment)
        end = offsets[-1] + dtype.itemsize
    layout = {
        "names": [field[0] for field in fields],
        "formats": formats,
        "offsets": offsets,
        "itemsize": -(-end // widest) * widest,
    }
    return np.dtype((np.record, np.dtype(layout, align=True)))  # type: ignore[call-overload]
