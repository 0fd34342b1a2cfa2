"""Exchange arrays of any device with other libraries by DLPack, without copies.

The protocol hands over a capsule with a C structure that describes an array. The structure is made and read here with
`ctypes`, in the form that all versions of the protocol have. An array lives until the library that took it lets it go.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

PROCESSOR, CUDA = 1, 2  # kinds of devices
_NAME = b"dltensor"
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # by NumPy's kinds


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device_number", ctypes.c_int32),
        ("axes", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
lent: dict[int, Any] = {}  # what has to live, by the address of the structure


def _let_go(managed: Any) -> None:
    """Let an array go that a library no longer uses."""
    lent.pop(ctypes.addressof(managed.contents), None)


def _let_unused_go(capsule: int) -> None:
    """Let an array go whose capsule no library has taken: one that takes it changes its name."""
    if _is_named(capsule, _NAME):
        lent.pop(_pointer(capsule, _NAME), None)


_deleter, _destructor = _Deleter(_let_go), ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_let_unused_go)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_is_named = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def capsule(address: int, shape: tuple[int, ...], dtype: np.dtype[Any], device: tuple[int, int], owner: Any) -> Any:
    """Return a capsule for a contiguous array.

    Args:
        address: Where it begins.
        shape: Its shape.
        dtype: Its dtype: whole numbers, floating-point numbers or truth values.
        device: The kind of its device, and the device's number.
        owner: An object that must live as long as the array is used.

    Raises:
        BufferError: The items are of another kind, such as records.
    """
    if dtype.kind not in _CODES:
        raise BufferError(f"dtype {dtype}: expected numbers: DLPack has no records")
    lengths = (ctypes.c_int64 * len(shape))(*shape)
    steps = [int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape))]
    strides = (ctypes.c_int64 * len(shape))(*steps)
    tensor = _Tensor(
        address, *device, len(shape), _CODES[dtype.kind], 8 * dtype.itemsize, 1,
        ctypes.cast(lengths, ctypes.POINTER(ctypes.c_int64)), ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)), 0,
    )  # fmt: skip
    managed = _Managed(tensor, None, _deleter)
    lent[ctypes.addressof(managed)] = managed, lengths, strides, owner
    return _new(ctypes.addressof(managed), _NAME, ctypes.cast(_destructor, ctypes.c_void_p))


def borrow(array: Any) -> tuple[int, tuple[int, ...], np.dtype[Any], Any]:
    """Return the address, the shape and the dtype of another library's array, and an object that keeps it alive.

    Work that the library has begun on a GPU is finished before later launches on the usual stream.

    Raises:
        BufferError: The array is not contiguous, or the library does not give it away.
    """
    on_gpu = int(array.__dlpack_device__()[0]) == CUDA
    given = array.__dlpack__(stream=1) if on_gpu else array.__dlpack__()
    tensor = ctypes.cast(_pointer(id(given), _NAME), ctypes.POINTER(_Managed)).contents.tensor
    shape = tuple(tensor.shape[axis] for axis in range(tensor.axes))
    expected = 1
    for axis in range(tensor.axes - 1, -1, -1) if tensor.strides else ():
        if shape[axis] != 1 and tensor.strides[axis] != expected:
            raise BufferError("the array is not contiguous")
        expected *= shape[axis]
    kind = {code: letter for letter, code in _CODES.items()}.get(tensor.code)
    if kind is None or tensor.lanes != 1 or tensor.bits % 8:
        raise BufferError("expected an array of numbers")
    return (tensor.data or 0) + tensor.offset, shape, np.dtype(f"{kind}{tensor.bits // 8}"), given
