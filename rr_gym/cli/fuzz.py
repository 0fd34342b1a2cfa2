"""``rr-gym fuzz``: random play that looks for broken invariants."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, check_folder, command_line
from rr_gym.progress import StatusLine, bar, time_left

if TYPE_CHECKING:
    from rr_gym.fuzz import Finding, Tally

MAX_FILES = 20
PATIENCE = 900.0  # seconds that one turn of all games may take, the compilation of the rules included


def add_parser(subparsers: Any) -> None:
    """Register ``fuzz``."""
    parser = subparsers.add_parser(
        "fuzz",
        help="play random games on random courses and check every invariant after every turn",
        description="Plays random programs on random courses by random settings. A broken invariant is written as a "
        "scenario with the seed that meets it first. Ctrl-C ends the run. The exit status is 1 if something was found.",
    )
    add(parser, "--turns", note="of all games together, 1,000,000 without --seconds")
    add(parser, "--seconds", note="instead of --turns")
    add(parser, "--seed", default=0, note="of the first course")
    add(parser, "--batch", default=128, note="games on each course")
    parser.add_argument(
        "--compare", action="store_true",
        help="play the same games with the rules uncompiled too, which is slow, and say on which course they part",
    )  # fmt: skip
    parser.add_argument(
        "--against", action="append", default=[], metavar="ACCELERATORS",
        help="play every turn by these accelerators too and compare: none for the reference alone, a,b for these, "
        "-a for all but these; may be given several times",
    )  # fmt: skip
    parser.add_argument("--digests", action="store_true", help="print a digest of the games of every course")
    add(parser, "--out", default=Path("fuzz"), note="only findings are")
    add(parser, "--json")
    parser.set_defaults(run=run, inner={"num_games": "--batch"})


def run(args: argparse.Namespace) -> int:
    """Play, and report what was found."""
    from rr_gym.compilation.accelerators import check_choice
    from rr_gym.errors import MAX_SEED, RoboRallyError, whole_number
    from rr_gym.fuzz import Tally, fuzz

    output = Output(args.json)
    for name in ("turns", "seconds", "batch"):
        value = getattr(args, name)
        if value is not None and value <= 0:
            raise RoboRallyError(f"--{name}: {value}: expected more than 0")
    whole_number("--seed", args.seed, 0, MAX_SEED)
    for choice in args.against:
        try:
            check_choice(choice)
        except ValueError as error:
            raise RoboRallyError(f"--against: {error}") from None
    check_folder(args.out)
    turns = 1_000_000 if args.turns is None and args.seconds is None else args.turns
    progress = _Progress(args, turns)
    tally = Tally()
    if args.compare and args.seconds is not None:
        raise RoboRallyError("--compare: expected --turns with it, not --seconds: both runs play the same turns")
    digests = args.digests or args.compare
    interrupted = False
    try:
        with progress.watched():
            fuzz(
                tally, turns=turns, seconds=args.seconds, seed=args.seed, num_games=args.batch, digests=digests,
                against=args.against, report=progress,
            )  # fmt: skip
    except KeyboardInterrupt:
        interrupted = True
        progress.line.close()
    progress.show(tally)
    progress.line.close()
    files = []
    for number, finding in enumerate(tally.findings[:MAX_FILES]):
        try:
            files.append(write(finding, args.out, number))
        except RoboRallyError:
            output.show(f"{finding.text}: {finding.command}")  # it may have taken hours to find
            raise
        output.show(f"{files[-1]}: {finding.text}")
    output.show(
        f"{tally.turns:,} turns on {tally.courses} courses from seed {args.seed} in {progress.elapsed:.0f} s: "
        f"{len(tally.findings)} games with broken invariants"
    )
    if args.digests:
        output.show("\n".join(f"{args.seed + k} {digest}" for k, digest in enumerate(tally.digests)))
    facts = {"seed": args.seed, "turns": tally.turns, "courses": tally.courses, "findings": len(tally.findings)}
    output.write({**facts, "files": list(map(str, files)), "digests": tally.digests if args.digests else []})
    if interrupted:
        raise Interrupted(_rest(args, progress))
    parted = args.compare and not _agree(tally, args, turns, output)
    return 1 if tally.findings or parted else 0


def _rest(args: argparse.Namespace, progress: _Progress) -> str:
    """The command that resumes with the course that was being played."""
    words = ["fuzz", "--seed", str(args.seed + max(progress.courses - 1, 0)), "--batch", str(args.batch)]
    if progress.turns_wanted is not None:
        words += ["--turns", str(progress.turns_wanted - progress.turns + progress.on_course)]
    if args.seconds is not None:
        words += ["--seconds", f"{max(1.0, args.seconds - progress.elapsed):.0f}"]
    words += [f"--{name}" for name in ("compare", "digests") if getattr(args, name)]
    words += [f"--against={choice}" for choice in args.against]
    return command_line([*words, "--out", str(args.out)])


def _agree(tally: Tally, args: argparse.Namespace, turns: int, output: Output) -> bool:
    """Play the same games in a process whose rules are not compiled, and name the first course that ends otherwise."""
    command = [
        sys.executable, "-m", "rr_gym", "fuzz", "--digests", "--turns", str(turns), "--seed", str(args.seed),
        "--batch", str(args.batch), "--out", str(args.out),
    ]  # fmt: skip
    done = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    for k, digest in enumerate(tally.digests):
        if f"{args.seed + k} {digest}" not in lines:
            output.show(f"the course of seed {args.seed + k} ends otherwise where the rules are not compiled")
            return False
    output.show(f"the same games on {len(tally.digests)} courses where the rules are not compiled")
    return True


def write(finding: Finding, directory: Path, number: int) -> Path:
    """Write a finding as a scenario file and return its path."""
    from rr_gym import yaml12
    from rr_gym.files import write_file

    path = directory / f"seed-{finding.seed}-{number}.yaml"
    scenario = {
        **finding.scenario,
        "comment": f"{finding.text}. What came out stands under expect, right or wrong. Met by: {finding.command}",
    }
    return write_file(path, yaml12.dump([scenario]))


class _Progress:
    """What was played so far, as a line on stderr, and the turn that is being played."""

    def __init__(self, args: argparse.Namespace, turns: int | None) -> None:
        self.args, self.turns_wanted = args, turns
        self.line = StatusLine(first=0.5)
        self.start = self.turn = time.monotonic()
        self.courses = self.turns = self.on_course = 0

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.start

    def __call__(self, tally: Tally) -> None:
        self.turn = time.monotonic()
        self.on_course = self.on_course + tally.turns - self.turns if tally.courses == self.courses else 0
        self.courses, self.turns = tally.courses, tally.turns
        if self.line.due():
            self.show(tally)

    def show(self, tally: Tally) -> None:
        """Show the numbers; on a terminal with a bar and the time left."""
        share = max(
            tally.turns / self.turns_wanted if self.turns_wanted else 0.0,
            self.elapsed / self.args.seconds if self.args.seconds else 0.0,
        )
        left = time_left(min(1.0, share), 0.0, self.elapsed)
        head = f"{bar(min(1.0, share))} " if self.line.terminal else ""
        rate = tally.turns / max(self.elapsed, 1e-9)
        found = f"{len(tally.findings)} found"
        self.line.show(
            f"{head}{tally.turns:,} turns, {tally.courses} courses, {rate:,.0f} turns/s, {left} left, {found}"
        )

    @property
    def being_played(self) -> str:
        """What plays up to the turn that is being played."""
        seed, games = self.args.seed + max(self.courses - 1, 0), self.args.batch
        return f"rr-gym fuzz --seed {seed} --batch {games} --turns {self.on_course + games}"

    @contextmanager
    def watched(self) -> Iterator[None]:
        """End the process if a turn does not end: an endless chain of effects is an error of the rules, too."""
        done = threading.Event()

        def watch() -> None:
            while not done.wait(PATIENCE / 100):
                if time.monotonic() - self.turn >= PATIENCE:
                    self.line.close()
                    print(f"rr-gym: a turn does not end: {self.being_played}", file=sys.stderr, flush=True)
                    os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            done.set()
