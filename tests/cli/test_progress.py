"""The bar with the time left: written over on terminals, lines now and then elsewhere."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from rr_gym import progress as module
from rr_gym.progress import Progress, bar, time_left


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock takes a second."""
    now = iter(range(1000))
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(now)))


def shown(terminal: bool, total: int | None, monkeypatch: pytest.MonkeyPatch, first: int = 0) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with Progress("deals", facts="greedy") as progress:
        for done in range(first, 9):
            progress(done, total)


@pytest.mark.usefixtures("clock")
def test_a_terminal_shows_a_bar_that_is_written_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(True, 10, monkeypatch)
    lines = capsys.readouterr().err
    assert lines.endswith("\n")
    states = [state.rstrip() for state in lines.rstrip("\n").split("\r")]
    assert states[0] == ""
    assert states[1] == "[##..................]  10 % 1 of 10 deals, 2 s, greedy, 0:00:18 left"
    assert states[-1] == "[################....]  80 % 8 of 10 deals, 9 s, greedy, 0:00:02 left"
    assert len(states) == 9


@pytest.mark.usefixtures("clock")
def test_elsewhere_lines_are_seldom_and_have_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(False, 10, monkeypatch)
    assert capsys.readouterr().err == "1 of 10 deals, 2 s, greedy, 0:00:18 left\n"


@pytest.mark.usefixtures("clock")
def test_what_was_done_before_does_not_count_as_fast(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(False, 10, monkeypatch, first=6)
    assert capsys.readouterr().err == "7 of 10 deals, 2 s, greedy, 0:00:06 left\n"


@pytest.mark.usefixtures("clock")
def test_without_a_total_there_is_no_end_to_tell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(False, None, monkeypatch)
    assert capsys.readouterr().err == "1 deals, 2 s, greedy\n"


def test_shares_and_times() -> None:
    assert (bar(0), bar(1)) == (f"[{'.' * 20}]   0 %", f"[{'#' * 20}] 100 %")
    assert time_left(0.5, 0.25, 60.0) == "0:02:00"
    assert time_left(0.25, 0.25, 60.0) == "-:--:--"
