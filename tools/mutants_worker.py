"""The worker process in which `mutants.py` runs scenarios, with and without a mutant.

It reads jobs as JSON lines from stdin and writes their results as JSON lines to stdout. Scenarios are given by their
index in the list of all scenarios.

* ``{"scenarios": [...]}``: run them with the rules as they are, and return which lines of the rules each executes.
* ``{"scenarios": [...], "mutant": {...}}``: run them with the mutant, in a fork, until one fails.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from mutations import Mutant, apply

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # import the rules of this checkout, even if another version is installed

RULES = ROOT / "rr_gym" / "rules"
FAST = RULES / "fast"  # accelerators are not used by interpreted rules
SCENARIOS = ROOT / "tests" / "scenarios"
SCENARIO_SECONDS = 3.0  # processor time after which a scenario counts as hanging; normally it takes milliseconds

Failure = tuple[str, str]  # a scenario and why it fails; two empty strings if none fails


def module_of(path: Path) -> str:
    """Return the name under which a file of the rules is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def rule_files() -> list[Path]:
    """Return the files of the rules that are mutated."""
    return [path for path in sorted(RULES.rglob("*.py")) if FAST not in path.parents]


def _hangs(*_: Any) -> None:
    """Raise a TimeoutError; called when the timer of a scenario expires."""
    raise TimeoutError("hangs")


def _run(scenario: Any) -> str:
    """Run a scenario; return why it fails, "" if it passes."""
    from rr_gym.scenarios import run_scenario

    try:
        signal.setitimer(signal.ITIMER_PROF, SCENARIO_SECONDS)
        result = run_scenario(scenario)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "" if result.passed else str(result.differences[0])


def first_failure(scenarios: Sequence[Any]) -> Failure:
    """Return the name of the first scenario that fails and why; two empty strings if none fails."""
    for scenario in scenarios:
        why = _run(scenario)
        if why:
            return scenario.name, why[:10000]
    return "", ""


def lines_reached(action: Callable[[Any], str], scenario: Any) -> tuple[dict[str, list[int]], str]:
    """Run an action on a scenario; return the lines of the rules that it executes, by file, and its result."""
    reached: defaultdict[str, set[int]] = defaultdict(set)
    folder = str(RULES) + os.sep

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(folder):
            return None
        lines = reached[file[len(folder) :]]
        lines.add(frame.f_lineno)

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add(frame.f_lineno)
            return step

        return step

    sys.settrace(enter)
    try:
        result = action(scenario)
    finally:
        sys.settrace(None)
    return {file: sorted(lines) for file, lines in reached.items()}, result


def reach(scenarios: Sequence[Any]) -> dict[str, Any]:
    """Return the lines of the rules that each scenario executes, and the failures with their reasons.

    A scenario that fails counts as executing no lines.
    """
    reached, failures = [], []
    for scenario in scenarios:
        lines, why = lines_reached(_run, scenario)
        reached.append({} if why else lines)
        if why:
            failures.append((scenario.name, why))
    return {"reached": reached, "failures": failures}


def try_mutant(mutant: Mutant, scenarios: Sequence[Any]) -> Failure:
    """Break a rule and run scenarios in a fork, so that the rules of this process stay as they are."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            path = RULES / mutant.file
            apply(mutant, path.read_text("utf-8"), importlib.import_module(module_of(path)))
            os.write(writer, b" ")  # tells the parent that the mutant was applied
            os.write(writer, json.dumps(first_failure(scenarios)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    if not answer:
        raise RuntimeError(f"{mutant}: the sources have changed since it was made")
    return tuple(json.loads(answer)) if answer.strip() else ("crash", "the process ended")


def main() -> int:
    """Answer jobs until the input ends. Returns the exit status."""
    from rr_gym.scenarios import load_scenarios

    signal.signal(signal.SIGPROF, _hangs)
    scenarios = load_scenarios(SCENARIOS)
    for path in rule_files():  # import before the first fork, so that forks share them
        importlib.import_module(module_of(path))
    gc.freeze()  # keep the garbage collector from writing to memory that forks share
    for line in sys.stdin:
        job = json.loads(line)
        chosen = [scenarios[number] for number in job["scenarios"]]
        answer = try_mutant(Mutant(**job["mutant"]), chosen) if "mutant" in job else reach(chosen)
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
