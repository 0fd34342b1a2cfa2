"""The targets that machine code is made for: this computer, and GPUs of NVIDIA."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from rr_gym.compilation.settings import CHECKS_BOUNDS

# What every processor of a platform from the last 15 years or so can do
_PROCESSORS = {"x86_64": "x86-64-v2", "amd64": "x86-64-v2"}
# The runs of the optimizer. The first need not do what the second does anyway; code with checks is hardly optimized.
_QUICK, _THOROUGH = ((1, 0),), ((1, 300), (3, 1000))
# For GPUs less is inlined: else a turn would be megabytes of code, which take minutes to assemble.
_COMPACT = ((1, 0), (2, 25))
_ALLOCATING, _COPYING = {"malloc", "free"}, {"memcpy", "memmove", "memset"}
# Functions of LLVM that become calls of the C library; where there is none, LLVM would end the process
_OF_C_LIBRARY = re.compile(r"llvm\.(a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p)?|powi?)\.")
GPU_TRIPLE = "nvptx64-nvidia-cuda"


@dataclass(frozen=True)
class CodeTarget:
    """A platform, and how code for it is optimized.

    Attributes:
        triple: The name that LLVM has for the platform.
        processor: The least capable processor that can run the code; "" for the least capable one of the platform.
        features: What else the code may use, as LLVM writes it.
        runs: For each run of the optimizer its level and its threshold for inlining.
        level: How much the code generator optimizes, 0 to 3.
        vectorizes: Whether the last run turns loops into vector instructions.
        has_c_library: Whether code may call functions of the C library, and not only allocate memory.
    """

    triple: str
    processor: str
    features: str = ""
    runs: tuple[tuple[int, int], ...] = _THOROUGH
    level: int = 3
    vectorizes: bool = True
    has_c_library: bool = True

    def new_machine(self) -> Any:
        """Return a target machine; loading code takes ownership of it, so each load needs a new one."""
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(
            cpu=self.processor, features=self.features, opt=self.level, reloc="pic", codemodel="default"
        )

    def provides(self, name: str) -> bool:
        """Tell whether code may call a function without a body: one of LLVM or of the platform."""
        if name.startswith("llvm."):
            return self.has_c_library or not _OF_C_LIBRARY.match(name)
        return name in _ALLOCATING or (self.has_c_library and name in _COPYING)


@cache
def machine(target: CodeTarget) -> Any:
    """Return the target machine that everything but loading shares."""
    return target.new_machine()


def this_computer(quick: bool = CHECKS_BOUNDS) -> CodeTarget:
    """Return the target for code that runs in this process; `quick` saves most of the time of optimizing."""
    processor = _PROCESSORS.get(platform.machine().lower(), "")
    runs, level = (_QUICK, 0) if quick else (_THOROUGH, 3)
    return CodeTarget(llvm.get_process_triple(), processor, runs=runs, level=level)


def gpu(capability: str) -> CodeTarget:
    """Return the target for GPUs with a compute capability such as "9.0", or a later one.

    Raises:
        RuntimeError: This build of LLVM makes no code for GPUs.
    """
    llvm.initialize_all_targets()
    try:
        llvm.Target.from_triple(GPU_TRIPLE)
    except RuntimeError:
        raise RuntimeError(
            f"llvmlite {llvmlite.__version__} makes no code for GPUs: expected a build of it with the target nvptx64"
        ) from None
    processor = f"sm_{capability.replace('.', '')}"
    # There is no C library on a GPU, but memory can be allocated. LLVM turns copying and filling into loops.
    return CodeTarget(GPU_TRIPLE, processor, "+ptx80", _COMPACT, vectorizes=False, has_c_library=False)
