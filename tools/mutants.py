"""Mutation testing of the rules: break every rule in many small ways, and check that a scenario fails.

Each mutant is one change to one kernel: a condition negated or never true, a call removed, a comparison off by one, a
direction off by a quarter turn. A mutant is caught if a scenario fails, raises or hangs. The rules run uncompiled. The
changed kernel replaces the loaded one in a separate process; no file is changed.

Only scenarios that execute the changed lines can catch a mutant, so the first step determines these and stores them
beside the results. Scenarios that caught this mutant before, or others of its function or file, run first.

    python tools/mutants.py [--only ROOM|FILE|FUNCTION] [--limit N] [--resume] [--explained] [--results FILE]

The exit status is 0 if at least 95 % of the mutants are caught and every scenario passes without mutants. A comment `#
mutants: REASON` in the rules marks mutants that no scenario can catch (see `mutant_markers.py`). These do not count,
and those explained one by one are tried only with `--explained`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mutant_markers import Marker, MarkerError, marked, markers_in
from mutants_worker import ROOT, RULES, SCENARIOS, Failure, rule_files
from mutations import Mutant, mutants_of

from rr_gym.progress import StatusLine

RESULTS = ROOT / "build" / "mutants.jsonl"

WORKERS = 2
REQUIRED = 0.95


class Worker:
    """A process of `mutants_worker.py`, to which jobs are sent."""

    def __init__(self) -> None:
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        program = Path(__file__).with_name("mutants_worker.py")
        self.process = subprocess.Popen(
            [sys.executable, str(program)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=ROOT, text=True,
        )  # fmt: skip

    def ask(self, scenarios: Sequence[int], **job: Any) -> Any:
        """Send a job and return its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"scenarios": scenarios, **job}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def names_of(mutant: Mutant) -> tuple[str, ...]:
    """Return the names by which `--only` can select a mutant: its room, its file and its function.

    The file may be named with or without its room and its suffix.
    """
    room, _, file = mutant.file.rpartition("/")
    return room, mutant.file, mutant.file[:-3], file, file[:-3], mutant.function


def share(workers: Sequence[Worker], serve: Callable[[Worker], None]) -> None:
    """Run `serve` for all workers in parallel, and wait until all are done."""
    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def digest_of(paths: Iterable[Path], *more: str) -> str:
    """Return a digest of files and further texts, by which changes are detected."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    digest.update(repr(more).encode())
    return digest.hexdigest()[:16]


class Reach:
    """Finds out which scenarios execute which lines of the rules.

    Results are cached in a file, by a digest of the code and of the scenario file.
    """

    def __init__(self, scenarios: Sequence[Any], kept: Path) -> None:
        self.names = [scenario.name for scenario in scenarios]
        self.code = digest_of(sorted((ROOT / "rr_gym").rglob("*.py")))
        self.kept = kept
        self.old: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
        self.failures: list[Failure] = []
        self.found: dict[str, list[dict[str, list[int]]]] = {}
        self.places: dict[str, list[int]] = {}
        for number, scenario in enumerate(scenarios):
            self.places.setdefault(scenario.file, []).append(number)
        self.digests = {file: digest_of([Path(file)], file, self.code) for file in self.places}
        self.by_line: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
        self.shares: defaultdict[str, Counter[int]] = defaultdict(Counter)  # executed lines, by file and scenario

    def find(self, workers: Sequence[Worker], report: Callable[[str], None]) -> None:
        """Run all scenarios whose file or rules have changed. Failing ones go to `failures` and are not used."""
        waiting = list(self.digests)
        broken: set[str] = set()

        def serve(worker: Worker) -> None:
            while waiting:
                file = waiting.pop(0)
                digest = self.digests[file]
                if digest not in self.old:
                    answer = worker.ask(self.places[file])
                    self.old[digest] = answer["reached"]
                    self.failures += answer["failures"]
                    broken.update([digest] if answer["failures"] else [])
                self.found[digest] = self.old[digest]
                report(f"{len(self.found)}/{len(self.digests)} scenario files without a mutant")

        share(workers, serve)
        self.kept.parent.mkdir(exist_ok=True)
        self.kept.write_text(json.dumps({key: self.found[key] for key in self.found if key not in broken}))
        for file, digest in self.digests.items():
            for number, reached in zip(self.places[file], self.found[digest], strict=True):
                for rules, lines in reached.items():
                    self.shares[rules][number] = len(lines)
                    for line in lines:
                        self.by_line[rules, line].add(number)

    def scenarios_for(self, mutant: Mutant, likely: Sequence[str]) -> list[int]:
        """Return the scenarios that execute changed lines: likely catchers first, then by lines that they execute."""
        lines = range(mutant.line, mutant.last + 1)
        numbers = set().union(*(self.by_line[mutant.file, line] for line in lines))
        order = {name: place for place, name in enumerate(likely)}
        share = self.shares[mutant.file]
        return sorted(numbers, key=lambda n: (order.get(self.names[n], len(order)), -share[n], n))


class Run:
    """A run over all mutants, distributed among workers. Results are appended to a file as they arrive."""

    def __init__(
        self, mutants: Sequence[Mutant], reach: Reach, results: Path, resume: bool, report: Callable[[str], None]
    ) -> None:
        self.reach, self.report, self.total = reach, report, len(mutants)
        self.digest = digest_of(map(Path, reach.digests), reach.code)
        self.caught: dict[str, str] = {}  # by key of the mutant: the scenario that caught it, "" for survivors
        self.catchers: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
        known = {mutant.key: mutant for mutant in mutants}
        for row in rows:
            self._note_catcher(row["file"], row["function"], row["kind"], row["part"], row["scenario"])
            if resume and row["digest"] == self.digest and row["key"] in known:
                self.caught[row["key"]] = row["scenario"]
        self.waiting = [mutant for mutant in mutants if mutant.key not in self.caught]
        self.file = results.open("a" if resume else "w")
        self.lock = threading.Lock()

    def _note_catcher(self, file: str, function: str, kind: str, part: str, scenario: str) -> None:
        """Count a catch by a scenario for the mutant itself, for its function, and for its file."""
        if scenario:
            for place in ((file, function, kind, part), (file, function), (file,)):
                self.catchers[place][scenario] += 1

    def _likely_catchers(self, mutant: Mutant) -> list[str]:
        """Return scenarios that caught this mutant before, then the best catchers in its function and file."""
        file, function = mutant.file, mutant.function
        places = ((file, function, mutant.kind, mutant.part), (file, function), (file,))
        return list(dict.fromkeys(name for place in places for name, _ in self.catchers[place].most_common()))

    def serve(self, worker: Worker) -> None:
        """Try mutants with a worker until none is left."""
        while True:
            with self.lock:
                if not self.waiting:
                    return
                mutant = self.waiting.pop(0)
                scenarios = self.reach.scenarios_for(mutant, self._likely_catchers(mutant))
            scenario, why = worker.ask(scenarios, mutant=asdict(mutant))
            with self.lock:
                self.caught[mutant.key] = scenario
                self._note_catcher(mutant.file, mutant.function, mutant.kind, mutant.part, scenario)
                row = {"digest": self.digest, "key": mutant.key, "scenario": scenario, "why": why}
                print(json.dumps({**row, "reached": len(scenarios), **asdict(mutant)}), file=self.file, flush=True)
                survived = sum(not name for name in self.caught.values())
                self.report(f"{len(self.caught)}/{self.total} mutants, {survived} survived")


# -- reporting --------------------------------------------------------------------------------------------------------


def summary(
    mutants: Sequence[Mutant], caught: dict[str, str], skipped: Sequence[Mutant], known: dict[Marker, list[Mutant]]
) -> int:
    """Print the outcome and return the exit status."""
    explained = {mutant.key for found in known.values() for mutant in found}
    survivors = [mutant for mutant in mutants if not caught[mutant.key]]
    for file in dict.fromkeys(mutant.file for mutant in [*mutants, *skipped]):
        here = [mutant for mutant in mutants if mutant.file == file]
        count = sum(bool(caught[mutant.key]) for mutant in here)
        reasons = sum(mutant.file == file for mutant in skipped)
        reasons += sum(mutant.file == file and mutant.key in explained for mutant in survivors)
        print(f"{file:16} {count:4} of {len(here):4} caught" + (f", {reasons} explained" if reasons else ""))
    for mutant in survivors:
        if mutant.key not in explained:
            place = f"rr_gym/rules/{mutant.file}:{mutant.line}: {mutant.function}"
            print(f"survived: {place}: {mutant.kind} ({mutant.part}): {mutant.text}")
    for marker, found in known.items():
        for mutant in found:
            if caught.get(mutant.key):
                print(f"explained, but caught by {caught[mutant.key]!r}: {mutant.kind} ({mutant.part}): {marker}")
    unexplained = sum(mutant.key not in explained for mutant in survivors)
    counted = sum(bool(caught[mutant.key]) for mutant in mutants) + unexplained
    share = (counted - unexplained) / counted if counted else 1.0
    reasons = len(survivors) - unexplained + len(skipped)
    print(f"{share:.1%} of {counted} mutants caught, {reasons} explained; {REQUIRED:.0%} required")
    return 0 if share >= REQUIRED else 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. Returns the exit status."""
    from rr_gym.errors import RoboRallyError
    from rr_gym.locks import hold
    from rr_gym.scenarios import load_scenarios

    parser = argparse.ArgumentParser(description="Break the rules in small ways and see whether a scenario notices.")
    parser.add_argument("--only", metavar="ROOM|FILE|FUNCTION", help="only mutants of this room, file or kernel")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N mutants, spread over all")
    parser.add_argument("--resume", action="store_true", help="keep results found before with the same sources")
    parser.add_argument("--explained", action="store_true", help="try the mutants that are explained one by one, too")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="where results are kept")
    args = parser.parse_args(argv)
    files = rule_files()
    everything = [mutant for path in files for mutant in mutants_of(path, RULES)]
    try:
        known = marked(everything, [marker for path in files for marker in markers_in(path, RULES)])
    except MarkerError as error:
        parser.error(str(error))
    if args.only:
        name = args.only.removeprefix("rr_gym/rules/").rstrip("/")
        everything = [mutant for mutant in everything if name in names_of(mutant)]
        if not everything:
            parser.error(f"--only {args.only}: there is no such file or kernel among the rules")
    trusted = [found for marker, found in known.items() if marker.kernels or not args.explained]
    untried = {mutant.key for found in trusted for mutant in found}
    skipped = [mutant for mutant in everything if mutant.key in untried]
    mutants = [mutant for mutant in everything if mutant.key not in untried]
    if args.limit and args.limit < len(mutants):
        mutants = [mutants[len(mutants) * k // args.limit] for k in range(args.limit)]
    reach, line = Reach(load_scenarios(SCENARIOS), args.results.with_suffix(".reach.json")), StatusLine()

    def report(text: str) -> None:
        if line.due():
            line.show(text)

    workers = [Worker() for _ in range(WORKERS)]
    args.results.parent.mkdir(exist_ok=True)
    try:
        with hold(args.results):
            reach.find(workers, report)
            for scenario, why in reach.failures:
                print(f"left out, it fails without any mutant: {scenario}: {why}", file=sys.stderr)
            run = Run(mutants, reach, args.results, args.resume, report)
            share(workers, run.serve)
        if len(run.caught) < len(mutants):
            print("interrupted", file=sys.stderr)
            return 2
    except RoboRallyError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        line.close()
        for worker in workers:
            worker.close()
    status = summary(mutants, run.caught, skipped, known)
    return 2 if reach.failures else status


if __name__ == "__main__":
    sys.exit(main())
