"""The server: a whole game of two people and two players, wrong requests, saving, and what other sites may not do."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from option_games import FLOOR, give
from play_talk import small
from starlette.testclient import TestClient
from web_games import HOST, Page, cards, of_people, pages

from rr_gym.courses.course import Course
from rr_gym.errors import RoboRallyError
from rr_gym.game import Game
from rr_gym.play import HumanGame
from rr_gym.players import RandomPlayer
from rr_gym.replay import Replay
from rr_gym.rules.state.cards import card_name, parse_card
from rr_gym.web import Host, application
from rr_gym.web.server import hosts_of, listening


def play_to_the_end(seats: list[Page], most: int = 80) -> dict[str, Any]:
    for _ in range(most):
        for page in seats:
            state = page.state()
            if state["over"]:
                return state
            if not state["out"] or page is seats[0]:
                hint = {} if state["out"] else page.post("hint", {"player": "racer"})["orders"]
                status = 200 if page.seat in state["awaited"] else 409
                page.post("orders", {"turn": state["turn"], "orders": hint}, status)
        seats[0].state(newer=True)
    raise AssertionError(f"not over after {most} turns")


def test_two_people_and_two_players_play_a_whole_game(tmp_path: Path) -> None:
    table = HumanGame.seated("risky_exchange", ["human", "random", "human", "greedy"], seed=5)
    with pages(table, tmp_path) as seats:
        seats[0].get("replay.html", 409)
        end = play_to_the_end(seats)
        assert {line["player"] for line in end["standings"]} == {"human 1", "random", "human 3", "greedy"}
        assert end["standings"][0]["state"] == "winner"
        assert end["hand"] == end["controls"] == []
        assert end["played"]["turn"] == end["turn"] - 1 == table.recorder.num_turns - 1
        assert any("wins" in line for frame in end["played"]["frames"] for line in frame["log"])
        recorded = Replay.from_json(seats[1].get("replay.json").json())
        recorded.verify()
        assert recorded.over
        assert "<html" in seats[1].get("replay.html").text
        seats[0].post("orders", {"turn": end["turn"], "orders": {}}, 409)
    assert Replay.load(tmp_path / "game.json").over


def test_a_turn_waits_for_every_person_and_is_played_once() -> None:
    table = of_people(small(), 0, 2)
    with pages(table) as (one, two):
        first = one.state()
        assert first["awaited"] == [0, 2]
        one.go({"program": cards(first)})
        assert "given its orders" in one.go({}, 409)["error"]
        assert one.state()["awaited"] == [2]
        assert table.game.turn == 0
        two.go({"program": cards(two.state())})
        second = one.state(newer=True)
        assert (second["turn"], second["played"]["turn"]) == (1, 0)
        assert "expected 1" in one.post("orders", {"turn": 0, "orders": {}}, 409)["error"]
        assert [e.target for e in table.events if e.kind == "programmed" and e.robot == 0] == [
            held["number"] for held in first["hand"][:5]
        ]


def test_orders_can_be_taken_back_until_the_turn_is_played() -> None:
    table = of_people(small(), 0, 2)
    with pages(table) as (one, two):
        hand = [held["card"] for held in one.state()["hand"]]
        assert "has given none" in one.post("take_back", {"turn": 0}, 409)["error"]
        one.go({"program": hand[:5]})
        assert (two.state()["given"], two.state()["ready"], one.state()["ready"]) == ([0], False, True)
        assert "expected 0" in one.post("take_back", {"turn": 1}, 409)["error"]
        one.post("take_back", {"turn": 0})
        assert (two.state()["given"], two.state()["awaited"], one.state()["ready"]) == ([], [0, 2], False)
        one.go({"program": hand[4::-1]})
        two.go({"program": cards(two.state())})
        assert one.state(newer=True)["given"] == []
        assert "expected 1" in one.post("take_back", {"turn": 0}, 409)["error"]
    programmed = [e.target for e in table.events if e.kind == "programmed" and e.robot == 0]
    assert programmed == [parse_card(card)[1] for card in hand[4::-1]]


def test_what_a_page_previews_is_what_a_lone_robot_does() -> None:
    table = of_people(Game(Course.from_board(FLOOR, "floor"), 1, seed=2), 0)
    with pages(table) as (page,):
        orders = {"program": cards(page.state())}
        stops = page.post("preview", {"orders": orders})["stops"]
        partial = page.post("preview", {"orders": {"program": [orders["program"][0], None, None, None, None]}})["stops"]
        page.go(orders)
        page.state(newer=True)
    robot = table.view_of(0).own
    assert tuple(stops[-1]["at"]) == robot.square
    assert "nesw"[stops[-1]["facing"]] == robot.facing
    assert max(stop["phase"] for stop in partial) == 1
    assert {stop["phase"] for stop in stops} <= set(range(6))


def test_controls_offer_every_legal_value_and_no_other() -> None:
    game = Game(Course.from_board(FLOOR, "floor"), 2, seed=2, settings={"option_cards": "on"})
    give(game.games, 0, "turret", "brakes", "conditional_program", "shield", "flywheel", "mine_layer", "recompile")
    game.record["robots"][0]["damage"] = 2
    table = of_people(game, 0)
    with pages(table) as (page,):
        controls = {control["name"]: control for control in page.state()["controls"]}
        assert {"power_down", "turret", "conditional", "shield", "flywheel", "give_up", "lose"} <= set(controls)
        offered = {
            "one": lambda value: value,
            "registers": lambda value: [value] + [control["default"]] * 4,
            "list": lambda value: [value],
            "conditional": lambda value: {"card": value, "register": 0},
        }
        for control in controls.values():
            for value, _ in control["values"]:
                page.post("preview", {"orders": {control["name"]: offered[control["shape"]](value)}})
        assert [value for value, _ in controls["lose"]["values"]][1:] == list(table.view_of(0).own.options)
        assert "weapon" not in controls or "main" in [value for value, _ in controls["weapon"]["values"]]


def test_locked_registers_and_robots_without_choice_need_no_cards() -> None:
    game = small()
    for seat in range(3):
        robot = game.record.robots[seat]
        robot.damage, robot.locked, robot.hand[3:] = 6, 0b11000, 0
    table = of_people(game, 0, 1)
    game.record.robots[1].out = 1
    with pages(table) as (one, two):
        state = one.state()
        assert state["locked"] == [None, None, None, "none", "none"]
        assert state["awaited"] == [0]
        assert two.state()["controls"] == []
        assert "out of the game" in two.post("preview", {"orders": {}}, 400)["error"]
        one.go({"program": cards(state)})
        assert one.state(newer=True)["turn"] == 1


def test_people_who_are_out_can_watch_the_others_race() -> None:
    """Nobody waits for them while somebody is in the game; when all people are out, any of them goes on."""
    game = Game(Course.from_board(FLOOR, "floor"), 4, seed=2)
    table = of_people(game, 0, 1)
    for seat in (0, 1):
        robot = game.record.robots[seat]
        robot.out, robot.alive, robot.square = 1, 0, -1
    with pages(table) as (one, two):
        assert one.state()["awaited"] == [0, 1]
        assert one.state()["controls"] == []
        two.go({})
        assert one.state(newer=True)["turn"] == 1
        assert one.state()["awaited"] == [0, 1]


def test_saved_games_resume_with_the_same_people(tmp_path: Path) -> None:
    table = HumanGame.seated("risky_exchange", ["human", "greedy", "human"], seed=5)
    with pages(table, tmp_path) as seats:
        for page in seats:
            page.go({"program": cards(page.state())})
        seats[0].state(newer=True)
        assert seats[0].post("save", {}) == {"saved": "game.json"}
    again = HumanGame.load(tmp_path / "game.json")
    assert again.people == (0, 2)
    assert again.game.record.tobytes() == table.game.record.tobytes()
    other = HumanGame.load(tmp_path / "game.json", seat=1)
    assert other.people == (0, 1, 2)
    with pytest.raises(RoboRallyError, match="seat: 7: expected 0 to 2"):
        HumanGame.load(tmp_path / "game.json", seat=7)


def test_pages_are_told_no_paths_and_no_commands(tmp_path: Path) -> None:
    command = "python3 /home/somebody/bot --key 1234"
    game = small(lives=1)
    players = [RandomPlayer(), RandomPlayer()]
    players[0].name, players[1].name = f"program:{command}", "runs/secret/policy"
    table = HumanGame(game, (0,), players, seed=1)
    table.max_cycles = 1
    with pages(table) as (page,):
        page.get("course")
        page.go({"program": cards(page.state())})
        assert page.state(newer=True)["over"]
        page.get("replay.json")
        page.get("replay.html")
    said = "".join(page.received)
    assert len(said) > 10_000
    for secret in ("somebody", "1234", "runs/secret"):
        assert secret not in said


class Failing(RandomPlayer):
    """Fails in its first turn."""

    error: type[BaseException] = ValueError
    failed = 0

    def act(self, *args: Any) -> Any:
        self.failed += 1
        if self.failed == 1:
            raise self.error("no answer")
        return super().act(*args)


@pytest.mark.parametrize("error", [RoboRallyError, ValueError, SystemExit, KeyboardInterrupt])
def test_a_player_that_fails_loses_its_turn_and_nobody_else_does(error: type[BaseException]) -> None:
    player = Failing()
    player.error = error
    table, told = HumanGame(small(), (0, 1), [player], seed=1), []
    with pages(table, report=told.append) as (one, two):
        programs = [cards(page.state()) for page in (one, two)]
        for page, program in zip((one, two), programs, strict=True):
            page.go({"program": program})
        for page in (one, two):
            state = page.state(newer=page is one)
            assert (state["turn"], state["awaited"], state["ready"]) == (1, [0, 1], False)
            assert state["trouble"] == "random has failed and got default orders; the server's terminal shows why."
        played = table.replay().turns[0].orders["program"]
        assert [[card_name(card) for card in played[seat]] for seat in (0, 1)] == programs
        for page in (one, two):
            page.go({"program": cards(page.state())})
        assert (one.state(newer=True)["turn"], one.state()["trouble"]) == (2, "")
        assert "no answer" not in "".join(one.received)  # it may be more than people may know
    assert player.failed == 2
    (text,) = told
    assert text.endswith("no answer")
    assert ("Traceback" in text) == (error is not RoboRallyError)


@pytest.mark.parametrize("where", ["play_turn", "_play"])
def test_a_fault_of_the_program_keeps_the_orders(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table, told = of_people(small(), 0, 1), []
    whole = getattr(table, where)

    def fail_once(*args: Any, **named: Any) -> Any:
        monkeypatch.setattr(table, where, whole)
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr(table, where, fail_once)
    with pages(table, report=told.append) as (one, two):
        for page in (one, two):
            page.go({"program": cards(page.state())})
        for page in (one, two):
            state = page.state(newer=page is one)
            assert (state["turn"], state["awaited"], state["ready"]) == (0, [0, 1], False)
            assert "Your orders are kept" in state["trouble"]
        other = [*reversed(cards(two.state()))]
        first = cards(one.state())
        two.go({"program": other})  # the other's are there still
        assert one.state(newer=True)["turn"] == 1
        played = table.replay().turns[0].orders["program"]
        assert [[card_name(card) for card in played[seat]] for seat in (0, 1)] == [first, other]
        assert "a mistake" not in "".join(one.received)
    assert "ZeroDivisionError: a mistake" in told[0]
    assert told[0].startswith("Traceback")


def test_a_game_that_cannot_be_saved_is_played_on(tmp_path: Path) -> None:
    table = of_people(small(), 0)
    folder = tmp_path / "game"
    folder.write_text("not a folder")
    with pages(table, folder) as (page,):
        page.go({"program": cards(page.state())})
        state = page.state(newer=True)
        assert state["turn"] == table.recorder.num_turns == 1
        assert "was played, but the game could not be saved" in state["trouble"]
        assert "terminal shows why" in page.post("save", {}, 400)["error"]
        assert str(folder) not in "".join(page.received)
        folder.unlink()
        page.go({"program": cards(page.state())})
        assert page.state(newer=True)["trouble"] == ""
    assert Replay.load(folder / "game.json").turns


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("orders", {"turn": 0}, "expected a mapping with turn, orders"),
        ("orders", {"turn": 0, "orders": []}, "orders: []: expected a mapping"),
        ("orders", {"turn": 0, "orders": {"program": ["move_9"] * 5}}, "move_9"),
        ("orders", {"turn": 0, "orders": {"jump": True}}, "jump"),
        ("preview", {"orders": {"turret": "left"}}, "turret"),
        ("hint", {"player": "program:rm -rf"}, "expected planner, racer, greedy or random"),
        ("hint", {"player": ["racer"]}, "expected planner, racer, greedy or random"),
        ("save", {"to": "/tmp/x"}, "expected a mapping with nothing"),
        ("hint", [1], "expected a mapping with player"),
    ],
)
def test_wrong_requests_are_answered_and_change_nothing(path: str, body: Any, message: str) -> None:
    table = of_people(small(), 0, 1)
    with pages(table) as (page, _):
        assert message in page.post(path, body, 400)["error"]
        assert page.state()["awaited"] == [0, 1]


@pytest.fixture
def client() -> Any:
    host = Host(of_people(small(), 0, 1))
    with TestClient(application(host, {HOST, "127.0.0.1"}), f"http://{HOST}") as client:
        client.path = f"/play/{host.links.token(0)}/"
        yield client


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": f"http://{HOST}:81"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Host": "evil.example"}, 400),
        ({"Host": ""}, 400),
        ({"Host": "127.0.0.1:81"}, 200),
        ({"Host": "127.0.0.1.evil.example"}, 400),
        ({"Host": "["}, 400),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_requests_of_other_sites_are_refused(client: Any, headers: dict[str, str], status: int) -> None:
    answer = client.post(f"{client.path}hint", content='{"player": "random"}', headers={**JSON, **headers})
    assert answer.status_code == status


def test_only_whoever_has_the_link_sees_a_seat(client: Any) -> None:
    for path in ("", "state", "course", "floor/x", "replay.json"):
        for token in ("", "x", "é", client.path.split("/")[2][:-1]):
            assert client.get(f"/play/{token}/{path}").status_code == 404
    assert client.get("/").status_code == client.get("/static/app.py").status_code == 404
    assert client.get(f"{client.path}floor/x").status_code == 409
    answer = client.get(client.path)
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert '<link rel="icon" href="data:image/svg' in answer.text
    for name in ("board.js", "page.js", "board.css", "page.css"):
        assert client.get(f"/static/{name}").status_code == 200
        assert f"static/{name}" in answer.text


def test_requests_that_are_too_long_or_no_json_are_refused(client: Any) -> None:
    for content in ("{", "NaN", json.dumps({"player": "x" * 70_000}), b"\xff"):
        answer = client.post(f"{client.path}hint", content=content, headers=JSON)
        assert answer.status_code == 400
        assert answer.json()["error"]
    assert client.get(f"{client.path}state?after=x").status_code == 400


def test_a_server_is_asked_for_by_the_address_that_it_listens_at() -> None:
    assert hosts_of("127.0.0.1") == hosts_of("localhost") == {"127.0.0.1", "localhost", "::1"}
    assert hosts_of("192.0.2.7") == {"192.0.2.7"}
    everywhere = application(Host(of_people(small(), 0)), hosts_of("0.0.0.0"))
    with TestClient(everywhere, "http://192.0.2.7") as client:
        assert client.get("/static/page.js").status_code == 200
        assert client.get("/static/page.js", headers={"Host": "evil.example"}).status_code == 400


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="needs a machine with IPv6")
def test_a_server_at_all_addresses_of_ipv6_is_reached_by_those_of_ipv4_too() -> None:
    with listening("::", 0, 0) as listener:
        socket.create_connection(("127.0.0.1", listener.getsockname()[1]), timeout=5).close()
