"""`rr-gym bench`: the yardstick is unchanged, all rows run, and results report what was measured."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

from rr_gym.bench import report, timing
from rr_gym.bench.engine import TimedGames, large_course
from rr_gym.bench.firing import firings
from rr_gym.bench.firing_options import option_firings
from rr_gym.bench.report import BenchLine, BenchResult, Target
from rr_gym.bench.table import ROWS
from rr_gym.bench.timing import Case, Timing, measure
from rr_gym.cli.main import main
from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.courses.elements import ELEMENTS
from rr_gym.rules.state.option_cards import OPTION_NAMES

YARDSTICK_SHA256 = "641a60887e85bef93d2495f649710476c8470cb70206182d7c3ca779ff682626"
PROCESS_ROWS = {"import", "first_step_warm", "first_step_ever"}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure one round of the smallest size, with a yardstick that takes no time."""
    monkeypatch.setattr(timing, "MIN_ROUNDS", 1)
    monkeypatch.setattr(timing.yardstick, "microseconds_per_turn", lambda games, repeats: 2.0)
    monkeypatch.setattr("rr_gym.bench.engine.WARM_TURNS", 1)
    monkeypatch.setattr("rr_gym.bench.engine.SAMPLE_TURNS", 1)
    monkeypatch.setattr("rr_gym.bench.engine.BATCH_SIZES", (2, 4, 8))
    monkeypatch.setattr("rr_gym.bench.interfaces.STEPS", 2)
    for name, value in (("GAMES", 2), ("PLANNED_GAMES", 1), ("WARM_TURNS", 1), ("STEPS", 2)):
        monkeypatch.setattr(f"rr_gym.bench.players.{name}", value)


def test_the_yardstick_is_unchanged() -> None:
    assert hashlib.sha256((ROOT / "rr_gym/bench/yardstick.py").read_bytes()).hexdigest() == YARDSTICK_SHA256


@pytest.mark.long
@pytest.mark.usefixtures("short")
def test_all_rows_in_one_process_run_and_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [name for name in ROWS if name not in PROCESS_ROWS]
    file = tmp_path / "bench.json"
    assert main(["bench", "--batch", "4", "--seconds", "0", "--json", str(file), "--rows", ",".join(names)]) == 0
    shown = capsys.readouterr().out
    written = json.loads(file.read_text(encoding="utf-8"))
    assert [row["name"] for row in written["rows"]] == names
    assert written["machine"]["numba"]
    for row in written["rows"]:
        assert row["name"] in shown
        for line in row["lines"]:
            assert line["note"] or line["best"] > 0
    turns = [row for row in written["rows"] if row["name"].startswith("turn_")]
    assert len(turns) == 3
    for row in turns:
        (line,) = row["lines"]
        assert line["yardsticks"] == pytest.approx(line["best"] / 2.0)
        assert 0 < line["robots"] <= 4


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="a thousand turns take long with interpreted rules")
def test_every_element_acts_on_the_course_with_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--count", "elements"]) == 0
    lines = capsys.readouterr().out.splitlines()
    counts = {line.split()[1]: int(line.split()[-1].replace(",", "")) for line in lines[1 : 1 + len(ELEMENTS)]}
    assert {name for name, count in counts.items() if count == 0} == set()
    assert lines[-1] == f"{len(ELEMENTS)} of {len(ELEMENTS)} elements acted"


@pytest.mark.skipif(not COMPILED, reason="a thousand turns take long with interpreted rules")
def test_every_option_does_something_in_a_thousand_turns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--count", "options"]) == 0
    lines = capsys.readouterr().out.splitlines()
    counts = {line.split()[1]: int(line.split()[-1].replace(",", "")) for line in lines[1 : 1 + len(OPTION_NAMES)]}
    assert list(counts) == list(OPTION_NAMES)
    assert {name for name, count in counts.items() if count == 0} == set()
    assert lines[-1] == f"{len(OPTION_NAMES)} of {len(OPTION_NAMES)} options acted"


def test_options_that_are_used_are_counted() -> None:
    counts = option_firings("oddest_sea", turns=40 if COMPILED else 3, num_games=1)
    assert list(counts) == list(OPTION_NAMES)
    assert sum(count > 0 for count in counts.values()) > (20 if COMPILED else 3)


def test_absent_elements_do_not_act() -> None:
    course = Course.from_board("@1 @2 > v ./n*1 @3\n@4 @5 ^ < L @6\n. @7 . . #1 @8", "yard")
    acted = {name for name, count in firings(course, turns=8 if COMPILED else 2, num_games=2).items() if count}
    assert "open_floor" in acted
    assert acted <= {"open_floor", "board_edge", "checkpoint", "conveyor", "gear", "board_laser", "wall"}


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.long)])
def test_measured_cases_alternate(real: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not real:
        monkeypatch.setattr(timing.yardstick, "microseconds_per_turn", lambda games, repeats: 2.0)
    order: list[str] = []
    cases = [
        Case(lambda: order.append("a"), prepare=lambda: order.append("before a"), repeats=2),
        Case(lambda: order.append("b"), items=10),
    ]
    timings, reference = measure(cases, 0)
    rounds = 1 + timing.MIN_ROUNDS  # the first one is not counted
    assert order == ["before a", "a", "before a", "a", "b"] * rounds
    assert len(reference.samples) == timing.MIN_ROUNDS
    assert all(len(t.samples) == timing.MIN_ROUNDS and t.best <= t.median for t in timings)


def test_missed_targets_are_reported() -> None:
    timing = Timing([3.0, 5.0, 4.0])
    line = BenchLine.of("x", timing, Timing([2.0]), robots=3.5)
    assert (line.best, line.median, line.yardsticks) == (3.0, 4.0, 1.5)
    missed = report.text(BenchResult("row", "turn", (line,), Target("turn", 3.0, 2.5, " yardsticks")))
    assert "MISSED" in missed
    assert "333,333" in missed
    assert Target("speed", 1.9, 1.8, at_least=True).met
    assert not Target("speed", 1.7, 1.8, at_least=True).met
    assert Target("time", 1.7, 1.8).met


def test_large_boards_and_batches_can_be_timed() -> None:
    course = large_course(2, 3)
    assert course.size == (24, 40)
    assert len(course.squares) == 6 * 144 + 48
    batch = TimedGames(course, 2, num_robots=8)
    batch.prepare()
    assert 0 < batch.living <= 8


def test_robots_are_given_options_before_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rr_gym.bench.engine.WARM_TURNS", 1)
    batch = TimedGames("oddest_sea", 2, num_robots=8, options=5)
    batch.prepare()
    owned = batch.games["robots"]["options"][:, :8]
    alive = batch.games["robots"]["alive"][:, :8] == 1
    assert (np.bitwise_count(owned[alive]) >= 5).all()
    assert (batch.orders["gadget"] > 0).any()


def test_rows_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(ROWS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "thread"], "did you mean 'threads'?"),
        (["--threads", "1"], "--threads: 1: expected a whole number, 2 or more"),
        (["--batch", "0"], "--batch: 0: expected a whole number, 1 or more"),
    ],
)
def test_wrong_options_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert message in capsys.readouterr().err
