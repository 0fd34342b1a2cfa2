"""Launch kernels over the rows of a batch, one thread for each row: on a GPU, or one after another on this computer.

A thread calls a kernel for one row. It either sees only its own row of some arrays, or gets its number and the next one
as the range `first` to `last`. On both kinds of machine the code of a thread is the same text, and so is the loop over
the threads; only where the loop begins and how far it steps differs. So the code for GPUs is tested where there is
none, except for what LLVM's code generator and the assembler make of it.

Launched code takes words of 64 bits: the address of the status words, the number of threads, and then for each argument
an address, an address and the lengths of its axes (arrays, which are contiguous), or a number. The status word of a
thread is an int32 that stays as it is, unless the kernel raises an exception for this row: then it is the code of the
exception, which is not 0.

Kernels are linked as references, without accelerators, if nothing else is asked for.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numba import types

from rr_gym.compilation.accelerators import REFERENCE, using
from rr_gym.compilation.building import words_of
from rr_gym.compilation.cache import building
from rr_gym.compilation.files import directory
from rr_gym.compilation.linking import link
from rr_gym.compilation.lowering import Unit
from rr_gym.compilation.targets import GPU_TRIPLE, CodeTarget, machine, this_computer


@dataclass(frozen=True)
class Launch:
    """A kernel that is called for each row of a batch.

    Attributes:
        name: The name by which it is launched.
        entry: The kernel with the types of its arguments, as in `rr_gym.compilation.groups`.
        rows: The parameters with a row for each thread, which sees no other row of them. Empty for a kernel with
            parameters `first` and `last`, which a launch does not pass.
    """

    name: str
    entry: str
    rows: tuple[str, ...] = ()


_RANGE = ("first", "last")
# Where the loop over threads begins, and how far it steps. Each processor of a GPU begins at another thread.
_HERE = """
  %begin = add i64 0, 0
  %step = add i64 0, 1"""
_ON_GPU = """
  %place32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block32 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size32 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %blocks32 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %place = zext i32 %place32 to i64
  %block = zext i32 %block32 to i64
  %size = zext i32 %size32 to i64
  %blocks = zext i32 %blocks32 to i64
  %before = mul i64 %block, %size
  %begin = add i64 %before, %place
  %step = mul i64 %blocks, %size"""


class _Launched:
    """The code of a launch, which enters one unit.

    Args:
        launch: The kernel, and which of its arguments have rows.
        unit: The unit of the kernel.
        on_gpu: Whether the code is for a GPU.
    """

    def __init__(self, launch: Launch, unit: Unit, on_gpu: bool) -> None:
        self.symbol, self._unit, self._on_gpu = launch.name, unit.symbol, on_gpu
        self._taken: list[str] = []  # the parameters of the launch after the first two
        self._lines = ["%result = alloca [4 x i64]", "%error = alloca ptr"]
        self._given = ["ptr %result", "ptr %error"]  # the arguments of the unit
        lacking = sorted({*(launch.rows or _RANGE)} - {*unit.kernel.parameters})
        if lacking:
            raise TypeError(f"{launch.entry}: expected parameters {', '.join(lacking)}, which tell threads apart")
        for name, kind in zip(unit.kernel.parameters, unit.kinds, strict=True):
            if not launch.rows and name in _RANGE:
                self._given.append("i64 %thread" if name == "first" else "i64 %after")
                continue
            if name in launch.rows and not isinstance(kind, types.Array | types.BaseTuple):
                raise TypeError(f"{launch.entry}: {name}: expected an array with a row for each thread, not {kind}")
            for layout in words_of(kind):
                self._take(f"{len(self._given)}", layout, name in launch.rows)

    def _take(self, n: str, layout: tuple[Any, ...], by_rows: bool) -> None:
        """Take one argument of the launch, and give the unit what it stands for."""
        kind, *more = layout
        if kind == "array":
            axes, item = more
            self._take_array(n, axes, item, by_rows)
        elif kind == "record":
            self._taken.append(f"ptr %word{n}")
            self._given.append(f"ptr %word{n}")
        else:
            self._taken.append(f"i64 %word{n}")
            convert = {"i8": "trunc i64", "double": "bitcast i64", "i64": "add i64 0,"}[kind]
            self._lines.append(f"%value{n} = {convert} %word{n}" + ("" if kind == "i64" else f" to {kind}"))
            self._given.append(f"{kind} %value{n}")

    def _take_array(self, n: str, axes: int, item: int, by_rows: bool) -> None:
        self._taken += [f"ptr %word{n}", *(f"i64 %length{n}_{axis}" for axis in range(axes))]
        lengths, strides, stride = [f"%length{n}_{axis}" for axis in range(axes)], [str(item)], str(item)
        for axis in range(axes - 1, 0, -1):
            self._lines.append(f"%stride{n}_{axis} = mul i64 {stride}, %length{n}_{axis}")
            stride = f"%stride{n}_{axis}"
            strides.insert(0, stride)
        data = f"%word{n}"
        if by_rows:
            self._lines.append(f"%offset{n} = mul i64 %thread, {strides[0]}")
            self._lines.append(f"%data{n} = getelementptr i8, ptr %word{n}, i64 %offset{n}")
            data, lengths[0] = f"%data{n}", "1"
        self._lines.append(f"%items{n}_0 = add i64 0, {lengths[0]}")
        for axis in range(1, axes):
            self._lines.append(f"%items{n}_{axis} = mul i64 %items{n}_{axis - 1}, {lengths[axis]}")
        sizes = [f"i64 {size}" for size in (*lengths, *strides)]
        self._given += ["ptr null", "ptr null", f"i64 %items{n}_{axes - 1}", f"i64 {item}", f"ptr {data}", *sizes]

    def declarations(self) -> list[str]:
        """Return the declarations of the unit, and of what tells a thread its place, in LLVM's assembly."""
        unit = f'declare i32 @"{self._unit}"({", ".join(kind.split()[0] for kind in self._given)})\n'
        return [unit, *(f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()\n" for name in _PLACES if self._on_gpu)]

    def text(self) -> str:
        """Return the code of a thread, and the loop over threads, in LLVM's assembly."""
        thread, body = f"{self.symbol} thread", "\n  ".join(self._lines)
        return f"""
define internal i32 @"{thread}"({", ".join(["i64 %thread", *self._taken])}) alwaysinline {{
  {body}
  %after = add i64 %thread, 1
  %code = call i32 @"{self._unit}"({", ".join(self._given)})
  ret i32 %code
}}
define {"ptx_kernel" if self._on_gpu else ""} void @"{self.symbol}"({", ".join([*_FIRST_WORDS, *self._taken])}) {{
start:{_ON_GPU if self._on_gpu else _HERE}
  br label %look
look:
  %thread = phi i64 [ %begin, %start ], [ %next, %done ]
  %more = icmp slt i64 %thread, %threads
  br i1 %more, label %run, label %end
run:
  %code = call i32 @"{thread}"({", ".join(["i64 %thread", *self._taken])})
  %positive = icmp sgt i32 %code, 0
  %minus_one = icmp eq i32 %code, -1
  %raised = or i1 %positive, %minus_one
  br i1 %raised, label %note, label %done
note:
  %status_at = getelementptr i32, ptr %status, i64 %thread
  store i32 %code, ptr %status_at
  br label %done
done:
  %next = add i64 %thread, %step
  br label %look
end:
  ret void
}}
"""


_PLACES = ("tid", "ctaid", "ntid", "nctaid")
_FIRST_WORDS = ("ptr %status", "i64 %threads")


def link_launches(form: str, launches: Sequence[Launch], target: CodeTarget, accelerators: str = REFERENCE) -> Any:
    """Return launches as one optimized module of LLVM. No other thread may call kernels meanwhile.

    Args:
        form: The form of the tables.
        launches: The kernels; the symbols of the module are their names.
        target: What the code is for.
        accelerators: The accelerators that it uses, as `rr_gym.compilation.accelerators.using` takes them.

    Raises:
        RuntimeError: The code needs something that the target does not have.
        TypeError: A kernel is not one that can be launched.
        ValueError: A kernel, or a type of its arguments, does not exist.
    """
    names = [launch.entry for launch in launches]
    with using(accelerators), building(directory(), f"launches-{form}", form, names) as build:
        entered = []
        for launch in launches:
            unit = build.wanted.get(launch.entry)
            if unit is None:
                raise ValueError(f"{launch.entry}: there is no such kernel, or no such type: expected kernel(types)")
            entered.append(_Launched(launch, unit, target.triple == GPU_TRIPLE))
        return link(build.code(), entered, build.choices, target)


def lower_launches(form: str, launches: Sequence[Launch], accelerators: str = REFERENCE) -> None:
    """Lower what launches need and the cache does not have yet, which linking them would do first."""
    names = [launch.entry for launch in launches]
    with using(accelerators), building(directory(), f"launches-{form}", form, names):
        pass


def code_for_this_computer(form: str, launches: Sequence[Launch]) -> bytes:
    """Return an object file with launches that run here, hardly optimized, since that is made in less time."""
    target = this_computer(quick=True)
    return bytes(machine(target).emit_object(link_launches(form, launches, target)))


def run(address: int, words: Sequence[int]) -> None:
    """Run launched code of this computer, given its address and all its words."""
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(words))(address)(*words)
