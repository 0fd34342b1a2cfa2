"""Run all parts of the tests: small ones side by side while rules are compiled, then the suite on all processors.

`python tools/run_tests.py` prints what each part took and ends with pytest's closing line. What a part prints is shown
when it fails. With `--lint` ruff and mypy are parts too; `--long` runs what takes too long for every change instead.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
SCENARIOS = "tests/scenario_files/test_scenarios.py::test_scenario"
CHECKED = {"NUMBA_BOUNDSCHECK": "1"}
# Tests start hundreds of processes, which would compile all sources again and again.
KEEP_BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}


@dataclass(frozen=True)
class Part:
    """A command of Python with a name, and environment variables of its own."""

    name: str
    command: Sequence[str]
    variables: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """How a part ended."""

    part: Part
    status: int
    seconds: float
    processor: float
    output: str

    def __str__(self) -> str:
        verdict = "" if not self.status else f", failed with status {self.status}"
        return f"{self.part.name}: {self.seconds:.0f} s ({self.processor:.0f} s of processor time){verdict}"


def small_parts(lint: bool) -> list[Part]:
    """What runs on one processor each, the longest first: with elements nearly all that the others need is lowered."""
    found = [
        Part("compile elements", ("-m", "rr_gym", "warmup", "--form", "full")),
        Part("rules interpreted", (*PYTEST, SCENARIOS), {"NUMBA_DISABLE_JIT": "1"}),
        Part("rules with bounds checks", (*PYTEST, SCENARIOS, "--one-form"), CHECKED),
        Part("compile option cards", ("-m", "rr_gym", "warmup", "--form", "options")),
        Part("compile base game", ("-m", "rr_gym", "warmup", "--base")),
    ]
    if lint:
        found.insert(1, Part("types", ("tools/check_types.py",)))
        found.insert(3, Part("style", ("-m", "ruff", "check")))
    return found


def run(part: Part, shown: bool = False) -> Done:
    """Run a part to its end; its output is kept, or shown at once."""
    start = time.monotonic()
    environment = {**os.environ, **KEEP_BYTECODE, **part.variables}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
        out = None if shown else file
        process = subprocess.Popen(
            [sys.executable, *part.command], cwd=ROOT, env=environment, stdout=out, stderr=None if shown else file
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        file.seek(0)
        processor = usage.ru_utime + usage.ru_stime
        return Done(part, process.returncode, time.monotonic() - start, processor, file.read())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; the exit status is that of the first part that failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--lint", action="store_true", help="ruff and mypy too")
    parser.add_argument("--long", action="store_true", help="only the long tests")
    given = parser.parse_args(arguments)
    suite = (*PYTEST, "-n", str(given.jobs), "--dist", "worksteal")
    if given.long:
        warmup = Part("compile everything", ("-m", "rr_gym", "warmup", "--workers", str(min(given.jobs, 3))))
        checked = Part("all forms of the rules with bounds checks", (*PYTEST, SCENARIOS), CHECKED)
        small, last = [warmup, checked], Part("long tests", (*suite, "-m", "long"))
    else:
        small, last = small_parts(given.lint), Part("suite", suite)
    start = time.monotonic()
    done = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for end in pool.map(run, small):
            done.append(end)
            print(end if not end.status else f"{end.output}\n{end}", flush=True)
    if not any(end.status for end in done):
        # Its closing line is the last one, and says how long it took.
        seconds, processor = time.monotonic() - start, sum(end.processor for end in done)
        print(f"so far {seconds:.0f} s ({processor:.0f} s of processor time); now: {last.name}", flush=True)
        done.append(run(last, shown=True))
    return next((end.status for end in done if end.status), 0)


if __name__ == "__main__":
    sys.exit(main())
