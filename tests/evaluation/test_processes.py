"""Tasks that are shared among processes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from combinations import quick
from words import Words

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.processes import Helper, SharingError, share


def results(words: str, workers: int, make: Callable[[], Words] = Words) -> list[tuple[str, int]]:
    return list(share(make, words.split(), workers, lambda progress: None, 1.0))


@pytest.mark.parametrize("workers", quick([1, 2, 5], 1, 2))
def test_every_task_is_done_once(workers: int, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    done = results("1 22 333 4", workers, partial(Words, closed))
    assert sorted(done) == [("1", 1), ("22", 22), ("333", 333), ("4", 4)]
    assert closed.read_text().count("closed") == min(workers, 4)
    assert results("", workers) == []


@pytest.mark.parametrize(
    ("word", "error", "message"),
    [
        ("refuses", RoboRallyError, "^no such word$"),
        pytest.param("seven", RuntimeError, "in another process:.*invalid literal for int", marks=pytest.mark.long),
        pytest.param("awkward", RuntimeError, "Awkward: ab", marks=pytest.mark.long),
        ("dies", SharingError, "a process was killed in the middle of its work: try again with fewer workers"),
    ],
)
def test_errors_of_other_processes_are_raised_in_this_one(word: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"(?s){message}"):
        results(f"1 {word} 2", 2)


@pytest.mark.parametrize("word", quick(["waits", "sleeps"], "waits"))
@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes without a signal")
def test_tasks_under_way_stop_when_the_loop_is_left(word: str, tmp_path: Path) -> None:
    """Tasks that call `should_stop` are stopped, others are killed; resources are closed in both cases."""
    closed = tmp_path / "closed"
    reported: list[int] = []
    tasks: list[Any] = ["1", word, "2", word]
    with closing(share(partial(Words, closed), tasks, 2, reported.append, 1.0)) as done:
        assert [next(done), next(done)] == [("1", 1), ("2", 2)]
    assert closed.read_text().count("closed") == 2


def test_progress_of_tasks_is_reported() -> None:
    reported: list[int] = []

    class Enough(Exception):
        pass

    def tell(progress: int) -> None:
        reported.append(progress)
        if progress > 10:
            raise Enough

    with pytest.raises(Enough):
        list(share(Words, ["waits", "waits"], 2, tell, 5.0))
    assert reported == sorted(reported)


def test_a_helper_does_tasks_beside_this_process(tmp_path: Path) -> None:
    closed, reported = tmp_path / "closed", list[int]()
    helper = Helper(partial(Words, closed), 5.0)
    with closing(helper):
        for word in ("1", "22"):
            helper.submit(word)
            assert helper.result(reported.append) == int(word)
        helper.submit("refuses")
        with pytest.raises(RoboRallyError, match="no such word"):
            helper.result(reported.append)
        helper.submit("waits")
    assert closed.read_text() == "closed\n"
    helper.close()  # closing twice does nothing
    helper = Helper(Words, 5.0)
    with closing(helper):
        helper.submit("dies")
        with pytest.raises(SharingError):
            helper.result(reported.append)
