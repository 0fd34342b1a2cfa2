"""Read safetensors files without any library: names, types, shapes and numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.json_text import loads

Array = np.ndarray[Any, Any]

_TYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"), "F64": np.dtype("<f8"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8"),
}  # fmt: skip
_LENGTH = 8  # bytes of the length of the header, which comes first
_METADATA = "__metadata__"


def read_tensors(content: bytes, where: str, error: type[RoboRallyError] = RoboRallyError) -> dict[str, Array]:
    """Return the arrays of a file by name.

    Args:
        content: The whole file.
        where: The name of the file in error messages.
        error: The class of error to raise.

    Raises:
        RoboRallyError: The content is not such a file, or has unknown types; of the class `error`.
    """
    size = int.from_bytes(content[:_LENGTH], "little")
    first = _LENGTH + size
    if len(content) < _LENGTH or first > len(content):
        raise error(f"{where}: {len(content)} bytes: expected a file of safetensors")
    header = loads(content[_LENGTH:first], where, error)
    if not isinstance(header, dict):
        raise error(f"{where}: header: {short_repr(header)}: expected a file of safetensors")
    header.pop(_METADATA, None)
    return {name: _read_one(content[first:], name, entry, where, error) for name, entry in header.items()}


def _read_one(data: bytes, name: str, entry: Any, where: str, error: type[RoboRallyError]) -> Array:
    try:
        kind, shape, (start, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        dtype = _TYPES[kind]
        whole = [*shape, start, end]
    except (KeyError, TypeError, ValueError):
        raise error(
            f"{where}: {name}: {short_repr(entry)}: expected dtype, shape and data_offsets"
        ) from None
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in whole):
        raise error(f"{where}: {name}: {short_repr(whole)}: expected a shape and a place of whole numbers")
    if end > len(data) or end - start != math.prod(shape) * dtype.itemsize:
        expected = f"expected a file of safetensors with {math.prod(shape)} numbers there"
        raise error(f"{where}: {name}: bytes {start} to {end}: {expected}")
    array: Array = np.frombuffer(data[start:end], dtype).reshape(shape)
    return array
