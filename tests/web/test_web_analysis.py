"""The analysis that pages ask for at the end of a game: when it can be had, how far it is, and how it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from play_talk import small
from web_games import cards, of_people, pages

from rr_gym.errors import RoboRallyError
from rr_gym.play import HumanGame
from rr_gym.replay import Replay
from rr_gym.web import room
from rr_gym.web.analysing import Analysing


class Waiting:
    """An analysis that is ready, or has failed, when the test says so."""

    made: list[Waiting] = []  # noqa: RUF012  (emptied by the fixture)

    def __init__(self, replay: Replay, tell: Callable[[str], None]) -> None:
        replay.verify()
        self.state, self.done, self.total, self.page, self.closed = "running", 3, 8, "<p>the analysis</p>", False
        self.made.append(self)

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> list[Waiting]:
    monkeypatch.setattr(room, "Analysing", Waiting)
    Waiting.made = []
    return Waiting.made


def one_turn() -> HumanGame:
    """Return a game of two people that is truncated after its first turn."""
    table = of_people(small(), 0, 1)
    table.max_cycles = 1
    return table


def recorded() -> Replay:
    table = one_turn()
    return table.recorder.replay(table.game.games, reveal=True)


def play(seats: list[Any]) -> None:
    for page in seats:
        page.go({"program": cards(page.state())})
    assert seats[0].state(newer=True)["over"]


def test_an_analysis_is_made_once_for_all_pages(made: list[Waiting]) -> None:
    with pages(one_turn()) as (one, two):
        assert "expected to wait for its end" in one.post("analyse", {}, 409)["error"]
        assert not one.get("analysis").json()["possible"]
        play([one, two])
        assert one.get("analysis").json() == {"state": "none", "done": 0, "total": None, "possible": True}
        one.get("analysis.html", 409)
        running = {"state": "running", "done": 3, "total": 8, "possible": True}
        assert one.post("analyse", {}) == two.post("analyse", {}) == two.get("analysis").json() == running
        two.get("analysis.html", 409)
        (only,) = made
        only.state = "ready"
        assert one.get("analysis").json()["state"] == "ready"
        answer = two.get("analysis.html")
        assert answer.text == "<p>the analysis</p>"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert one.post("analyse", {})["state"] == "ready"
    assert len(made) == 1
    assert not only.closed


def test_one_that_has_failed_can_be_tried_again(made: list[Waiting]) -> None:
    with pages(one_turn()) as (one, two):
        play([one, two])
        one.post("analyse", {})
        made[0].state = "failed"
        assert two.get("analysis").json()["state"] == "failed"
        assert two.post("analyse", {})["state"] == "running"
    assert len(made) == 2
    assert made[1].closed  # the server has stopped


def test_a_rematch_ends_it(made: list[Waiting]) -> None:
    with pages(one_turn()) as (one, two):
        play([one, two])
        one.post("analyse", {})
        for page in (one, two):
            page.post("again", {})
        assert made[0].closed
        assert one.get("analysis").json()["state"] == "none"


def test_a_game_without_turns_has_none() -> None:
    table = of_people(small(), 0, 1)
    table.max_cycles = 0
    with pages(table) as (one, _):
        if one.state()["over"]:
            assert "no turn was played" in one.post("analyse", {}, 409)["error"]
        assert not one.get("analysis").json()["possible"]


def fails(replay: Replay, report: Callable[[int, int | None], None]) -> str:
    report(1, 4)
    raise RoboRallyError(f"no values for {replay.num_robots} robots")


def lasts(replay: Replay, report: Callable[[int, int | None], None]) -> str:
    report(2, 4)
    time.sleep(600)
    return ""


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    limit = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_the_process_says_how_far_it_is_and_why_it_fails() -> None:
    told: list[str] = []
    about = Analysing(recorded(), told.append, fails)
    until(lambda: bool(told))
    assert (about.state, about.done, about.total, told) == ("failed", 1, 4, ["no values for 3 robots"])


def test_the_process_ends_with_the_server() -> None:
    told: list[str] = []
    about = Analysing(recorded(), told.append, lasts)
    until(lambda: about.done == 2)
    about.close()
    until(lambda: about.state == "failed")
    assert not about._process.is_alive()
    assert told == []
