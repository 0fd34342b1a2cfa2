"""The progress bar: rewritten in place on terminals, elsewhere an occasional line."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import pytest

from rr_gym import progress as module
from rr_gym.progress import Progress, StatusLine, time_left

SHOW_CURSOR = "\x1b[?25h"


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the tests run in a wide terminal whose lines can be rewritten."""
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def states(text: str) -> list[str]:
    """Return the successive texts of a line on a terminal, without codes and bars."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    return [state.rpartition("━")[2].strip() for state in re.split("[\r\n]", plain)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the clock by one that advances a second whenever it is read."""
    now = iter(range(1000))
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(now)))


def shown(terminal: bool, total: int | None, monkeypatch: pytest.MonkeyPatch, first: int = 0) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with Progress("deals", facts="greedy") as progress:
        for done in range(first, 9):
            progress(done, total)


@pytest.mark.usefixtures("clock")
def test_a_terminal_shows_a_bar_that_is_overwritten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(True, 10, monkeypatch)
    lines = capsys.readouterr().err
    assert lines.endswith("\n" + SHOW_CURSOR)
    assert lines.count("\n") == 1
    seen = [state for state in states(lines) if state]
    assert seen[0] == "1 of 10 deals, 2 s, 0.5/s, greedy, 0:00:18 left"
    assert seen[-1] == "8 of 10 deals, 9 s, 0.9/s, greedy, 0:00:02 left"
    assert len({*seen}) == 8


@pytest.mark.usefixtures("clock")
def test_the_line_does_not_wrap_without_colours_or_on_narrow_terminals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    shown(True, 10, monkeypatch)
    lines = capsys.readouterr().err
    assert re.search(r"\x1b\[[0-9;]*m", lines) is None
    assert lines.count("\n") == 1
    assert max(map(len, states(lines))) <= 40


@pytest.mark.usefixtures("clock")
def test_permanent_lines_come_above_the_status_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = StatusLine()
    line.show("1 of 2", 0.5)
    line.say("found")
    line.show("2 of 2", 1.0)
    line.clear()
    seen = [state for state in states(capsys.readouterr().err) if state]
    assert list(dict.fromkeys(seen)) == ["1 of 2", "found", "2 of 2"]


@pytest.mark.usefixtures("clock")
def test_without_a_terminal_lines_are_rare_and_have_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(False, 10, monkeypatch)
    assert capsys.readouterr().err == "1 of 10 deals, 2 s, 0.5/s, greedy, 0:00:18 left\n"


@pytest.mark.usefixtures("clock")
def test_earlier_work_does_not_count_towards_the_rate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(False, 10, monkeypatch, first=6)
    assert capsys.readouterr().err == "7 of 10 deals, 2 s, 0.5/s, greedy, 0:00:06 left\n"


@pytest.mark.usefixtures("clock")
def test_without_a_total_no_time_left_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown(False, None, monkeypatch)
    assert capsys.readouterr().err == "1 deals, 2 s, 0.5/s, greedy\n"


def test_the_time_left_follows_from_the_share_done() -> None:
    assert time_left(0.5, 0.25, 60.0) == "0:02:00"
    assert time_left(0.25, 0.25, 60.0) == "-:--:--"
