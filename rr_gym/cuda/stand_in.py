"""A stand-in for a GPU: the driver's functions for this computer, where threads run one after another.

    arena = DeviceArena("risky_exchange", on=stand_in_gpu())

The arena and everything below it run as with a GPU, down to the words that a launch takes. Only the code is for another
target (`rr_gym.compilation.launching`), and memory is that of this computer. This is for tests, not for speed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from rr_gym.compilation.launching import Launch, code_for_this_computer, run
from rr_gym.compilation.libraries import load_symbols
from rr_gym.cuda import dlpack
from rr_gym.cuda.device import Gpu

_NO_MEMORY = 2  # the driver's code of this error


class Functions:
    """The driver's functions that `Gpu` calls. Each returns a code, 0 without an error, and its results.

    Attributes:
        version: The version of CUDA that the driver is for, such as 12080 for 12.8.
        count: The number of GPUs.
        capability: Their compute capability.
        memory: The size of their memory in bytes.
        taken: How many of them are in use.
        launched: The names of all launches, in order.
    """

    DLPACK = (dlpack.PROCESSOR, 0)
    CUdevice_attribute = SimpleNamespace(
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR=0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR=1
    )
    CUlimit = SimpleNamespace(CU_LIMIT_MALLOC_HEAP_SIZE=2)

    def __init__(self) -> None:
        self.version, self.count, self.capability, self.memory = 13_000, 1, (9, 0), 1 << 40
        self.launched: list[str] = []
        self._blocks: dict[int, Any] = {}
        self.taken = 0

    def cuInit(self, flags: int) -> tuple[Any, ...]:
        """Begin."""
        return (0,)

    def cuDriverGetVersion(self) -> tuple[Any, ...]:
        """Return the version of the driver."""
        return 0, self.version

    def cuDeviceGetCount(self) -> tuple[Any, ...]:
        """Return the number of GPUs."""
        return 0, self.count

    def cuDeviceGet(self, number: int) -> tuple[Any, ...]:
        """Return the driver's handle of a GPU."""
        return 0, number

    def cuDeviceGetName(self, length: int, device: int) -> tuple[Any, ...]:
        """Return the name of a GPU."""
        return 0, b"this computer\0"

    def cuDeviceGetAttribute(self, attribute: int, device: int) -> tuple[Any, ...]:
        """Return a part of the compute capability."""
        return 0, self.capability[attribute]

    def cuDevicePrimaryCtxRetain(self, device: int) -> tuple[Any, ...]:
        """Return the context that all libraries share."""
        return 0, device

    def cuCtxSetCurrent(self, context: int) -> tuple[Any, ...]:
        """Choose the context of this thread."""
        return (0,)

    def cuCtxSetLimit(self, limit: int, value: int) -> tuple[Any, ...]:
        """Choose how much threads can allocate, which has no limit here."""
        return (0,)

    def cuCtxSynchronize(self) -> tuple[Any, ...]:
        """Wait for all launches, which are done when they return."""
        return (0,)

    def cuMemGetInfo(self) -> tuple[Any, ...]:
        """Return the bytes that are free, and all."""
        return 0, self.memory - self.taken, self.memory

    def cuMemAlloc(self, size: int) -> tuple[Any, ...]:
        """Take memory and return its address; like on a GPU it is not cleared."""
        if size > self.memory - self.taken:
            return _NO_MEMORY, 0
        block = np.full(size + 256, 0xAA, np.uint8)
        address = -(-block.ctypes.data // 256) * 256
        self._blocks[address] = block
        self.taken += size
        return 0, address

    def cuMemFree(self, address: int) -> tuple[Any, ...]:
        """Give memory back."""
        self.taken -= len(self._blocks.pop(address)) - 256
        return (0,)

    def cuMemsetD8(self, address: int, value: int, size: int) -> tuple[Any, ...]:
        """Fill memory."""
        ctypes.memset(address, value, size)
        return (0,)

    def cuMemcpyHtoD(self, to: int, source: int, size: int) -> tuple[Any, ...]:
        """Copy to a GPU."""
        ctypes.memmove(to, source, size)
        return (0,)

    def cuMemcpyDtoH(self, to: int, source: int, size: int) -> tuple[Any, ...]:
        """Copy from a GPU."""
        ctypes.memmove(to, source, size)
        return (0,)

    def cuModuleLoadData(self, code: tuple[bytes, list[str]]) -> tuple[Any, ...]:
        """Load machine code of this computer, which comes with the names of its functions."""
        return 0, load_symbols(*code)

    def cuModuleGetFunction(self, module: Any, name: bytes) -> tuple[Any, ...]:
        """Return a function of loaded code."""
        address, _ = module
        return 0, (name.decode(), address(name.decode()), module)

    def cuLaunchKernel(self, function: Any, *sizes_and_words: int) -> tuple[Any, ...]:
        """Run all threads of a launch, and return when they are done."""
        name, address, _ = function
        places = ctypes.cast(sizes_and_words[-2], ctypes.POINTER(ctypes.c_void_p))
        words: list[int] = []
        while places[len(words)]:
            words.append(ctypes.c_int64.from_address(places[len(words)]).value)
        run(address, words)
        self.launched.append(name)
        return (0,)


class _ThisComputer(Gpu):
    """A device that is loaded with machine code of this computer."""

    def code_of(self, form: str, launches: Sequence[Launch]) -> Any:
        """Return the code and the names of its functions, since the stand-in's loader cannot find them itself."""
        return code_for_this_computer(form, launches), [launch.name for launch in launches]


def stand_in_gpu(functions: Functions | None = None) -> Gpu:
    """Return a device that is this computer.

    Args:
        functions: Its driver's functions; None for new ones with much memory.
    """
    return _ThisComputer(0, functions or Functions())
