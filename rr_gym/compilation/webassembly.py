"""Turn a linked module of LLVM into a module of WebAssembly, which browsers and Node.js run.

The module of LLVM was optimized for a machine with pointers of 64 bits, and its offsets into arrays and records are
constants by then. `wasm32` has pointers of 32 bits. Nothing has to be laid out again, though: a pointer in memory keeps
its eight bytes, of which four are used, as long as no type in the text contains pointers. Only variables on the stack
had such types.

No linker is needed either: what LLVM emits for one module is a module of WebAssembly already, whose addresses begin at
0. It only lacks exports, which are added here. Whoever runs it provides the imports of `env`: memory, table, stack
pointer, `malloc`, `free`, `__multi3` (the product of two numbers of 128 bits) and `log10`, which only messages of
errors use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from rr_gym.compilation.cache import building
from rr_gym.compilation.digests import settings
from rr_gym.compilation.files import directory

TRIPLE = "wasm32-unknown-unknown"
# What every browser since 2023 can do
FEATURES = "+bulk-memory,+bulk-memory-opt,+sign-ext,+mutable-globals,+nontrapping-fptoint,+simd128"
# Numbers of sections in a module, and of parts of the section `linking`
_CUSTOM, _EXPORTS, _DATA, _SYMBOLS = 0, 7, 11, 8
_IS_FUNCTION, _IS_UNDEFINED, _IS_NAMED = 0, 0x10, 0x40
_ON_STACK = re.compile(r"(= alloca )([^\n]*)")
_TYPED_ACCESS = re.compile(r"^.* getelementptr (?:\w+ )*[{\[][^@%\n]*\bptr\b[^@%\n]*[}\]], .*$", re.MULTILINE)


@dataclass(frozen=True)
class WebAssembly:
    """A module of WebAssembly.

    Attributes:
        code: The module.
        data_end: The address after its constants, which begin at 0.
    """

    code: bytes
    data_end: int


def make(form: str, entries: Mapping[str, str]) -> WebAssembly:
    """Compile kernels to WebAssembly. Functions that are in the cache are not lowered again.

    Args:
        form: The form of the tables.
        entries: The entries, `kernel(types)`, by the names under which they are exported. An exported function takes
            the address of a block of words (`rr_gym.compilation.arguments`) and returns 0, or else a code of an error.

    Raises:
        ValueError: There is no such kernel or type.
        Untested: This version of Numba or llvmlite is not known.
    """
    with building(directory(), "", form, [*entries.values()]) as build:
        contents, module = build.linked("webassembly", settings())
    if unknown := sorted(set(entries.values()) - contents.entries.keys()):
        raise ValueError(f"{', '.join(unknown)}: expected entries, kernel(types)")
    return emit(module, {export: contents.entries[name][0] for export, name in entries.items()})


def emit(module: Any, exports: Mapping[str, str]) -> WebAssembly:
    """Return a linked and optimized module as WebAssembly.

    Args:
        module: The module of LLVM, for a machine with pointers of 64 bits.
        exports: The symbols of functions by the names under which they are exported.

    Raises:
        ValueError: The module addresses a part of a type that contains pointers, which would have another size here.
    """
    text = _ON_STACK.sub(lambda found: found[1] + re.sub(r"\bptr\b", "i64", found[2]), str(module))
    if unfit := _TYPED_ACCESS.search(text):
        raise ValueError(f"{unfit[0].strip()[:200]}: expected offsets in bytes, since pointers are shorter here")
    target = _machine()
    for name, value in (("datalayout", target.target_data), ("triple", TRIPLE)):
        text = re.sub(rf'^target {name} = ".*"$', f'target {name} = "{value}"', text, flags=re.MULTILINE)
    return with_exports(bytes(target.emit_object(llvm.parse_assembly(text))), exports)


@cache
def _machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu="generic", features=FEATURES, opt=3, reloc="static")


def with_exports(code: bytes, exports: Mapping[str, str]) -> WebAssembly:
    """Return an object file of WebAssembly as a module that exports some of its functions.

    Args:
        code: The object file.
        exports: The symbols of functions by the names under which they are exported.

    Raises:
        ValueError: There is no such function.
    """
    sections = list(_sections(code))
    linking = next(_Reader(body, 8) for kind, body in sections if kind == _CUSTOM and body.startswith(b"\x07linking"))
    functions = dict(_functions(linking))
    if missing := sorted(set(exports.values()) - functions.keys()):
        raise ValueError(f"{', '.join(missing)}: expected a function of the module")
    listed = b"".join(_text(name) + b"\0" + _number(functions[symbol]) for name, symbol in sorted(exports.items()))
    own = [(kind, body) for kind, body in sections if kind != _CUSTOM]
    at = next(n for n, (kind, _) in enumerate(own) if kind > _EXPORTS)
    own.insert(at, (_EXPORTS, _number(len(exports)) + listed))
    parts = [code[:8], *(bytes([kind]) + _number(len(body)) + body for kind, body in own)]
    return WebAssembly(b"".join(parts), max([0, *_data_ends(own)]))


class _Reader:
    """Reads numbers and texts in the encoding of WebAssembly.

    Args:
        data: What is read.
        at: Where reading begins.
    """

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        """Read a byte."""
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """Read an unsigned number: seven bits in each byte, the lowest first."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def block(self) -> bytes:
        """Read bytes that are preceded by their number."""
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at]


def _number(value: int) -> bytes:
    """Write an unsigned number as `_Reader.number` reads it."""
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _text(text: str) -> bytes:
    return _number(len(text.encode())) + text.encode()


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the sections of a module, each with its number."""
    reader = _Reader(code, 8)
    while reader.at < len(code):
        yield reader.byte(), reader.block()


def _functions(linking: _Reader) -> Iterator[tuple[str, int]]:
    """Yield the names of functions that are defined, with their numbers, from the section `linking`."""
    linking.number()  # its version
    while linking.at < len(linking.data):
        kind, part = linking.byte(), _Reader(linking.block())
        for _ in range(part.number() if kind == _SYMBOLS else 0):
            symbol, flags = part.byte(), part.number()
            named = flags & _IS_NAMED or not flags & _IS_UNDEFINED
            if symbol == 1:  # data: a name, and where it lies if it is defined
                part.block()
                for _ in range(0 if flags & _IS_UNDEFINED else 3):
                    part.number()
            elif symbol == 3:  # a section
                part.number()
            else:
                number = part.number()
                name = part.block().decode() if named else ""
                if symbol == _IS_FUNCTION and not flags & _IS_UNDEFINED:
                    yield name, number


def _data_ends(sections: list[tuple[int, bytes]]) -> Iterator[int]:
    """Yield the address after each piece of the module's constants."""
    for kind, body in sections:
        if kind == _DATA:
            reader = _Reader(body)
            for _ in range(reader.number()):
                reader.number()  # a piece with an address in memory 0 ...
                reader.byte()  # ... which is a constant of 32 bits ...
                start = reader.number()
                reader.byte()  # ... and ends
                yield start + len(reader.block())
