"""Make the kernels of the rules for GPUs of NVIDIA, assemble them, and print a table of what they need.

    python tools/ptx.py [--forms base,options,full] [--kernels play,masks] [--capability 9.0] [--out FOLDER]

Nothing runs on a GPU. Each kernel is made by itself; seconds are those of processor time. Columns that `ptxas` of the
CUDA toolkit reports are empty where it is not installed.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
from pathlib import Path

from rr_gym.compilation.launching import lower_launches
from rr_gym.compilation.ptx import CAPABILITY, assemble, make_ptx
from rr_gym.cuda.kernels import NAMES, launches
from rr_gym.forms import FORMS

_COLUMNS = ("kernel", "form", "registers", "stack", "spills", "bytes of PTX", "seconds to make", "seconds to assemble")


def _seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _row(form: str, name: str, capability: str, accelerators: str, out: Path | None) -> list[str]:
    """Make one kernel, and return its row of the table."""
    chosen = launches(form, [name])
    lower_launches(form, chosen, accelerators)  # which is not counted
    start = _seconds()
    ptx = make_ptx(form, chosen, capability, accelerators)
    made = _seconds()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name}-{form}.ptx").write_text(ptx, encoding="utf-8")
    row = [f"`{name}`", form]
    if shutil.which("ptxas") is None:
        return [*row, "", "", "", f"{len(ptx):,}", f"{made - start:.1f}", ""]
    (found,) = assemble(ptx, capability)
    numbers = (found.registers, found.stack, found.spills)
    return [*row, *map(str, numbers), f"{len(ptx):,}", f"{made - start:.1f}", f"{_seconds() - made:.1f}"]


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forms", default=",".join(FORMS), help=f"some of {', '.join(FORMS)}")
    parser.add_argument("--kernels", default=",".join(NAMES), help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--capability", default=CAPABILITY, help="the compute capability (default: %(default)s)")
    parser.add_argument("--accelerators", default="none", help="as RR_GYM_ACCELERATORS (default: the reference rules)")
    parser.add_argument("--out", type=Path, help="a folder for the PTX")
    args = parser.parse_args()
    forms, names = args.forms.split(","), args.kernels.split(",")
    if unknown := [form for form in forms if form not in FORMS] + [name for name in names if name not in NAMES]:
        parser.error(f"{', '.join(unknown)}: expected forms of {', '.join(FORMS)} and kernels of {', '.join(NAMES)}")
    print(f"| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}")
    for form in forms:
        for name in names:
            print(f"| {' | '.join(_row(form, name, args.capability, args.accelerators, args.out))} |", flush=True)


if __name__ == "__main__":
    try:
        main()
    except (OSError, RuntimeError) as error:
        sys.exit(f"{error}")
