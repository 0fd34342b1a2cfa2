"""Programs as players: what they are told, and what becomes of their answers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from programs import COURSE, DEFAULTS, LOST, InMemoryPlayer, legal, play

import rr_gym
from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.players import SeatView
from rr_gym.players.messages import course_message, turn_message
from rr_gym.players.process import OutputLine
from rr_gym.players.program import ProgramPlayer
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import determinize
from rr_gym.rules.state.records import no_orders


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(COURSE)


# What programs are told


def test_a_program_is_told_once_what_it_plays_and_then_every_turn(arena: Arena) -> None:
    player = InMemoryPlayer(legal, seconds=2)
    games = arena.new_games(3, 2, seed=1)
    player.reset(5)
    for _ in range(2):
        play(arena, games, player.act(arena, games, 1), 1)
    (link,) = player.links
    kinds = [message["type"] for message in link.heard]
    assert kinds == ["hello", "rules", "course", *["turn"] * 6]
    assert link.heard[0] == {"type": "hello", "protocol": 1, "rr_gym": rr_gym.__version__, "seconds": 2}
    turns = player.heard("turn")
    assert [turn["id"] for turn in turns] == list(range(1, 7))
    assert [turn["game"] for turn in turns] == ["1.0.0", "1.1.0", "1.2.0"] * 2
    assert [turn["turn"] for turn in turns] == [0, 0, 0, 1, 1, 1]
    assert len({turn["chance"] for turn in turns}) == 6
    assert {(turn["seat"], turn["rules"], turn["course"]) for turn in turns} == {(1, 1, 1)}
    assert (player.faults, list(player.reports), player.decisions) == ({}, [], 6)
    player.reset(5)
    other = Arena("checkmate")
    player.act(other, other.new_games(1, 2, seed=1), 1)
    assert [message["course"] for message in player.heard("course")] == [1, 2]
    assert player.heard("turn")[-1]["game"] == "2.0.0"


def test_the_course_is_told_as_it_lies() -> None:
    course = Arena("risky_exchange").courses[0]
    message = json.loads(json.dumps(course_message(1, course)))
    assert Course.from_yaml(message["text"]) == course
    width, height = message["size"]
    assert [len(row) for row in message["grid"]] == [width] * height
    as_board = Course.from_board("grid:\n" + "\n".join(" ".join(row) for row in message["grid"]))
    for square, placed in course.squares.items():
        assert as_board.squares[square].cell == placed.cell
    assert message["starts"] == {str(n): list(square) for n, square in course.starts.items()}


@pytest.mark.parametrize(
    "chosen",
    [{}, pytest.param({"game": "tag_teams", "teams": 2, "team_cards": "shared", "option_cards": "on",
                       "start_options": 3, "course": "everything"},
                      marks=pytest.mark.skipif(not COMPILED, reason="slow"))],
)  # fmt: skip
def test_a_turn_says_nothing_that_the_seat_cannot_know(chosen: dict[str, Any]) -> None:
    settings = dict(chosen)
    arena = Arena(settings.pop("course", COURSE), settings)
    games = arena.new_games(3, 4, seed=3)
    generator, words = np.random.default_rng(1), np.arange(3, dtype=np.uint64)
    for _ in range(3):
        for seat in range(4):
            other = determinize(games, seat, int(generator.integers(2**62)))
            other["key"] ^= np.uint64(977)
            other["draws"] += 3
            for name in ("index", "episode"):
                other[name] = games[name]
            texts = [
                [json.dumps(turn_message(SeatView.of(arena, game, seat), 1, 1, 7, 1.0, {})) for game in batch]
                for batch in (games, other)
            ]
            assert texts[0] == texts[1]
        orders = no_orders(3, 8, full=True)
        arena.random_orders(games, orders, words)
        arena.play(games, orders)


def test_what_is_legal_is_said(arena: Arena) -> None:
    settings = {"first_card_moves": "on", "pd_needs_damage": "on"}
    strict = Arena(COURSE, settings)
    games = strict.new_games(1, 1, seed=2)
    said = turn_message(SeatView.of(strict, games[0], 0), 1, 1, 0, 1.0, {})["legal"]
    assert (said["power_down"], said["stay_down"], said["first_card_moves"]) == (False, True, True)
    assert (said["registers"], said["facing"], said["unlock"]) == ([1, 2, 3, 4, 5], [], [])
    robot = games["robots"][0, 0]
    robot["damage"], robot["locked"], robot["registers"][4], robot["may_face"] = 5, 16, 84, 1
    robot["hand"][4:] = 0
    said = turn_message(SeatView.of(arena, games[0], 0), 1, 1, 0, 1.0, {})["legal"]
    assert (said["power_down"], said["first_card_moves"], said["unlock"]) == (True, False, [5])
    assert (said["registers"], said["facing"], len(said["cards"])) == ([1, 2, 3, 4], ["n", "e", "s", "w"], 4)


# What becomes of answers


def test_legal_answers_are_played_as_they_are(arena: Arena) -> None:
    player = InMemoryPlayer(legal)
    games = arena.new_games(4, 3, seed=9)
    for _ in range(4):
        orders = player.act(arena, games, 2)
        for game, order, turn in zip(games, orders, player.heard("turn")[-4:], strict=True):
            given = {2: json.loads(legal(turn))["orders"]}
            assert order == resolve_orders(given, game, arena.settings[0], arena.tables[0])[2]
        play(arena, games, orders, 2)
    assert not player.faults


def test_one_game_and_a_batch_are_decided_alike(arena: Arena) -> None:
    games = arena.new_games(3, 2, seed=4)
    batch = InMemoryPlayer(legal).act(arena, games, 0)
    single = InMemoryPlayer(legal)
    assert [single.orders(SeatView.of(arena, game, 0)) for game in games] == list(batch)


def test_answers_may_come_in_any_order(arena: Arena) -> None:
    held: list[bytes] = []

    def last_first(turn: dict[str, Any]) -> bytes:
        held.insert(0, legal(turn))
        return b"\n".join(held) if len(held) == 3 else b""

    games = arena.new_games(3, 2, seed=4)
    player = InMemoryPlayer(last_first)
    assert list(player.act(arena, games, 0)) == list(InMemoryPlayer(legal).act(arena, games, 0))
    assert not player.faults


WRONG = [
    (b"", "time-out", "no answer in"),
    (b"hello!", "not JSON", "expected one JSON object in a line"),
    (b"\xff\xfe", "not JSON", "expected one JSON object"),
    (b"[" * 60_000, "not JSON", "expected one JSON object"),
    (b'{"id": NaN, "orders": {}}', "not JSON", "NaN is not JSON"),
    (b"[1, {}]", "not an answer", "expected an object with 'id' and 'orders'"),
    (b'{"orders": {}}', "not an answer", "expected an object with 'id' and 'orders'"),
    (b'{"id": 1, "orders": {}, "why": 0}', "not an answer", "expected an object with 'id' and 'orders'"),
    (b'{"id": true, "orders": {}}', "not an answer", "id: expected that of the turn"),
    (b'{"id": 77, "orders": {}}', "not an answer", "id: 77: expected that of an open turn, such as 1"),
    (b'{"id": 1, "orders": 5}', "illegal order", "seat 0: 5: expected Orders"),
    (b'{"id": 1, "orders": {"programm": []}}', "illegal order", "no field 'programm'; did you mean 'program'?"),
    (b'{"id": 1, "orders": {"program": [1]}}', "illegal order", "seat 0: program: [1]: expected 5 entries"),
    (b'{"id": 1, "orders": {"facing": "n"}}', "illegal order", "seat 0: facing: 'n': expected null"),
    (b'{"id": 1, "orders": {"unlock": 9}}', "illegal order", "seat 0: unlock: 9: expected a whole number from 1 to 5"),
    (b'{"id": 1, "orders": {"weapon": ["big_gun"]}}', "illegal order", "seat 0: weapon"),
    (b'{"id": 1, "orders": {"program": ["u_turn@' + b"x" * 9000 + b'", null, null, null, null]}}',
     "illegal order", "seat 0: program, register 1"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "fault", "why"), WRONG)
def test_a_wrong_answer_costs_one_turn_and_is_reported(arena: Arena, line: bytes, fault: str, why: str) -> None:
    lines = [line]
    player = InMemoryPlayer(lambda turn: lines.pop() if lines else legal(turn))
    games = arena.new_games(1, 2, seed=1)
    assert player.act(arena, games, 0)[0] == LOST
    assert dict(player.faults) == {fault: 1}
    assert f"seat 0, turn 0: {fault}: " in player.reports[0]
    assert why in player.reports[0]
    assert len(player.reports[0]) < 700
    assert player.act(arena, games, 0)[0] not in (DEFAULTS, LOST)
    assert dict(player.faults) == {fault: 1}
    assert (player.decisions, len(player.links)) == (2, 1 + (fault == "time-out"))
    if fault == "time-out":  # before the first answer: a new process is asked
        return
    ((_, error),) = [
        (kind, message)
        for kind, message in zip(["", *(m["type"] for m in player.links[0].heard)], player.links[0].heard, strict=False)
        if message["type"] == "error"
    ]
    assert (error["id"], error["fault"]) == (1, fault)
    assert why in error["message"]
    assert [m["type"] for m in player.links[0].heard][-2:] == ["error", "turn"]


def test_in_a_batch_only_the_wrong_answers_are_lost(arena: Arena) -> None:
    player = InMemoryPlayer(lambda turn: b"?" if turn["id"] % 3 == 1 else legal(turn))
    games = arena.new_games(9, 2, seed=1)
    good = InMemoryPlayer(legal).act(arena, games, 0)
    orders = player.act(arena, games, 0)
    assert [order == LOST for order in orders] == [True, False, False] * 3
    assert all(orders[i] == good[i] for i in range(9) if i % 3)
    assert dict(player.faults) == {"not JSON": 3}


def test_default_orders_do_not_stop_the_game(arena: Arena) -> None:
    """The same seed gives the same game, with an eliminated robot that is not asked any more."""

    def whole_game() -> tuple[np.ndarray, ProgramPlayer]:
        player = InMemoryPlayer(lambda turn: b"?")
        games = Arena(COURSE, {"lives": 1}).new_games(4, 2, seed=8)
        for _ in range(40):
            play(arena, games, player.act(arena, games, 0))
        return games, player

    (games, player), (again, _) = whole_game(), whole_game()
    assert games.tobytes() == again.tobytes()
    assert games["over"].all()
    assert player.faults["not JSON"] == player.decisions == len(player.heard("turn"))
    assert player.decisions < 100  # robots that are out, and games that are over, are not asked for


class Slow(InMemoryPlayer):
    """Its answers to turns 2 and 3 are said to come late; nobody waits for them."""

    def start(self) -> Any:
        link = super().start()
        receive = link.receive

        def late(until: float) -> Any:
            line = receive(until)
            return OutputLine(line.text, until + 2.5) if line and json.loads(line.text)["id"] == 2 else line

        link.receive = late
        return link


def test_time_is_counted_from_when_an_answer_came(arena: Arena) -> None:
    """Turn 2 of a batch is answered 2.5 s late, so turns 3 and 4 are lost too, and half a second is left for turn 5."""
    player = Slow(legal, seconds=1)
    orders = player.act(arena, arena.new_games(6, 2, seed=1), 0)
    assert [order == LOST for order in orders] == [False, True, True, True, False, False]
    assert dict(player.faults) == {"time-out": 3}


class LateTwice(InMemoryPlayer):
    """It answers turn 2 half a second after its time, and turn 3 another 0.7 s later."""

    def start(self) -> Any:
        link = super().start()
        receive, ends = link.receive, []

        def late(until: float) -> Any:
            line = receive(until)
            number = json.loads(line.text)["id"] if line else 0
            if number == 2:
                ends.append(until)
            return OutputLine(line.text, ends[0] + {2: 0.5, 3: 1.2}[number]) if number in (2, 3) else line

        link.receive = late
        return link


def test_a_late_answer_does_not_restart_the_clock(arena: Arena) -> None:
    player = LateTwice(legal, seconds=1)
    orders = player.act(arena, arena.new_games(3, 2, seed=1), 0)
    assert [order == LOST for order in orders] == [False, True, True]
    assert [bool(late) for late in orders["late"]] == [False, True, True]


def test_lost_decisions_are_late_programs(arena: Arena) -> None:
    games = arena.new_games(3, 2, seed=1)
    games["robots"]["out"][2, 0] = 1  # it is not asked
    player = InMemoryPlayer(lambda turn: b"?" if turn["id"] == 1 else legal(turn))
    orders = player.act(arena, games, 0)
    assert orders["late"].tolist() == [1, 0, 0]
