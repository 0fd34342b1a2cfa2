"""Make code for GPUs of NVIDIA: PTX, the assembly that their driver or `ptxas` turns into machine code."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rr_gym.compilation.accelerators import REFERENCE
from rr_gym.compilation.launching import Launch, link_launches
from rr_gym.compilation.targets import gpu, machine

CAPABILITY = "9.0"  # that of an H100
_REGISTERS, _STACK = r"Used (\d+) registers", r"(\d+) bytes cumulative stack size"
_SPILLS = r"(\d+) bytes spill (?:stores|loads)"  # of the kernel and of each function that it calls


@dataclass(frozen=True)
class Resources:
    """What one thread of a launched kernel needs, as `ptxas` reports it.

    Attributes:
        kernel: The name of the launch.
        registers: The number of registers of 32 bits.
        stack: Bytes of local memory for arrays and calls, with those of the functions that it calls.
        spills: Bytes of registers that are stored to local memory because there are too few, and loaded again.
    """

    kernel: str
    registers: int
    stack: int
    spills: int


def make_ptx(
    form: str, launches: Sequence[Launch], capability: str = CAPABILITY, accelerators: str = REFERENCE
) -> str:
    """Return the PTX of launches for GPUs of a compute capability and later ones. No other thread may call kernels.

    Args:
        form: The form of the tables.
        launches: The kernels; the entries of the PTX have their names.
        capability: The compute capability, such as "9.0".
        accelerators: The accelerators that the code uses.

    Raises:
        RuntimeError: This build of LLVM makes no code for GPUs, or the code needs something that GPUs do not have.
        TypeError: A kernel is not one that can be launched.
        ValueError: A kernel, or a type of its arguments, does not exist.
    """
    target = gpu(capability)
    module = link_launches(form, launches, target, accelerators)
    entered = {launch.name for launch in launches}
    for item in (*module.functions, *module.global_variables):
        if not item.is_declaration and item.name not in entered:
            item.name = re.sub(r"\W", "_", item.name)  # names in PTX have no dots
    return str(machine(target).emit_assembly(module))


def assemble(ptx: str, capability: str = CAPABILITY, assembler: str = "ptxas") -> list[Resources]:
    """Assemble PTX, discard the machine code, and return what each kernel needs, in alphabetical order.

    Raises:
        OSError: The assembler cannot be run.
        RuntimeError: It reports an error, which is in the message.
    """
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "kernels.ptx")
        text.write_text(ptx, encoding="utf-8")
        architecture = f"sm_{capability.replace('.', '')}"
        command = [assembler, "-v", f"-arch={architecture}", "-o", str(text.with_suffix(".cubin")), str(text)]
        done = subprocess.run(command, capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError(f"{assembler}: {said.strip()[:500] or f'exit status {done.returncode}'}")
    return sorted(map(_resources, said.split("Compiling entry function '")[1:]), key=lambda found: found.kernel)


def _resources(said: str) -> Resources:
    """Return what a part of the assembler's report says, which begins with the name of a kernel."""
    found = [re.findall(pattern, said) for pattern in (_REGISTERS, _STACK, _SPILLS)]
    registers, stack, spills = (sum(map(int, numbers)) for numbers in found)
    return Resources(said.partition("'")[0], registers, stack, spills)
