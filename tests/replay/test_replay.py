"""Replays: files are read back unchanged, frames follow from events alone, and damaged files are refused."""

from __future__ import annotations

import copy
import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rr_gym
from rr_gym.cli.main import main
from rr_gym.courses import Course
from rr_gym.courses.changes import Changes
from rr_gym.registry import make_player
from rr_gym.render.board.picture import svg as course_svg
from rr_gym.render.pieces import Piece, changes_of, pieces_of
from rr_gym.render.web import board_svg
from rr_gym.render.words import Event
from rr_gym.replay import Recorder, Replay, ReplayError
from rr_gym.replay.gif import frame_durations, together
from rr_gym.replay.moments import moments
from rr_gym.replay.page import to_html
from rr_gym.replay.rerun import begin, on_layout, rerun
from rr_gym.replay.scene import Scene, frames
from rr_gym.replay.text import to_lines
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import new_log, no_orders


def record(
    course: str = "risky_exchange", num_robots: int = 4, seed: int = 0, turns: int = 8, **settings: Any
) -> Replay:
    """Record a game of random programs with occasional power-downs."""
    arena = Arena(course, settings)
    games = arena.new_games(1, num_robots, seed=seed)
    orders, logs = no_orders(1, 8, full=True), new_log()
    random = np.random.default_rng(seed)
    recorder = Recorder(arena, games, players=[f"player {i + 1}" for i in range(num_robots)])
    for _ in range(turns):
        if games["over"][0]:
            break
        arena.random_orders(games, orders, random.integers(2**63, size=1, dtype=np.uint64))
        orders["power_down"] = random.random(8) < 0.1
        orders["stay_down"] = random.random(8) < 0.3
        arena.play(games, orders, logs=logs)
        recorder.add(orders, logs)
    return recorder.replay(games)


@pytest.fixture(scope="module")
def replay() -> Replay:
    return record()


@pytest.fixture(scope="module")
def data(replay: Replay) -> dict[str, Any]:
    contents: dict[str, Any] = json.loads(json.dumps(replay.to_json()))
    return contents


def same(one: Replay, two: Replay) -> bool:
    return one.to_json() == two.to_json()


def test_a_saved_file_is_read_back(replay: Replay, tmp_path: Path) -> None:
    path = replay.save(tmp_path / "deep" / "replay.json")
    again = Replay.load(path)
    assert same(again, replay)
    assert again.course == replay.course
    assert again.package == rr_gym.__version__
    assert os.listdir(path.parent) == ["replay.json"]


def test_failed_save_leaves_the_old_file(replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = replay.save(tmp_path / "replay.json")
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ReplayError, match=r"replay\.json: cannot be written: No space left on device"):
        replace(replay, players=tuple("abcd")).save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["replay.json"]


@pytest.mark.parametrize(
    ("course", "num_robots", "seed", "settings"),
    [
        ("risky_exchange", 4, 1, {}),
        ("risky_exchange", 8, 2, {"lives": 1}),
        ("checkmate", 8, 3, {"lives": "unlimited"}),
        ("checkmate", 6, 4, {"preset": "ah2005"}),
        ("risky_exchange", 5, 5, {"preset": "amigo"}),
        ("risky_exchange", 1, 6, {"pd_lock_card": "empty"}),
        ("everything", 8, 1, {"crumble_leaves_pit": "on"}),
        ("all_the_fun", 8, 1, {}),
    ],
)
def test_robots_rebuilt_from_events_are_those_of_the_game(
    course: str, num_robots: int, seed: int, settings: dict[str, Any]
) -> None:
    replay = record(course, num_robots, seed, 25, **settings)
    scene = replay.before_turn(1)
    assert len(replay.turns) > 2
    for turn, (games, events) in zip(replay.turns, rerun(replay, *begin(replay)), strict=True):
        assert events == turn.events
        for event in events:
            scene.apply(event)
        assert scene.changes == changes_of(games[0], replay.course)
        for piece, true in zip(scene.pieces, pieces_of(games[0], replay.course), strict=True):
            if true.alive:
                assert piece == true
            else:
                assert (piece.alive, piece.out, piece.lives, piece.flag) == (False, true.out, true.lives, true.flag)


def test_frames_end_where_the_game_ended(replay: Replay) -> None:
    *_, (games, _) = rerun(replay, *begin(replay))
    assert [p.square for p in replay.frames[-1].pieces] == [p.square for p in pieces_of(games[0])]
    assert [f.turn for f in replay.frames] == sorted(f.turn for f in replay.frames)


def test_row_of_a_batch_and_later_episode_can_be_played_again() -> None:
    arena = Arena("risky_exchange")
    games = arena.new_games(3, 2, seed=9)
    arena.restart(games)
    logs = np.concatenate([new_log() for _ in range(3)])
    recorder = Recorder(arena, games, row=2)
    orders = no_orders(3, 8, full=True)
    for _ in range(3):
        arena.play(games, orders, logs=logs)
        recorder.add(orders, logs)
    replay = recorder.replay(games)
    assert (replay.seed, replay.index, replay.episode, replay.players) == (9, 2, 1, ("robot", "robot"))
    replay.verify()


def test_game_is_recorded_through_the_recorder() -> None:
    game = rr_gym.Game("risky_exchange", num_robots=2, seed=4)
    recorder = Recorder.of(game, ["a", "b"])
    events = recorder.play(game, {0: {"power_down": True}})
    recorder.play(game, {0: make_player("greedy"), 1: make_player("random")})
    replay = recorder.replay(game.games)
    assert replay.turns[1].orders["program"][1].all()
    assert replay.turns[0].events == tuple(events)
    assert replay.turns[0].orders["power_down"].tolist() == [1, 0]
    replay.verify()


def test_recorder_refuses_what_it_cannot_record() -> None:
    arena = Arena("risky_exchange")
    games = arena.new_games(1, 2)
    with pytest.raises(ReplayError, match="players: 3 names: expected at most 2"):
        Recorder(arena, games, players=["a", "b", "c"])
    recorder = Recorder(arena, games)
    with pytest.raises(ReplayError, match="turn 1: the log is off"):
        recorder.add(no_orders(1, 8, full=True), new_log(on=False))
    arena.play(games, no_orders(1, 8, full=True))
    with pytest.raises(ReplayError, match="it is in turn 2: expected a game before its first turn"):
        Recorder(arena, games)


def test_verify_names_the_first_difference(replay: Replay) -> None:
    replay.verify()
    turn = replay.turns[1]
    number = next(i for i, e in enumerate(turn.events) if e.kind == "turned")
    wrong = turn.events[number]._replace(value=(turn.events[number].value + 1) % 4)
    events = (*turn.events[:number], wrong, *turn.events[number + 1 :])
    turns = (replay.turns[0], replace(turn, events=events), *replay.turns[2:])
    with pytest.raises(ReplayError, match=re.escape(f"turn 2: recorded {list(wrong)}")):
        replace(replay, turns=turns).verify()
    with pytest.raises(ReplayError, match="turn 1: recorded"):
        replace(replay, seed=replay.seed + 1).verify()
    shorter = replace(replay.turns[-1], events=replay.turns[-1].events[:-1])
    with pytest.raises(ReplayError, match=f"turn {len(replay.turns)}: recorded no further event"):
        replace(replay, turns=(*replay.turns[:-1], shorter)).verify()
    with pytest.raises(ReplayError, match=r"start\[0\]\.damage: recorded 7 "):
        replace(replay, start=(replace(replay.start[0], damage=7), *replay.start[1:])).verify()
    with pytest.raises(ReplayError, match=r"result\.winners: recorded \(3,\) "):
        replace(replay, winners=(3,)).verify()


def test_a_file_where_a_folder_should_be_is_one_error(replay: Replay, tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("")
    with pytest.raises(ReplayError, match=r"replay\.json: cannot be written: "):
        replay.save(tmp_path / "demo" / "replay.json")


def test_deeply_nested_text_is_no_replay(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(ReplayError, match=r"deep\.json: nested too deeply"):
        Replay.load(tmp_path / "deep.json")


def put(data: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(data)
    place: Any = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "chess", "format: 'chess': expected 'rr-gym replay'"),
        (("version",), 1, "version: 1: expected 3, the only version that is read"),
        (("rules", "state"), 999, "rules.state: 999: expected"),
        (("course",), "id: [", "course: "),
        (("course",), 7, "course: 7: expected text"),
        (("settings", "lives"), -3, "setting 'lives': -3: expected"),
        (("settings",), {}, "settings: {}: expected every setting; 'virtual' is missing"),
        (("seed",), "1", "seed: '1': expected a whole number"),
        (("players",), [], "players: how many: 0: expected a whole number from 1 to 8"),
        (("start", 0, "facing"), 4, "start[0].facing: 4: expected a whole number from 0 to 3"),
        (("start", 0, "square"), 192, "start[0].square: 192: expected a whole number from -1 to 191"),
        (("start", 0, "damege"), 1, "start[0].damege: 1: expected no such field; did you mean 'damage'?"),
        (("board", "flip"), 2, "board.flip: 2: expected a whole number from 0 to 1"),
        (("board", "rooms"), [4], "board.rooms: 4: expected a whole number from 0 to 3"),
        (("turns", 0, "orders"), [], "turns[0].orders: []: expected a list of 4"),
        (("turns", 0, "orders", 1), {"program": [1]}, "turns[0].orders[1].program: [1]: expected a list of 5"),
        (("turns", 0, "events", 0), [0, 0], "turns[0].events[0]: [0, 0]: expected a list of 9"),
        (("turns", 0, "events", 0, 2), "Z9", "turns[0].events[0].step: 'Z9': expected a sub-step"),
        (("turns", 0, "events", 0, 3), "danced", "turns[0].events[0].kind: 'danced': expected one of dealt, "),
        (("turns", 0, "events", 0, 3), [], "turns[0].events[0].kind: []: expected one of dealt, "),
        (("turns", 0, "events", 0, 4), 4, "turns[0].events[0].robot: 4: expected a whole number from -1 to 3"),
        (("turns", 0, "events", 0, 6), 6, "turns[0].events[0].value: 6: expected a whole number from 1 to 5"),
        (("turns", 0, "events", 0, 8), 85, "turns[0].events[0].target: 85: expected a whole number from 0 to 84"),
        (("result", "winners"), [9], "result.winners: 9: expected a whole number from 0 to 3"),
        (("result", "over"), 1, "result.over: 1: expected true or false"),
        (("extra",), 1, "replay.extra: 1: expected no such field"),
    ],
)
def test_wrong_field_is_named(data: dict[str, Any], path: tuple[str | int, ...], value: Any, message: str) -> None:
    with pytest.raises(ReplayError) as error:
        Replay.from_json(put(data, path, value), "file.json")
    assert str(error.value).startswith("file.json: ")
    assert message in str(error.value)


@pytest.mark.parametrize("field", ["course", "seed", "turns", "result"])
def test_missing_field_is_named(data: dict[str, Any], field: str) -> None:
    short = {key: value for key, value in data.items() if key != field}
    with pytest.raises(ReplayError, match=f"expected the field '{field}'"):
        Replay.from_json(short)


@pytest.mark.parametrize("contents", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format": "rr-gym replay"}'])
def test_what_is_not_a_replay_is_refused(contents: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(contents)
    with pytest.raises(ReplayError, match=r"broken\.json"):
        Replay.load(path)


def test_every_truncated_file_is_refused(replay: Replay, tmp_path: Path) -> None:
    path = replay.save(tmp_path / "replay.json")
    text = path.read_text()
    for length in range(0, len(text) - 2, len(text) // 50):
        path.write_text(text[:length])
        with pytest.raises(ReplayError, match=r"replay\.json"):
            Replay.load(path)


def event(kind: str, robot: int, other: int = -1, value: int = 0, square: int = 0, target: int = -1) -> Event:
    return Event(0, 1, "B1", kind, robot, other, value, square, target)


def test_what_moves_together_is_one_moment() -> None:
    push = [
        event("card", 0, value=70, square=0),
        event("moved", 0, square=1, target=0),
        event("moved", 1, other=0, value=2, square=3, target=2),
        event("moved", 0, square=2, target=1),
        event("card", 1, value=10, square=3),
        event("turned", 1, value=2, square=3),
    ]
    assert [len(group) for group in moments(push)] == [2, 2, 2]


def test_frames_show_the_state_after_each_moment() -> None:
    start = [Piece(square=0, facing=1, lives=3), Piece(square=1, lives=1)]
    story = [
        event("card", 0, value=70),
        event("moved", 1, other=0, value=2, square=-1, target=1),
        event("destroyed", 1, value=4, square=-1),
        event("out", 1, square=-1),
        event("moved", 0, square=1, target=0),
        event("moved", 0, square=2, target=1),
    ]
    first, second = frames(Scene(start, RULES, Course.from_board(". . . .")), story)
    assert (first.pieces[0].square, first.pieces[1].alive, first.pieces[1].out) == (1, False, True)
    assert first.pieces[1].lives == 0
    assert second.pieces[0].square == 2
    assert start[0].square == 0


RULES = {"reentry_damage": 2, "game": "race"}
CHANGING = """
    L   .    t^  gwe
    .   >    Y   h1
    pa> pb<  ./eh .
    levels:
    0000
    0000
    0001
    groups:
    room at 0,0 2
    """


def test_frames_show_what_has_changed_of_the_board() -> None:
    course = Course.from_board(CHANGING)
    scene = Scene([Piece(square=0)], RULES, course, Changes(piston_up=0, guns=(0,)))
    story = [
        event("room_turned", -1, value=0),
        event("flipped", -1, value=1),
        event("gun", -1, value=1, square=2),
        Event(0, 1, "D1", "shot", -1, 0, 0, 0, 0),
        Event(0, 2, "C13", "over", -1, -1, 0, -1, -1),
    ]
    shown = [frame.changes for frame in frames(scene, story)]
    assert shown == [
        Changes(rooms=(1,), flip=1, piston_up=0, guns=(1,)),
        Changes(rooms=(1,), flip=1, piston_up=0, guns=(1,), risen=1),
        Changes(rooms=(1,), flip=1, piston_up=0, guns=(1,)),
    ]


def test_a_page_has_every_look_of_the_board() -> None:
    course = Course.from_board(CHANGING)
    looks = [Changes(piston_up=0), Changes(piston_up=0, flip=1), Changes(piston_up=0, rooms=(1,))]
    board = board_svg(course, looks, 10)
    assert sorted(re.findall('data-looks="([^"]*)"', board)) == ["0 1", "0 1", "0 2", "1", "2", "2"]
    assert board_svg(course, looks[:1], 10) == course_svg(course, 10, looks[0]).replace("<title>board</title>\n", "")


def test_robots_on_ramps_are_shown_on_its_foot() -> None:
    course = Course.from_board(CHANGING)
    steps = [event("moved", 0, value=0, square=12, target=9), event("moved", 0, value=14, square=9, target=12)]
    shot = event("damaged", 0, value=1, square=12, target=12)
    placed = list(on_layout([*steps, shot], course, []))
    assert [(e.square, e.target) for e in placed] == [(10, 9), (9, 10), (10, 12)]


class Page(HTMLParser):
    """Collects the addresses that a page loads, its ids, and its texts by element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.data: dict[str, str] = {}
        self._tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self._tag = values.get("id") or tag
        self.ids += [values["id"]] if values.get("id") else []  # type: ignore[list-item]
        self.addresses += [str(values[name]) for name in ("src", "href", "action") if name in values]

    def handle_data(self, data: str) -> None:
        self.data[self._tag] = self.data.get(self._tag, "") + data


def test_page_is_complete_in_itself(replay: Replay) -> None:
    text = to_html(replay)
    page = Page(text)
    assert [address for address in page.addresses if not address.startswith("data:")] == []
    assert "@import" not in text
    assert "url(" not in text
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "{{" not in text
    wanted = set(re.findall(r'byId\("([a-z]+)"\)', text))
    of_analyses = {"analysis", "better"}  # absent here, which the page checks
    assert wanted - of_analyses <= set(page.ids)
    assert {f"{kind}-{seat}" for seat in range(4) for kind in ("robot", "copy")} <= set(page.ids)


def test_page_shows_the_whole_game(replay: Replay) -> None:
    payload = json.loads(Page(to_html(replay)).data["replay"])
    assert payload["names"] == list(replay.players)
    assert len(payload["frames"]) == len(replay.frames)
    states = payload["start"]
    for shown, frame in zip(payload["frames"], replay.frames, strict=True):
        states = [state | shown["robots"].get(str(seat), {}) for seat, state in enumerate(states)]
        for state, piece in zip(states, frame.pieces, strict=True):
            assert (state["facing"], state["damage"], state["alive"]) == (piece.facing, piece.damage, piece.alive)
            assert state["registers"] == piece.registers
            if piece.alive and not piece.virtual:
                x, y = piece.square % 12, piece.square // 12
                assert abs(state["x"] - x) < 0.5
                assert abs(state["y"] - y) < 0.5
    assert payload["cards"][49] == {"glyph": "↑", "name": "Move 1", "priority": 490}
    assert payload["cards"][0] is None


def test_names_cannot_break_out_of_the_page(replay: Replay) -> None:
    name = '</script><b id="evil">'
    page = Page(to_html(replace(replay, players=(name, "b", "c", "d"))))
    assert "evil" not in page.ids
    assert json.loads(page.data["replay"])["names"][0] == name


def test_page_of_some_turns_begins_where_they_begin(replay: Replay) -> None:
    payload = json.loads(Page(to_html(replay, 3, 4)).data["replay"])
    assert {frame["turn"] for frame in payload["frames"]} == {2, 3}
    assert {frame["title"] for frame in payload["frames"]} == {*payload["steps"]}
    assert payload["steps"]["Lasers"].startswith("D1: All shots of board lasers, turret guns and robots")
    before = replay.before_turn(3)
    assert [robot["damage"] for robot in payload["start"]] == [piece.damage for piece in before.pieces]


def test_text_has_a_line_per_event(replay: Replay) -> None:
    assert len(list(to_lines(replay))) == sum(len(turn.events) for turn in replay.turns)
    lines = list(to_lines(replay, 2, 2))
    assert lines
    assert all(line.split()[0].split(".")[0] == "2" for line in lines)
    assert any(re.match(r" +2\.1 Robots move +B1 ", line) for line in lines)


def test_gif_has_a_picture_per_visible_moment(replay: Replay, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    path = replay.save(tmp_path / "replay.json")
    out = tmp_path / "replay.gif"
    assert main(["replay", str(path), "--out", str(out), "--to-turn", "1"]) == 0
    with image.open(out) as gif:
        moves = [f for f in replay.frames_of(1, 1) if any(e.kind == "moved" for e in f.events)]
        assert len(moves) < gif.n_frames <= len(replay.frames_of(1, 1)) + 1
        assert gif.size == (12 * 36 + 43, 16 * 36 + 43 + 40)  # the margin holds coordinates and the walls of the edge


def test_command(replay: Replay, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = replay.save(tmp_path / "replay.json")
    assert main(["replay", str(path)]) == 0
    assert (tmp_path / "replay.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "replay.html").as_uri() in capsys.readouterr().out
    assert main(["replay", str(path), "--text", "--from-turn", "2"]) == 0
    assert "plays" in capsys.readouterr().out
    assert main(["replay", str(path), "--verify"]) == 0
    assert "the rules agree" in capsys.readouterr().out
    assert main(["replay", str(path), "--from-turn", "99"]) == 2
    assert "from turn 99: expected 1 to 8" in capsys.readouterr().err
    assert main(["replay", str(tmp_path / "none.json")]) == 2
    assert "none.json: cannot be read: No such file" in capsys.readouterr().err


def test_gif_lasts_as_long_as_is_wanted() -> None:
    slow = [k % 5 == 0 for k in range(200)]
    whole = frame_durations(slow, None)
    assert set(whole) == {220, 450, 3000}
    assert frame_durations(slow, sum(whole) / 1000) == whole
    assert 28_000 < sum(frame_durations(slow, 30)) <= 30_000
    assert set(frame_durations(slow, 1)) == {40, 3000}
    assert frame_durations([False], 1) == [3000]


def test_moments_of_a_long_game_are_put_together() -> None:
    frames = record(turns=3).frames
    assert together(frames, len(frames)) == frames
    for most in (1, 7, len(frames) - 1):
        few = together(frames, most)
        assert len(few) <= most
        assert [event for frame in few for event in frame.events] == [e for frame in frames for e in frame.events]
        assert (few[-1].pieces, few[-1].turn) == (frames[-1].pieces, frames[-1].turn)
