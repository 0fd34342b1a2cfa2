"""Run hostile programs in each sandbox, and print what they achieve: the tables of docs/arena.md.

python tools/hostile.py               run all programs in all sandboxes that work here, and print the tables
python tools/hostile.py --only disk   run only those whose description contains "disk"
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostile_programs import BUILDS as HOSTILE_BUILDS
from hostile_programs import HOSTILE, PRELUDE

from rr_gym.bots import Manifest, digest_of
from rr_gym.bots.build import built_folder
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.secret_salts import concealed
from rr_gym.players.process import Process
from rr_gym.players.program import ProgramPlayer
from rr_gym.players.sandbox import KINDS, NONE, Limits
from rr_gym.players.sandbox.kinds import why_not
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders
from rr_gym.salt import draw_salt, salt_text

LIMITS = Limits(memory=200, processes=16, disk=16, cpu=2)
TURNS = 3
SECONDS, START_SECONDS = 0.5, 12.0
MARK = "rr-gym-hostile"  # prefix of the names of files that programs write
SALT_OPTION = "--salt-of-the-game="  # option on the command line of the attacked process only


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of running a hostile program.

    Attributes:
        got: What it reported itself; empty if nothing.
        faults: The number of lost decisions by fault.
        verdict: The limit that it exceeded; empty if none.
        left: How many of its processes were still running after its end.
        host: What was noticed outside of the sandbox; empty if nothing.
    """

    got: str
    faults: dict[str, int]
    verdict: str
    left: int
    host: str = ""

    def words(self) -> str:
        """Return the outcome as a cell of a table."""
        lost = ", ".join(f"{count} {fault}" for fault, count in self.faults.items())
        parts = [
            self.got,
            self.host,
            f"stopped: {self.verdict}" if self.verdict else "",
            f"lost {lost}" if lost else "",
            f"**{self.left} left behind**" if self.left else "",
        ]
        return "; ".join(filter(None, parts)) or "nothing"


class WatchedPlayer(ProgramPlayer):
    """A program player that keeps its processes, so that their last output can be read."""

    links: list[Process]

    def start(self) -> Process:
        """Start a process of the program, and keep it."""
        link = super().start()
        self.links = [*getattr(self, "links", []), link]
        return link


@contextmanager
def attacked(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Set up the targets of attacks, and yield the facts that programs are told about them."""
    salt = draw_salt()
    secret = ctypes.create_string_buffer(salt.to_bytes(16, "big"), 16)
    results, other = folder / "results", folder / "other"
    results.mkdir()
    other.mkdir()
    (results / "evaluation.json").write_text(json.dumps(concealed({"salt": salt_text(salt)})))
    (other / "bot.py").write_text("print('mine')\n")
    (folder / "private").write_text("mine")
    (folder / "private").chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as free:
        port, unused = server.getsockname()[1], free.getsockname()[1]
        free.close()
        words = ["/bin/sh", "-c", "read line", f"{SALT_OPTION}{salt_text(salt)}"]  # its command line contains a salt
        victim = subprocess.Popen(words, stdin=subprocess.PIPE, env={"SECRET": salt_text(salt) or ""})
        try:
            yield {
                "secret": salt_text(salt), "mark": f"{MARK}-{os.getpid()}-{kind}", "salt": salt_text(salt),
                "game": os.getpid(), "address": ctypes.addressof(secret), "results": str(results / "evaluation.json"),
                "private": str(folder / "private"), "other": str(other / "bot.py"), "port": port, "free": unused,
                "victim": victim.pid, "nap": f".{os.getpid():07}",  # decimals that identify children
            }  # fmt: skip
        finally:
            victim.kill()
            victim.communicate()


def run(words: str, kind: str) -> Outcome:
    """Play some turns with a hostile program in a kind of sandbox."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own = folder / "own"
        own.mkdir()
        script = own / "bot.py"
        script.write_text(PRELUDE + HOSTILE[words])
        before = script.read_text()
        with attacked(folder, kind) as facts:
            games = 2 if "note" in words else 1
            for _ in range(games):  # only a second game shows whether a note survives
                player = _played(script, facts, kind, own)
            reached = "listens" in words and _answers(facts["free"])
            said = player.links[-1].last_words()
            host = _seen_by_host(facts, script.read_text() != before, reached)
            player.close()
            left = _survivors(script, facts["nap"])
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, 9)
            got = [part.removeprefix("GOT ") for part in said.removeprefix("; it said: ").split(" | ") if "GOT" in part]
            verdict = next((link.verdict() for link in player.links if link.verdict()), "")
            _clean_up(facts)
            return Outcome(got[-1] if got else "", dict(player.faults), verdict, len(left), host)


def run_build(words: str, kind: str) -> str:
    """Build a submission with a hostile build step in a kind of sandbox, and describe the outcome in words."""
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as server:
        folder, cache, other = Path(name, "bot"), Path(name, "cache"), Path(name, "other")
        for made in (folder, cache, other):
            made.mkdir()
        (other / "private").write_text("mine\n")
        (folder / "build.sh").write_text(HOSTILE_BUILDS[words])
        command = ["sh", "build.sh", str(other), str(server.getsockname()[1])]
        (folder / "bot.toml").write_text(
            f'name = "hostile"\nversion = "1"\nprotocol = 1\ncommand = ["true"]\nbuild = {json.dumps(command)}\n'
            "[options]\nbuild_seconds = 2\n"
        )
        os.environ["RR_GYM_CACHE_DIR"], before = str(cache), os.environ.get("RR_GYM_CACHE_DIR")
        try:
            built_folder(folder, Manifest.load(folder), digest_of(folder), kind)
            found = "built"
        except RoboRallyError as error:
            found = str(error).partition("]: ")[2] or str(error).partition("build: ")[2]
        finally:
            os.environ.pop("RR_GYM_CACHE_DIR")
            if before is not None:
                os.environ["RR_GYM_CACHE_DIR"] = before
        kept = [path.name for path in (cache / "bots").iterdir()]
        forged = "; **a file is there**" if (other / "forged").exists() else ""
        return f"{found.replace(str(Path(name)), '...')}{forged}{'; **something is kept**' if kept else ''}"


def _played(script: Path, facts: dict[str, Any], kind: str, own: Path) -> WatchedPlayer:
    """Play some turns, and return the player with its last process still running."""
    command = [sys.executable, "-S", "-E", str(script), json.dumps(facts)]
    player = WatchedPlayer(
        command, SECONDS, start_seconds=START_SECONDS, starts=1, sandbox=kind, limits=LIMITS, folder=own
    )
    arena = Arena("risky_exchange")
    games = arena.new_games(1, 1, seed=1)
    for _ in range(TURNS):
        orders = no_orders(1, MAX_ROBOTS, full=True)
        orders[:, 0] = player.act(arena, games, 0)
        arena.play(games, orders)
    return player


def _answers(port: int) -> bool:
    """Tell whether a process listens on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _seen_by_host(facts: dict[str, Any], changed: bool, reached: bool) -> str:
    """Describe in words what a program changed outside of the sandbox."""
    found = []
    if changed:
        found.append("its program has changed")
    if Path(facts["results"] + ".forged").exists():
        found.append("a file is there")
    if reached:
        found.append("others connect")
    return "; ".join(found)


def _survivors(script: Path, nap: str) -> list[int]:
    """Return the ids of a program's processes, and of its sleeping children, that outlive it."""
    time.sleep(0.1)
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                line = (entry / "cmdline").read_bytes()
                if str(script).encode() in line or line.endswith(f"{nap}\0".encode()):
                    found.append(int(entry.name))
    return found


def _clean_up(facts: dict[str, Any]) -> None:
    """Remove files that programs wrote into folders for temporary files."""
    for folder in {tempfile.gettempdir(), "/tmp", "/dev/shm"}:
        for path in Path(folder).glob(f"*{facts['mark']}*"):
            path.unlink(missing_ok=True)


def table(head: str, kinds: list[str], rows: list[str], cell: Callable[[str, str], str]) -> Iterator[str]:
    """Yield the lines of a table: a row for each attack, a column for each sandbox."""
    yield f"| {head} | {' | '.join(f'`{kind}`' for kind in kinds)} |"
    yield f"|---|{'---|' * len(kinds)}"
    for words in rows:
        yield f"| {words} | {' | '.join(cell(words, kind) for kind in kinds)} |"


def main(argv: list[str]) -> int:
    """Print the tables; return the exit status."""
    only = argv[argv.index("--only") + 1] if "--only" in argv else ""
    kinds = [kind for kind in KINDS if not why_not(kind)]
    programs, builds = ([words for words in some if only in words] for some in (HOSTILE, HOSTILE_BUILDS))
    tables = (
        ("a program that ...", kinds, programs, lambda words, kind: run(words, kind).words()),
        ("a build step that ...", [kind for kind in kinds if kind != NONE], builds, run_build),
    )
    for number, (head, columns, rows, cell) in enumerate(tables):
        if rows:
            print("\n" * number, end="")
            for line in table(head, columns, rows, cell):
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
