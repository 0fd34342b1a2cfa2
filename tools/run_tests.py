"""Run all parts of the tests: small parts in parallel while the rules are compiled, then the suite.

`python tools/run_tests.py` prints how long each part took, and ends with pytest's summary line. The output of a part is
shown only if it fails. With `--lint`, ruff and mypy are parts too; `--long` runs only the long tests. `--install
COMMAND` installs what tests need. All parts wait for it except compiling, which needs only the package.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
SCENARIOS = "tests/scenario_files/test_scenarios.py::test_scenarios"
GOLDEN = "tests/rules/test_trajectories.py::test_games_are_played_as_stored"
CHECKED = {"NUMBA_BOUNDSCHECK": "1"}
INTERPRETED = {"NUMBA_DISABLE_JIT": "1"}
REFERENCE = {"RR_GYM_REFERENCE": "1"}
COMPILE = (sys.executable, "-m", "rr_gym", "warmup")


@dataclass(frozen=True)
class Part:
    """A named command with its own environment variables."""

    name: str
    command: Sequence[str]
    variables: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """The result of a finished part; times are in seconds."""

    part: Part
    status: int
    seconds: float
    processor: float
    output: str

    def __str__(self) -> str:
        verdict = "" if not self.status else f", failed with status {self.status}"
        return f"{self.part.name}: {self.seconds:.0f} s ({self.processor:.0f} s of processor time){verdict}"


def small_parts(lint: bool) -> list[Part]:
    """Return the parts that run on one processor each, in the order in which they start.

    The first part compiles the form of the rules that takes longest; most of its intermediate code is reused for the
    other forms. It needs only the package, so other packages are installed at the same time. The last part may still
    run when the suite starts, because the suite does not use its machine code.
    """
    found = [
        Part("compile elements", (*COMPILE, "--form", "full")),
        Part("rules interpreted", (*PYTEST, SCENARIOS, "--one-in", "3"), INTERPRETED),
        Part("compile option cards", (*COMPILE, "--form", "options")),
        Part("compile base game", (*COMPILE, "--base")),
        Part("the reference with bounds checks", (*PYTEST, SCENARIOS, GOLDEN, "--one-form"), CHECKED | REFERENCE),
    ]
    if lint:
        found.insert(1, Part("types", (sys.executable, "tools/check_types.py")))
        found.insert(3, Part("style", (sys.executable, "-m", "ruff", "check")))
    return found


def run(part: Part, shown: bool = False) -> Done:
    """Run a part. Its output is captured or, with `shown`, printed at once."""
    start = time.monotonic()
    environment = {**os.environ, **part.variables}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
        out = None if shown else file
        process = subprocess.Popen(
            part.command, cwd=ROOT, env=environment, stdout=out, stderr=None if shown else file
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        file.seek(0)
        processor = usage.ru_utime + usage.ru_stime
        return Done(part, process.returncode, time.monotonic() - start, processor, file.read())


def run_quietly(part: Part) -> Done:
    """Run a part, and print how long it took; print its output only if it failed."""
    end = run(part)
    print(f"{end.output}\n{end}" if end.status else end, flush=True)
    return end


def run_all(small: Sequence[Part], install: Part | None, last: Part, jobs: int) -> list[Done]:
    """Run the small parts and the installation in parallel, then the last part on all processors.

    The first small part and the installation start at once; the other small parts wait for the installation. The last
    part starts when at most the last of the small parts is still running, and not at all if any part has failed.
    """
    start = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        parts = [pool.submit(run_quietly, part) for part in (small[0], install) if part is not None]
        if install is None or not parts[1].result().status:
            parts += [pool.submit(run_quietly, part) for part in small[1:]]
        done = [part.result() for part in parts[:-1]]
        if any(end.status for end in done) or (parts[-1].done() and parts[-1].result().status):
            return [part.result() for part in parts]
        seconds, processor = time.monotonic() - start, sum(end.processor for end in done)
        print(f"so far {seconds:.0f} s ({processor:.0f} s of processor time); now: {last.name}", flush=True)
        suite = run(last, shown=True)
    done = [part.result() for part in parts]
    for end in done:
        if end.status:  # print it again, since it was printed amid the output of the suite
            print(end, flush=True)
    return [*done, suite]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the requested parts; return the exit status of the first part that failed, or 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes side by side")
    parser.add_argument("--install", metavar="COMMAND", help="what installs all that tests need")
    parser.add_argument("--lint", action="store_true", help="ruff and mypy too")
    parser.add_argument("--long", action="store_true", help="only the long tests")
    given = parser.parse_args(arguments)
    suite = (*PYTEST, "-n", str(given.jobs), "--dist", "worksteal")
    if given.long:
        warmup = Part("compile everything", (*COMPILE, "--workers", str(min(given.jobs, 3))))
        checked = Part("all forms of the rules with bounds checks", (*PYTEST, SCENARIOS), CHECKED)
        interpreted = Part("all scenarios interpreted", (*PYTEST, SCENARIOS), INTERPRETED)
        small, last = [warmup, interpreted, checked], Part("long tests", (*suite, "-m", "long"))
    else:
        small, last = small_parts(given.lint), Part("suite", suite)
    install = Part("install", shlex.split(given.install)) if given.install else None
    return next((end.status for end in run_all(small, install, last, given.jobs) if end.status), 0)


if __name__ == "__main__":
    sys.exit(main())
