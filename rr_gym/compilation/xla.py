"""Make functions that XLA calls by its foreign function interface (FFI) from kernels, on this computer.

XLA passes a frame that holds the addresses of buffers, and their shapes. A function made here lays them out as the
arguments of a kernel and enters the kernel's machine code, the same that Python enters. Python itself is not called.

A kernel sees one batch of rows. The first axes of all buffers, as many as there are, are the batch: so a call that
`jax.vmap` has wrapped, even several times, is still one call of the kernel.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rr_gym.compilation.arguments import layout, read
from rr_gym.compilation.entering import code_address, entry_name
from rr_gym.compilation.kernels import Kernel
from rr_gym.compilation.libraries import load_symbols
from rr_gym.compilation.xla_arguments import Cache, Count, Rows, Scratch
from rr_gym.compilation.xla_text import SYMBOL, FunctionText

Array = np.ndarray[Any, Any]


class ForeignFunction:
    """A function for XLA that calls a kernel.

    Args:
        kernel: The kernel.
        arguments: Its arguments: `Rows`, `Scratch`, `Cache`, `Count`, constants, and tuples of these.

    Attributes:
        name: A name with a digest of the kernel and of all constants. Functions of the same name do the same.
        inputs: What XLA passes, in this order.
        outputs: The results, in this order.
        aliases: By the index of each input that is also a result the index of the result.
        address: The address of the function. It is valid as long as this object lives.

    Raises:
        RuntimeError: Kernels are interpreted, or compiled by Numba's public interface, so there is no machine code.
    """

    def __init__(self, kernel: Any, arguments: Sequence[Any]) -> None:
        if not isinstance(kernel, Kernel):
            raise RuntimeError(f"{kernel.__name__} is interpreted: expected NUMBA_DISABLE_JIT to be unset")
        given = list(_leaves(arguments))
        examples = _example(tuple(arguments))
        self._kept = [examples, kernel]
        enter = code_address(kernel, examples)
        if enter is None:
            raise RuntimeError(
                f"{kernel.name} is compiled by Numba's public interface: expected a version of Numba whose internals "
                "are known (numba_internals.py)"
            )
        _, words, kept = read(examples)
        self._kept += kept
        self.name = f"{kernel.name}.{_digest(kernel, examples, given)}"
        made = FunctionText(kernel.name, given, words, enter)
        self.inputs, self.outputs, self.aliases = made.inputs, made.outputs, made.aliases
        self.address, keep = _load(made.text())
        self._kept.append(keep)


def _leaves(arguments: Sequence[Any]) -> Iterator[Any]:
    for value in arguments:
        if isinstance(value, tuple):
            yield from _leaves(value)
        elif isinstance(value, Cache):
            parts = value.value if isinstance(value.value, tuple) else (value.value,)
            yield from (Cache(part) for part in parts)
        else:
            yield value


def _example(value: Any) -> Any:
    """Return arguments of the types that the kernel gets."""
    if isinstance(value, Rows):
        return np.zeros(value.kernel_shape, value.dtype)
    if isinstance(value, Scratch | Cache):
        return value.value
    if isinstance(value, Count):
        return 0
    if isinstance(value, tuple):
        items = [_example(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def _digest(kernel: Kernel, examples: tuple[Any, ...], given: Sequence[Any]) -> str:
    digest = hashlib.sha256(entry_name(kernel, examples).encode())
    for leaf in given:
        constant = leaf.value if isinstance(leaf, Scratch) else leaf
        if isinstance(constant, np.ndarray | np.void):
            digest.update(f"{constant.shape}{layout(constant.dtype)}".encode())
            digest.update(constant.tobytes())
        elif not isinstance(leaf, Cache):
            digest.update(repr(leaf).encode())
    return digest.hexdigest()[:16]


def _load(text: str) -> tuple[int, Any]:
    import llvmlite.binding as llvm

    from rr_gym.compilation.targets import machine, this_computer

    target = this_computer(quick=True)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    address, keep = load_symbols(bytes(machine(target).emit_object(llvm.parse_assembly(text))), [SYMBOL])
    return address(SYMBOL), keep
