"""Do the scenarios notice when a rule is broken? Break every rule in many small ways and run them.

Each mutant is one change to one kernel: a guard negated or never true, a call left out, a comparison off by one, a
direction off by a quarter turn. A mutant is caught when a scenario fails, raises or hangs. The mutated module is
compiled from its changed syntax tree by an import hook in a process of its own; no file is touched.

    python tools/mutants.py [--only FILE|FUNCTION] [--limit N] [--resume] [--results FILE]

The exit status is 0 when at least 95 % of the mutants are caught. `mutants_expected.yaml` lists survivors that change
nothing that a scenario could see, with the reason; they do not count.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mutations import Hook, Mutant, mutants_of, mutated

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the rules of this checkout, installed or not

RULES = ROOT / "rr_gym" / "rules"
SCENARIOS = ROOT / "tests" / "scenarios"
EXPECTED = Path(__file__).with_name("mutants_expected.yaml")
RESULTS = ROOT / "build" / "mutants.jsonl"

# Not rules of the game: data, batches, chance, the ranking of players, and what only observers and players use.
NO_RULES = {
    "arena", "batch", "chance", "constants", "distances", "events", "hidden", "placement", "records", "settings",
    "table",
}  # fmt: skip
WORKERS = 2
REQUIRED = 0.95
SCENARIO_SECONDS = 3.0  # a scenario takes milliseconds: what takes this long hangs


# -- running them -----------------------------------------------------------------------------------------------------


def _hangs(*_: Any) -> None:
    raise TimeoutError("hangs")


def first_failure(scenarios: Sequence[Any]) -> tuple[str, str]:
    """The name of the first scenario that does not hold, and why; empty where all hold."""
    from rr_gym.scenarios import run_scenario

    signal.signal(signal.SIGALRM, _hangs)
    for scenario in scenarios:
        signal.setitimer(signal.ITIMER_REAL, SCENARIO_SECONDS)
        try:
            result = run_scenario(scenario)
        except Exception as error:
            return scenario.name, f"{type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not result.passed:
            return scenario.name, str(result.differences[0])
    return "", ""


def work() -> int:
    """A worker: jobs as JSON lines from stdin, outcomes as JSON lines to stdout. Each job runs in a fork of its own.

    What no mutant changes is imported before, the rules are imported after the fork.
    """
    import numba  # noqa: F401

    import rr_gym.courses.reader
    import rr_gym.courses.tables  # noqa: F401
    from rr_gym.scenarios import load_scenarios

    scenarios = load_scenarios(SCENARIOS)
    for line in sys.stdin:
        job = json.loads(line)
        likely = {name: place for place, name in enumerate(job["likely"])}
        ordered = sorted(scenarios, key=lambda scenario: likely.get(scenario.name, len(likely)))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            outcome = ("", "")
            try:
                if job["mutant"]:
                    mutant = Mutant(**job["mutant"])
                    path = RULES / mutant.file
                    tree = mutated(path.read_text("utf-8"), mutant.index, mutant.kind)
                    sys.meta_path.insert(0, Hook(f"rr_gym.rules.{path.stem}", path, tree))
                outcome = first_failure(ordered)
            except BaseException as error:
                outcome = ("import", f"{type(error).__name__}: {error}")
            finally:
                os.write(writer, json.dumps(outcome).encode()[:60000])
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as stream:
            said = stream.read()
        os.waitpid(child, 0)
        print(json.dumps(json.loads(said) if said else ["crash", "the process ended"]), flush=True)
    return 0


class Worker:
    """The other end of `work`."""

    def __init__(self) -> None:
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=ROOT, text=True,
        )  # fmt: skip

    def ask(self, mutant: Mutant | None, likely: Sequence[str]) -> tuple[str, str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"mutant": asdict(mutant) if mutant else None, "likely": likely}) + "\n")
        self.process.stdin.flush()
        scenario, why = json.loads(self.process.stdout.readline())
        return scenario, why

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def state_digest() -> str:
    """Results count only for the rules and scenarios that they were found with."""
    digest = hashlib.sha256()
    for path in [*sorted((ROOT / "rr_gym").rglob("*.py")), *sorted(SCENARIOS.rglob("*.yaml"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Run:
    """All mutants of a run, shared among the workers; results are kept in a file as they come."""

    def __init__(self, mutants: Sequence[Mutant], results: Path, resume: bool, report: Callable[[str], None]) -> None:
        self.digest, self.report, self.total = state_digest(), report, len(mutants)
        self.caught: dict[str, str] = {}  # by key: the scenario, empty for a survivor
        self.catchers: dict[tuple[str, str], Counter[str]] = {}
        rows = [json.loads(line) for line in results.read_text().splitlines()] if resume and results.exists() else []
        known = {mutant.key: mutant for mutant in mutants}
        for row in rows:
            if row["digest"] == self.digest and row["key"] in known:
                self._keep(known[row["key"]], row["scenario"])
        self.waiting = [mutant for mutant in mutants if mutant.key not in self.caught]
        results.parent.mkdir(exist_ok=True)
        self.file = results.open("a" if resume else "w")
        self.lock = threading.Lock()

    def _keep(self, mutant: Mutant, scenario: str) -> None:
        self.caught[mutant.key] = scenario
        if scenario:
            for place in (mutant.function, ""):
                self.catchers.setdefault((mutant.file, place), Counter())[scenario] += 1

    def _likely(self, mutant: Mutant) -> list[str]:
        """Scenarios that caught mutants of this function, then of this file, the most successful first."""
        places = [(mutant.file, mutant.function), (mutant.file, "")]
        return list(dict.fromkeys(name for p in places for name, _ in self.catchers.get(p, Counter()).most_common()))

    def serve(self, worker: Worker) -> None:
        while True:
            with self.lock:
                if not self.waiting:
                    return
                mutant = self.waiting.pop(0)
                likely = self._likely(mutant)
            scenario, why = worker.ask(mutant, likely)
            with self.lock:
                self._keep(mutant, scenario)
                row = {"digest": self.digest, "key": mutant.key, "scenario": scenario, "why": why, **asdict(mutant)}
                print(json.dumps(row), file=self.file, flush=True)
                survived = sum(not name for name in self.caught.values())
                self.report(f"{len(self.caught)}/{self.total} mutants, {survived} survived")

    def play(self, workers: Sequence[Worker]) -> None:
        threads = [threading.Thread(target=self.serve, args=(worker,), daemon=True) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


# -- reporting --------------------------------------------------------------------------------------------------------


def explanations() -> list[dict[str, Any]]:
    """Entries of `mutants_expected.yaml`: file, function, reason; with part and kind they concern single mutants."""
    from rr_gym import yaml12

    entries = yaml12.load(EXPECTED.read_text("utf-8"), str(EXPECTED)) if EXPECTED.exists() else []
    for entry in entries:
        if not {"file", "function", "reason"} <= set(entry) <= {"file", "function", "reason", "part", "kind"}:
            raise SystemExit(f"{EXPECTED}: {entry}: expected file, function, reason, and perhaps part and kind")
    return list(entries)


def explains(entry: dict[str, Any], mutant: Mutant) -> bool:
    facts = {"file": mutant.file, "function": mutant.function, "part": mutant.part, "kind": mutant.kind}
    return all(entry[key] == facts[key] for key in facts if key in entry)


def summary(
    mutants: Sequence[Mutant], caught: dict[str, str], skipped: Sequence[Mutant], known: list[dict[str, Any]]
) -> int:
    """Print the outcome; the exit status."""
    survivors = [mutant for mutant in mutants if not caught[mutant.key]]
    explained = [mutant for mutant in survivors if any(explains(entry, mutant) for entry in known)]
    for file in dict.fromkeys(mutant.file for mutant in [*mutants, *skipped]):
        here = [mutant for mutant in mutants if mutant.file == file]
        count = sum(bool(caught[mutant.key]) for mutant in here)
        reasons = sum(mutant.file == file for mutant in [*explained, *skipped])
        print(f"{file:16} {count:4} of {len(here):4} caught" + (f", {reasons} explained" if reasons else ""))
    for mutant in survivors:
        if mutant not in explained:
            place = f"rr_gym/rules/{mutant.file}:{mutant.line}: {mutant.function}"
            print(f"survived: {place}: {mutant.kind} ({mutant.part}): {mutant.text}")
    for entry in known:
        hits = [mutant for mutant in mutants if explains(entry, mutant)]
        if "part" in entry and hits and not any(mutant in survivors for mutant in hits):
            print(f"explained, but caught: {entry['file']}: {entry['function']}: {entry['part']}")
    counted = len(mutants) - len(explained)
    share = (counted - len(survivors) + len(explained)) / counted if counted else 1.0
    print(
        f"{share:.1%} of {counted} mutants caught, {len(explained) + len(skipped)} explained; {REQUIRED:.0%} required"
    )
    return 0 if share >= REQUIRED else 1


def progress() -> Callable[[str], None]:
    """A reporter: one line that is written over on a terminal, otherwise a line every 15 seconds."""
    state = {"last": time.monotonic()}

    def report(text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - state["last"] > 15:
            state["last"] = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    return report


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Break the rules in small ways and see whether a scenario notices.")
    parser.add_argument("--only", metavar="FILE|FUNCTION", help="only mutants of this file or kernel")
    parser.add_argument("--limit", type=int, metavar="N", help="at most so many mutants, spread over all")
    parser.add_argument("--resume", action="store_true", help="keep results found before with the same sources")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="where results are kept")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.worker:
        return work()
    files = [path for path in sorted(RULES.glob("*.py")) if path.stem not in NO_RULES]
    everything = [mutant for path in files for mutant in mutants_of(path)]
    if args.only:
        name = args.only.removeprefix("rr_gym/rules/")
        everything = [mutant for mutant in everything if name in (mutant.file, mutant.file[:-3], mutant.function)]
        if not everything:
            parser.error(f"--only {args.only}: there is no such file or kernel among the rules")
    known = explanations()
    whole = [entry for entry in known if "part" not in entry]
    skipped = [mutant for mutant in everything if any(explains(entry, mutant) for entry in whole)]
    mutants = [mutant for mutant in everything if mutant not in skipped]
    if args.limit and args.limit < len(mutants):
        mutants = [mutants[len(mutants) * k // args.limit] for k in range(args.limit)]
    workers = [Worker() for _ in range(WORKERS)]
    try:
        scenario, why = workers[0].ask(None, [])
        if scenario:
            print(f"without any mutant: {scenario}: {why}", file=sys.stderr)
            return 2
        run = Run(mutants, args.results, args.resume, progress())
        run.play(workers)
    finally:
        for worker in workers:
            worker.close()
    return summary(mutants, run.caught, skipped, known)


if __name__ == "__main__":
    sys.exit(main())
