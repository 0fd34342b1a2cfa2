"""Protocol 2: what programs are told, and what becomes of their answers."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import numpy as np
import pytest
from programs import COURSE, DEFAULTS, LOST, VALUES, InMemoryPlayer, mutated, some_legal, strange

from rr_gym.compilation.kernels import COMPILED
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.encoding.orders.orders import Orders
from rr_gym.player_calls import TableFacts
from rr_gym.players import SeatView
from rr_gym.players.protocol2.conversation import SecondConversation
from rr_gym.players.protocol2.events import EVENT_FIELDS
from rr_gym.players.protocol2.messages import MOST_PREVIEWS, turn_message
from rr_gym.players.protocol2.previews import preview_result
from rr_gym.players.protocol2.seat_games import SeatGame
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import determinize
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.order_table import OF_CARDS
from rr_gym.rules.state.records import LOG, no_orders
from rr_gym.runner import Batch, Seats, play_out

Message = dict[str, Any]


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(COURSE)


def legal(message: Message) -> bytes:
    return json.dumps({"id": message["id"], "orders": some_legal(message, random.Random(message["chance"]))}).encode()


def program(answer: Any = legal, **options: Any) -> InMemoryPlayer:
    return InMemoryPlayer(answer, protocol=2, **options)


def played(arena: Arena, player: InMemoryPlayer, games: int = 2, turns: int = 3, seed: int = 1) -> Batch:
    """Play games of a program against itself, as races and matches do."""
    batch = Batch(arena, arena.new_games(games, 2, seed=seed), turns)
    play_out(batch, Seats(batch, [player], np.zeros((games, 2), np.int64)).ask, lambda _: None)
    return batch


# What programs are told


def test_a_program_is_told_the_course_the_games_and_their_ends(arena: Arena) -> None:
    player = program(seconds=2, bank=30)
    played(arena, player, games=1, turns=2)
    (link,) = player.links
    assert [message["type"] for message in link.heard] == [
        "hello", "course", "game", "turn", "game", "turn", "turn", "turn", "end", "end",
    ]  # fmt: skip
    assert (player.faults, list(player.reports), player.decisions) == ({}, [], 4)
    assert link.heard[0]["protocol"] == 2
    course = link.heard[1]
    assert (course["seconds"], course["bank_seconds"], course["preparation_seconds"]) == (2, 30, 5)
    assert set(course["limits"]) == {"line_bytes", "previews", "forfeit_lost", "forfeit_share"}
    games = player.heard("game")
    assert [(game["game"], game["seat"], game["robots"]) for game in games] == [("1", 0, 2), ("2", 1, 2)]
    assert {(game["scored"], game["truncated_after"], tuple(game["players"])) for game in games} == {
        ("wins", 2, ("program", "program"))
    }
    ends = player.heard("end")
    assert {(end["turns"], end["truncated"], end["forfeited"]) for end in ends} == {(2, True, False)}
    assert {tuple(sorted(end["places"])) for end in ends} <= {(1, 2), (1, 1)}


def test_a_turn_tells_what_was_played_in_the_last_one(arena: Arena) -> None:
    player = program()
    played(arena, player, games=1, turns=2)
    first, _, second, _ = player.heard("turn")
    assert first["last"] is None
    last = second["last"]
    assert last["turn"] == 0
    robots = second["view"]["robots"]
    for seat, cards in enumerate(last["programs"]):
        mine = json.loads(legal(player.heard("turn")[seat]))["orders"]["program"]
        assert all(card in (None, given) for card, given in zip(cards, mine, strict=True))
        assert cards == mine or robots[seat]["lives"] < 3  # all were played by robots that were not destroyed
    kinds = {event["event"] for event in last["events"]}
    assert "card" in kinds
    assert not any(event["event"] == "programmed" and event["robot"] != 0 for event in last["events"])
    ended = player.heard("end")[0]["last"]
    assert ended["turn"] == 1


def test_the_tables_say_where_the_rules_lead_a_lone_robot(arena: Arena) -> None:
    player = program()
    games = arena.new_games(1, 1, seed=5)
    player.act(arena, games, 0)
    (course,) = player.heard("course")
    (turn,) = player.heard("turn")
    tables, state, cards = course["tables"], turn["state"], turn["legal"]["program"]["cards"][:5]
    result = None
    for phase, card in enumerate(cards):
        state = tables["steps"][tables["steps_of_phase"][phase]][card.partition("@")[0]][state] if state >= 0 else -1
    orders = no_orders(1, 8, full=True)
    orders[0, 0] = resolve_orders({0: cards}, games[0], arena.settings[0], arena.tables[0])[0]
    arena.play(games, orders)
    robot = games["robots"][0, 0]
    width, _ = course["size"]
    result = int(robot["square"]) * 4 + int(robot["facing"])
    assert state in (result, -1)
    assert all(len(turns) == len(tables["steps"][0]["none"]) + 1 for turns in tables["turns_to_go"])
    assert len(tables["turns_to_go"]) == len(course["flags"])
    square = course["squares"][0][0]
    assert set(square) == {"items", "sides", "level"}
    x, y = course["flags"][0]
    for side in range(4):
        assert tables["turns_to_go"][0][(y * width + x) * 4 + side] >= 1


def test_a_single_game_tells_its_players_too() -> None:
    from rr_gym.game import Game

    player, game = program(), Game(COURSE, 2, 3, {"lives": 1})
    while not game.over:
        game.play({0: player})
    told = [turn["last"] and turn["last"]["turn"] for turn in player.heard("turn")]
    assert told == [None, *range(len(told) - 1)]
    (end,) = player.heard("end")
    assert (end["truncated"], tuple(end["places"]), tuple(end["winners"])) == (False, game.placements, game.winners)
    assert player.heard("game")[0]["players"] is None


def test_events_have_names_for_all_that_they_say() -> None:
    assert set(EVENT_FIELDS) | {"dealt"} == set(EVENT_NAMES)


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
    words = np.arange(3, dtype=np.uint64)
    for _ in range(2):
        for seat in range(4):
            other = determinize(games, seat, 77 + seat)
            for name in ("index", "episode"):
                other[name] = games[name]
            known = SeatGame("1", seat, TableFacts(), 9)
            texts = [
                [json.dumps(turn_message(SeatView.of(arena, game, seat), 1, known, 7, 1)) for game in batch]
                for batch in (games, other)
            ]
            assert texts[0] == texts[1]
        orders = no_orders(3, 8, full=True)
        arena.random_orders(games, orders, words)
        arena.play(games, orders)


# Legal orders


@pytest.mark.skipif(not COMPILED, reason="slow")
@pytest.mark.parametrize("first", range(0, len(OPTION_NAMES), 18))
def test_all_that_is_said_to_be_legal_is_accepted(first: int) -> None:
    """Each robot has some of the options, so that each option is somebody's."""
    arena = Arena("everything", {"option_cards": "on", "max_options": "none", "cb_choice": "on"})
    games = arena.new_games(3, 6, seed=first)
    owned = list(range(len(OPTION_NAMES)))[first : first + 18]
    for place, option in enumerate(owned):
        arena.give(games, place % 6, OPTION_NAMES[option])
    player = program()
    for _ in range(3):
        for seat in range(6):
            player.act(arena, games, seat)
        orders = no_orders(3, 8, full=True)
        arena.play(games, orders)
        assert not player.faults, list(player.reports)
    named = {name for message in player.heard("turn") for name in message["legal"]}
    needed = {asked for option in owned for asked in _orders_of(option)}
    assert needed - named <= {"buzz_program", "homing"}


def _orders_of(option: int) -> set[str]:
    from rr_gym.option_facts import OPTION_CARDS

    return {asked.partition(":")[0] for asked in OPTION_CARDS[option].orders} & OF_CARDS.keys()


def test_the_base_game_has_few_orders(arena: Arena) -> None:
    player = program()
    games = arena.new_games(1, 2, seed=2)
    games["robots"]["damage"][0, 0], games["robots"]["locked"][0, 0] = 5, 16
    games["robots"]["registers"][0, 0, 4], games["robots"]["hand"][0, 0, 4:] = 84, 0
    player.act(arena, games, 0)
    said = player.heard("turn")[0]["legal"]
    assert list(said) == ["program", "power_down", "stay_down", "unlock"]
    assert said["program"]["registers"] == [1, 2, 3, 4]
    assert said["power_down"] == {"default": False, "values": [False, True]}
    assert said["unlock"]["values"] == [None, 1, 2, 3, 4, 5]
    assert {name for name in said if name != "program"} <= set(Orders.__annotations__)


# Previews


def test_a_preview_says_where_a_program_leads(arena: Arena) -> None:
    asked: list[Any] = []

    def answer(message: Message) -> bytes:
        if message["type"] == "preview":
            asked.append(message["results"])
            return json.dumps({"id": message["id"], "orders": {}}).encode()
        cards = message["legal"]["program"]["cards"]
        previews = [{"program": cards[:5]}, cards[:2] + [None] * 3, {"program": ["u_turn"] * 5}, {"nothing": 1}, 7]
        return json.dumps({"id": message["id"], "preview": previews}).encode()

    player = program(answer)
    games = arena.new_games(1, 1, seed=5)
    assert player.act(arena, games, 0)[0] == DEFAULTS
    assert not player.faults
    ((whole, part, *wrong),) = asked
    assert (len(whole["phases"]), whole["end"]["turn_over"]) == (5, True)
    assert (len(part["phases"]), part["end"]["turn_over"]) == (2, False)
    assert part["phases"] == whole["phases"][:2]
    assert [set(result) for result in wrong] == [{"error"}] * 3
    assert "expected a card in the hand" in wrong[0]["error"]
    orders = no_orders(1, 8, full=True)
    cards = player.heard("turn")[0]["legal"]["program"]["cards"][:5]
    orders[0, 0] = resolve_orders({0: cards}, games[0], arena.settings[0], arena.tables[0])[0]
    arena.play(games, orders)
    robot = arena_view(arena, games)
    assert [whole["end"][name] for name in ("square", "facing", "damage", "flag")] == [
        None if robot.square is None else list(robot.square), robot.facing, robot.damage, robot.flag,
    ]  # fmt: skip


def arena_view(arena: Arena, games: np.ndarray) -> Any:
    from rr_gym.encoding.observe.view import view_of

    return view_of(games[0], 0, arena.courses[0]).own


def test_previews_of_settled_turns_are_dropped(arena: Arena) -> None:
    def answer(message: Message) -> bytes:
        late = [json.dumps({"id": number, "preview": [{}]}) for number in range(1, message["id"])]
        return "\n".join([*late, legal(message).decode()]).encode()

    player = program(answer)
    games = arena.new_games(4, 2, seed=1)
    player.act(arena, games, 0)
    assert (player.faults, player.heard("preview")) == ({}, [])


def test_what_is_compiled_for_a_preview_costs_no_time(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first previews on a new machine take minutes, in which the bot only waits."""
    spent = [0.0]
    now = time.monotonic

    def compile_first(view: Any, orders: Any) -> dict[str, Any]:
        spent[0] += 600.0  # so does the clock
        return preview_result(view, orders)

    for module in ("rr_gym.players.program", "rr_gym.players.protocol2.previews"):
        monkeypatch.setattr(f"{module}.seconds_spent", lambda: spent[0])
    monkeypatch.setattr("rr_gym.players.protocol2.previews.preview_result", compile_first)
    monkeypatch.setattr(time, "monotonic", lambda: now() + spent[0])

    def answer(message: Message) -> bytes:
        if message["type"] == "turn":
            return json.dumps({"id": message["id"], "preview": [{}, {}]}).encode()
        return json.dumps({"id": message["id"], "orders": {}}).encode()

    player = program(answer, bank=30.0)
    games = arena.new_games(1, 2, seed=1)
    for turn in range(2):
        games["turn"] = turn
        player.act(arena, games, 0)
    assert (player.faults, spent) == ({}, [2400.0])
    assert player.heard("turn")[1]["bank_seconds"] > 29


def test_a_preview_has_the_time_of_its_own_turn(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three open turns the last may be answered when the first two have taken all their time."""
    deadlines: list[float] = []

    def note(view: Any, orders: Any, deadline: float) -> list[Any]:
        deadlines.append(deadline)
        return []

    monkeypatch.setattr("rr_gym.players.program.preview_results", note)

    def answer(message: Message) -> bytes:
        if message["type"] == "turn" and message["id"] == 3:
            asked = [json.dumps({"id": number, "preview": [{}]}).encode() for number in (1, 2, 3)]
            return b"\n".join([*asked, *(json.dumps({"id": number, "orders": {}}).encode() for number in (1, 2, 3))])
        return b""

    player = program(answer, seconds=4.0)
    player.act(arena, arena.new_games(3, 2, seed=1), 0)
    assert [round(deadline - deadlines[0], 6) for deadline in deadlines] == [0, 4, 8]
    assert not player.faults


@pytest.mark.parametrize(
    ("line", "fault", "why"),
    [
        (b'{"id": 1, "preview": {}}', "not an answer", f"preview: expected a list of 1 to {MOST_PREVIEWS} orders"),
        (b'{"id": 1, "preview": []}', "not an answer", "preview: expected a list"),
        (b'{"id": 1, "preview": [' + b",".join([b"{}"] * (MOST_PREVIEWS + 1)) + b"]}", "not an answer", "preview: "),
        (b'{"id": 9, "preview": [{}]}', "not an answer", "id: 9: expected that of an open turn, such as 1"),
        (b'{"id": 1, "preview": [{}], "orders": {}}', "not an answer", "either 'orders' or 'preview'"),
        (b'{"id": true, "orders": {}}', "not an answer", "id: expected the number of a turn"),
        (b'{"type": "hello"}', "not an answer", "either 'orders' or 'preview'"),
        (b"[", "not JSON", "expected one JSON object in a line"),
        (b'{"id": 1, "orders": {"weapon": "big_gun"}}', "illegal order", "seat 0: weapon"),
    ],
)
def test_wrong_lines_cost_one_decision(arena: Arena, line: bytes, fault: str, why: str) -> None:
    lines = [line]
    player = program(lambda message: lines.pop() if lines else legal(message))
    games = arena.new_games(1, 2, seed=1)
    assert player.act(arena, games, 0)[0] == LOST
    assert dict(player.faults) == {fault: 1}
    assert why in player.reports[0]
    (error,) = player.heard("error")
    assert (error["id"], error["game"], error["fault"], error["lost"]) == (1, "1", fault, 1)
    assert not error["forfeited"]
    assert why in error["message"]
    games["turn"] = 1
    assert player.act(arena, games, 0)[0] not in (DEFAULTS, LOST)


@pytest.mark.parametrize("seed", range(4))
def test_no_line_stops_a_game(arena: Arena, seed: int) -> None:
    """Mutated answers and requests for previews either count or cost their decision."""
    chance = random.Random(seed)

    def answer(message: Message) -> bytes:
        if message["type"] == "preview":
            return legal(player.heard("turn")[-1])
        orders = strange(some_legal(message, chance), chance) if chance.random() < 0.5 else some_legal(message, chance)
        said = {"id": message["id"], "orders": orders}
        if chance.random() < 0.5:
            said = {"id": message["id"], "preview": [orders, chance.choice(VALUES), orders]}
        line = json.dumps(said).encode()
        return mutated(line, chance) if chance.random() < 0.3 else line

    player = program(answer)
    games = arena.new_games(1, 2, seed=seed)
    orders = no_orders(1, 8, full=True)
    for _ in range(20):
        orders[:, 0] = player.act(arena, games, 0)
        arena.play(games, orders)
    assert 0 < player.faults.total() <= player.decisions


# Time banks and forfeits


def test_too_many_lost_decisions_forfeit_the_game(arena: Arena) -> None:
    player = program(lambda message: b"?" if message["game"] == "1" else legal(message))
    batch = Batch(arena, arena.new_games(2, 2, seed=1), 8)
    seats = Seats(batch, [player, InMemoryPlayer(legal, protocol=2)], np.array([[0, 1], [0, 1]]))
    play_out(batch, seats.ask, lambda _: None)
    assert player.faults["not JSON"] == 3
    assert player.faults["forfeit"] > 0
    assert seats.forfeits.tolist() == [[True, False], [False, False]]
    assert player.reports[-1].endswith("forfeit: 3 of 3 decisions of this game were lost: it counts as lost")
    assert [error["forfeited"] for error in player.heard("error")] == [False, False, True]
    assert [turn["game"] for turn in player.heard("turn")].count("1") == 3
    assert [end["forfeited"] for end in player.heard("end")] == [True, False]


def test_a_few_lost_decisions_do_not(arena: Arena) -> None:
    player = program(lambda message: b"?" if message["turn"] % 4 == 3 else legal(message))
    batch = Batch(arena, arena.new_games(1, 1, seed=1), 20)
    seats = Seats(batch, [player], np.zeros((1, 1), np.int64))
    play_out(batch, seats.ask, lambda _: None)
    assert player.faults["not JSON"] == len(player.heard("error"))
    assert not seats.forfeits.any()


def test_an_empty_time_bank_forfeits_the_game(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecondConversation, "preparation", 0.0)
    turns: list[Message] = []

    def answer(message: Message) -> bytes:
        turns.append(message)
        return legal(message) if len(turns) < 3 else b""

    player = program(answer, seconds=2.0, bank=1.5, start_seconds=1e-9)
    games = arena.new_games(1, 2, seed=1)
    logs = np.zeros(1, LOG)
    for turn in range(5):
        games["turn"] = turn
        player.act(arena, games, 0)
        forfeited = player.watch(arena, games, 0, logs, np.array([turn == 4]))
    assert dict(player.faults) == {"time-out": 1, "forfeit": 2}
    assert forfeited.tolist() == [True]
    assert "s, and the time bank of this game is used up" in player.reports[0]
    assert player.reports[1].endswith("the time bank of this game is used up: it counts as lost")
    assert all(turn["seconds"] <= 1.5 for turn in turns)
    assert turns[0]["bank_seconds"] == 1.5
    assert player.heard("end")[-1]["forfeited"]


def test_each_game_has_a_bank_of_its_own(arena: Arena) -> None:
    player = program(seconds=1.0)
    played(arena, player, games=2, turns=2)
    turns = player.heard("turn")
    assert {turn["bank_seconds"] for turn in turns if turn["turn"] == 0} == {60.0}
    assert all(55 < turn["bank_seconds"] <= 60 for turn in turns)


def test_games_that_begin_again_are_other_games(arena: Arena) -> None:
    player = program()
    for _ in range(2):
        player.act(arena, arena.new_games(1, 2, seed=1), 0)
    assert [game["game"] for game in player.heard("game")] == ["1", "2"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protocol": 3}, "protocol: 3: expected"),
        ({"protocol": 2, "bank": 0}, "bank: 0: expected a number of seconds above 0"),
        ({"protocol": 1, "bank": 5}, "bank: 5: expected none: protocol 1 has no time bank"),
    ],
)
def test_what_no_protocol_has_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        InMemoryPlayer(legal, **options)
