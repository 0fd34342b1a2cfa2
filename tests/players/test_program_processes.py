"""Programs in processes of their own: nothing that they do stops a game, and none of them stays behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from combinations import quick
from conftest import ROOT, Python
from programs import COURSE, DEFAULTS, LOST, play, written

from rr_gym.errors import RoboRallyError
from rr_gym.players import process as process_module
from rr_gym.players.program import MOST_IDLE, ProgramPlayer
from rr_gym.players.transcript import FROM, Transcript
from rr_gym.rules.arena.arena import Arena

POSIX = pytest.mark.skipif(os.name == "nt", reason="process groups are those of POSIX")


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(COURSE)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def soon(condition: Any) -> bool:
    """Whether it becomes true within some seconds."""
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(condition())


# Processes that do as they like


def test_a_program_plays_in_a_process_of_its_own(arena: Arena, tmp_path: Path) -> None:
    code = "for turn in turns():\n    answer(turn, program=turn['legal']['cards'][:5])\n"
    player = written(tmp_path, code)
    games = arena.new_games(20, 2, seed=1)
    orders = player.act(arena, games, 0)
    assert orders["program"].tolist() == games["robots"]["hand"][:, 0, :5].tolist()
    player.close()
    player.close()
    assert player.act(arena, games, 0)["program"].tolist() == orders["program"].tolist()
    player.close()
    assert not player.reports


def test_late_answers_are_dropped(arena: Arena, tmp_path: Path) -> None:
    code = """
for turn in turns():
    if turn["id"] in (2, 3):
        time.sleep(0.9)
    answer(turn, power_down=turn["id"] == 2, program=turn["legal"]["cards"][:5])
"""
    player = written(tmp_path, code, seconds=0.6)
    games = arena.new_games(1, 2, seed=1)
    given = []
    for _ in range(4):
        given.append(player.act(arena, games, 0)[0])
        time.sleep(0.6)  # the late answer comes between two turns
    assert [order["program"][0] > 0 for order in given] == [True, False, False, True]
    assert not any(order["power_down"] for order in given)
    assert dict(player.faults) == {"time-out": 2}
    assert len(player.reports) == 2
    player.close()


def test_answers_to_old_turns_give_no_more_time(arena: Arena, tmp_path: Path) -> None:
    code = """
answer(next(turns()))
late = next(turns())
while True:
    say('{"id": 1, "orders": {}}')
    answer(late)
    time.sleep(0.05)
"""
    player = written(tmp_path, code, seconds=0.4)
    games = arena.new_games(1, 2, seed=1)
    player.act(arena, games, 0)
    player.act(arena, games, 0)
    assert not player.faults
    begin = time.monotonic()
    player.act(arena, games, 0)
    assert time.monotonic() - begin < 4
    assert dict(player.faults) == {"time-out": 1}
    player.close()


def test_every_answer_of_a_batch_has_its_own_time(arena: Arena, tmp_path: Path) -> None:
    player = written(tmp_path, "for turn in turns():\n    time.sleep(0.1)\n    answer(turn)\n", seconds=1.0)
    player.act(arena, arena.new_games(15, 2, seed=1), 0)
    assert not player.faults
    player.close()


def test_a_crash_costs_one_turn_of_a_batch(arena: Arena, tmp_path: Path) -> None:
    code = """
for turn in turns():
    if turn["id"] == 4:
        sys.exit("no idea")
    answer(turn, program=turn["legal"]["cards"][:5])
"""
    player = written(tmp_path, code)
    games = arena.new_games(6, 2, seed=1)
    orders = player.act(arena, games, 0)
    assert [bool(order["program"][0]) for order in orders] == [True, True, True, False, True, True]
    assert dict(player.faults) == {"crash": 1}
    assert "exit status 1; it said: no idea" in player.reports[0]
    player.close()


def test_a_program_that_always_crashes_stays_out(arena: Arena, tmp_path: Path) -> None:
    player = written(tmp_path, "raise SystemExit(7)", starts=3)
    games = arena.new_games(5, 2, seed=1)
    assert (player.act(arena, games, 0) == LOST).all()
    assert dict(player.faults) == {"crash": 3, "out": 2}
    assert "exit status 7" in player.reports[0]
    assert "not started again after 3 starts" in player.reports[-1]


def test_a_program_that_ends_between_turns_loses_the_next(arena: Arena, tmp_path: Path) -> None:
    """Otherwise it would have the additional time of a start for every decision, for nothing."""
    player = written(tmp_path, "answer(next(turns()))\n")
    games = arena.new_games(1, 2, seed=1)
    for lost in (0, 1, 1, 2):
        player.act(arena, games, 0)
        assert player.faults["crash"] == lost
        assert soon(lambda: not player._process or player._process._process.poll() is not None)
        time.sleep(0.05)
    assert "crash: it ended with exit status 0" in player.reports[0]
    player.close()


@pytest.mark.parametrize("later", ["for _ in turns():\n    while True: answer(first)\n", "while True: answer(first)\n"])
def test_lines_without_effect_are_bounded(later: str, arena: Arena, tmp_path: Path) -> None:
    """Late answers cost nothing by themselves, but each is recorded."""
    player = written(tmp_path, f"first = next(turns())\nanswer(first)\n{later}")
    player.transcript = Transcript()
    games = arena.new_games(1, 2, seed=1)
    player.act(arena, games, 0)
    time.sleep(0.2)
    player.act(arena, games, 0)
    assert dict(player.faults) == {"crash": 1}
    assert "it wrote more than 131,072 bytes without effect" in player.reports[0]
    assert sum(len(line.line) for line in player.transcript.lines if line.way == FROM) < 2 * MOST_IDLE
    player.close()


NUISANCES = {
    "never answers": "for turn in turns():\n    pass\n",
    "never reads": "time.sleep(60)",
    "closes its input": "os.close(0)\ntime.sleep(60)",
    "closes its output": "os.close(1)\ntime.sleep(60)",
    "floods its output": "while True:\n    say('x' * 500)\n",
    "floods its errors": "while True:\n    sys.stderr.write('x' * 1000 + '\\n')\n",
    "writes without end": "while True:\n    sys.stdout.write('x' * 1000)\n",
    "stops itself": "import signal\nos.kill(os.getpid(), signal.SIGSTOP)\n",
    "ignores all signals": "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
    "answers twice": "for turn in turns():\n    say('?')\n    say('?')\n",
}


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that do not end by themselves are killed sooner."""
    monkeypatch.setattr(process_module, "POLITE_SECONDS", 0.05)


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("name", quick(NUISANCES, "never reads", "floods its output", "stops itself", "answers twice"))
def test_nothing_that_a_program_does_stops_a_game(arena: Arena, tmp_path: Path, name: str) -> None:
    player = written(tmp_path, NUISANCES[name], seconds=0.05, start_seconds=0.2, starts=2)
    games = arena.new_games(30, 2, seed=1)
    begin = time.monotonic()
    for _ in range(3):
        orders = player.act(arena, games, 0)
        play(arena, games, orders)
        orders["late"] = 0
        assert (orders == DEFAULTS).all()
    player.close()
    assert time.monotonic() - begin < 30
    assert player.faults.total() == player.decisions == 90
    assert player.reports


def test_a_program_that_does_not_read_much_more_is_ended(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "MOST_LINES", 100)
    code = "for turn in turns():\n    answer(turn)\n    for _ in range(1000): say('{}')\n"
    player = written(tmp_path, code)
    games = arena.new_games(1, 2, seed=1)
    player.act(arena, games, 0)
    assert soon(lambda: player._process._inbox._end)  # type: ignore[union-attr]
    player.act(arena, games, 0)
    assert any("unsolicited lines, the first: '{}'" in report for report in player.reports)
    assert any("too many unsolicited lines" in report for report in player.reports)
    player.close()


def test_a_program_that_cannot_be_started_stays_out(arena: Arena, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    player = ProgramPlayer(str(script), sandbox="none")
    player.act(arena, arena.new_games(2, 2, seed=1), 0)
    assert dict(player.faults) == {"out": 2}
    assert "cannot be started: No such file" in player.reports[0]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "expected a command with its arguments"),
        ([], "expected a command with its arguments"),
        ("no_such_program_here --x", "there is no executable program 'no_such_program_here'"),
        ("python3 'open", "No closing quotation"),
    ],
)
def test_commands_that_are_none_are_refused_at_once(command: str, message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        ProgramPlayer(command)


@pytest.mark.parametrize("options", [{"seconds": 0}, {"seconds": "1"}, {"seconds": float("nan")}, {"starts": 0}])
def test_numbers_that_are_none_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(RoboRallyError, match=f"{next(iter(options))}: .*expected"):
        ProgramPlayer([sys.executable], **options)


# Nobody stays behind


CHILD = """
import subprocess
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
for turn in turns():
    open(sys.argv[0] + ".pids", "w").write(f"{os.getpid()} {child.pid}")
    answer(turn)
time.sleep(60)
"""


def pids_of(player: ProgramPlayer) -> list[int]:
    return [int(pid) for pid in Path(player.command[-1] + ".pids").read_text().split()]


@POSIX
@pytest.mark.parametrize("how", ["close", "forget", "crash"])
def test_the_whole_process_group_ends(arena: Arena, tmp_path: Path, how: str) -> None:
    player = written(tmp_path, CHILD)
    player.act(arena, arena.new_games(1, 2, seed=1), 0)
    pids = pids_of(player)
    assert all(map(alive, pids))
    if how == "close":
        player.close()
    elif how == "forget":
        del player
    else:
        os.kill(pids[0], signal.SIGKILL)  # its child still holds the pipe
        player.seconds = 0.1
        for _ in range(10):
            player.act(arena, arena.new_games(1, 2, seed=1), 0)
        player.close()
    assert soon(lambda: not any(map(alive, pids)))


@POSIX
@pytest.mark.parametrize("end", quick(["", "raise KeyError", "import os\nos.kill(os.getpid(), 9)"], ""))
def test_programs_end_with_the_interpreter(tmp_path: Path, python: Python, end: str) -> None:
    program = tmp_path / "program.py"
    written(tmp_path, CHILD)
    script = tmp_path / "host.py"
    script.write_text(
        "from rr_gym import Game\nfrom rr_gym.players.program import ProgramPlayer\n"
        f"player = ProgramPlayer([{sys.executable!r}, {str(program)!r}], sandbox='none')\n"
        f"game = Game('risky_exchange', 1, 1)\ngame.play({{0: player}})\n{end}\n"
    )
    done = python(str(script), check=False, PYTHONPATH=str(ROOT))
    assert (done.returncode != 0) == bool(end)
    pids = [int(pid) for pid in Path(f"{program}.pids").read_text().split()]
    assert soon(lambda: not any(map(alive, pids)))
