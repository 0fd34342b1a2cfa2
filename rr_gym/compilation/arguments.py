"""Pass arguments to kernels: name their types, and lay them out for machine code.

Machine code takes a block of 64-bit words: eight for its own use (`RESULT`, `ERROR`, `HEADER`), then one for each
argument. An array is represented by the address of the NumPy object, from which the code itself reads data, shape and
strides; a record by the address of its scalar; a number by its value. So a call costs little, however many arrays it
has.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.compilation.records import RECORDS

RESULT, ERROR, HEADER, FIRST = 0, 4, 5, 8  # words of a block: result, error, size of object headers, first argument
_HEADER = object.__basicsize__  # bytes before the fields of a Python object
# Offsets of the fields after it: an array has data, ndim, shape and strides, a scalar its size and data
DATA_AT = {"array": 0, "record": 8}
SHAPE_AT, STRIDES_AT = 16, 24

_names: dict[int, str] = {}  # names of item types by the id() of their dtype
_kept: list[np.dtype[Any]] = []  # keeps these dtypes alive, so that their ids stay unique
_last_names: dict[Any, str] = {}  # by size and field names, since nested records get a new dtype each time
_MOST_KEPT = 1000  # arrays from files have new types each time


def layout(dtype: np.dtype[Any]) -> str:
    """Return a complete description of an item type as text: the names, types and offsets of its fields."""
    if dtype.subdtype is not None:
        return f"{dtype.shape}{layout(dtype.base)}"
    if dtype.fields is None:
        return dtype.str
    fields = ",".join(f"{n}:{layout(dtype.fields[n][0])}@{dtype.fields[n][1]}" for n in dtype.names or ())
    return f"{{{fields}}}{dtype.itemsize}"


def item_name(dtype: np.dtype[Any]) -> str:
    """Return the name of an item type: `<i8`, the name of a known record, or `record-` and a digest of its layout."""
    name = _names.get(id(dtype))
    if name is None:
        name = dtype.str if dtype.fields is None else _record_name(dtype)
        if len(_kept) < _MOST_KEPT:
            _names[id(dtype)] = name
            _kept.append(dtype)
    return name


def _record_name(dtype: np.dtype[Any]) -> str:
    fields = dtype.itemsize, dtype.names
    likely = _last_names.get(fields, "")
    if RECORDS.get(likely) == dtype:
        return likely
    for name, known in RECORDS.items():
        if known == dtype:
            _last_names[fields] = name
            return name
    name = "record-" + hashlib.sha256(layout(dtype).encode()).hexdigest()[:16]
    return RECORDS.setdefault(name, dtype) and name


def type_name(value: Any) -> str:
    """Return the name of an argument's type. All integers share the type int64, except unsigned 64-bit integers.

    Raises:
        TypeError: Kernels do not take such arguments.
    """
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return f"{item_name(value.dtype)}[{value.ndim}{layout}{'' if value.flags.writeable else 'r'}]"
    if isinstance(value, np.void):
        return item_name(value.dtype)
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, np.uint64):
        return "uint64"
    if isinstance(value, int | np.integer):
        return "int64"
    if isinstance(value, float | np.floating):
        return "float64"
    if isinstance(value, tuple):
        kind = type(value)
        name = "" if kind is tuple else f"{kind.__module__}.{kind.__qualname__}"
        return f"{name}({', '.join(map(type_name, value))})"
    raise TypeError(f"a kernel takes arrays, records, numbers and tuples of them, not {type(value).__name__}")


# Bits of `flags.num` of an array: C-contiguous, Fortran-contiguous, and writeable
_LAYOUT = 0x1 | 0x2 | 0x400
_ARRAY, _RECORD = np.ndarray, np.void
_type_of = np.void.dtype.__get__  # the dtype of a record; its own look-up of attributes is slow
_HALF = 1 << 63


def read(arguments: Sequence[Any]) -> tuple[tuple[Any, ...], list[int], list[Any]]:
    """Read the arguments of a call once, and return everything that the call needs of them.

    Returns:
        A key that distinguishes their types and is quicker to build than the types' names; the words of the call;
        objects that must live as long as the words are used.
    """
    key: list[Any] = []
    words = [0] * FIRST
    words[HEADER] = _HEADER
    kept: list[Any] = []
    _read(arguments, key, words, kept)
    return tuple(key), words, kept


def _read(arguments: Sequence[Any], key: list[Any], words: list[int], kept: list[Any]) -> None:
    for value in arguments:
        kind = type(value)
        if kind is _ARRAY:
            dtype = value.dtype
            key.append(_names.get(id(dtype)) or item_name(dtype))
            key.append(value.ndim << 16 | value.flags.num & _LAYOUT)
            words.append(_address(value, kept))
        elif kind is int or kind is bool:
            key.append(kind)
            words.append(value if -_HALF <= value < _HALF else _word(value))
        elif isinstance(value, _RECORD):
            dtype = _type_of(value)
            key.append(_names.get(id(dtype)) or item_name(dtype))
            words.append(_address(value, kept))
        elif isinstance(value, tuple):
            key.append(kind)
            key.append(len(value))
            _read(value, key, words, kept)
        else:
            key.append(type_name(value))
            if isinstance(value, _ARRAY):
                words.append(_address(value, kept))
            elif isinstance(value, float | np.floating):
                words.append(int(np.float64(value).view(np.int64)))
            else:
                words.append(_word(int(value)))


def _word(number: int) -> int:
    """Return a 64-bit number as the signed integer with the same bits."""
    return (number + _HALF) % (2 * _HALF) - _HALF


def _address_of_object(value: Any, kept: list[Any]) -> int:
    return id(value)


def _address_of_copy(value: Any, kept: list[Any]) -> int:
    """Return the address of a copy of an object's header, laid out as machine code expects it.

    This serves versions of NumPy whose objects have another layout.
    """
    if isinstance(value, np.void):
        data, shape, strides = value.__array_interface__["data"][0], (), ()
    else:
        data, shape, strides = value.ctypes.data, value.shape, value.strides
    dims = (ctypes.c_int64 * (2 * len(shape) + 1))(*shape, *strides)
    start = ctypes.addressof(dims)
    fields = (0, data) if isinstance(value, np.void) else (data, len(shape), start, start + 8 * len(shape))
    block = (ctypes.c_int64 * (_HEADER // 8 + len(fields)))(*[0] * (_HEADER // 8), *fields)
    kept += [dims, block]
    return ctypes.addressof(block)


def _has_known_layout() -> bool:
    """Tell whether NumPy's objects have the layout that this file assumes, as they have had since its first version."""
    array = np.zeros((3, 5), "i2")[:, ::2]
    record = np.zeros(2, [("a", "i8")])
    scalar = record[1]

    def field(value: Any, place: int) -> int:
        return ctypes.c_int64.from_address(id(value) + _HEADER + place).value

    dims, strides = ((ctypes.c_int64 * 2).from_address(field(array, place)) for place in (SHAPE_AT, STRIDES_AT))
    return (
        field(array, DATA_AT["array"]) == array.ctypes.data
        and field(scalar, DATA_AT["record"]) == record.ctypes.data + 8
        and tuple(dims) == array.shape
        and tuple(strides) == array.strides
    )


_address = _address_of_object if _has_known_layout() else _address_of_copy
