"""Locks admit one process at a time, name their holder to others, and end with the holder, however it ends."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from conftest import ROOT

from rr_gym import locks
from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.benchmark import suites
from rr_gym.evaluation.benchmark.benchmark import Benchmark
from rr_gym.evaluation.benchmark.suites import SuiteRow
from rr_gym.evaluation.tournament.tournament import Tournament, TournamentError
from rr_gym.locks import hold

HOLD = """
import sys, time
from rr_gym.locks import hold
with hold(sys.argv[1]):
    {then}
    print("held", flush=True)
    time.sleep(600)
"""
HOLD_IN_CHILD = "import os; os.fork() or time.sleep(600)"


def refused(path: Path) -> str:
    """Return the error that another process gets when it asks for the lock."""
    command = [sys.executable, "-c", HOLD.format(then="pass"), str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stderr


class OtherError(RoboRallyError):
    pass


@contextmanager
def holder(path: Path, then: str = "pass") -> Iterator[subprocess.Popen[str]]:
    """Start another process that holds the lock of a path; kill it and its children at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(then=then), str(path)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        if sys.platform == "win32":
            process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def held_by(process: subprocess.Popen[str]) -> str:
    since = r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d"
    return rf"in use by process {process.pid} on {socket.gethostname()} since {since} \(.*-c.*\)"


@pytest.mark.parametrize("name", ["folder", "file.jsonl", "not there.jsonl"])
def test_another_process_is_kept_out_and_told_who_holds_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    elif name == "file.jsonl":
        path.write_text("content")
    with holder(path) as process:
        for _ in range(2):
            with pytest.raises(OtherError, match=f"{name}: {held_by(process)}: wait until it has ended"):
                hold(path, OtherError).__enter__()
    with hold(path):  # it was killed: its lock file is still there, but no longer locked
        assert json.loads(locks.lock_of(path).read_text())["pid"] == os.getpid()
    assert not locks.lock_of(path).exists()
    assert name == "folder" or path.exists() == (name == "file.jsonl")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_children_of_a_killed_holder_do_not_hold_it(tmp_path: Path) -> None:
    with holder(tmp_path, HOLD_IN_CHILD) as process:
        with pytest.raises(RoboRallyError, match="in use by"):
            hold(tmp_path).__enter__()
        process.kill()
        process.wait()
        os.killpg(process.pid, 0)  # the child is alive
        with hold(tmp_path):
            pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_a_child_that_ends_leaves_the_lock_of_its_parent(tmp_path: Path) -> None:
    with hold(tmp_path):
        child = os.fork()
        if not child:
            status = 1
            try:
                hold(tmp_path).__enter__()
            except RoboRallyError as error:
                status = 0 if f"process {os.getppid()}" in str(error) else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert locks.lock_of(tmp_path).exists()
        assert f"in use by process {os.getpid()} " in refused(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_a_child_that_leaves_the_block_leaves_the_lock_of_its_parent(tmp_path: Path) -> None:
    """This happens when an exception ends a worker that was forked inside the block."""
    lock = hold(tmp_path)
    with lock:
        child = os.fork()
        if not child:
            lock.__exit__(None, None, None)
            os._exit(0)
        os.waitpid(child, 0)
        assert locks.lock_of(tmp_path).exists()
    assert not locks.lock_of(tmp_path).exists()


def test_the_number_of_a_living_process_does_not_keep_a_lock(tmp_path: Path) -> None:
    left = {"pid": os.getppid(), "host": socket.gethostname(), "since": "2020-01-01 00:00:00", "command": "rr-gym"}
    for content in (json.dumps(left), "", "\0\0\0"):
        locks.lock_of(tmp_path).write_text(content)
        with hold(tmp_path):
            pass


def test_the_thread_that_holds_it_may_hold_it_again_and_no_other(tmp_path: Path) -> None:
    said: list[str] = []

    def try_it() -> None:
        try:
            with hold(tmp_path):
                said.append("held")
        except RoboRallyError as error:
            said.append(str(error))

    def in_a_thread() -> str:
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
        return said[-1]

    with hold(tmp_path):
        with hold(tmp_path):
            assert in_a_thread() == f"{tmp_path}: in use by another thread of this process"
        assert in_a_thread() == f"{tmp_path}: in use by another thread of this process"
        assert f"in use by process {os.getpid()} " in refused(tmp_path)
    assert in_a_thread() == "held"


def test_one_of_many_processes_holds_it_at_a_time(tmp_path: Path) -> None:
    """Lock files are created and removed all the time."""
    code = f"""
import os, sys, time
from rr_gym.errors import RoboRallyError
from rr_gym.locks import hold
got = 0
while got < 40:
    try:
        with hold({str(tmp_path)!r}):
            mine = os.open({str(tmp_path / "mine")!r}, os.O_CREAT | os.O_EXCL)  # fails where another one is within
            os.close(mine)
            os.unlink({str(tmp_path / "mine")!r})
            got += 1
    except RoboRallyError as error:
        assert "in use by" in str(error), error
"""
    processes = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for process in processes:
        assert process.communicate(timeout=120)[1] == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["[package]\nname = 'x'\n", "{}", "[]", "[" * 100_000, "\udcff"])
def test_files_of_others_by_that_name_are_left_alone(content: str, tmp_path: Path) -> None:
    lock = tmp_path / "poetry.lock"
    lock.write_bytes(content.encode(errors="surrogateescape"))
    before = lock.read_bytes()
    with pytest.raises(RoboRallyError, match=r"poetry\.lock: cannot be written: there is something else under this"):
        hold(tmp_path / "poetry").__enter__()
    assert lock.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this platform always follows links")
def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RoboRallyError, match=r"\.lock: cannot be written"):
        hold(tmp_path).__enter__()
    assert not (tmp_path / "elsewhere").exists()


def test_what_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OtherError, match=r"none.x\.lock: cannot be written: No such file"):
        hold(tmp_path / "none" / "x", OtherError).__enter__()

    def read_only(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(OtherError, match=r"\.lock: cannot be written: Read-only file system"):
        hold(tmp_path, OtherError).__enter__()


def test_where_there_are_no_locks_a_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_locks(file: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(locks, "_lock", no_locks)
    with hold(tmp_path):
        assert "no locks on this file system" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_what_a_lock_says_cannot_write_on_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"pid": 1, "host": "\x1b[2J", "since": "\r", "command": "a\nb"}
    locks.lock_of(tmp_path).write_text(json.dumps(said))

    def held(file: int) -> None:
        raise OSError(errno.EAGAIN, "")

    monkeypatch.setattr(locks, "_lock", held)
    with pytest.raises(RoboRallyError) as caught:
        hold(tmp_path).__enter__()
    assert str(caught.value).endswith("process 1 on ?[2J since ? (a?b): wait until it has ended")


# What is held


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != ".lock"}


def test_a_tournament_is_played_by_one_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["random", "greedy"], {"seats": 2, "games": 16, "max_cycles": 3, "workers": 1, "folder": tmp_path}
    tournament = Tournament(arguments[0], **arguments[1])  # type: ignore[arg-type]
    before = files(tmp_path)
    line = f"tournament --players random,greedy --seats 2 --games 16 --max-cycles 3 --workers 1 --out {tmp_path}"
    with holder(tmp_path) as process:
        with pytest.raises(TournamentError, match=held_by(process)):
            tournament.play()
        with pytest.raises(TournamentError, match=held_by(process)):
            Tournament(arguments[0], resume=True, **arguments[1])  # type: ignore[arg-type]
        assert main([*line.split(), "--resume"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert f"in use by process {process.pid} " in err
        assert err.count("\n") == 1
        assert files(tmp_path) == before
    assert main([*line.split(), "--resume"]) == 0
    played = files(tmp_path)
    # What another process played after this one was made is not played again.
    tournament.play()
    assert files(tmp_path) == played
    assert tournament.result().complete


def test_a_log_of_a_benchmark_is_used_by_one_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = SuiteRow("alone", "solo", "alone", ("risky_exchange",), max_cycles=4, games=8)
    monkeypatch.setitem(suites.SUITES, "tiny", (row,))
    log = tmp_path / "blocks.jsonl"
    benchmark = Benchmark("random", "tiny")
    with holder(log) as process:
        assert main(f"benchmark --players random --suite tiny --workers 1 --out {tmp_path}".split()) == 2
        assert f"{log}: in use by process {process.pid} " in capsys.readouterr().err
        assert not log.exists()
        with pytest.raises(RoboRallyError, match=held_by(process)):
            benchmark.play(log=log)
    benchmark.play(log=log)
    assert {path.name for path in tmp_path.iterdir()} == {"blocks.jsonl"}


def test_a_run_is_trained_by_one_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sb3_contrib")
    run = tmp_path / "run"
    run.mkdir()
    with holder(run) as process:
        assert main(["train", "quickstart", "--out", str(run)]) == 2
        assert f"{run}: in use by process {process.pid} " in capsys.readouterr().err
        assert not files(run)
    with holder(tmp_path) as process:
        assert main(["demo", "--out", str(tmp_path)]) == 2
        assert f"{tmp_path}: in use by process {process.pid} " in capsys.readouterr().err
