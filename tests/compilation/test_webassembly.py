"""Tests of WebAssembly: exports, and the memory that a module starts with."""

import shutil
import subprocess
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from rr_gym.compilation.arguments import DATA_AT, FIRST, SHAPE_AT, STRIDES_AT
from rr_gym.compilation.memory_image import MemoryImage
from rr_gym.compilation.webassembly import emit

# Numbers in memory, and a pointer that is kept on the stack between two fields of a type
MODULE = """
target triple = "x86_64-unknown-linux-gnu"
@constants = internal constant [3 x i64] [i64 5, i64 7, i64 11]
define i32 @inner(i64 %n) {
  %kept = alloca { ptr, i64 }, align 8
  %at = getelementptr i8, ptr %kept, i64 8
  %one = getelementptr [3 x i64], ptr @constants, i64 0, i64 %n
  store i64 1, ptr %at
  store ptr %one, ptr %kept
  %found = load volatile ptr, ptr %kept
  %value = load i64, ptr %found
  %rest = load volatile i64, ptr %at
  %sum = add i64 %value, %rest
  %short = trunc i64 %sum to i32
  ret i32 %short
}
"""
SCRIPT = """
const compiled = new WebAssembly.Module(require("fs").readFileSync(process.argv[2]));
const env = {
  __linear_memory: new WebAssembly.Memory({ initial: 2 }),
  __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, 65536),
  __indirect_function_table: new WebAssembly.Table({ initial: 1, element: "anyfunc" }),
};
const { constant } = new WebAssembly.Instance(compiled, { env }).exports;
console.log([0n, 1n, 2n].map(constant).join());
"""


def test_a_module_runs_with_short_pointers(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("WebAssembly needs Node.js here: no command node")
    made = emit(llvm.parse_assembly(MODULE), {"constant": "inner"})
    (tmp_path / "made.wasm").write_bytes(made.code)
    (tmp_path / "run.js").write_text(SCRIPT, "utf-8")
    command = ["node", str(tmp_path / "run.js"), str(tmp_path / "made.wasm")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "6,8,12\n"
    assert made.data_end == 24


def test_unknown_functions_and_offsets_in_pointers_are_refused() -> None:
    with pytest.raises(ValueError, match="outer: expected a function"):
        emit(llvm.parse_assembly(MODULE), {"constant": "outer"})
    offset = "getelementptr { ptr, i64 }, ptr %kept, i64 0, i32 1"
    with pytest.raises(ValueError, match="expected offsets in bytes"):
        emit(llvm.parse_assembly(MODULE.replace("getelementptr i8, ptr %kept, i64 8", offset)), {})


def word(image: MemoryImage, address: int) -> int:
    return int(np.frombuffer(image.to_bytes(), np.int64)[(address - image.start) // 8])


def test_arguments_lie_in_memory_as_entries_read_them() -> None:
    image = MemoryImage(100)
    numbers = np.arange(12, dtype=np.int64).reshape(3, 4)
    records = np.array([(1, 2), (3, 4)], [("a", "i8"), ("b", "i8")])
    words = image.add_call((numbers, (records[1], 2.5), np.uint64(2**64 - 1), numbers[1:]))
    array, record, number, largest, rest = (word(image, words + 8 * (FIRST + k)) for k in range(5))
    data = word(image, array + DATA_AT["array"])
    assert data == image.address(numbers)
    assert [word(image, word(image, array + SHAPE_AT) + 8 * k) for k in range(2)] == [3, 4]
    assert [word(image, word(image, array + STRIDES_AT) + 8 * k) for k in range(2)] == [32, 8]
    assert word(image, word(image, record + DATA_AT["record"])) == 3
    assert np.int64(number).view(np.float64) == 2.5
    assert largest == -1
    assert word(image, rest + DATA_AT["array"]) == data + 32  # a part of the same array
    assert image.start % 64 == 0
    assert image.end == image.start + len(image.to_bytes())


def test_what_is_no_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="not str"):
        MemoryImage(0).add_call(("text",))
