"""Libraries of machine code: what they contain, whether they fit, and how they are loaded.

A library is the machine code of a group of entries for one form of the tables. Beside the code it describes which
entries it has, and from what it was made: digests of all its kernels, the layouts of records, and the settings of the
build. It fits as long as these are the same, whatever else has changed.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import pickle
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from rr_gym.compilation.accelerators import chain_of
from rr_gym.compilation.arguments import ERROR, RESULT, layout
from rr_gym.compilation.digests import HALF, settings
from rr_gym.compilation.kernels import Entry, FormDispatch, Kernel
from rr_gym.compilation.reads import called, values_digest
from rr_gym.compilation.records import RECORDS


@dataclass
class Contents:
    """The description of a library.

    Attributes:
        group: The group of its entries.
        form: The form of the tables.
        settings: A digest of how it was built.
        entries: For each entry, `kernel(types)`, its symbol and the type of its result.
        kernels: The digest of every kernel in it.
        records: A digest of the layout of every record in it.
        rules: The form of the rules in it.
        accelerated: For each accelerated rule in it the names of its accelerators.
    """

    group: str
    form: str
    settings: str
    entries: dict[str, tuple[str, str]] = field(default_factory=dict)
    kernels: dict[str, str] = field(default_factory=dict)
    records: dict[str, str] = field(default_factory=dict)
    rules: str = ""
    accelerated: dict[str, list[str]] = field(default_factory=dict)


class Fit:
    """A comparison of a library with the kernels of this process.

    Only the kernels that an entry reaches are compared, so that no module is imported for it. The values that they read
    are compared again for every entry, since constants may change while a process runs.

    Args:
        contents: The description of the library.
        has_text: Tells whether a kernel was imported from the text with a digest
            (`rr_gym.compilation.digests.text_digest`).
    """

    def __init__(self, contents: Contents, has_text: Callable[[Kernel, str], bool]) -> None:
        self.contents, self._has_text = contents, has_text
        self._seen: dict[Kernel, Any] = {}  # the Python code of kernels whose text was found to be the same

    def misfit(self, kernels: Iterable[Kernel]) -> str:
        """Return the first kernel or record that has changed, or "the way of building"; "" if the library fits."""
        if self.contents.settings != settings():
            return "the way of building"
        for name, made in self.contents.records.items():
            if name in RECORDS and layout_digest(name) != made:
                return name
        contents = self.contents
        todo: list[Kernel] = []
        for kernel in kernels:
            if kernel.name not in contents.kernels and kernel.name not in contents.accelerated:
                return kernel.name
            todo.append(kernel)
        seen: set[Kernel] = set()
        while todo:
            kernel = todo.pop()
            chain = chain_of(kernel, contents.rules)
            if [fast.name for fast in chain] != contents.accelerated.get(kernel.name, []) and (
                kernel.name in contents.kernels or kernel.name in contents.accelerated
            ):
                return kernel.name
            following = [*chain]
            # A kernel that is not in the library belongs to another form of the rules, or is replaced everywhere.
            if kernel.name in contents.kernels:
                if not self._is_same(kernel, contents.kernels[kernel.name]):
                    return kernel.name
                following += _kernels_called(kernel)
            todo += (more := set(following) - seen)
            seen |= more
        return ""

    def _is_same(self, kernel: Kernel, made: str) -> bool:
        if values_digest(kernel) != made[HALF:]:
            return False
        code = kernel.function.__code__
        if self._seen.get(kernel) is not code:
            if not self._has_text(kernel, made[:HALF]):
                return False
            self._seen[kernel] = code
        return True


def _kernels_called(kernel: Kernel) -> Iterator[Kernel]:
    """Yield the kernels that a kernel calls, in all forms of the rules."""
    todo: list[Any] = list(called(kernel))
    while todo:
        rule = todo.pop()
        if isinstance(rule, FormDispatch):
            todo += [rule.full, rule.base]
        elif isinstance(rule, Kernel):
            yield rule


def layout_digest(record: str) -> str:
    """Return a digest of the layout of a record, by its name."""
    dtype = RECORDS[record]
    if record not in _layouts or _layouts[record][0] is not dtype:
        _layouts[record] = dtype, hashlib.sha256(layout(dtype).encode()).hexdigest()[:16]
    return _layouts[record][1]


_layouts: dict[str, tuple[np.dtype[Any], str]] = {}


def pack(contents: Contents, code: bytes) -> bytes:
    """Return a library as the bytes of a file."""
    header = json.dumps(asdict(contents), sort_keys=True).encode()
    return len(header).to_bytes(8, "little") + header + code


def unpack(data: bytes) -> tuple[Contents, bytes]:
    """Return the contents and the machine code of a file from `pack`.

    Whether the file is undamaged is checked where it is read (`rr_gym.compilation.cache`).
    """
    size = int.from_bytes(data[:8], "little")
    return Contents(**json.loads(data[8 : 8 + size])), data[8 + size :]


class Library:
    """A library of machine code that is loaded.

    Args:
        fit: Its description, and whether it fits.
        address: Returns the address of a symbol.
        keep: An object that must live as long as the code is used.
    """

    def __init__(self, fit: Fit, address: Callable[[str], int], keep: Any) -> None:
        self.fit, self._address, self._keep = fit, address, keep

    def entry(self, name: str) -> Entry | None:
        """Return a function that calls an entry, or None if the library does not have it."""
        found = self.fit.contents.entries.get(name)
        return None if found is None else _caller(self._address(found[0]), found[1], name)


def load_object(fit: Fit, code: bytes) -> Library:
    """Load a library from an object file in memory."""
    return Library(fit, *load_symbols(code, [symbol for symbol, _ in fit.contents.entries.values()]))


def load_symbols(code: bytes, symbols: Iterable[str]) -> tuple[Callable[[str], int], Any]:
    """Load an object file into memory.

    Returns:
        A function that returns the address of a symbol, and an object that must live as long as the code is used.
    """
    import llvmlite.binding as llvm

    from rr_gym.compilation.targets import this_computer

    # This linker puts all sections into one piece of memory. Numba's linker would spread them, and in a process that
    # has mapped much memory, such as one of Ray's, they can end up too far apart for the code's relative addresses.
    jit = llvm.create_lljit_compiler(this_computer().new_machine(), use_jit_link=sys.platform != "win32")
    builder = llvm.JITLibraryBuilder().add_current_process().add_object_img(code)
    for symbol in symbols:
        builder.export_symbol(symbol)
    linked = builder.link(jit, "rules")
    return linked.__getitem__, (jit, linked)


def load_shared(fit: Fit, path: str) -> Library:
    """Load a library from a shared object."""
    shared = ctypes.CDLL(path)
    return Library(fit, lambda name: ctypes.cast(getattr(shared, name), ctypes.c_void_p).value or 0, shared)


_CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)  # releases the GIL


def _caller(address: int, result: str, name: str) -> Entry:
    enter, read = _CALL(address), _RESULTS[result]

    def call(arguments: tuple[Any, ...], words: list[int]) -> Any:
        block = array("q", words)
        code = enter(block.buffer_info()[0])
        if code > 0 or code == -1:
            raise _error(block[ERROR], name)
        return read(block)

    call.address = address  # type: ignore[attr-defined]
    return call


_RESULTS: dict[str, Callable[[Any], Any]] = {
    "none": lambda block: None,
    "int64": lambda block: block[RESULT],
    "bool": lambda block: bool(block[RESULT] & 1),
    "uint64": lambda block: block[RESULT] % (1 << 64),
    "float64": lambda block: float(np.int64(block[RESULT]).view(np.float64)),
    "UniTuple(int64 x 2)": lambda block: (block[RESULT], block[RESULT + 1]),
}


class _ErrorInfo(ctypes.Structure):
    """The record by which compiled code describes an error: the address and size of pickled data."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_int32)]


def _error(address: int, name: str) -> BaseException:
    """Return the exception that compiled code has raised, read from the given address."""
    if address:
        info = _ErrorInfo.from_address(address)
        try:
            kind, arguments, _ = pickle.loads(ctypes.string_at(info.data, info.size))
            return kind(*(arguments or (f"in {name.partition('(')[0]}",)))  # type: ignore[no-any-return]
        except Exception:  # an error whose arguments are computed when it is raised
            pass
    return RuntimeError(f"an error in compiled code of {name.partition('(')[0]}")
