"""``rr-gym fuzz``: random play that looks for broken invariants."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, Stopping, check_folder, command_line
from rr_gym.cli.grammar.words import Number, Whole
from rr_gym.progress import StatusLine, time_left

if TYPE_CHECKING:
    from rr_gym.fuzz import Finding, Tally

MAX_FILES = 20
PATIENCE = 900.0  # seconds that one turn of all games may take, the compilation of the rules included


@command(examples=("rr-gym fuzz --seconds 60", "rr-gym fuzz --turns 100000 --seed 7 --against none"))
@shared("--turns", type=Whole(1), note="in all games together, 1,000,000 by default without --seconds")
@shared("--seconds", type=Number("more than 0", lambda seconds: seconds > 0), note="instead of --turns")
@shared("--seed", default=0, note="of the first course")
@shared("--batch", default=128, note="games on each course")
@option(
    "--compare", is_flag=True,
    help="also play the same games with uncompiled rules, which is slow, and name the first course that differs",
)  # fmt: skip
@shared(
    "--against",
    note="with these accelerators every turn is played too, and compared: none for the reference alone, a,b for these, "
    "-a for all but this one",
)
@option("--digests", is_flag=True, help="print a digest of the games of every course")
@shared("--out", default=Path("fuzz"), note="only findings are written")
@shared("--json")
def run(args: SimpleNamespace) -> int:
    """Play random games on random courses and check every invariant after every turn.

    A broken invariant is written as a scenario with the seed that meets it first. Ctrl-C ends the run. The exit status
    is 1 if something was found.
    """
    from rr_gym.compilation.accelerators import check_choice
    from rr_gym.errors import RoboRallyError
    from rr_gym.fuzz import Tally, fuzz

    output = Output(args.json)
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
    with Stopping() as stopping, progress.watched():
        fuzz(
            tally, turns=turns, seconds=args.seconds, seed=args.seed, num_games=args.batch, digests=digests,
            against=args.against, report=progress,
        )  # fmt: skip
    progress.tell(tally)
    progress.close()
    files = []
    for number, finding in enumerate(tally.findings[:MAX_FILES]):
        try:
            files.append(write(finding, args.out, number))
        except RoboRallyError:
            output.show(f"{finding.text}: {finding.command}")  # it may have taken hours to find
            raise
        output.show(f"{files[-1]}: {finding.text}")
    output.show(
        f"{tally.turns:,} turns on {tally.courses} courses from seed {args.seed} in {progress.seconds:.0f} s: "
        f"{len(tally.findings)} games with broken invariants"
    )
    if args.digests:
        output.show("\n".join(f"{args.seed + k} {digest}" for k, digest in enumerate(tally.digests)))
    facts = {"seed": args.seed, "turns": tally.turns, "courses": tally.courses, "findings": len(tally.findings)}
    output.write({**facts, "files": list(map(str, files)), "digests": tally.digests if args.digests else []})
    if stopping.interrupted:
        raise Interrupted(_rest(args, progress))
    differed = args.compare and not _agree(tally, args, turns, output)
    return 1 if tally.findings or differed else 0


def _rest(args: SimpleNamespace, progress: _Progress) -> str:
    """Return the command that continues from the course that was being played."""
    words = ["fuzz", "--seed", str(args.seed + max(progress.courses - 1, 0)), "--batch", str(args.batch)]
    if progress.turns_wanted is not None:
        words += ["--turns", str(progress.turns_wanted - progress.turns + progress.on_course)]
    if args.seconds is not None:
        words += ["--seconds", f"{max(1.0, args.seconds - progress.seconds):.0f}"]
    words += [f"--{name}" for name in ("compare", "digests") if getattr(args, name)]
    words += [f"--against={choice}" for choice in args.against]
    return command_line([*words, "--out", str(args.out)])


def _agree(tally: Tally, args: SimpleNamespace, turns: int, output: Output) -> bool:
    """Play the same games in a process with uncompiled rules, and name the first course that ends differently."""
    command = [
        sys.executable, "-m", "rr_gym", "fuzz", "--digests", "--turns", str(turns), "--seed", str(args.seed),
        "--batch", str(args.batch), "--out", str(args.out),
    ]  # fmt: skip
    done = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    for k, digest in enumerate(tally.digests):
        if f"{args.seed + k} {digest}" not in lines:
            output.show(f"the course of seed {args.seed + k} ends differently where the rules are not compiled")
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
        "comment": f"{finding.text}. The actual outcome is under expect, right or wrong. Found by: {finding.command}",
    }
    return write_file(path, yaml12.dump([scenario]))


class _Progress(StatusLine):
    """A status line on stderr about what was played so far, and a record of the turn that is being played."""

    def __init__(self, args: SimpleNamespace, turns: int | None) -> None:
        super().__init__(first=0.5)
        self.args, self.turns_wanted = args, turns
        self.turn_began = self.start  # of the turn that is being played
        self.courses = self.turns = self.on_course = 0

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.start

    def __call__(self, tally: Tally) -> None:
        self.turn_began = time.monotonic()
        self.on_course = self.on_course + tally.turns - self.turns if tally.courses == self.courses else 0
        self.courses, self.turns = tally.courses, tally.turns
        if self.due():
            self.tell(tally)

    def tell(self, tally: Tally) -> None:
        """Show the numbers and the time left."""
        share = max(
            tally.turns / self.turns_wanted if self.turns_wanted else 0.0,
            self.seconds / self.args.seconds if self.args.seconds else 0.0,
        )
        left = time_left(min(1.0, share), 0.0, self.seconds)
        rate = tally.turns / max(self.seconds, 1e-9)
        found = f"{len(tally.findings)} found"
        text = f"{tally.turns:,} turns, {tally.courses} courses, {rate:,.0f} turns/s, {left} left, {found}"
        self.show(text, min(1.0, share))

    @property
    def being_played(self) -> str:
        """The command that plays everything up to the current turn."""
        seed, games = self.args.seed + max(self.courses - 1, 0), self.args.batch
        return f"rr-gym fuzz --seed {seed} --batch {games} --turns {self.on_course + games}"

    @contextmanager
    def watched(self) -> Iterator[None]:
        """End the process if a turn does not end: an endless chain of effects is an error of the rules, too."""
        done = threading.Event()

        def watch() -> None:
            while not done.wait(PATIENCE / 100):
                if time.monotonic() - self.turn_began >= PATIENCE:
                    self.close()
                    print(f"rr-gym: a turn does not end: {self.being_played}", file=sys.stderr, flush=True)
                    os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            done.set()
