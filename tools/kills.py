"""Check that killed runs resume correctly: kill tournaments, benchmarks, trainings and arenas at random times.

Each run is first completed without disturbance. Then it is started again, stopped at random moments by kill -9 of its
first process or by Ctrl-C, and resumed until it is complete. Everything that it has written must then equal the output
of the undisturbed run byte for byte, except for the order of blocks and for times. A
season of an arena is verified too.

    python tools/kills.py [--kills N] [--seed S] [--out DIR] [tournament] [benchmark] [training] [arena]

The exit status is 0 if nothing differs, no run printed a traceback, and no process was left behind.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rr_gym.arena import add_entry, new_season, read_log, verify
from rr_gym.arena.log import LOG
from rr_gym.bots import new_bot
from rr_gym.line_chain import unsealed
from rr_gym.training import agents_module

ROOT = Path(__file__).parents[1]
MATCHES = 24  # of a season
SALT = "5ea50275a1b2c3d4e5f60718293a4b5c"
TIMEOUT = 600.0  # how long a run may take, in seconds
IN_COMMAND = re.compile(r'rr_gym.cli.main\.py", line \d+, in main')  # a frame of a traceback
MAX_KILLS = 4  # at most this many kills per run, so that runs also finish
CONFIG = """
environment: {num_games: 6, num_robots: 2, opponents: [random], observation: flat, max_cycles: 12, decisions: []}
algorithm: {turns_per_update: 4, batch_size: 40, epochs: 2, final_learning_rate: 1e-5}
network: {hidden: [8], features: 16, embed: 2}
training: {total_steps: 12000, checkpoint_every: 4 updates, log_every: 2, seed: 3}
evaluation: {every: 40, games: 2}
"""

Contents = dict[str, bytes]


@dataclass(frozen=True)
class Kind:
    """A kind of run that can be killed and resumed.

    Attributes:
        command: Returns the arguments of rr-gym that start the run in a folder, or resume it.
        contents: Returns what a finished run has written to the folder.
    """

    command: Callable[[Path], list[str]]
    contents: Callable[[Path], Contents]


def _out(folder: Path, kept: str) -> list[str]:
    """Return the option for the folder of a run, with --resume if the folder contains the file `kept`."""
    return ["--out", str(folder), *(["--resume"] if (folder / kept).exists() else [])]


def _tournament(folder: Path) -> list[str]:
    players = "--players random,greedy --seats 2 --games 1200 --max-cycles 60 --workers 2"
    return ["tournament", *players.split(), *_out(folder, "tournament.json")]


def _of_tournament(folder: Path) -> Contents:
    names = ("tournament.json", "results.json", "tournament.html")
    return {**{name: (folder / name).read_bytes() for name in names}, "games": _lines(folder / "games.jsonl")}


def _benchmark(folder: Path) -> list[str]:
    players = "--players random,greedy --rows solo --games 320 --workers 2"
    return ["benchmark", *players.split(), *_out(folder, "blocks.jsonl"), "--json", str(folder / "figures.json")]


def _of_benchmark(folder: Path) -> Contents:
    return {"figures.json": (folder / "figures.json").read_bytes(), "log": _lines(folder / "blocks.jsonl")}


def _training(folder: Path) -> list[str]:
    config = folder.with_suffix(".yaml")
    config.write_text(CONFIG, encoding="utf-8")
    return ["train", str(config), *_out(folder / "run", "config.yaml")]


def _of_training(folder: Path) -> Contents:
    run = folder / "run"
    files = [run / "config.yaml", *(run / "policy").iterdir()]
    # Compare only the last checkpoint: Ctrl-C writes an additional one, which replaces an older one.
    last = max((run / "checkpoints").iterdir(), key=lambda checkpoint: checkpoint.name)
    files += [last / "model.pt", last / "arrays.npz"]
    clock = agents_module("logs").WALL_CLOCK
    with (run / "progress.csv").open(encoding="utf-8", newline="") as file:
        rows = [{k: v for k, v in row.items() if k not in clock} for row in csv.DictReader(file)]
    return {**{str(path.relative_to(run)): path.read_bytes() for path in files}, "curve": json.dumps(rows).encode()}


def _arena(folder: Path) -> list[str]:
    """Return the arguments that play what is left of a season, which is begun here, with a bot and some anchors."""
    if not (folder / LOG).exists():
        bot = folder.with_suffix(".bot")
        new_bot(bot, "python", "newcomer")
        new_season(folder, ["duels", "fours"], ["random", "greedy", "racer"], seconds=20, max_cycles=40, salt=SALT)
        add_entry(folder, bot)
    left = MATCHES - len(read_log(folder).matches)
    play = ["arena", "play", str(folder), "--matches", str(left), "--workers", "1", "--salt", SALT]
    return play if left else ["arena", "table", str(folder)]


def _of_arena(folder: Path) -> Contents:
    """Return the replays and the log of a season without its times; raise SystemExit if it cannot be verified."""
    verdict = verify(folder, workers=1)
    if verdict.problems:
        raise SystemExit(f"{folder}:\n{verdict.text()}")
    replays = {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("matches/*/game-?.json")}
    lines = [json.loads(line) for line in (folder / LOG).read_text(encoding="utf-8").splitlines()]
    times = ("time", "begun", "seconds", "prev", "hash", "files")  # transcripts have times
    kept = [{name: value for name, value in line.items() if name not in times} for line in lines]
    return {**replays, "log": json.dumps(kept).encode()}


def _lines(path: Path) -> bytes:
    """Return the lines of a file, sorted and without their chain, since processes finish blocks in any order."""
    return b"\n".join(sorted(unsealed(line) for line in path.read_bytes().splitlines()))


KINDS = {
    "tournament": Kind(_tournament, _of_tournament),
    "benchmark": Kind(_benchmark, _of_benchmark),
    "training": Kind(_training, _of_training),
    "arena": Kind(_arena, _of_arena),
}


class Trial:
    """Kills and resumes runs of one kind, and compares their results with those of an undisturbed run.

    Args:
        name: The name of the kind.
        folder: The folder for runs; it is created, and removed at the end.
        seed: The seed of the moments and ways of killing.
    """

    def __init__(self, name: str, folder: Path, seed: int) -> None:
        self.name, self.kind, self.folder = name, KINDS[name], folder
        self.chance = random.Random(f"{name} {seed}")
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.groups: list[int] = []

    def run(self, kills: int) -> None:
        """Kill runs `kills` times in all, resume them, and compare their results."""
        start = time.monotonic()
        self._to_the_end(self.folder / "whole")
        seconds = time.monotonic() - start
        whole = self.kind.contents(self.folder / "whole")
        while self._killed < kills:
            folder = self.folder / f"run-{self.counts['compared']}"
            for _ in range(min(self.chance.randint(1, MAX_KILLS), kills - self._killed)):
                self._kill(folder, self.chance.uniform(0, seconds), self.chance.choice(["kill -9", "Ctrl-C"]))
            self._to_the_end(folder)
            self.counts["compared"] += 1
            there = self.kind.contents(folder)
            different = [name for name in {**whole, **there} if whole.get(name) != there.get(name)]
            if different:
                self.faults.append(f"{folder}: differs in {', '.join(different)}")
            else:
                shutil.rmtree(folder)
        self.faults += [f"processes of group {group} were left behind" for group in self.groups if _end(group, 60)]

    @property
    def _killed(self) -> int:
        return self.counts["kill -9"] + self.counts["Ctrl-C"]

    def _start(self, folder: Path) -> subprocess.Popen[str]:
        folder.mkdir(parents=True, exist_ok=True)
        return subprocess.Popen(
            [sys.executable, "-m", "rr_gym", *self.kind.command(folder)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=_accept_interrupts,
        )  # fmt: skip

    def _to_the_end(self, folder: Path) -> None:
        """Start or resume a run, and wait for its end."""
        run = self._start(folder)
        try:
            _, err = run.communicate(timeout=TIMEOUT)
        finally:
            _end(run.pid)
        if run.returncode:
            raise SystemExit(f"{self.name} in {folder} ends with status {run.returncode}:\n{err}")

    def _kill(self, folder: Path, seconds: float, how: str) -> None:
        """Start or resume a run, and stop it after a few seconds by the given method."""
        run = self._start(folder)
        self.groups.append(run.pid)
        try:
            out, err = run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.counts[how] += 1
            if how == "kill -9":
                run.kill()
                run.wait()  # workers may still be ending when the next run begins
                for pipe in (run.stdout, run.stderr):
                    if pipe:
                        pipe.close()
                return
            os.killpg(run.pid, signal.SIGINT)
            try:
                out, err = run.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                self.faults.append(f"{folder}: does not end on {how}")
                _end(run.pid)
                return
        failed = "Traceback" in out + err
        if run.returncode != 130 and "KeyboardInterrupt" in err and not IN_COMMAND.search(err):
            self.counts["outside the command"] += 1  # the interpreter was starting, or exiting
        elif failed or run.returncode not in (0, 130, -signal.SIGINT):  # -SIGINT: stopped while Python was exiting
            self.faults.append(f"{folder}: status {run.returncode} on {how} after {seconds:.2f} s:\n{err}")


def _accept_interrupts() -> None:
    """Make a child process respond to SIGINT even if this process runs in the background and ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(group: int, timeout: float = 0.0) -> bool:
    """Kill all processes of a group that have not ended within `timeout` seconds; return whether there were any."""
    limit = time.monotonic() + timeout
    try:
        while time.monotonic() < limit:
            os.killpg(group, 0)
            time.sleep(0.1)
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def main() -> int:
    """Run the command. Returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], metavar="KIND", help=f"{', '.join(KINDS)} (all)")
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="of each kind (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the moments (%(default)s)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="keep what differs here (a temporary folder)")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kills-")) if args.out is None else args.out
    faults: list[str] = []
    for name in args.kinds or KINDS:
        trial = Trial(name, folder / name, args.seed)
        trial.run(args.kills)
        said = ", ".join(f"{count} {what}" for what, count in sorted(trial.counts.items()))
        print(f"{name}: {said}; {len(trial.faults)} faults", flush=True)
        faults += trial.faults
    for fault in faults:
        print(fault)
    if not faults:
        shutil.rmtree(folder)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
