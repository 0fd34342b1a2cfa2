"""Ghosts of analyses: where better orders would have led."""

from __future__ import annotations

import json
import re

import pytest

from rr_gym.analysis import AnalysedTurn, Analysis, analysis_html
from rr_gym.analysis.ghost import GhostStop, ghost_path
from rr_gym.race import RaceConfig, race
from rr_gym.replay import Replay
from rr_gym.replay.rerun import begin, rerun
from rr_gym.replay.scene import Frame

TURN = 2  # counted from 0


@pytest.fixture(scope="module")
def replay() -> Replay:
    return race(RaceConfig("risky_exchange", ("greedy", "racer", "greedy"), 4, 6))


def path_of(replay: Replay, seat: int, orders: int) -> tuple[GhostStop, ...]:
    """Return the path of a seat in `TURN` with the orders of another turn."""
    arena, games = begin(replay)
    going = rerun(replay, arena, games)
    for _ in range(TURN):
        next(going)
    before = games.copy()
    path = ghost_path(replay, arena, games, TURN, seat, replay.turns[orders].orders[seat])
    assert (games == before).all()
    return path


def frames_of_turn(replay: Replay) -> list[tuple[int, Frame]]:
    return [(number, frame) for number, frame in enumerate(replay.frames, 1) if frame.turn == TURN]


def where(frame: Frame, seat: int) -> tuple[tuple[int, int] | None, int]:
    piece = frame.pieces[seat]
    return ((piece.square % 12, piece.square // 12) if piece.alive else None), piece.facing


def on_page(replay: Replay, seat: int, path: tuple[GhostStop, ...]) -> list[list[int | None]]:
    cards = ("move_1@490",) * 5
    turn = AnalysedTurn(TURN + 1, seat, 0.5, 0.25, 0.4, cards, cards, {}, path)
    page = analysis_html(Analysis(replay.players, (turn,)), replay)
    found = re.search(r'id="better-data">(.*?)</script>', page)
    assert found
    (data,) = json.loads(found[1])
    assert (data["turn"], data["seat"], data["given"]) == (TURN + 1, seat, 0.25)
    return list(data["path"])


@pytest.mark.parametrize("seat", range(3))
def test_a_ghost_with_the_same_orders_goes_where_the_robot_went(replay: Replay, seat: int) -> None:
    path = path_of(replay, seat, TURN)
    assert path[0][:2] == (0, "setup")
    for _, frame in frames_of_turn(replay):
        stops = [stop for stop in path if (stop.phase, stop.step) == (frame.phase, frame.step)]
        assert not stops or where(frame, seat) in [stop[2:] for stop in (path[path.index(stops[0]) - 1], *stops)]
    last = frames_of_turn(replay)[-1][1]
    assert path[-1][2:] == where(last, seat)


@pytest.mark.parametrize("seat", range(3))
def test_on_the_page_it_is_with_the_robot_at_the_end_of_each_phase(replay: Replay, seat: int) -> None:
    path = on_page(replay, seat, path_of(replay, seat, TURN))
    numbers = [number for number, *_ in path]
    assert numbers == sorted(numbers)
    turn = frames_of_turn(replay)
    for phase in range(1, 6):
        number, frame = [(number, frame) for number, frame in turn if frame.phase == phase][-1]
        _, x, y, facing = [stop for stop in path if stop[0] is not None and stop[0] <= number][-1]
        assert ((None if x is None else (x, y)), facing) == where(frame, seat)


def test_other_orders_lead_elsewhere_within_the_turn(replay: Replay) -> None:
    path = path_of(replay, 0, TURN + 1)
    assert path[-1][2:] != path_of(replay, 0, TURN)[-1][2:]
    turn = [number for number, _ in frames_of_turn(replay)]
    assert {number for number, *_ in on_page(replay, 0, path)} <= set(turn)
