"""Check that damaged input never causes anything but an error of the package (a `RoboRallyError`).

Valid boards, courses, configurations, replays, scenarios, policies and answers of programs are damaged in their bytes
or values, read as the package reads them, and used if they are accepted. The rules run uncompiled, so that an index out
of bounds raises an error. Each input depends only on (seed, class, number).

    python tools/mutated_input.py [CLASS ...] [--count 10000] [--seed 0] [--workers 2] [--number N] [--compiled]

Input that is neither accepted nor refused is saved in build/mutated_input with its outcome; then the exit status is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]  # import from this checkout

KEPT = ROOT / "build" / "mutated_input"
ACCEPTED, REFUSED, TRACEBACK, CRASH, SLOW = OUTCOMES = ("accepted", "refused", "traceback", "crash", "over 5 s")
SECONDS = 5.0  # processor time after which an input counts as slow
TIMEOUT = 60.0  # seconds after which a process is killed
MEMORY = 8 * 2**30  # maximum memory of a process, in bytes
MAX_ERROR = 5000  # maximum number of characters of an error


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one input."""

    kind: str
    text: str = ""


def mutated(name: str, number: int, seed: int) -> dict[str, bytes]:
    """Return the files of one damaged input."""
    from input_classes import chance_of, examples
    from input_mutations import mutate

    chance = chance_of(name, number, seed)
    return mutate(chance.choice(examples(name)), chance)


def attempt(name: str, files: dict[str, bytes]) -> Outcome:
    """Read an input and use it, in this process."""
    from input_classes import CLASSES

    from rr_gym.errors import RoboRallyError

    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            (Path(folder) / file).write_bytes(content)
        start = time.process_time()
        try:
            CLASSES[name].take(Path(folder))
            outcome = Outcome(ACCEPTED)
        except RoboRallyError as error:
            text = str(error)
            proper = len(text) <= MAX_ERROR and all(line.isprintable() for line in text.split("\n"))
            outcome = Outcome(REFUSED if proper else TRACEBACK, text)
        except Exception:
            outcome = Outcome(TRACEBACK, traceback.format_exc())
        seconds = time.process_time() - start
    return Outcome(SLOW, f"{seconds:.1f} s: {outcome.kind}: {outcome.text}") if seconds > SECONDS else outcome


def _work(name: str, seed: int, asked: Connection) -> None:
    """Serve in a separate process: receive numbers of inputs and send their outcomes, until None is received."""
    with contextlib.suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    attempt(name, mutated(name, 0, seed))  # so that the time of imports on first use is not counted
    asked.send(None)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        while (number := asked.recv()) is not None:
            asked.send(attempt(name, mutated(name, number, seed)))


class Worker:
    """Tries inputs of one class in a separate process, which is replaced when it crashes or hangs.

    Args:
        name: The name of the class.
        seed: The seed of the damage.
        work: The function that the process runs; see `_work`.
    """

    def __init__(self, name: str, seed: int, work: Callable[[str, int, Connection], None] = _work) -> None:
        self.name, self.seed, self.work = name, seed, work
        self._start()

    def _start(self) -> None:
        """Start a process and wait until it is ready."""
        context = multiprocessing.get_context("spawn")
        self.link, other = context.Pipe()
        self.process = context.Process(target=self.work, args=(self.name, self.seed, other), daemon=True)
        self.process.start()
        other.close()
        self.link.recv()

    def attempt(self, number: int) -> Outcome:
        """Try one input and return its outcome."""
        self.link.send(number)
        try:
            if self.link.poll(TIMEOUT):
                outcome: Outcome = self.link.recv()
                return outcome
            outcome = Outcome(SLOW, f"no end after {TIMEOUT:.0f} s")
        except (EOFError, OSError):
            self.process.join()
            outcome = Outcome(CRASH, f"exit status {self.process.exitcode}")
        self.process.kill()
        self._start()
        return outcome

    def close(self) -> None:
        """End the process."""
        self.link.send(None)
        self.process.join()


def run(
    name: str, count: int, seed: int = 0, workers: int = 1, kept: Path | None = None, line: Any = None
) -> Counter[str]:
    """Try a number of inputs of a class.

    Args:
        name: The name of the class.
        count: The number of inputs.
        seed: The seed of the damage.
        workers: The number of processes.
        kept: The folder for input that is neither accepted nor refused; None to save none.
        line: A `StatusLine` that shows the progress.

    Returns:
        The number of times that each of `OUTCOMES` occurred.
    """
    counts: Counter[str] = Counter()
    numbers = iter(range(count))
    lock = threading.Lock()

    def serve() -> None:
        worker = Worker(name, seed)
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                break
            outcome = worker.attempt(number)
            with lock:
                counts[outcome.kind] += 1
                if line and line.due():
                    line.show(f"{name}: {counts.total():,} of {count:,}")
                if kept and outcome.kind not in (ACCEPTED, REFUSED):
                    _keep(kept / f"{name.replace(' ', '_')}-{seed}-{number}", mutated(name, number, seed), outcome)
        worker.close()

    threads = [threading.Thread(target=serve) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts


def _keep(folder: Path, files: dict[str, bytes], outcome: Outcome) -> None:
    """Write an input and its outcome into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "outcome.txt").write_text(f"{outcome.kind}: {outcome.text}\n", "utf-8", "backslashreplace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. Returns the exit status."""
    parser = argparse.ArgumentParser(description="Does damaged input ever end in anything but an error of ours?")
    parser.add_argument("classes", nargs="*", metavar="CLASS", help="such as boards (default: all)")
    parser.add_argument("--count", type=int, default=10_000, metavar="N", help="inputs of each class (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the damage (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (%(default)s)")
    parser.add_argument("--number", type=int, metavar="N", help="only this input, in this process; show its outcome")
    parser.add_argument("--compiled", action="store_true", help="compile the rules")
    args = parser.parse_args(argv)
    if not args.compiled:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    from input_classes import CLASSES

    from rr_gym.progress import StatusLine

    for name in args.classes:
        if name not in CLASSES:
            parser.error(f"{name}: expected {', '.join(CLASSES)}")
    found = 0
    for name in args.classes or CLASSES:
        if args.number is not None:
            files = mutated(name, args.number, args.seed)
            _keep(KEPT / "shown", files, outcome := attempt(name, files))
            print(f"{name} {args.number}: {outcome.kind}: {outcome.text}")
            continue
        line = StatusLine()
        counts = run(name, args.count, args.seed, args.workers, KEPT, line)
        line.close()
        print(f"{name}: {counts.total():,}: {', '.join(f'{counts[kind]:,} {kind}' for kind in OUTCOMES)}", flush=True)
        found += sum(counts[kind] for kind in (TRACEBACK, CRASH, SLOW))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
