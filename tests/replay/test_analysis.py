"""The analysis of recorded games: what each robot gave away, and what was luck."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rr_gym import Arena, Game, make_player
from rr_gym.analysis import Analysis, analyse
from rr_gym.cli.main import main
from rr_gym.courses import Course
from rr_gym.players.planner import PlannerPlayer
from rr_gym.players.protocol import SeatView
from rr_gym.replay import Recorder, Replay
from rr_gym.rules.state.records import new_log, no_orders

TURNS = 3


@pytest.fixture(scope="module")
def replay() -> Replay:
    """Play three turns of a duel between the racer and random programs."""
    board = "\n".join(["@1" + " ." * 15 + " #1", "@2" + " ." * 16, *[". " * 17] * 4])
    arena = Arena(Course.from_board(board, "lane"))
    games, orders, logs = arena.new_games(1, 2, seed=3), no_orders(1, 8, full=True), new_log()
    recorder = Recorder(arena, games, players=["racer", "random"])
    players = [make_player("racer"), make_player("random")]
    for _ in range(TURNS):
        for seat, player in enumerate(players):
            orders[:, seat] = player.act(arena, games, seat)
        arena.play(games, orders, logs=logs)
        recorder.add(orders, logs)
    return recorder.replay(games)


@pytest.fixture(scope="module")
def found(replay: Replay) -> Analysis:
    return analyse(replay, PlannerPlayer(400), deals=64)


def test_values_and_differences_add_up(replay: Replay, found: Analysis) -> None:
    for seat in range(2):
        turns = found.of(seat)
        assert [turn.turn for turn in turns] == list(range(1, len(replay.turns) + 1))
        for turn, following in pairwise(turns):
            assert 0 <= turn.played <= turn.best <= 1
            assert turn.after == following.best
            assert (turn.better is None) == (turn.given_away == 0) == (turn.orders is None)
        # What was given away and the luck add up to the difference between the first value and the result.
        result = turns[0].best - sum(turn.given_away for turn in turns) + sum(turn.luck for turn in turns)
        assert result == pytest.approx(2 - replay.placements[seat])


def test_a_random_player_gives_more_away(found: Analysis) -> None:
    racer, anything = (sum(turn.given_away for turn in found.of(seat)) for seat in range(2))
    assert anything > racer + 0.1
    worst = found.worst(2)
    assert worst[0].given_away == max(turn.given_away for turn in found.turns)
    assert worst[0].given_away >= worst[1].given_away > 0


def test_better_orders_can_be_played(replay: Replay, found: Analysis) -> None:
    turn = found.worst(1)[0]
    assert turn.better is not None
    assert turn.orders is not None
    assert len(set(turn.orders["program"])) == 5
    assert all(card == "none" or int(card.partition("@")[2]) // 10 in turn.orders["program"] for card in turn.better)


def test_the_same_orders_weigh_the_same(replay: Replay) -> None:
    game = Game(replay.course, num_robots=2, seed=3)
    view = SeatView.of(game.arena, game.record, 0)
    judge = PlannerPlayer(400)
    best = judge.values(view)[0][0]
    weighed = judge.weigh(view, np.array([best, best, no_orders(1, full=True)[0]]), deals=100)
    assert weighed[0] == weighed[1] >= weighed[2]
    assert np.array_equal(weighed, judge.weigh(view, np.array([best, best, no_orders(1, full=True)[0]]), deals=100))


def test_the_command_prints_a_table_and_the_worst_turns(
    replay: Replay, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(replay.save(tmp_path / "replay.json"))
    arguments = ["analyse", path, "--judge", "planner:400", "--deals", "64", "--json", str(tmp_path / "found.json")]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].split() == ["turn", "robot", "best", "played", "given", "away", "luck", "program"]
    assert "random gave away" in printed
    data = json.loads((tmp_path / "found.json").read_text())
    assert [(turn["turn"], turn["seat"]) for turn in data["turns"]] == [(n, s) for n in (1, 2, 3) for s in (0, 1)]
    assert main(["analyse", path, "--judge", "greedy"]) == 2
    assert "--judge greedy: expected a player that values orders" in capsys.readouterr().err
