"""Sandboxes: what a program can see and use, and that nothing of it is left behind."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Python
from programs import COURSE, PRELUDE

from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.players.notes import sandbox_lines
from rr_gym.players.process import Gone, Process
from rr_gym.players.program import ProgramPlayer
from rr_gym.players.sandbox import KINDS, Limits, Sandbox, bubblewrap, cgroups, choose_kind, kinds, not_guaranteed
from rr_gym.registry import typed_player
from rr_gym.rules.arena.arena import Arena

sys.path.insert(0, str(ROOT / "tools"))

import hostile  # type: ignore[import-not-found]

SANDBOXES = [
    pytest.param(kind, marks=pytest.mark.skipif(bool(kinds.why_not(kind)), reason=kinds.why_not(kind) or "it works"))
    for kind in KINDS[1:]
]
LOOK = """
import json, os, sys
def attempt(call):
    try:
        return call()
    except OSError as error:
        return "refused"
scratch = os.environ["TMPDIR"]
print(json.dumps({
    "env": dict(os.environ), "cwd": os.getcwd(), "pids": sum(name.isdigit() for name in os.listdir("/proc")),
    "own": attempt(lambda: open("own.txt").read()), "other": attempt(lambda: open(sys.argv[1]).read()),
    "wrote": attempt(lambda: open("own.txt", "w").write("x")), "scratch": scratch,
    "noted": attempt(lambda: open(os.path.join(scratch, "note"), "w").write("x")),
    "capabilities": open("/proc/self/status").read().split("CapEff:")[1].split()[0],
    "no_new": open("/proc/self/status").read().split("NoNewPrivs:")[1].split()[0],
}), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "own.txt").write_text("mine")
    (tmp_path / "other.txt").write_text("not mine")
    return folder


def started(code: str, kind: str, folder: Path, *arguments: str, **limits: int) -> Process:
    (folder / "bot.py").write_text(code)
    return Process([sys.executable, "-S", "-E", "bot.py", *arguments], Sandbox(kind, Limits(**limits), folder))


def said(process: Process, seconds: float = 10.0) -> bytes:
    line = process.receive(time.monotonic() + seconds)
    assert line is not None
    assert not isinstance(line, Gone), process.last_words()
    return line.text


@pytest.mark.parametrize("kind", SANDBOXES)
def test_what_a_program_sees(kind: str, bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_GAME", "4711")
    process = started(LOOK, kind, bot, str(bot.parent / "other.txt"))
    seen = json.loads(said(process))
    process.close()
    assert seen["env"].keys() <= {"PATH", "HOME", "TMPDIR", "LANG", "OMP_NUM_THREADS", "PYTHONDONTWRITEBYTECODE", "PWD"}
    assert (seen["cwd"], seen["own"], seen["noted"]) == (str(bot), "mine", 1)
    assert (int(seen["capabilities"], 16), seen["no_new"]) == (0, "1")
    assert not Path(seen["scratch"], "note").exists()
    if kind == "bubblewrap":
        assert (seen["other"], seen["wrote"]) == ("refused", "refused")
        assert seen["pids"] <= 3
    else:
        assert seen["other"] == "not mine"


@pytest.mark.parametrize("kind", SANDBOXES)
def test_a_folder_may_be_writable(kind: str, bot: Path) -> None:
    (bot / "bot.py").write_text("open('made.txt', 'w').write('x')\nprint('done', flush=True)\n")
    process = Process([sys.executable, "-S", "bot.py"], Sandbox(kind, folder=bot, writable=True))
    assert said(process) == b"done"
    process.close()
    assert (bot / "made.txt").read_text() == "x"


GREEDY_ONES = {
    "memory": ("taken = []\nwhile True: taken.append(b'x' * 20_000_000); time.sleep(0.02)\n", "100 MiB of memory"),
    "processes": ("for _ in range(12): subprocess.Popen(['/bin/sleep', '5'])\ntime.sleep(5)\n", "than 6 processes"),
    "cpu": ("while time.process_time() < 4: pass\n", "of processor time"),
}


@pytest.mark.parametrize("kind", SANDBOXES)
@pytest.mark.parametrize("limit", ["memory", "processes", pytest.param("cpu", marks=pytest.mark.long)])
def test_limits(kind: str, limit: str, bot: Path) -> None:
    code, verdict = GREEDY_ONES[limit]
    process = started(f"import subprocess, time\n{code}", kind, bot, memory=100, processes=6, cpu=1)
    end = process.receive(time.monotonic() + 10)
    assert isinstance(end, Gone)
    process.close()
    assert verdict in process.verdict()


@pytest.mark.parametrize("kind", SANDBOXES)
def test_no_file_is_larger_than_the_limit(kind: str, bot: Path) -> None:
    code = """
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
written = 0
try:
    with open(os.path.join(os.environ["TMPDIR"], "large"), "wb", 0) as file:
        for _ in range(8): written += file.write(bytes(1 << 20))
except OSError as error:
    print(written >> 20, error.strerror, flush=True)
"""
    process = started(code, kind, bot, disk=4)
    megabytes, _, why = said(process).decode().partition(" ")
    process.close()
    assert int(megabytes) in (3, 4)
    assert why == "File too large"


@pytest.mark.parametrize("kind", SANDBOXES)
@pytest.mark.parametrize("end", ["close", "forget"])
def test_nothing_survives(kind: str, end: str, bot: Path) -> None:
    nap = f"60.{os.getpid():07}{KINDS.index(kind)}{len(end)}"
    code = f"""
import subprocess, sys, os
subprocess.Popen(["/bin/sleep", "{nap}"], start_new_session=True, stdin=-3, stdout=-3, stderr=-3)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/bin/sleep", ["sleep", "{nap}"])
    os._exit(0)
print("there", flush=True)
sys.stdin.read()
"""
    process = started(code, kind, bot)
    assert said(process) == b"there"
    until = time.monotonic() + 5
    while len(sleeping(nap)) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert len(sleeping(nap)) == 2
    if end == "close":
        process.close()
    else:
        del process
    until = time.monotonic() + 5
    while sleeping(nap) and time.monotonic() < until:
        time.sleep(0.01)
    assert not sleeping(nap)


def sleeping(nap: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().endswith(f"{nap}\0".encode()):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("kind", SANDBOXES)
def test_programs_end_with_a_game_that_is_killed(kind: str, bot: Path, python: Python) -> None:
    nap = f"60.{os.getpid():07}9"
    code = f"import subprocess\nprint('there', flush=True)\nsubprocess.run(['/bin/sleep', '{nap}'])\n"
    (bot / "bot.py").write_text(code)
    host = f"""
import os, sys, time
from pathlib import Path
from rr_gym.players.process import Process
from rr_gym.players.sandbox import Sandbox
process = Process([sys.executable, "-S", "bot.py"], Sandbox({kind!r}, folder=Path({str(bot)!r})))
assert process.receive(time.monotonic() + 10).text == b"there"
time.sleep(0.1)
os.kill(os.getpid(), 9)
"""
    assert python("-c", host, check=False).returncode == -9
    until = time.monotonic() + 5
    while sleeping(nap) and time.monotonic() < until:
        time.sleep(0.01)
    assert not sleeping(nap)


def test_bubblewrap_has_no_network(bot: Path) -> None:
    if reason := bubblewrap.why_not():
        pytest.skip(reason)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"""
import socket
try:
    socket.create_connection(('127.0.0.1', {port}), 1)
    print("in", flush=True)
except OSError:
    print("out", flush=True)
"""
        process = started(code, "bubblewrap", bot)
        assert said(process) == b"out"
        process.close()


def test_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RoboRallyError, match="sandbox: 'bubblewarp': did you mean 'bubblewrap'"):
        choose_kind("bubblewarp")
    with pytest.raises(RoboRallyError, match=r"sandbox: 3: expected none \| process \| bubblewrap"):
        choose_kind(3)  # type: ignore[arg-type]
    monkeypatch.setattr(bubblewrap, "why_not", lambda: "there is no program bwrap")
    assert choose_kind() == "process"
    with pytest.raises(RoboRallyError, match="sandbox: bubblewrap: there is no program bwrap: expected process"):
        choose_kind("bubblewrap")
    assert choose_kind("none") == "none"
    for kind in KINDS:
        assert not_guaranteed(kind).startswith(f"sandbox {kind}: it ")
    assert sandbox_lines({"a": "none", "b": "process", "c": "none"}) == [
        f"a, c: {not_guaranteed('none')}", f"b: {not_guaranteed('process')}",
    ]  # fmt: skip


def test_a_bubblewrap_that_does_not_work_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    bubblewrap.why_not.cache_clear()
    try:
        assert "status 1: bwrap: No permissions to create new namespace" in bubblewrap.why_not()
        assert choose_kind() == "process"
    finally:
        bubblewrap.why_not.cache_clear()


def test_names_of_players_choose_sandboxes(tmp_path: Path) -> None:
    words = f"{sys.executable} bot.py"
    chosen = typed_player(f"program:sandbox=process seconds=2.5 {words}", "none")
    assert isinstance(chosen, ProgramPlayer)
    assert (chosen.sandbox, chosen.seconds, chosen.command[1:]) == ("process", 2.5, ["bot.py"])
    for name, given, kind in ((f"program:{words}", "none", "none"), (f"program:{words}", None, choose_kind())):
        made = typed_player(name, given)
        assert isinstance(made, ProgramPlayer)
        assert made.sandbox == kind
    with pytest.raises(RoboRallyError, match=r"player 'program:sandbox=jail .*: sandbox: 'jail': expected none"):
        typed_player(f"program:sandbox=jail {words}")


@pytest.mark.parametrize("limit", [{"memory": 0}, {"processes": True}, {"disk": "1"}, {"cpu": 1.5}])
def test_limits_are_whole_numbers(limit: dict[str, Any]) -> None:
    with pytest.raises(RoboRallyError, match=f"{next(iter(limit))}: .*expected a whole number"):
        Limits(**limit)


def test_results_name_the_sandbox(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "bot.py"
    script.write_text(PRELUDE + "for turn in turns():\n    answer(turn)\n")
    name = f"program:{sys.executable} -S -E {script}"
    words = ["evaluate", "--players", f"{name},random", "--games", "2", "--max-cycles", "2", "--sandbox", "process"]
    assert main([*words, "--json", str(tmp_path / "r.json"), "--out", str(tmp_path / "out")]) == 0
    assert f"{name}: {not_guaranteed('process')}" in capsys.readouterr().out
    assert json.loads((tmp_path / "r.json").read_text())["sandboxes"] == {name: "process"}
    assert json.loads((tmp_path / "out" / "evaluation.json").read_text())["sandboxes"] == {name: "process"}
    again = [*words[:-1], "none", "--out", str(tmp_path / "out"), "--resume"]
    assert main(again) == 2
    assert "only the same can be resumed" in capsys.readouterr().err


def test_groups_of_the_system_limit_where_there_are_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder stands in for the file system of control groups, to which few test machines give access."""
    monkeypatch.delenv(cgroups.VARIABLE, raising=False)
    own = tmp_path / "own"
    own.write_text("1:cpu:/x\n0::/app/game\n")
    parent = tmp_path / "root" / "app"
    parent.mkdir(parents=True)
    (parent / "cgroup.procs").touch()
    (parent / "cgroup.subtree_control").write_text("cpu pids")
    assert cgroups.parent_group(tmp_path / "root", own) is None
    (parent / "cgroup.subtree_control").write_text("cpu memory pids")
    assert cgroups.parent_group(tmp_path / "root", own) == parent
    group = cgroups.make_group(Limits(memory=3, processes=4), parent)
    assert group is not None
    assert (group / "memory.max").read_text() == str(3 * 2**20)
    assert (group / "pids.max").read_text() == "6"
    assert cgroups.make_group(Limits(), None) is None
    monkeypatch.setenv(cgroups.VARIABLE, str(tmp_path / "nothing"))
    assert cgroups.parent_group(tmp_path / "none", own) is None


# Hostile programs, of which docs/arena.md has the table

NEVER = ("the salt", "the secret", "the file", "its program", "changed", "written", "its note", "killed it", "control",
         "connected", "others connect", "left behind", "a salt")  # fmt: skip
QUICK = ("reads the memory of the game", "keeps a note for its next game", "reads the folder of another bot")


@pytest.mark.parametrize(
    "words", [pytest.param(w, marks=[] if w in QUICK else pytest.mark.long) for w in hostile.HOSTILE]
)
def test_hostile_programs_get_nothing_in_bubblewrap(words: str) -> None:
    if reason := bubblewrap.why_not():
        pytest.skip(reason)
    outcome = hostile.run(words, "bubblewrap").words()
    assert not [word for word in NEVER if word in outcome], outcome


SECRETS = ("reads the memory of the game", "traces the game", "looks for the salt in the folder of results",
           "leaves a child in a session of its own", "leaves a grandchild whose parent has ended",
           "starts processes without end (40, each for 5 s)")  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("words", SECRETS)
def test_hostile_programs_get_no_secret_in_a_process(words: str) -> None:
    outcome = hostile.run(words, "process").words()
    assert not [word for word in NEVER if word in outcome], outcome


def test_a_program_plays_the_same_in_every_sandbox(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text(PRELUDE + "for turn in turns():\n    answer(turn, program=turn['legal']['cards'][:5])\n")
    arena = Arena(COURSE)
    games = arena.new_games(3, 2, seed=1)
    for kind in (kind for kind in KINDS if not kinds.why_not(kind)):
        player = ProgramPlayer([sys.executable, "-S", "-E", str(script)], 5.0, sandbox=kind)
        orders = player.act(arena, games, 0)
        player.close()
        assert orders["program"].tolist() == games["robots"]["hand"][:, 0, :5].tolist(), kind
        assert not player.faults


def test_the_document_has_a_row_for_every_hostile_program() -> None:
    text = (ROOT / "docs" / "arena.md").read_text("utf-8")
    assert not [words for words in (*hostile.HOSTILE, *hostile.HOSTILE_BUILDS) if f"\n| {words} | " not in text]
