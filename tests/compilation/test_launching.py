"""Launches: what a thread sees of the arguments, errors of single threads, and the code for GPUs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from rr_gym.compilation.kernels import COMPILED, kernel
from rr_gym.compilation.launching import Launch, code_for_this_computer, run
from rr_gym.compilation.libraries import load_symbols
from rr_gym.compilation.ptx import assemble, make_ptx

pytestmark = pytest.mark.skipif(not COMPILED, reason="compilation is switched off")

Array = np.ndarray[Any, Any]


class Pair(NamedTuple):
    """Two arrays, which kernels take as one argument."""

    left: Array
    right: Array


@kernel
def add_range(numbers: Array, out: Array, first: int, last: int) -> None:
    """Write the sums of rows of numbers, which must not be negative."""
    for k in range(first, last):
        total = 0
        for column in range(numbers.shape[1]):
            total += int(numbers[k, column])
        if total < 0:
            raise ValueError("a negative sum")
        out[k] = total


@kernel
def mixed(rows: Array, shared: Array, pair: Pair, double: bool, factor: float, word: np.uint64, out: Array) -> None:
    """Write a number that depends on every argument, for each row that is there."""
    for k in range(rows.shape[0]):
        number = rows.size * 1000 + rows[k, 0, 1] * shared[rows.shape[0]] + pair.left[k] * 10 + pair.right[k, 1]
        out[k] = (2 if double else 1) * number * factor + (word >> np.uint64(63))


@kernel
def logarithms(out: Array, first: int, last: int) -> None:
    """Write logarithms, for which a GPU has no library."""
    for k in range(first, last):
        out[k] = np.log10(k + 1)


ADD = Launch("add", f"{__name__}.add_range(<i2[2C], <i8[1C], int64, int64)")
MIXED = Launch(
    "mixed",
    f"{__name__}.mixed(<i4[3C], <i8[1C], {__name__}.Pair(|i1[1C], <i2[2C]), bool, float64, uint64, <f8[1C])",
    ("rows", "pair", "out"),
)


class Launcher:
    """Launches that run on this computer, one thread after another."""

    def __init__(self, launches: Sequence[Launch]) -> None:
        code = code_for_this_computer("base", launches)
        self._address, self._keep = load_symbols(code, [launch.name for launch in launches])

    def __call__(self, name: str, status: Array, *arguments: Any) -> None:
        """Run one thread for each status word, with arguments that have exactly the types of the launch."""
        run(self._address(name), [*words([status]), *words(arguments)])


def words(arguments: Iterable[Any]) -> Iterator[int]:
    """Yield the words of the arguments of a launch."""
    for value in arguments:
        if isinstance(value, tuple):
            yield from words(value)
        elif isinstance(value, np.ndarray):
            yield value.ctypes.data
            yield from value.shape
        elif isinstance(value, float | np.floating):
            yield int(np.float64(value).view(np.int64))
        else:
            yield int(value)


@pytest.fixture(scope="module")
def launcher() -> Launcher:
    return Launcher([ADD, MIXED])


def test_an_error_stays_in_the_status_word_of_its_thread(launcher: Launcher) -> None:
    numbers = np.arange(15, dtype=np.int16).reshape(5, 3)
    numbers[3, 0] = -100
    out, status = np.full(5, 77), np.zeros(5, np.int32)
    launcher("add", status, numbers, out)
    assert out.tolist() == [3, 12, 21, 77, 39]
    assert (status != 0).tolist() == [False, False, False, True, False]
    numbers[3, 0] = 9
    launcher("add", status[:4], numbers, out)
    assert out.tolist() == [3, 12, 21, 30, 39]
    assert status[3] != 0


def test_a_thread_sees_only_its_own_rows(launcher: Launcher) -> None:
    rows = np.arange(24, dtype=np.int32).reshape(4, 3, 2)
    pair = Pair(np.arange(4, dtype=np.int8), np.arange(8, dtype=np.int16).reshape(4, 2))
    out = np.zeros(4)
    shared = np.array([5, 100, 7])
    launcher("mixed", np.zeros(4, np.int32), rows, shared, pair, True, 0.5, np.uint64(1 << 63), out)
    assert out.tolist() == [6000 + 100 * (6 * k + 1) + 10 * k + 2 * k + 1 + 1 for k in range(4)]


def test_what_cannot_be_launched_is_refused() -> None:
    with pytest.raises(ValueError, match=r"test_launching\.missing\(int64\): there is no such kernel"):
        Launcher([Launch("missing", f"{__name__}.missing(int64)")])
    with pytest.raises(TypeError, match=r"word: expected an array with a row for each thread, not uint64"):
        Launcher([Launch("mixed", MIXED.entry, ("word",))])
    for rows, lacking in ((), "first, last"), (("row", "out"), "row"):
        with pytest.raises(TypeError, match=rf"mixed\(.*\): expected parameters {lacking}, which tell threads apart"):
            Launcher([Launch("mixed", MIXED.entry, rows)])


def ptx(capability: str) -> str:
    try:
        return make_ptx("base", [ADD, MIXED], capability)
    except RuntimeError as error:
        if "makes no code for GPUs" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize("capability", ["8.0", "9.0"])
def test_code_for_gpus_has_an_entry_for_each_launch(capability: str) -> None:
    text = ptx(capability)
    assert re.findall(r"\.entry (\w+)\(", text) == ["add", "mixed"]
    assert f".target sm_{capability.replace('.', '')}" in text
    assert ".extern" not in text
    if shutil.which("ptxas") is None:
        pytest.skip("ptxas is not installed: the code is not assembled")
    assert [(found.kernel, found.spills) for found in assemble(text, capability)] == [("add", 0), ("mixed", 0)]


def test_code_that_needs_the_c_library_is_refused_for_gpus() -> None:
    ptx("9.0")
    with pytest.raises(RuntimeError, match=r"compiled code needs (llvm\.)?log10\S*, which no library provides"):
        make_ptx("base", [Launch("logarithms", f"{__name__}.logarithms(<f8[1C], int64, int64)")])


def test_the_assemblers_errors_are_passed_on(tmp_path: Any) -> None:
    with pytest.raises(OSError, match="no_assembler"):
        assemble("", assembler=str(tmp_path / "no_assembler"))
    fails = tmp_path / "fails"
    fails.write_text("#!/bin/sh\necho line 1: no such instruction >&2; exit 2\n")
    fails.chmod(0o755)
    with pytest.raises(RuntimeError, match="fails: line 1: no such instruction"):
        assemble("", assembler=str(fails))
