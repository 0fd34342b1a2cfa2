"""The text of functions that XLA calls, in LLVM's assembly.

The structures of the interface are those of `xla/ffi/api/c_api.h`, version 0.1 and later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.compilation.arguments import FIRST, HEADER
from rr_gym.compilation.xla_arguments import CHANGED, READ, WRITTEN, Cache, Count, Rows, Scratch

SYMBOL = "call_kernel"
# Offsets in bytes: in a frame (the lists of its buffers), and in a buffer
_AT = {"extension": 8, "api": 16, "arguments": 72, "results": 112}
_DATA_OF_BUFFER = 24
_MINOR = 1  # of the versions of the interface whose structures this file knows, the earliest
_ERROR_CREATE, _INTERNAL = 48, 13  # the offset of `XLA_FFI_Error_Create`, and the code of an internal error
# How many rows a buffer has whose own axes are the last ones; and numbers for an argument that is numbered
_HELPERS = """
define internal i64 @rows(ptr %buffer, i64 %own) {
start:
  %rank_at = getelementptr i8, ptr %buffer, i64 32
  %rank = load i64, ptr %rank_at
  %dims_at = getelementptr i8, ptr %buffer, i64 40
  %dims = load ptr, ptr %dims_at
  %axes = sub i64 %rank, %own
  br label %look
look:
  %axis = phi i64 [ 0, %start ], [ %next, %more ]
  %rows = phi i64 [ 1, %start ], [ %product, %more ]
  %left = icmp slt i64 %axis, %axes
  br i1 %left, label %more, label %end
more:
  %length_at = getelementptr i64, ptr %dims, i64 %axis
  %length = load i64, ptr %length_at
  %product = mul i64 %rows, %length
  %next = add i64 %axis, 1
  br label %look
end:
  ret i64 %rows
}
define internal void @number(ptr %items, i64 %count) {
start:
  br label %look
look:
  %item = phi i64 [ 0, %start ], [ %next, %more ]
  %left = icmp slt i64 %item, %count
  br i1 %left, label %more, label %end
more:
  %at = getelementptr i64, ptr %items, i64 %item
  store i64 %item, ptr %at
  %next = add i64 %item, 1
  br label %look
end:
  ret void
}
"""


class FunctionText:
    """The text of a function for XLA, in LLVM's assembly.

    Args:
        kernel: The name of the kernel, for errors.
        given: The arguments, tuples of which are flattened.
        words: The words of a call (`rr_gym.compilation.arguments`), with those of constants in their places.
        enter: The address of the machine code.

    Attributes:
        inputs: What XLA passes, in this order.
        outputs: The results, in this order.
        aliases: By the index of each input that is also a result the index of the result.
    """

    def __init__(self, kernel: str, given: Sequence[Any], words: Sequence[int], enter: int) -> None:
        self._kernel, self._given, self._words, self._enter = kernel, given, words, enter
        self.inputs = [leaf for leaf in given if isinstance(leaf, Rows) and leaf.use != WRITTEN]
        self.outputs = [leaf for leaf in given if isinstance(leaf, Rows) and leaf.use != READ]
        places = {id(one): k for k, one in enumerate(self.inputs)}
        self.aliases = {places[id(one)]: k for k, one in enumerate(self.outputs) if one.use == CHANGED}
        self._takes_turns = any(isinstance(leaf, Cache) for leaf in given)
        self._lines: list[str] = []

    def _add(self, *lines: str) -> None:
        self._lines += lines

    def text(self) -> str:
        """Return the text, which defines `SYMBOL`."""
        message = f"{self._kernel} failed in compiled code"
        self._buffers()
        words = [self._word(n, leaf) for n, leaf in enumerate(self._given)]
        self._add(f"%words = alloca [{len(self._words)} x i64]")
        for k, word in enumerate(self._words[:FIRST]):
            self._add(f"%word_at{k} = getelementptr i64, ptr %words, i64 {k}", f"store i64 {word}, ptr %word_at{k}")
        for k, made in enumerate(words, FIRST):
            self._add(f"%word_at{k} = getelementptr i64, ptr %words, i64 {k}", f"store i64 {made}, ptr %word_at{k}")
        body = "\n  ".join(self._lines)
        return f"""
@busy = internal global i32 0
@message = internal constant [{len(message) + 1} x i8] c"{message}\\00"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
{_HELPERS}
define ptr @{SYMBOL}(ptr %frame) {{
start:
  %extension_at = getelementptr i8, ptr %frame, i64 {_AT["extension"]}
  %extension = load ptr, ptr %extension_at
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %run, label %extended
extended:
  %kind_at = getelementptr i8, ptr %extension, i64 8
  %kind = load i32, ptr %kind_at
  %asks = icmp eq i32 %kind, 1
  br i1 %asks, label %describe, label %run
describe:
  %description_at = getelementptr i8, ptr %extension, i64 24
  %description = load ptr, ptr %description_at
  %major_at = getelementptr i8, ptr %description, i64 24
  store i32 0, ptr %major_at
  %minor_at = getelementptr i8, ptr %description, i64 28
  store i32 {_MINOR}, ptr %minor_at
  %traits_at = getelementptr i8, ptr %description, i64 32
  store i32 0, ptr %traits_at
  ret ptr null
run:
  {body}
  br label %wait
wait:
  {self._waiting()}
enter:
  %code = call i32 inttoptr (i64 {self._enter} to ptr)(ptr %words)
  store atomic i32 0, ptr @busy release, align 4
  %positive = icmp sgt i32 %code, 0
  %minus_one = icmp eq i32 %code, -1
  %raised = or i1 %positive, %minus_one
  br i1 %raised, label %fail, label %done
fail:
  %api_at = getelementptr i8, ptr %frame, i64 {_AT["api"]}
  %api = load ptr, ptr %api_at
  %create_at = getelementptr i8, ptr %api, i64 {_ERROR_CREATE}
  %create = load ptr, ptr %create_at
  %made = alloca [4 x i64]
  store i64 28, ptr %made
  %made1 = getelementptr i64, ptr %made, i64 1
  store i64 0, ptr %made1
  %made2 = getelementptr i64, ptr %made, i64 2
  store ptr @message, ptr %made2
  %made3 = getelementptr i64, ptr %made, i64 3
  store i64 {_INTERNAL}, ptr %made3
  %error = call ptr %create(ptr %made)
  ret ptr %error
done:
  ret ptr null
}}
"""

    def _waiting(self) -> str:
        if not self._takes_turns:
            return "br label %enter"
        return (
            "%taken = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic\n"
            "  %free = extractvalue { i32, i1 } %taken, 1\n"
            "  br i1 %free, label %enter, label %wait"
        )

    def _buffers(self) -> None:
        """Read the addresses of all buffers, and the number of rows."""
        lists = (("argument", self.inputs), ("result", self.outputs))
        for kind, buffers in lists:
            self._add(
                f"%{kind}s_at = getelementptr i8, ptr %frame, i64 {_AT[kind + 's']}",
                f"%{kind}s = load ptr, ptr %{kind}s_at",
            )
            for k in range(len(buffers)):
                self._add(
                    f"%{kind}{k}_at = getelementptr ptr, ptr %{kind}s, i64 {k}",
                    f"%{kind}{k} = load ptr, ptr %{kind}{k}_at",
                    f"%{kind}{k}_data_at = getelementptr i8, ptr %{kind}{k}, i64 {_DATA_OF_BUFFER}",
                    f"%{kind}{k}_data = load ptr, ptr %{kind}{k}_data_at",
                )
        kind, buffers = lists[0] if self.inputs else lists[1]
        self._add(f"%rows = call i64 @rows(ptr %{kind}0, i64 {len(buffers[0].xla_shape)})")
        for i, o in self.aliases.items():
            size = int(np.prod(self.inputs[i].shape)) * self.inputs[i].dtype.itemsize
            # XLA gives both the same place; a copy onto itself would not be allowed.
            self._add(
                f"%elsewhere{i} = icmp ne ptr %argument{i}_data, %result{o}_data",
                f"%all{i} = mul i64 %rows, {size}",
                f"%size{i} = select i1 %elsewhere{i}, i64 %all{i}, i64 0",
                f"call void @llvm.memcpy.p0.p0.i64(ptr %result{o}_data, ptr %argument{i}_data, i64 %size{i}, i1 false)",
            )

    def _word(self, n: int, leaf: Any) -> str:
        """Add what prepares an argument, and return its word."""
        if isinstance(leaf, Rows):
            buffers, kind = (self.inputs, "argument") if leaf.use == READ else (self.outputs, "result")
            k = next(k for k, one in enumerate(buffers) if one is leaf)
            first, rest = (leaf.shape[0], leaf.shape[1:]) if leaf.merged else (1, leaf.shape)
            word = self._array(n, f"%{kind}{k}_data", first, rest, leaf.dtype.itemsize)
            if leaf.numbered:
                self._add(f"call void @number(ptr %{kind}{k}_data, i64 %length{n})")
            return word
        if isinstance(leaf, Count):
            return "%rows"
        if isinstance(leaf, Scratch):
            return self._scratch(n, leaf.value)
        return str(int(self._words[FIRST + n]))

    def _array(self, n: int, data: str, first: int, rest: tuple[int, ...], item: int) -> str:
        """Lay out an array as NumPy does: after the header its data, axes, shape and strides."""
        self._add(f"%length{n} = mul i64 %rows, {first}")
        return self._object(n, data, [f"%length{n}", *map(str, rest)], _strides(rest, item))

    def _object(self, n: int, data: str, shape: list[str], strides: list[int]) -> str:
        header, axes = self._words[HEADER] // 8, len(shape)
        size = header + 4 + 2 * axes
        self._add(f"%object{n} = alloca [{size} x i64]", f"%address{n} = ptrtoint ptr %object{n} to i64")
        values = {header: f"ptr {data}", header + 1: f"i64 {axes}"}
        for k, start in ((2, 4), (3, 4 + axes)):
            self._add(f"%part{n}_{k} = getelementptr i64, ptr %object{n}, i64 {header + start}")
            values[header + k] = f"ptr %part{n}_{k}"
        for k, number in enumerate([*shape, *map(str, strides)]):
            values[header + 4 + k] = f"i64 {number}"
        for k, value in values.items():
            self._add(f"%field{n}_{k} = getelementptr i64, ptr %object{n}, i64 {k}")
            self._add(f"store {value}, ptr %field{n}_{k}")
        return f"%address{n}"

    def _scratch(self, n: int, value: Any) -> str:
        """Copy an array or a record onto the stack."""
        source = value.__array_interface__["data"][0]
        copied = f"ptr %copy{n}, ptr inttoptr (i64 {source} to ptr), i64 {value.nbytes}, i1 false"
        self._add(f"%copy{n} = alloca [{max(1, -(-value.nbytes // 8))} x i64], align 64")
        self._add(f"call void @llvm.memcpy.p0.p0.i64({copied})")
        return self._object(n, f"%copy{n}", [str(k) for k in value.shape], _strides(value.shape[1:], value.itemsize))


def _strides(rest: Sequence[int], item: int) -> list[int]:
    strides = [item]
    for length in reversed(rest):
        strides.insert(0, strides[0] * length)
    return strides
