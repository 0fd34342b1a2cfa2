"""A GPU: its memory, code and launches, by the functions of the driver's C interface.

These functions come from the package `cuda.bindings`, which is imported when the first device is opened. A stand-in
with the same functions runs the same launches on this computer (`rr_gym.cuda.stand_in`), so that everything here is
tested where there is no GPU.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from rr_gym.compilation.launching import Launch
from rr_gym.compilation.ptx import CAPABILITY, make_ptx
from rr_gym.cuda import dlpack
from rr_gym.errors import RoboRallyError, in_bytes, require, short_repr, whole_number
from rr_gym.progress import status_line

Array = np.ndarray[Any, Any]

OLDEST_DRIVER = 12_000  # CUDA 12.0: the first that loads PTX of version 8.0
OLDEST_CAPABILITY = (7, 0)
HEAP = 64 << 20  # bytes that all threads together can allocate; the driver's 8 MiB are few for so many threads
BLOCK = 64  # threads in a block: registers, not the size of blocks, limit how many threads a multiprocessor holds


class DeviceError(RoboRallyError):
    """A GPU cannot be used, or not for this: the message says what was expected."""


class Gpu:
    """A GPU of this computer.

    Args:
        number: The number that the driver has for it, from 0.
        functions: The driver's functions; None for those of `cuda.bindings.driver`.

    Attributes:
        number: Its number.
        name: What its maker calls it.
        capability: Its compute capability.
        dlpack: The kind of the device and its number, as DLPack writes them.

    Raises:
        DeviceError: There is no driver, no such GPU, or one of them is too old.
        MissingExtraError: The package with the driver's functions is not installed.
    """

    def __init__(self, number: int = 0, functions: Any = None) -> None:
        self._driver = require("cuda.bindings.driver", "cuda") if functions is None else functions
        self.number = whole_number("device", number, 0, error=DeviceError)
        try:
            self._call("cuInit", 0)
        except RuntimeError as error:  # of the package: there is no library of a driver
            raise DeviceError(f"device: 'cuda' needs NVIDIA's driver, which is not installed here: {error}") from None
        version = self._call("cuDriverGetVersion")
        if version < OLDEST_DRIVER:
            oldest = _cuda(OLDEST_DRIVER)
            raise DeviceError(f"device: the driver is for CUDA {_cuda(version)}: expected {oldest} or later")
        count = self._call("cuDeviceGetCount")
        if number >= count:
            raise DeviceError(f"device: 'cuda:{number}': expected one of the {count} GPUs, numbered from 0")
        handle = self._call("cuDeviceGet", number)
        self.name = self._call("cuDeviceGetName", 100, handle).split(b"\0")[0].decode(errors="replace")
        kinds = self._driver.CUdevice_attribute
        self.capability: tuple[int, int] = (
            self._call("cuDeviceGetAttribute", kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle),
            self._call("cuDeviceGetAttribute", kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle),
        )
        if self.capability < OLDEST_CAPABILITY:
            raise DeviceError(f"device: {self.name} has compute capability {_dotted(self.capability)}: expected "
                              f"{_dotted(OLDEST_CAPABILITY)} or later")  # fmt: skip
        self._context = self._call("cuDevicePrimaryCtxRetain", handle)
        self.use()
        with suppress(DeviceError):  # too late if another library has launched code that allocates
            self._call("cuCtxSetLimit", self._driver.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE, HEAP)
        self.dlpack = getattr(self._driver, "DLPACK", (dlpack.CUDA, number))

    def __str__(self) -> str:
        return f"cuda:{self.number}"

    def _call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the driver, and return what it returns besides its code of an error."""
        code, *results = getattr(self._driver, name)(*arguments)
        if int(code):
            raise DeviceError(f"{name}: the driver reports {getattr(code, 'name', code)} on device {self.number}")
        return results[0] if len(results) == 1 else tuple(results)

    def use(self) -> None:
        """Make this device the one that the driver's functions act on in this thread, as PyTorch does for its own."""
        self._call("cuCtxSetCurrent", self._context)

    def free_memory(self) -> tuple[int, int]:
        """Return how many bytes of memory are free, and how many there are."""
        self.use()
        free, total = self._call("cuMemGetInfo")
        return int(free), int(total)

    def expect_memory(self, what: str, size: int) -> None:
        """Check that memory suffices before any of it is taken.

        Args:
            what: What is to be stored, for the message.
            size: Its size in bytes.

        Raises:
            DeviceError: It needs more than is free.
        """
        free, total = self.free_memory()
        if size > free:
            raise DeviceError(f"{what}: needs {in_bytes(size)} of memory on {self} ({self.name}): expected at most the "
                              f"{in_bytes(free)} of its {in_bytes(total)} that are free")  # fmt: skip

    def empty(self, what: str, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        """Return a new array with undefined contents.

        Raises:
            DeviceError: The device has too little memory; `what` names the array in the message.
        """
        dtype = np.dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        self.expect_memory(what, size)
        memory = GpuMemory(self, int(self._call("cuMemAlloc", max(size, 1))))
        return DeviceArray(self, memory.address, shape, dtype, memory)

    def zeros(self, what: str, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        """Return a new array of zeros; arguments as in `empty`."""
        array = self.empty(what, shape, dtype)
        array.clear()
        return array

    def copy(self, what: str, array: Array) -> DeviceArray:
        """Return a copy of an array of NumPy; `what` as in `empty`."""
        made = self.empty(what, array.shape, array.dtype)
        made.write(array)
        return made

    def code_of(self, form: str, launches: Sequence[Launch]) -> bytes:
        """Return what the driver loads: PTX for this device, which its driver turns into machine code."""
        major, minor = map(int, CAPABILITY.split("."))
        return make_ptx(form, launches, _dotted(min(self.capability, (major, minor)))).encode() + b"\0"

    def load(self, form: str, launches: Sequence[Launch]) -> dict[str, Any]:
        """Make the code of launches, load it, and return the driver's functions by their names.

        The first time takes up to a minute; the driver keeps what it made of PTX on disk.
        """
        code = self.code_of(form, launches)
        names = [launch.name for launch in launches]
        self.use()
        with status_line(lambda seconds: f"rr_gym: {self.name} loads {', '.join(names)}, {seconds:.0f} s"):
            module = self._call("cuModuleLoadData", code)
        return {name: self._call("cuModuleGetFunction", module, name.encode()) for name in names}

    def launch(self, function: Any, threads: int, words: Sequence[int]) -> None:
        """Launch a function on the stream that PyTorch uses if nobody chooses another; this does not wait for it.

        Args:
            function: One from `load`.
            threads: How many threads have work.
            words: What it takes, as in `rr_gym.compilation.launching`.
        """
        if not threads:
            return
        self.use()
        values = (ctypes.c_int64 * len(words))(*words)
        # The driver knows how many words the function takes. The null at the end is for the stand-in.
        places = [ctypes.addressof(values) + 8 * n for n in range(len(words))]
        pointers = (ctypes.c_void_p * (len(words) + 1))(*places, None)
        blocks = -(-threads // BLOCK)
        self._call("cuLaunchKernel", function, blocks, 1, 1, BLOCK, 1, 1, 0, 0, ctypes.addressof(pointers), 0)

    def synchronize(self) -> None:
        """Wait until everything is done that was launched on the device.

        Raises:
            DeviceError: A launch has failed.
        """
        self.use()
        self._call("cuCtxSynchronize")


class GpuMemory:
    """Memory of a device, which is given back when nothing refers to it any more.

    Args:
        device: The device.
        address: Where it begins.
    """

    def __init__(self, device: Gpu, address: int) -> None:
        self.address = address
        weakref.finalize(self, _give_back, device, address).atexit = False


def _give_back(device: Gpu, address: int) -> None:
    with suppress(DeviceError):  # after a launch that failed, the driver refuses everything
        device.use()
        device._call("cuMemFree", address)


class DeviceArray:
    """A contiguous array in the memory of a device.

    Other libraries take it without a copy, by `__dlpack__` (numbers) or `__cuda_array_interface__` (also records).

    Args:
        device: The device.
        address: Where it begins.
        shape: Its shape.
        dtype: Its dtype.
        owner: What must live as long as the array.
    """

    def __init__(self, device: Gpu, address: int, shape: tuple[int, ...], dtype: Any, owner: Any) -> None:
        self.device, self.address = device, address
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.shape: tuple[int, ...] = tuple(shape)
        self._owner = owner

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<{_kind(self.dtype)} {self.shape} on {self.device}>"

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return int(np.prod(self.shape, dtype=np.int64) * self.dtype.itemsize)

    def words(self) -> list[int]:
        """Return the words of an argument of a launch."""
        return [self.address, *self.shape]

    def reshape(self, *shape: int) -> DeviceArray:
        """Return the same memory in another shape of the same size."""
        if np.prod(shape, dtype=np.int64) != np.prod(self.shape, dtype=np.int64):
            raise DeviceError(f"shape: {shape}: expected as many items as {self.shape}")
        return DeviceArray(self.device, self.address, shape, self.dtype, self._owner)

    def rows(self, first: int, last: int) -> DeviceArray:
        """Return a range of the first axis, in the same memory."""
        size = int(np.prod(self.shape[1:], dtype=np.int64)) * self.dtype.itemsize
        return DeviceArray(
            self.device, self.address + first * size, (last - first, *self.shape[1:]), self.dtype, self._owner
        )

    def clear(self) -> None:
        """Write zeros."""
        if self.nbytes:
            self.device.use()
            self.device._call("cuMemsetD8", self.address, 0, self.nbytes)

    def write(self, array: Array) -> None:
        """Copy an array of NumPy of the same dtype and shape into this one."""
        if array.shape != self.shape or array.dtype != self.dtype:
            found = f"{_kind(array.dtype)} {array.shape}"
            raise DeviceError(f"array: {found}: expected {_kind(self.dtype)} {self.shape}")
        array = np.ascontiguousarray(array)
        if self.nbytes:
            self.device.use()
            self.device._call("cuMemcpyHtoD", self.address, array.ctypes.data, self.nbytes)

    def read(self) -> Array:
        """Wait for everything that was launched, and return a copy in the memory of this computer."""
        self.device.synchronize()
        array = np.empty(self.shape, self.dtype)
        if self.nbytes:
            self.device._call("cuMemcpyDtoH", array.ctypes.data, self.address, self.nbytes)
        return array

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device.dlpack

    def __dlpack__(self, **asked: Any) -> Any:
        """Return a capsule of DLPack; `asked` are wishes of newer versions of the protocol.

        The stream of the library that asks must be the usual one, on which launches are made.
        """
        if asked.get("copy") or asked.get("dl_device") not in (None, self.device.dlpack):
            raise BufferError("expected neither a copy nor another device")
        if asked.get("stream") not in (None, 0, 1, -1):  # on another stream, what was launched may be unfinished
            self.device.synchronize()
        return dlpack.capsule(self.address, self.shape, self.dtype, self.device.dlpack, self)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device.dlpack[0] != dlpack.CUDA:
            raise AttributeError("__cuda_array_interface__: the array is not in the memory of a GPU")
        found: dict[str, Any] = {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False)}
        return found | {"descr": self.dtype.descr, "strides": None, "version": 3, "stream": 1}


def adopt(device: Gpu, name: str, value: Any, dtype: Any, shape: tuple[int, ...]) -> DeviceArray:
    """Return an array of another library, such as PyTorch's, that is on a device; it is not copied.

    Args:
        device: The device.
        name: What the array is for, for messages.
        value: The array: contiguous, with DLPack.
        dtype: The dtype that it must have.
        shape: The shape that it must have.

    Raises:
        DeviceError: It is on another device, or has another dtype or shape, or is not contiguous.
    """
    dtype = np.dtype(dtype)
    ask = getattr(value, "__dlpack_device__", None)
    if ask is None:
        raise DeviceError(f"{name}: {short_repr(value)}: expected an array on {device}")
    where = tuple(map(int, ask()))
    if where != device.dlpack:
        places = {dlpack.PROCESSOR: "in the memory of this computer", dlpack.CUDA: f"on cuda:{where[1]}"}
        raise DeviceError(f"{name}: the array is {places.get(where[0], 'on another device')}: expected it on {device}; "
                          "the arena's `copy` brings arrays of NumPy there")  # fmt: skip
    if not isinstance(value, DeviceArray):
        try:
            address, found, kind, owner = dlpack.borrow(value)
        except BufferError as error:
            raise DeviceError(f"{name}: {error}: expected a contiguous array of {dtype}") from None
        value = DeviceArray(device, address, found, kind, owner)
    if value.shape != shape or value.dtype != dtype:
        raise DeviceError(f"{name}: {_kind(value.dtype)} {value.shape}: expected {_kind(dtype)} {shape}")
    return value  # type: ignore[no-any-return]


def _kind(dtype: np.dtype[Any]) -> str:
    """Return a dtype in words that fit into a line."""
    return f"records of {dtype.itemsize} bytes" if dtype.names else str(dtype)


def _dotted(capability: tuple[int, int]) -> str:
    return f"{capability[0]}.{capability[1]}"


def _cuda(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"
