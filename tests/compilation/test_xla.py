"""Functions for XLA, called as XLA calls them: with a frame of buffers, of which the first axes are the batch."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from rr_gym.compilation.kernels import COMPILED, kernel
from rr_gym.compilation.records import Record, i2, i8
from rr_gym.compilation.xla import ForeignFunction
from rr_gym.compilation.xla_arguments import CHANGED, WRITTEN, Cache, Count, Rows, Scratch

pytestmark = pytest.mark.skipif(not COMPILED, reason="compilation is switched off")

Array = np.ndarray[Any, Any]
I8, I4, I2, F8 = (np.dtype(kind) for kind in ("i8", "i4", "i2", "f8"))


class Purse(Record):
    """A record with padding."""

    kind: i2
    coins: i8


class Pair(NamedTuple):
    """Two arrays, which kernels take as one argument."""

    left: Array
    right: Array


@kernel
def spend(
    purses: Array, prices: Array, pair: Pair, factor: float, seen: Array, drawn: Array, numbers: Array, count: int,
    out: Array,
) -> None:  # fmt: skip
    """Use every kind of argument; a purse must not become empty."""
    drawn[0] += 1
    for k in range(purses.shape[0]):
        purses[k].coins -= prices[k, 1]
        if purses[k].coins < 0:
            raise ValueError("an empty purse")
        pair.right[k] = pair.left[k] + drawn[0]
        seen[0] += 1
        for j in range(out.shape[0] // purses.shape[0]):
            row = k * (out.shape[0] // purses.shape[0]) + j
            out[row, 0] = numbers[row] * factor + count


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("extension", ctypes.c_void_p), ("dtype", ctypes.c_int), ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64), ("dims", ctypes.c_void_p),
    ]  # fmt: skip


class _List(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("extension", ctypes.c_void_p), ("count", ctypes.c_int64),
        ("types", ctypes.c_void_p), ("items", ctypes.c_void_p),
    ]  # fmt: skip


class _Frame(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("extension", ctypes.c_void_p), ("api", ctypes.c_void_p), ("ctx", ctypes.c_void_p),
        ("stage", ctypes.c_int), ("arguments", _List), ("results", _List), ("attributes", _List),
    ]  # fmt: skip


class _Metadata(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("version_size", ctypes.c_size_t), ("extension", ctypes.c_void_p),
        ("major", ctypes.c_int), ("minor", ctypes.c_int), ("traits", ctypes.c_uint32), ("state", ctypes.c_int64),
    ]  # fmt: skip


class _Extension(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("kind", ctypes.c_int), ("next", ctypes.c_void_p), ("metadata", ctypes.c_void_p)
    ]  # fmt: skip


def list_of(arrays: Sequence[Array], kept: list[Any]) -> _List:
    buffers = []
    for array in arrays:
        dims = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        kept += [dims, buffer := _Buffer(0, None, 0, array.ctypes.data, array.ndim, ctypes.addressof(dims))]
        buffers.append(ctypes.addressof(buffer))
    kept.append(places := (ctypes.c_void_p * max(1, len(buffers)))(*buffers))
    return _List(0, None, len(buffers), None, ctypes.addressof(places))


def call(function: ForeignFunction, inputs: Sequence[Array], outputs: Sequence[Array]) -> str:
    """Call a function as XLA does, and return the message of its error."""
    kept: list[Any] = []
    messages: list[str] = []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
    def create(given: Any) -> int:
        messages.append(ctypes.string_at(given[2]).decode())
        return 1

    api = (ctypes.c_void_p * 7)()
    api[6] = ctypes.cast(create, ctypes.c_void_p).value
    frame = _Frame(0, None, ctypes.addressof(api), None, 3, list_of(inputs, kept), list_of(outputs, kept))
    made = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(function.address)(ctypes.addressof(frame))
    assert bool(made) == bool(messages)
    return messages[0] if messages else ""


SEEN = np.zeros(1, np.int64)


@pytest.fixture(scope="module")
def function() -> ForeignFunction:
    return ForeignFunction(
        spend,
        (
            Rows("purses", Purse.dtype, (), CHANGED), Rows("prices", I4, (2,)),
            Pair(Rows("left", I2), Rows("right", I2, (), WRITTEN)), 0.5, Cache(SEEN), Scratch(np.array([7])),
            Rows("numbers", I8, (3,), WRITTEN, merged=True, numbered=True), Count(),
            Rows("out", F8, (3, 1), WRITTEN, merged=True),
        ),
    )  # fmt: skip


@pytest.mark.parametrize("batch", [(), (4,), (2, 3), (0,)])
@pytest.mark.parametrize("in_place", [False, True])
def test_the_first_axes_are_the_batch(function: ForeignFunction, batch: tuple[int, ...], in_place: bool) -> None:
    rows = int(np.prod(batch))
    purses = np.zeros(rows, Purse.dtype)
    purses["kind"], purses["coins"] = np.arange(rows), 100
    prices = np.arange(2 * rows, dtype=np.int32).reshape(*batch, 2)
    left = np.arange(rows, dtype=np.int16).reshape(batch)
    given = purses.view(np.uint8).reshape(*batch, Purse.dtype.itemsize)
    after = given if in_place else np.zeros_like(given)
    right, numbers, out = np.zeros_like(left), np.zeros((*batch, 3, 8), np.uint8), np.zeros((*batch, 3, 1, 8), np.uint8)
    before, seen = given.copy(), int(SEEN[0])
    assert call(function, [given, prices, left], [after, right, numbers, out]) == ""
    assert in_place or np.array_equal(given, before)
    spent = after.reshape(-1).view(Purse.dtype)
    assert np.array_equal(spent["coins"], 100 - prices.reshape(-1, 2)[:, 1])
    assert np.array_equal(spent["kind"], np.arange(rows))
    assert np.array_equal(right, left + 8), "each call gets a copy of the scratch"
    assert np.array_equal(out.view(np.float64).ravel(), np.arange(3 * rows) * 0.5 + rows)
    assert SEEN[0] == seen + rows, "the cache stays"


def test_an_error_of_the_kernel_names_it(function: ForeignFunction) -> None:
    given = [np.zeros((1, 16), np.uint8), np.ones((1, 2), np.int32), np.zeros(1, np.int16)]
    out = [given[0].copy(), given[2].copy(), np.zeros((1, 3, 8), np.uint8), np.zeros((1, 3, 1, 8), np.uint8)]
    for _ in range(2):  # the first error does not keep the second call waiting
        assert call(function, given, out) == f"{__name__}.spend failed in compiled code"


def test_it_tells_the_version_of_the_interface(function: ForeignFunction) -> None:
    told = _Metadata(minor=99)
    extension = _Extension(0, 1, None, ctypes.addressof(told))
    frame = _Frame(0, ctypes.addressof(extension))
    assert not ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(function.address)(ctypes.addressof(frame))
    assert (told.major, told.minor, told.traits) == (0, 1, 0)


def test_the_name_tells_functions_apart() -> None:
    def name(**other: Any) -> str:
        given = {"factor": 0.5, "scratch": Scratch(np.array([7])), "cache": Cache(np.zeros(1, np.int64)), **other}
        return ForeignFunction(
            spend,
            (
                Rows("purses", Purse.dtype, (), CHANGED), Rows("prices", I4, (2,)),
                Pair(Rows("left", I2), Rows("right", I2, (), WRITTEN)), given["factor"], given["cache"],
                given["scratch"], Rows("numbers", I8, (3,), WRITTEN, merged=True, numbered=True), Count(),
                Rows("out", F8, (3, 1), WRITTEN, merged=True),
            ),
        ).name  # fmt: skip

    assert name() == name(cache=Cache(np.ones(1, np.int64))), "what is in a cache changes nothing"
    assert len({name(), name(factor=0.25), name(scratch=Scratch(np.array([8])))}) == 3


def test_interpreted_kernels_are_refused() -> None:
    with pytest.raises(RuntimeError, match="spend is interpreted: expected NUMBA_DISABLE_JIT to be unset"):
        ForeignFunction(spend.__wrapped__, ())
