"""Games that a page sets up: plans, links, watchers, rematches, the time for orders."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from option_games import FLOOR
from play_talk import small
from web_games import cards, hosted, of_people, pages

from rr_gym.errors import RoboRallyError
from rr_gym.play import HumanGame
from rr_gym.rules.state.cards import card_name
from rr_gym.web import Host, Room
from rr_gym.web import room as rooms
from rr_gym.web.links import FILE, HOST, WATCHER, Links
from rr_gym.web.plan import Plan
from rr_gym.web.room import ConflictError

PLAN = {"course": "risky_exchange", "seats": ["human", "human", "random"], "settings": {}, "timer": 0, "host_seat": 1}


def begin(plan: Plan) -> HumanGame:
    table = HumanGame.seated(plan.course, plan.seats, seed=3, settings=plan.settings)
    table.max_cycles = 1
    return table


def set_up() -> Host:
    host = Host(plan=Plan("risky_exchange", ("human", "greedy")), begin=begin)
    for seat in range(3):
        host.links.token(seat)
    return host


def test_a_game_is_set_up_at_a_page_played_and_played_again() -> None:
    games = set_up()
    with hosted(games, HOST, 0, 1, WATCHER) as (host, one, two, watcher):
        assert host.get("lobby").json()["plan"]["seats"] == ["human", "greedy"]
        assert "Who plays" in one.get("").text
        host.post("plan", {"plan": PLAN})
        # Whoever was given the link of the seat that the host takes must not see the host's hand.
        two.get("lobby", 404)
        two.path = f"/play/{games.links.token(1)}/"
        one.post("name", {"name": "  Ada  Lovelace "})
        seen = two.get("lobby").json()
        assert (seen["plan"]["host_seat"], seen["names"], "links" in seen) == (1, {"0": "Ada Lovelace"}, False)
        assert host.get("lobby").json()["links"].keys() == {"0", "1", "-1"}
        two.get("state", 200)
        assert two.get("state").json() == {"left": True}
        assert two.post("start", {}, 403)["error"]
        assert two.path.endswith(host.post("start", {})["link"])
        assert "a game is being played" in host.post("start", {}, 409)["error"]
        assert "a game is being played" in host.post("plan", {"plan": PLAN}, 409)["error"]
        assert one.get("course").json()["names"] == ["Ada Lovelace", "human 2", "random"]
        for page in (one, two):
            page.go({"program": cards(page.state())})
        assert one.state(newer=True)["over"]
        assert watcher.state()["standings"][0]["player"]
        one.post("again", {})
        assert two.state()["again"] == [0]
        two.post("again", {})
        second = two.state()
        assert (second["turn"], second["over"], second["game"]) == (0, False, 2)
        assert "not over" in two.post("again", {}, 409)["error"]
        for page in (one, two):
            page.go({"program": cards(page.state())})
        one.state(newer=True)
        assert "another person" in one.post("set_up", {}, 409)["error"]
        assert host.path.endswith(two.post("set_up", {})["link"])
        assert not host.get("lobby").json()["started"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"course": "/etc/passwd"}, "course: '/etc/passwd': expected a built-in one"),
        ({"seats": ["human", "program:ls"]}, "seat 2: 'program:ls': expected one of human, champion"),
        ({"seats": ["greedy", "greedy"]}, "no person"),
        ({"seats": ["human"] * 9}, "seats: 9: expected 1 to 8"),
        ({"host_seat": 2}, "host_seat: 2: expected the seat of a person"),
        ({"timer": -1}, "timer: -1"),
        ({"settings": {"lives": 500}}, "lives"),
        ({"settings": {"banned_options": "brake"}}, "no option card 'brake': did you mean 'brakes'"),
        ({"seed": 3}, "seed"),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused(change: dict[str, Any], message: str) -> None:
    with hosted(set_up(), HOST) as (host,):
        assert message in host.post("plan", {"plan": PLAN | change}, 400)["error"]
        assert host.get("lobby").json()["plan"]["seats"] == ["human", "greedy"]


def test_codes_and_pictures_are_drawn_here() -> None:
    with hosted(set_up(), HOST, 0) as (host, one):
        assert host.get("code/0.svg").text.count("<svg") == 1
        assert "<svg" in one.get("picture/checkmate.svg").text
        one.get("picture/nowhere.svg", 400)
        one.get("code/1.svg", 403)
        for who in ("-2", "7", "x"):
            host.get(f"code/{who}.svg", 409)


def test_a_watcher_sees_the_game_and_no_card_of_a_hand() -> None:
    table = of_people(small(), 0, 1)
    with hosted(Host(table), 0, 1, WATCHER) as (one, two, watcher):
        held = {card["card"] for page in (one, two) for card in page.state()["hand"]}
        state = watcher.state()
        assert (state["hand"], state["controls"], state["awaited"]) == ([], [], [0, 1])
        watcher.get("")
        watcher.get("course")
        for path, body in (("orders", {"turn": 0, "orders": {}}), ("hint", {"player": "racer"}), ("save", {})):
            watcher.post(path, body, 403)
        one.go({"program": cards(one.state())})
        assert watcher.state()["given"] == [0]
        assert not any(card in text for card in held for text in watcher.received)
        two.go({"program": cards(two.state())})
        assert watcher.state(newer=True)["played"]["turn"] == 0


def test_orders_that_are_late_are_drawn_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "GRACE", 0.0)
    table = of_people(small(), 0, 1)
    with hosted(Host(table, links=Links(timer=1)), 0, 1) as (one, two):
        assert 0 < one.state()["seconds"] <= 1
        one.go({"program": cards(one.state())})
        after = two.state(newer=True)
        while after["turn"] == 0:
            after = two.state(newer=True)
        assert after["trouble"] == "The time was over: human 2 got orders by chance."
    assert [bool(given["late"]) for given in table.replay().turns[0].orders[:2]] == [False, True]


async def turn_one(room: Room, state: dict[str, Any]) -> None:
    """Wait until the first turn was played."""
    while state.get("turn") != 1:
        state = await room.state(0, state["version"])
    await room.close()


def test_a_gap_in_a_program_after_the_time_costs_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page sends what was chosen; a whole program is in time even then (R-G4.2)."""
    table = of_people(small(late_damage=1), 0, 1)

    async def play() -> None:
        room = Room(table, links=Links(timer=60))
        whole, other = [await room.state(seat, -1) for seat in (0, 1)]
        monkeypatch.setattr(Room, "_seconds_left", lambda room: 0.0)
        await room.order(0, 0, {"program": cards(whole)})
        await room.order(1, 0, {"program": [*cards(other)[:4], None]})
        await turn_one(room, whole)

    asyncio.run(play())
    replay = table.replay()
    assert [bool(given["late"]) for given in replay.turns[0].orders] == [False, True, False]
    hurt = [event.robot for event in replay.events() if event.kind == "damaged" and event.phase == 0]
    assert hurt == [1]
    replay.verify()


def test_a_gap_before_the_end_of_the_time_is_a_choice() -> None:
    table = of_people(small(late_damage=1), 0)

    async def play() -> None:
        room = Room(table, links=Links(timer=60))
        state = await room.state(0, -1)
        await room.order(0, 0, {})
        await turn_one(room, state)

    asyncio.run(play())
    assert not any(given["late"] for given in table.replay().turns[0].orders)


def test_orders_that_came_in_time_wait_for_a_slow_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "GRACE", 0.0)
    table = of_people(small(), 0)
    released = threading.Event()
    monkeypatch.setattr(table, "advise", lambda seat, name: {"waited": released.wait(5)})

    async def play() -> list[str | None]:
        room = Room(table, links=Links(timer=0.05))  # type: ignore[arg-type]
        state = await room.state(0, -1)
        hinting = asyncio.create_task(room.hint(0, "racer"))
        await asyncio.sleep(0)
        ordering = asyncio.create_task(room.order(0, 0, {"program": cards(state)}))
        await asyncio.sleep(0.2)  # the time is over
        assert not room.playing
        released.set()
        await ordering
        await hinting
        await turn_one(room, state)
        assert "time was over" not in room.trouble
        return cards(state)

    given = asyncio.run(play())
    played = table.replay().turns[0].orders[0]
    assert [card_name(card) for card in played["program"].tolist()] == given
    assert not played["late"]


def test_pages_that_waited_for_a_turn_learn_the_time_for_the_next_one() -> None:
    async def seconds() -> float:
        room = Room(of_people(small(), 0), links=Links(timer=60))
        state = await room.state(0, -1)
        await room.order(0, 0, {"program": cards(state)})
        while (state := await room.state(0, state["version"])).get("turn") != 1:
            pass
        await room.close()
        return float(state["seconds"])

    assert asyncio.run(seconds()) > 0


def test_a_host_who_watches_sets_up_the_next_game_and_other_watchers_do_not() -> None:
    host = set_up()
    host.plan = Plan("risky_exchange", ("human", "random"), host_seat=-1)
    with hosted(host, HOST, 0, WATCHER) as (page, one, watcher):
        assert page.post("start", {})["link"] == watcher.path[1:]
        one.go({"program": cards(one.state())})
        assert one.state(newer=True)["over"]
        assert "another person" in watcher.post("set_up", {}, 409)["error"]
        page.post("set_up", {})
        assert not page.get("lobby").json()["started"]


def test_a_plan_that_comes_while_a_game_starts_is_refused() -> None:
    go = threading.Event()

    def begin_later(plan: Plan) -> HumanGame:
        go.wait(60)
        return begin(plan)

    async def race() -> None:
        host = Host(plan=Plan("risky_exchange", ("human", "greedy")), begin=begin_later)
        start = asyncio.create_task(host.start())
        await asyncio.sleep(0)
        change = asyncio.create_task(host.set_plan(PLAN))
        await asyncio.sleep(0)
        go.set()
        await start
        with pytest.raises(ConflictError, match="a game is being played"):
            await change
        assert host.plan
        assert host.plan.seats == ("human", "greedy")

    asyncio.run(race())


def test_links_are_private_before_they_have_their_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes, replace = [], Path.replace

    def watched(path: Path, target: Path) -> Path:
        modes.append(path.stat().st_mode & 0o777)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", watched)
    Links().save(tmp_path)
    assert modes == [0o600]


def test_pages_learn_the_name_of_a_course_file_and_not_its_path(tmp_path: Path) -> None:
    path = tmp_path / "home" / "own.rrb"
    path.parent.mkdir()
    path.write_text(FLOOR)
    with hosted(Host(plan=Plan(str(path), ("human",)), begin=begin), HOST, 0, WATCHER) as (host, one, watcher):
        plan = host.get("lobby").json()["plan"]
        for page in (host, one, watcher):
            assert page.get("lobby").json()["plan"] == plan
            offered = page.get("choices").json()["courses"]
            assert (offered[0]["id"], offered[0]["name"]) == (plan["course"], "own")
            assert "<svg" in page.get(f"picture/{plan['course']}.svg").text
            page.get(f"picture/{quote(str(path), safe='')}.svg", 400)
        for course in ("checkmate", plan["course"]):  # it can be chosen again
            host.post("plan", {"plan": plan | {"course": course}})
            assert one.get("lobby").json()["plan"]["course"] == course
        assert "expected a built-in one" in host.post("plan", {"plan": plan | {"course": str(path)}}, 400)["error"]
        path.unlink()
        assert "<svg" in one.get(f"picture/{plan['course']}.svg").text
        path.write_text(FLOOR)
        host.post("start", {})
        one.get("course")
        one.state()
        texts = [text for page in (one, watcher) for text in page.received]
        assert not any(str(tmp_path) in text for text in texts)


def test_links_stay_as_they_are_when_a_game_goes_on(tmp_path: Path) -> None:
    table = of_people(small(), 0, 1)
    with pages(table, tmp_path) as (one, two):
        for page in (one, two):
            page.go({"program": cards(page.state())})
        assert one.state(newer=True)["saved"] == "The game was saved after turn 1."
    links = Links.load(tmp_path)
    assert one.path == f"/play/{links.token(0)}/"
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    (tmp_path / FILE).write_text('{"port": "x"}')
    with pytest.raises(RoboRallyError, match=r"links.json: .*port.*: expected the links of a game"):
        Links.load(tmp_path)
