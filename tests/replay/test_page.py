"""The replay page: sentences about squares and cards, hands, marks, standings, short names, positions."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import ROOT

import rr_gym
from rr_gym.courses import Course, load_course
from rr_gym.courses.changes import Changes
from rr_gym.courses.elements import ELEMENTS
from rr_gym.errors import RoboRallyError
from rr_gym.render.about import CARD_SENTENCES, DEVICE_SENTENCES, square_sentences
from rr_gym.render.board.icon import ICON
from rr_gym.render.board.legend import to_html as legend_page
from rr_gym.render.phrases import CARD_WORDS
from rr_gym.render.web import board_html, scripts, squares_json, styles
from rr_gym.replay import Recorder, Replay, to_html
from rr_gym.replay.hands import hands
from rr_gym.replay.page import short_names
from rr_gym.replay.showing import position
from rr_gym.rules.state.constants import DEVICE_NAMES


def race(turns: int = 4, num_robots: int = 3, salt: int = 0, **settings: Any) -> tuple[Replay, Recorder, rr_gym.Game]:
    game = rr_gym.Game("risky_exchange", num_robots, 5, settings, salt=salt)
    recorder = Recorder.of(game, ["one", "two", "three"][:num_robots])
    for _ in range(turns):
        recorder.play(game)
    return recorder.replay(game.games), recorder, game


def payload_of(page: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.split('id="replay">')[1].split("</script>")[0])
    return data


def test_every_element_is_described_on_its_square() -> None:
    described = " ".join(text for texts in square_sentences(load_course("everything")).values() for text in texts)
    beside = ("board_edge", "ledge", "waterfall")  # these are on edges, not on squares
    missing = [e.name for e in ELEMENTS if e.name not in described and e.id not in beside]
    assert missing == ["Checkpoint"]  # described as flags
    assert all(described.count(f"Flag {number}: ") == 1 for number in (1, 2, 3, 4))


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        (">>:n", "Express conveyor, to the east, turning riders from the north: Carries robots"),
        ("P>135/w", "Pusher, to the east, in phases 1, 3 and 5: Pushes"),
        ("C2", "Crusher, in phase 2: Destroys"),
        ("C", "Crusher, in every phase: Destroys"),
        ("w2", "Repair site, two wrenches: Updates"),
        (".", "Open floor: Robots stand"),
        ("./n*3", "Board laser, on the north side, three beams to the south: Fires"),
        ("./sr", "One-way wall, on the south side, its red face here: "),
        ("r2^>v<-", "Rotating belt, speed 2, by phases north, east, south, west, nowhere: "),
        ("S^>", "Tilted ground, down to the north and east: "),
        ("gwe", "Flip belt, from west to east: "),
    ],
)
def test_sentences_say_directions_and_phases(token: str, sentence: str) -> None:
    course = Course.from_board(f"grid:\n. . .\n. {token} .\n. . .")
    assert any(text.startswith(sentence) for text in square_sentences(course)[1, 1])


def test_a_wall_is_described_on_both_sides() -> None:
    described = square_sentences(Course.from_board("grid:\n./e . .\n. . ."))
    assert described[0, 0][0].startswith("Wall, on the east side: ")
    assert described[1, 0][0].startswith("Wall, on the west side: ")


def test_sentences_follow_the_board() -> None:
    course = Course.from_board("grid:\n. Lf pa>\nY . .")
    flipped = Changes(flip=1, piston_up=0, crumbled=(0,))
    data = squares_json(course, [Changes(piston_up=1), flipped])
    before = [" ".join(data["texts"][n] for n in square) for square in data["squares"]]
    after = {int(n): " ".join(data["texts"][k] for k in square) for n, square in data["looks"][1].items()}
    assert "Flip gear, to the left" in before[1]
    assert "Flip gear, to the right" in after[1]
    assert before[2].startswith("Piston, to the east, colour a: ")
    assert after[2].startswith("Piston, to the east, colour a, raised: ")
    assert "Crumbly ground" in before[3]
    assert after[3].startswith("Pit: ")
    assert set(after) == {1, 2, 3}


def test_cards_and_devices_have_sentences() -> None:
    assert set(DEVICE_SENTENCES) == set(DEVICE_NAMES) - {"none"}
    assert len(CARD_SENTENCES) == len(CARD_WORDS)
    assert all(CARD_SENTENCES[1:])


def test_hands_are_those_of_the_game() -> None:
    game = rr_gym.Game("risky_exchange", 3, 5)
    recorder, dealt = Recorder.of(game), []
    for _ in range(4):
        robots = game.record["robots"][:3]
        dealt.append([sorted((int(card) for card in robot["hand"] if card), reverse=True) for robot in robots])
        recorder.play(game)
    replay = recorder.replay(game.games)
    assert hands(replay) == dealt
    for turn, shown in zip(replay.turns, hands(replay), strict=True):
        for event in turn.events:
            if event.kind == "programmed" and event.step == "T4" and event.turn == turn.events[0].turn:
                assert event.target in shown[event.robot]
    assert payload_of(to_html(replay, 2, 3, hands=True))["hands"] == dealt[1:]
    assert payload_of(to_html(replay))["hands"] == []


def test_hands_that_nobody_may_see_are_not_there() -> None:
    replay, _, _ = race(salt=77)
    assert replay.seed is None
    assert payload_of(to_html(replay, hands=True))["hands"] == []


def test_face_down_cards_are_secret_lines() -> None:
    replay, _, _ = race()
    frames = payload_of(to_html(replay))["frames"]
    secret = [line for frame in frames for line in frame.get("secret", [])]
    assert len(secret) == 3 * len(replay.turns)
    assert secret[0][0] == 0
    assert secret[0][1].startswith("one programs ")
    assert not any(" programs " in line for frame in frames for line in frame["log"])


def test_the_time_line_marks_flags_losses_and_wins() -> None:
    arena = rr_gym.Arena("risky_exchange")
    games = arena.new_games(1, 4, seed=7)
    orders, logs, random = rr_gym.no_orders(1, 8, full=True), rr_gym.new_log(), np.random.default_rng(7)
    recorder = Recorder(arena, games)
    while not games["over"][0]:
        arena.random_orders(games, orders, random.integers(2**63, size=1, dtype=np.uint64))
        arena.play(games, orders, logs=logs)
        recorder.add(orders, logs)
    replay = recorder.replay(games)
    marks = payload_of(to_html(replay))["marks"]
    wanted = [
        (number, {"flag": "flag", "destroyed": "loss", "won": "win"}[event.kind], event.robot)
        for number, frame in enumerate(replay.frames, 1)
        for event in frame.events
        if event.kind in ("flag", "destroyed", "won")
    ]
    assert [tuple(mark[:3]) for mark in marks] == wanted
    assert {kind for _, kind, _ in wanted} >= {"loss", "win"}


def test_a_page_of_some_turns_does_not_tell_who_wins_later() -> None:
    replay, _, _ = race()
    ended = replace(replay, over=True, winners=(1,))
    assert payload_of(to_html(ended))["winners"] == payload_of(to_html(ended, 2, 99))["winners"] == [1]
    part = payload_of(to_html(ended, to_turn=3))
    assert (part["ends"], part["winners"]) == (False, [])


def test_results_are_hidden_before_the_page_is_drawn() -> None:
    page = to_html(race(1)[0])
    assert page.index('className = "secret"') < page.index("<body>")
    assert ".secret #result { display: none; }" in page


def test_standings_are_in_the_page() -> None:
    replay, _, _ = race()
    page = to_html(replay)
    table = re.sub(r"<[^>]+>", " ", page.split('id="standings"')[1].split("</table>")[0])
    assert "Standings after turn 4; the game is not over" in table
    order = sorted(range(3), key=lambda seat: replay.placements[seat])
    described = [word for word in table.split() if word in replay.players]
    assert described == [replay.players[seat] for seat in order]
    part = to_html(replay, to_turn=1)
    assert part.split('id="standings"')[1].split("</table>")[0] == page.split('id="standings"')[1].split("</table>")[0]


@pytest.mark.parametrize(
    ("players", "names"),
    [
        (["runs/mine/policy", "greedy"], ["mine", "greedy"]),
        (["/home/me/runs/league/best/policy.zip", "runs\\win\\policy"], ["league", "win"]),
        (["python3 examples/python_bot.py", "./shell_bot.sh"], ["python3 python_bot", "shell_bot"]),
        (["runs/a/policy", "runs/a/policy"], ["a 1", "a 2"]),
        (["runs/a/policy.zip", "runs/b/policy.zip"], ["a", "b"]),
        (["/home/me/one/bot", "/home/me/two/bot", "bot"], ["one/bot", "two/bot", "bot"]),
        (["runs/a/checkpoints/12/model.zip", "runs/b/checkpoints/12/model.zip"], ["a/12", "b/12"]),
        (["x/bot", "y/bot", "y/bot"], ["x/bot", "y/bot 2", "y/bot 3"]),
        (["program:python a/bot.py", "program:python b/bot.py"], ["program:python a/bot", "program:python b/bot"]),
        (["runs/racer", "racer", "random"], ["racer (policy)", "racer", "random"]),
        (["planner:20k", "human", "a b/c d"], ["planner:20k", "human", "a c d"]),
        (["</script><b>", "1/2"], ["</script><b>", "2"]),
    ],
)
def test_names_are_short(players: list[str], names: list[str]) -> None:
    assert short_names(players) == names


def test_a_position_is_a_page_without_a_turn() -> None:
    _, _, game = race(2)
    replay = position(game.arena, game.games, ("one",))
    assert (replay.frames, replay.players, replay.seed) == ([], ("one", "robot", "robot"), None)
    payload = payload_of(to_html(replay))
    places = [(state["x"], state["y"]) for state in payload["start"] if state["alive"]]
    squares = [int(robot["square"]) for robot in game.record["robots"][:3] if robot["alive"]]
    assert all(abs(x - s % 12) < 0.5 and abs(y - s // 12) < 0.5 for (x, y), s in zip(places, squares, strict=True))


def test_a_replay_shows_itself_in_notebooks() -> None:
    replay, _, _ = race(1)
    frame = replay._repr_html_()
    assert frame.startswith("<iframe ")
    assert frame.endswith("</iframe>")
    assert "id=&quot;replay&quot;" in frame


def test_boards_of_other_pages_have_what_the_script_asks_for() -> None:
    course = load_course("risky_exchange")
    board = board_html(course, [Changes()], [0, 1])
    layers = set(re.findall(r'data-layer="(\w+)"', board))
    asked = set(re.findall(r'layer\.(\w+)|"(?:targets|owners|fields|beams|effects|devices)"', scripts()))
    assert asked - {""} <= layers
    assert {"floor", "robots", "trails", "goals", "ghosts", "marks"} <= layers
    assert 'id="device-mine-1"' in board
    assert 'id="device-missile--1"' in board
    assert "class Board" in scripts()
    assert ".board" in styles()


def test_turns_of_the_command(tmp_path: Path) -> None:
    replay, _, _ = race()
    assert payload_of(to_html(replay, 3))["first_turn"] == 2
    with pytest.raises(RoboRallyError):
        replay.check_turns(9, None)
    assert replay.save(tmp_path / "r.json").exists()


def test_every_page_brings_its_icon() -> None:
    """Otherwise browsers request a file that does not exist."""
    pages = [path for path in (ROOT / "rr_gym").rglob("*") if path.suffix in (".html", ".py")]
    pages = [path for path in pages if "<!doctype html>" in path.read_text("utf-8")]
    assert {path.name for path in pages} >= {"page.html", "tournament.html", "legend.py"}
    for path in pages:
        assert re.search(r"\{\{icon\}\}|\{ICON\}", path.read_text("utf-8")), path
    icon = re.search(r'<link rel="icon" href="data:image/svg\+xml,([^"]+)">', to_html(race(1)[0]))
    assert icon
    picture = ElementTree.fromstring(unquote(icon[1]))
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    assert ICON in legend_page()


def test_the_page_lists_its_keys() -> None:
    """The help that `?` shows contains every key to which the page reacts."""
    page = to_html(race(1)[0])
    listened = page[page.index("const keys = {") :].split("};")[0]
    keys = [quoted or word for quoted, word in re.findall(r'^ +(?:"(.)"|(\w+)): \(?', listened, re.MULTILINE)]
    described = page[page.index("<h3>Keys</h3>") :].split("</dl>")[0]
    names = {" ": "Space", "PageDown": "Page Down", "PageUp": "Page Up"}
    assert "?" in keys
    assert len(keys) == 11
    for key in keys:
        name = re.escape(names.get(key, key.removeprefix("Arrow")))
        assert re.search(rf"(?<!\w){name}(?!\w)", described), key
    assert '<button type="button" id="keys">' in page
    assert 'byId("keys").addEventListener("click", toggleHelp)' in page
