"""Replays of games with option cards and variants: frames follow from events and equal the state of the game."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from test_replay import Page, put

from rr_gym.courses import Course
from rr_gym.courses.changes import Changes, current_course, flag_squares, with_flags
from rr_gym.render.pieces import Piece, changes_of, pieces_of
from rr_gym.render.tokens import DeviceToken, Tokens, tokens_of
from rr_gym.render.words import Event
from rr_gym.replay import Recorder, Replay, ReplayError
from rr_gym.replay.effects import Effect, effect_shapes, effects
from rr_gym.replay.moments import moments
from rr_gym.replay.page import to_html
from rr_gym.replay.rerun import begin, rerun
from rr_gym.replay.scene import Frame, Scene, frames
from rr_gym.replay.text import to_lines
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state import option_cards as cards
from rr_gym.rules.state.constants import (
    BLAST_NAMES,
    BY_EXPLOSION,
    DEVICE_NAMES,
    FIRE_CONTROL_NAMES,
    GADGET_NAMES,
    MOVEMENT_OPTION_NAMES,
    NUM_REGISTERS,
    SHIELD_NAMES,
    SIDE_NAMES,
    WEAPON_NAMES,
)
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.records import new_log, no_orders

RULES = {"reentry_damage": 2, "game": "race"}
NAMES = ("Twonky", "Zoom Bot", "Hulk x90", "Squash Bot", "Twitch", "Spin Bot", "Trundle Bot", "Hammer Bot")
CHOICES = {
    "weapon": WEAPON_NAMES, "gadget": GADGET_NAMES, "movement_option": MOVEMENT_OPTION_NAMES, "turret": SIDE_NAMES,
    "shield": SHIELD_NAMES, "reflector": SHIELD_NAMES, "fire_control": FIRE_CONTROL_NAMES, "gear": "01", "frog": "01",
    "gyro": "01", "fallback_to_laser": "01", "conditional_register": "012345", "homing": "01", "buzz": "01",
    "damping": "0001", "abort": "0000000003", "self_destruct": "0000000005", "recompile": "0009", "intercept": "0009",
    "reengineering": "012", "chop": "01234",
}  # fmt: skip


def random_orders(game: Any, random: np.random.Generator) -> np.ndarray:
    """Return random orders about all options, owned or not: shape (1, 8), dtype `FULL_ORDERS`."""
    orders = no_orders(1, 8, full=True)
    for name, values in CHOICES.items():
        chosen = random.integers(len(values), size=orders[name].shape)
        orders[name] = np.vectorize(lambda n, v=values: int(v[n]))(chosen) if isinstance(values, str) else chosen
    for seat in range(int(game["num_robots"])):
        hand = random.permutation([card for card in game["robots"][seat]["hand"] if card]).tolist()
        for r in range(NUM_REGISTERS):
            if hand and not game["robots"][seat]["locked"] >> r & 1:
                orders["program"][0, seat, r] = hand.pop()
        for r in range(NUM_REGISTERS):
            if hand and random.random() < 0.5:
                orders["second"][0, seat, r] = hand.pop()
        for name in ("conditional", "flywheel", "copter"):
            orders[name][0, seat] = hand.pop() if hand and random.random() < 0.5 else 0
    return orders


def record(course: str | Course, num_robots: int, seed: int, turns: int, **settings: Any) -> Replay:
    """Record a game of robots that use their options at random."""
    arena = Arena(course, {"option_cards": "on"} | settings)
    games = arena.new_games(1, num_robots, seed=seed)
    recorder = Recorder(arena, games, players=NAMES[:num_robots])
    logs, random = new_log(), np.random.default_rng(seed)
    for _ in range(turns):
        if games["over"][0]:
            break
        orders = random_orders(games[0], random)
        arena.play(games, orders, logs=logs)
        recorder.add(orders, logs)
    return recorder.replay(games)


@pytest.fixture(scope="module")
def replay() -> Replay:
    return record("risky_exchange", 5, 1, 5, start_options=6)


ON_REGISTERS = ("second", "copied", "gadgets", "movement_options")
OF_A_PHASE = (*ON_REGISTERS, "shield", "reflector", "turret")
IN_GAME = ("alive", "out", "lives", "flag", "options", "team", "carries", "spared")


@pytest.mark.parametrize(
    ("course", "num_robots", "seed", "turns", "settings"),
    [
        ("risky_exchange", 8, 3, 6, {"start_options": 6}),
        ("all_the_fun", 6, 2, 4, {"start_options": 6}),
        ("risky_exchange", 4, 6, 4, {"bio_bots": "on", "scavenger": 1}),
        ("risky_exchange", 4, 9, 6, {"game": "head_to_head", "start_options": 4}),
        ("moving_targets", 4, 1, 4, {"start_options": 2}),
        ("day_of_the_superbot", 5, 1, 4, {}),
        ("frenetic_factory", 5, 1, 4, {}),
        ("tandem_carnage", 4, 1, 4, {}),
        ("capture_the_flag", 6, 1, 5, {}),
        ("toggle_boggle", 4, 1, 5, {}),
    ],
)
def test_what_is_rebuilt_from_events_is_the_game(
    course: str, num_robots: int, seed: int, turns: int, settings: dict[str, Any]
) -> None:
    replay = record(course, num_robots, seed, turns, **settings)
    scene = replay.before_turn(1)
    for turn, (games, events) in zip(replay.turns, rerun(replay, *begin(replay)), strict=True):
        assert events == turn.events
        for event in events:
            scene.apply(event)
        game, over = games[0], bool(games["over"][0])
        assert scene.changes == changes_of(game, replay.course)
        assert_same_tokens(scene.tokens, tokens_of(game, replay.course, replay.settings["game"]), over)
        for piece, true in zip(scene.pieces, pieces_of(game, replay.course), strict=True):
            left_out = OF_A_PHASE if over else ()
            for name in IN_GAME if not true.alive else Piece.__slots__:
                if name not in left_out:
                    assert (name, getattr(piece, name)) == (name, getattr(true, name))


def assert_same_tokens(found: Tokens, true: Tokens, over: bool) -> None:
    def ordered(tokens: Tokens) -> list[Any]:
        return sorted((d.kind, d.owner, d.square, d.facing, d.target, d.virtual) for d in tokens.devices)

    assert ordered(found) == ordered(true)
    for name in ("homing", "interceptor", "superbot", "flag_teams", *(() if over else ("damping",))):
        assert (name, getattr(found, name)) == (name, getattr(true, name))


def event(kind: str, robot: int = 0, other: int = -1, value: int = 0, square: int = 0, target: int = -1) -> Event:
    return Event(0, 2, "B1", kind, robot, other, value, square, target)


def scene_of(*pieces: Piece, **settings: Any) -> Scene:
    return Scene(pieces, RULES | settings, Course.from_board("grid:\n. . . .\n. . . .\n#1 #2 . ."))


def after(scene: Scene, *events: Event) -> Scene:
    for one in events:
        scene.apply(one)
    return scene


MINE, DRONE = DEVICE_NAMES.index("mine"), DEVICE_NAMES.index("drone")


def test_devices_come_move_turn_and_go() -> None:
    scene = after(
        scene_of(Piece(square=5), Piece(square=6, virtual=True)),
        event("device", 0, -1, MINE, 5, 3),
        event("device", 0, -1, DRONE, 5, 1),
        event("device", 1, -1, MINE, 6, 0),
        event("drone_aimed", 0, -1, DRONE, 5, 7),
        event("device_moved", 0, -1, DRONE, 6, 5),
        event("device_turned", 0, -1, DRONE, 6, 2),
    )
    mine, drone, virtual = scene.tokens.devices
    assert mine == DeviceToken("mine", 0, 5)
    assert drone == DeviceToken("drone", 0, 6, facing=2, target=7)
    assert virtual == DeviceToken("mine", 1, 6, virtual=True)
    assert len({device.number for device in scene.tokens.devices}) == 3
    after(scene, event("device_gone", 0, -1, MINE, 5), event("device_gone", 1, -1, MINE, 6))
    assert scene.tokens.devices == (drone,)


def test_options_with_what_is_left_in_them_change_hands() -> None:
    scene = after(
        scene_of(Piece(square=0), Piece(square=1)),
        event("option", 0, -1, cards.MINE_LAYER),
        event("option", 0, -1, cards.SHIELD),
        event("counter", 0, -1, cards.MINE_LAYER, 0, 2),
    )
    assert scene.pieces[0].options == {"mine_layer": 2, "shield": 0}
    after(scene, event("taken", 1, 0, cards.MINE_LAYER), event("option_lost", 0, -1, cards.SHIELD))
    assert (scene.pieces[0].options, scene.pieces[1].options) == ({}, {"mine_layer": 2})


def test_tokens_go_with_their_options() -> None:
    scene = after(
        scene_of(Piece(square=0), Piece(square=1)),
        event("token", 0, 1, cards.HOMING_DEVICE),
        event("token", 0, 1, cards.INTERCEPTOR),
        event("damping", 0, -1, 1),
    )
    assert scene.tokens == Tokens(homing=1, interceptor=1, damping=0)
    after(scene, event("taken", 1, 0, cards.INTERCEPTOR), event("taken", 1, 0, cards.OPTION_DAMPING_FIELD))
    assert scene.tokens == Tokens(homing=1, damping=1)
    after(scene, event("option_lost", 0, -1, cards.HOMING_DEVICE), event("damping", 1, -1, 0))
    assert scene.tokens == Tokens()


def test_registers_show_what_lies_on_them_until_the_next_turn() -> None:
    scene = after(
        scene_of(Piece(square=0), Piece(square=1)),
        event("programmed", 0, -1, 3, 0, 50),
        event("second", 0, -1, 3, 0, 7),
        event("gadget", 0, -1, 2, 0, GADGET_NAMES.index("goo")),
        event("movement_option", 0, -1, 3, 0, MOVEMENT_OPTION_NAMES.index("crab_legs")),
        event("revealed", 0, 1, 5, 0, 70),
        event("revealed", 0, 1, 4, 0, 0),
    )
    piece = scene.pieces[0]
    assert (piece.second, piece.gadgets, piece.movement_options) == ([0, 0, 7, 0, 0], [0, 4, 0, 0, 0], [0, 0, 1, 0, 0])
    assert piece.copied == [0, 0, 0, -1, 70]
    assert piece.registers == [0, 0, 50, 0, 0]
    after(scene, event("revealed", 0, -1, 3, 0, 12), event("revealed", 0, -1, 5, 0, 13))
    assert (piece.registers, piece.second, piece.copied) == ([0, 0, 12, 0, 13], [0] * 5, [0, 0, 0, -1, 0])
    after(scene, event("faced", 1)._replace(turn=1))
    assert piece.registers == piece.gadgets == piece.movement_options == piece.copied == [0] * 5


def test_a_robot_comes_back_undamaged_by_its_archive() -> None:
    scene = scene_of(Piece(square=0, lives=3, goo=2), Piece(square=1, lives=3))
    for robot in (0, 1):
        after(scene, event("used", robot, -1, cards.SUPERIOR_ARCHIVE if robot else cards.BRAKES))
        after(scene, event("destroyed", robot, -1, 3), event("reentered", robot, -1, 1, 4, 0))
    assert [(piece.damage, piece.goo) for piece in scene.pieces] == [(2, 0), (0, 0)]


@pytest.mark.parametrize(
    ("played", "flags", "carries"),
    [
        ("race", [1, 0, 0], 0),
        ("tag_teams", [1, 1, 0], 0),
        ("head_to_head", [1, 1, 0], 0),
        ("capture_the_flag", [0, 0, 0], 2),
    ],
)
def test_a_flag_counts_as_the_kind_of_game_has_it(played: str, flags: list[int], carries: int) -> None:
    scene = after(scene_of(Piece(team=1), Piece(team=1), Piece(team=2), game=played), event("flag", 0, -1, 2))
    assert [piece.flag for piece in scene.pieces] == flags
    assert scene.pieces[0].carries == carries


def test_flags_move_and_have_owners() -> None:
    scene = after(scene_of(Piece()), event("flag_moved", -1, -1, 2, 11, 9))
    assert scene.changes == Changes(flags=(8, 11))
    assert current_course(scene.course, scene.changes).flags == ((0, 2), (3, 2))
    after(scene, event("flag_moved", -1, -1, 2, 9, 11))
    assert scene.changes == Changes()
    scene.tokens = Tokens(flag_teams=(0, 0))
    after(scene, event("team_flag", 0, -1, 2, 0, 3), event("superbot", 0))
    assert scene.tokens == Tokens(flag_teams=(0, 3), superbot=0)


BOARDS = """
id: two
name: Two
boards: [{board: left, rotation: 0, at: [0, 0]}, {board: right, rotation: 0, at: [3, 0]}]
flags: [[0, 0], [4, 1]]
board_texts:
  left: "grid:\\n> . .\\n. w1 .\\n. . @1"
  right: "grid:\\nX . .\\n. . .\\n. . ."
rules: [{rule: rotate_board_on_flag}]
"""


def test_boards_turn_under_flags_and_robots() -> None:
    course = Course.from_yaml(BOARDS)
    scene = after(Scene([Piece(square=3, archive=3)], RULES, course), event("room_turned", -1, -1, 1, -1))
    assert scene.changes == Changes(rooms=(0, 1))
    lying = current_course(course, scene.changes)
    assert [square for square, placed in lying.squares.items() if placed.cell.is_pit] == [(5, 0)]
    assert lying.flags == course.flags
    assert scene.pieces[0].archive == 3
    after(scene, event("room_turned", -1, -1, 0, -1))
    assert current_course(course, scene.changes).squares[2, 0].cell.items[0].direction == 2
    for _ in range(3):
        after(scene, event("room_turned", -1, -1, 1, -1))
    assert scene.changes == Changes(rooms=(1,))


def test_rooms_carry_flags_and_archives() -> None:
    course = Course.from_board("grid:\n#1 . #2\n. . .\ngroups:\nroom at 0,0 2")
    changes = with_flags(course, Changes(), (0, 1))
    scene = Scene([Piece(square=0, archive=3), Piece(square=5, archive=2)], RULES, course, changes)
    after(scene, event("room_turned", -1, -1, 0, -1))
    assert flag_squares(course, scene.changes) == (1, 4)
    assert [piece.archive for piece in scene.pieces] == [0, 2]


def test_explosions_and_flights_are_moments_of_their_own() -> None:
    mine = BLAST_NAMES.index("mine")
    story = [
        event("card", 0, -1, 70),
        event("moved", 0, -1, 0, 1, 0),
        event("device_gone", 1, -1, MINE, 1),
        event("device_gone", 1, -1, MINE, 2),
        event("exploded", 1, -1, mine, 1, 4),
        event("damaged", 0, 1, 4, 1, BY_EXPLOSION),
        event("exploded", 1, -1, mine, 2, 4),
        event("device_moved", 1, -1, DRONE, 5, 4),
        event("device_moved", 1, -1, DRONE, 6, 5),
        event("used", 1, -1, cards.BIG_JET),
        event("moved", 1, -1, 1, 3, 2),
    ]
    groups = [[one.kind for one in group] for group in moments(story)]
    assert groups == [
        ["card", "moved"],
        ["device_gone", "exploded", "damaged"],
        ["device_gone", "exploded"],
        ["device_moved"],
        ["device_moved"],
        ["used", "moved"],
    ]


def effects_of(*events: Event) -> list[Effect]:
    return effects(Frame(0, 1, "D1", events, ()), 4)


def test_an_explosion_has_a_ring_for_each_distance() -> None:
    (blast,) = effects_of(event("exploded", 0, -1, 0, 5, 4))
    assert blast == Effect("blast", (1, 1), (4,))
    shapes = effect_shapes(blast)
    assert [shape.text for shape in shapes if hasattr(shape, "text")] == ["4", "2", "1"]
    corners = [shape.points for shape in shapes if hasattr(shape, "fill") and hasattr(shape, "points")]
    assert [max(x for x, _ in points) - 1.5 for points in corners] == pytest.approx([2.55, 1.55, 0.55])


def test_weapons_have_beams_of_their_own_colours() -> None:
    weapons = [
        event("weapon", 0, 1, WEAPON_NAMES.index(name), 4, 6) for name in ("pressor_beam", "radio_control", "scrambler")
    ]
    colours = [effects_of(weapon)[0].values[2] for weapon in weapons]
    laser = effects_of(event("shot", 0, 1, 1, 4, 6))[0].values[2]
    assert len({*colours, laser}) == 4
    howitzer = event("weapon", 0, 1, WEAPON_NAMES.index("mini_howitzer"), 4, 6)
    (beam,) = effects_of(howitzer, event("shot", 0, 1, 1, 4, 6))
    assert beam.values[2] not in (*colours, laser)
    assert effects_of(event("weapon", 0, -1, WEAPON_NAMES.index("big_gun"), 4, -1)) == []
    (back,) = (e for e in effects_of(event("used", 1, 0, cards.REFLECTOR, 6, 4)) if e.kind == "beam")
    assert (back.at, back.values[:2]) == ((2, 1), (0, 1))


def test_effects_of_one_square_are_added_up_and_stacked() -> None:
    points = [event("damaged", 0, 1, 1, 5, 1)] * 3
    absorbed = [event("absorbed", 0, -1, option, 5) for option in (cards.SHIELD, cards.SHIELD, cards.ABLATIVE_COAT)]
    found = effects_of(*points, *absorbed)
    assert [e.values for e in found if e.kind == "hit"] == [(3,)]
    assert [(e.at, e.values) for e in found if e.kind == "label"] == [
        ((1, 1), ("Shield",)),
        ((1, pytest.approx(0.7)), ("Ablative Coat",)),
    ]


def test_a_saved_game_is_read_back(replay: Replay, tmp_path: Path) -> None:
    again = Replay.load(replay.save(tmp_path / "replay.json"))
    assert again.to_json() == replay.to_json()
    assert [piece.options for piece in again.start] == [piece.options for piece in replay.start]
    assert sum(len(piece.options) for piece in again.start) >= 30
    again.verify()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("start", 0, "options"), {"shied": 0}, "options.shied: 0: expected no such field; did you mean 'shield'?"),
        (("start", 0, "options"), {"shield": "a"}, "start[0].options.shield: 'a': expected a whole number"),
        (("start", 0, "gadgets"), [0, 0, 9, 0, 0], "start[0].gadgets: 9: expected a whole number from 0 to 7"),
        (("start", 0, "shield"), 5, "start[0].shield: 5: expected a whole number from 0 to 4"),
        (("board", "flags"), [1], "board.flags: [1]: expected a list of 3, or none"),
        (("tokens", "superbot"), 5, "tokens.superbot: 5: expected a whole number from -1 to 4"),
        (("tokens", "flag_teams"), [1], "tokens.flag_teams: [1]: expected a list of 3, or none"),
        (("tokens", "mines"), 1, "tokens.mines: 1: expected no such field"),
    ],
)
def test_wrong_field_is_named(replay: Replay, path: tuple[str | int, ...], value: Any, message: str) -> None:
    with pytest.raises(ReplayError, match=re.escape(message)):
        Replay.from_json(put(json.loads(json.dumps(replay.to_json())), path, value))


@pytest.mark.parametrize(
    ("kind", "value", "square", "target"),
    [
        ("device", 0, 5, 0), ("device", 1, 5, 4), ("weapon", 11, 5, 6), ("exploded", 10, 5, 4), ("exploded", 0, 5, -1),
        ("option", 52, 5, 0), ("gadget", 0, 5, 1), ("gadget", 1, 5, 8), ("movement_option", 1, 5, 10),
        ("revealed", 1, 5, 85), ("side", 22, 5, 5), ("flag_moved", 4, 5, 0), ("flag_moved", 1, -1, 0),
        ("team_flag", 0, 5, 1),
    ],
)  # fmt: skip
def test_events_that_nothing_can_show_are_refused(
    replay: Replay, kind: str, value: int, square: int, target: int
) -> None:
    data = json.loads(json.dumps(replay.to_json()))
    wrong = [0, 1, "B1", kind, 0, -1, value, square, target]
    with pytest.raises(ReplayError, match=r"turns\[0\].events\[0\]\.(value|target|square): "):
        Replay.from_json(put(data, ("turns", 0, "events", 0), wrong))


def test_page_shows_options_and_devices(replay: Replay) -> None:
    page = Page(to_html(replay))
    payload = json.loads(page.data["replay"])
    assert {f"device-{d.kind}-{d.owner}" for f in replay.frames for d in f.tokens.devices} <= set(page.ids)
    assert payload["options"]["mine_layer"] == {"name": "Mine Layer", "holds": 3}
    states, lying = payload["start"], payload["tokens"]
    for shown, frame in zip(payload["frames"], replay.frames, strict=True):
        states = [state | shown["robots"].get(str(seat), {}) for seat, state in enumerate(states)]
        lying = shown.get("tokens", lying)
        for state, piece in zip(states, frame.pieces, strict=True):
            assert state["options"] == piece.options
            assert (state["goo"], state["shield"], state["gadgets"]) == (piece.goo, piece.shield, piece.gadgets)
        assert [device["stamp"] for device in lying["devices"]] == [f"{d.kind}-{d.owner}" for d in frame.tokens.devices]
        assert (lying["homing"], lying["damping"]) == (frame.tokens.homing, frame.tokens.damping)
    assert any(frame["used"] for frame in payload["frames"])


def test_the_document_describes_every_field_and_event(replay: Replay) -> None:
    text = (ROOT / "docs" / "replay.md").read_text("utf-8")
    data = replay.to_json()
    names = [*data, *data["start"][0], *data["board"], *data["tokens"], *EVENT_NAMES]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_page_shows_teams() -> None:
    replay = record("toggle_boggle", 4, 1, 1)
    page = Page(to_html(replay))
    payload = json.loads(page.data["replay"])
    assert [state["team"] for state in payload["start"]] == [1, 2, 1, 2]
    assert set(payload["team_colours"]) == {"1", "2"}


def test_page_of_later_turns_begins_with_what_lies_there(replay: Replay) -> None:
    payload = json.loads(Page(to_html(replay, 4, 5)).data["replay"])
    before = replay.before_turn(4)
    assert [device["stamp"] for device in payload["tokens"]["devices"]] == [
        f"{d.kind}-{d.owner}" for d in before.tokens.devices
    ]
    assert [state["options"] for state in payload["start"]] == [piece.options for piece in before.pieces]


def test_text_names_whose_device_explodes() -> None:
    start = Piece(square=5)
    story = (
        event("exploded", 0, -1, BLAST_NAMES.index("mine"), 5, 4),
        event("damaged", 1, 0, 4, 5, BY_EXPLOSION),
    )
    replay = record("risky_exchange", 2, 1, 1)
    turn = replay.turns[0]
    shown = replace(replay, turns=(replace(turn, events=story),), start=(start, start))
    assert [line.split("B1")[1].strip() for line in to_lines(shown)] == [
        "Twonky's mine explodes at (5, 0) with power 4",
        "Twonky's mine hits Zoom Bot: 4 points of damage",
    ]
    assert len(frames(shown.before_turn(1), story)) == 1


def test_gif_shows_devices_and_explosions() -> None:
    pytest.importorskip("PIL.Image")
    from rr_gym.replay.gif import to_gif

    replay = record("risky_exchange", 2, 1, 1)
    turn = replay.turns[0]
    story = (event("device", 0, -1, MINE, 5, 0), event("exploded", 0, -1, 0, 5, 4))
    pictures = [to_gif(replace(replay, turns=(replace(turn, events=story[:n]),))) for n in range(3)]
    assert len(set(pictures)) == 3
