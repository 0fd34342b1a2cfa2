"""Pictures and texts of games show option cards, devices and teams, with their owners."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import rr_gym
from rr_gym.courses import Course
from rr_gym.render import ansi, rgb, svg
from rr_gym.render.colours import ROBOT_COLOURS, TEAM_COLOURS, WEAPON_COLOURS
from rr_gym.render.devices import device_shapes, things
from rr_gym.render.fittings import MARKS
from rr_gym.render.pieces import Piece, pieces_of
from rr_gym.render.pixels import pieces_rgb
from rr_gym.render.terminal import DEVICE_SIGNS
from rr_gym.render.tokens import NO_TOKENS, DeviceToken, Tokens, tokens_of
from rr_gym.render.vector import movable_svg, stamps_svg
from rr_gym.rules.state.constants import DEVICE_NAMES, SHIELD_NAMES, WEAPON_NAMES
from rr_gym.rules.state.option_cards import OPTION_NAMES

CELL = 40
FLOOR = Course.from_board("grid:\n" + "\n".join([". . . . . . . . ."] * 9))
MIDDLE = 40  # (4, 4)
KINDS = DEVICE_NAMES[1:]


def picture(*pieces: Piece, tokens: Tokens = NO_TOKENS) -> np.ndarray:
    return pieces_rgb(pieces, FLOOR, CELL, tokens=tokens)


def squares_drawn(one: np.ndarray, other: np.ndarray) -> set[tuple[int, int]]:
    rows, columns = np.nonzero((one != other).any(axis=2))
    return {(int(x) // CELL, int(y) // CELL) for x, y in zip(columns, rows, strict=True)}


GUARDED = {"down": True, "options": {"power_down_shield": 0}}


@pytest.mark.parametrize(
    "states",
    [
        [{}, *({name: side} for name in ("shield", "reflector", "turret") for side in (1, 2, 3, 4))],
        [{}, {"goo": 2}, {"bombed": True}, {"carries": 1}, {"team": 1}, {"team": 2}, {"down": True}, GUARDED],
    ],
    ids=["sides", "states"],
)
def test_every_state_looks_different(states: list[dict[str, Any]]) -> None:
    pictures = [picture(Piece(square=MIDDLE, **state)).tobytes() for state in states]
    assert len(set(pictures)) == len(states)


@pytest.mark.parametrize("name", ["shield", "reflector", "turret"])
def test_sides_turn_with_the_robot(name: str) -> None:
    strips = (np.s_[:20, :], np.s_[:, 20:], np.s_[20:, :], np.s_[:, :20])
    for facing in range(4):
        for side in range(4):
            without = picture(Piece(square=MIDDLE, facing=facing))
            drawn = (picture(Piece(square=MIDDLE, facing=facing, **{name: 1 + side})) != without).any(axis=2)
            robot = drawn[4 * CELL : 5 * CELL, 4 * CELL : 5 * CELL]
            weights = [int(robot[strip].sum()) for strip in strips]
            assert weights.index(max(weights)) == (facing + side) % 4


@pytest.mark.parametrize("token", ["homing", "interceptor", "superbot"])
def test_tokens_are_drawn_on_the_robot_that_carries_them(token: str) -> None:
    robots = [Piece(square=10), Piece(square=MIDDLE)]
    changed = squares_drawn(picture(*robots), picture(*robots, tokens=Tokens(**{token: 1})))
    assert changed == {(4, 4)}
    assert token in MARKS


def test_devices_are_seen_where_they_are() -> None:
    empty = picture()
    pictures = []
    for kind in KINDS:
        shown = picture(tokens=Tokens((DeviceToken(kind, 0, MIDDLE),)))
        assert squares_drawn(shown, empty) == {(4, 4)}
        pictures.append(shown.tobytes())
    assert len(set(pictures)) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_devices_have_the_colour_of_their_owner(kind: str) -> None:
    for owner in (0, 5):
        colours = {getattr(shape, name, "") for shape in device_shapes(kind, owner) for name in ("fill", "stroke")}
        assert colours & set(ROBOT_COLOURS) == {ROBOT_COLOURS[owner]}
    assert device_shapes(kind, -1) != device_shapes(kind, 0)


@pytest.mark.parametrize("kind", ["missile", "drone", "buzz_bomb"])
def test_flying_devices_show_where_they_face(kind: str) -> None:
    pictures = {picture(tokens=Tokens((DeviceToken(kind, 0, MIDDLE, facing),))).tobytes() for facing in range(4)}
    assert len(pictures) == 4


def test_virtual_devices_let_the_board_through() -> None:
    empty, real, virtual = (
        picture(tokens=Tokens(devices)).astype(int)
        for devices in ((), (DeviceToken("mine", 0, MIDDLE),), (DeviceToken("mine", 0, MIDDLE, virtual=True),))
    )
    assert 0 < np.abs(virtual - empty).sum() < np.abs(real - empty).sum()


def test_a_drone_and_its_counter_are_seen() -> None:
    tokens = Tokens((DeviceToken("drone", 2, MIDDLE, target=MIDDLE + 3),))
    assert squares_drawn(picture(tokens=tokens), picture()) == {(4, 4), (7, 4)}


def test_the_damping_field_covers_what_it_damps() -> None:
    source = Piece(square=MIDDLE)
    drawn = squares_drawn(picture(source), picture(source, tokens=Tokens(damping=0)))
    damped = {(x, y) for x in range(9) for y in range(9) if abs(x - 4) + abs(y - 4) <= 3}
    assert damped <= drawn
    assert all(abs(x - 4) + abs(y - 4) <= 5 for x, y in drawn)
    assert things(Tokens(damping=0), [Piece(alive=False)], (), 9) == []


def test_colours_of_teams_and_weapons_differ() -> None:
    assert set(WEAPON_COLOURS) == set(WEAPON_NAMES) - {"main"}
    assert len(set(TEAM_COLOURS)) == len(TEAM_COLOURS)
    beams = [colour for name, colour in WEAPON_COLOURS.items() if name not in ("missile", "drone")]
    assert all(a != b for a, b in combinations(beams, 2))


def test_pages_have_every_part() -> None:
    robot = movable_svg(0, 100, team=2)
    for part in ("sided shield", "sided reflector", "sided turret", *(f"condition {mark}" for mark in MARKS)):
        assert f'class="{part}"' in robot
    assert TEAM_COLOURS[1] in robot
    assert TEAM_COLOURS[1] not in movable_svg(0, 100)
    ids = re.findall(r'id="([^"]*)"', stamps_svg([("mine", 3), ("drone", 0)], [1], 100))
    assert ids == ["field", "device-mine-3", "device-drone-0", "target-0", "team-1"]


@pytest.fixture
def game() -> rr_gym.Game:
    return rr_gym.Game(FLOOR_WITH_STARTS, num_robots=2, seed=1, settings={"option_cards": "on"})


FLOOR_WITH_STARTS = Course.from_board("grid:\n@1 . . .\n@2 . . .\n. #1 . #2")


def lay(game: rr_gym.Game, slot: int, **fields: Any) -> None:
    device = game.record["devices"][slot]
    for name, value in fields.items():
        device[name] = DEVICE_NAMES.index(value) if name == "kind" else value
    game.record["num_devices"] = slot + 1


def own(game: rr_gym.Game, seat: int, **left: int) -> None:
    for name, number in left.items():
        option = OPTION_NAMES.index(name)
        game.record["robots"][seat]["options"] |= np.uint64(1 << option)
        game.record["payload"][option] = number


def test_text_shows_devices_with_a_legend(game: rr_gym.Game) -> None:
    lay(game, 0, kind="mine", owner=0, square=2, target=-1)
    lay(game, 1, kind="drone", owner=1, square=6, facing=3, target=9, virtual=1)
    lay(game, 2, kind="goo", owner=0, square=0, target=-1)
    text = ansi(game.record, game.course)
    board = text[: text.index("robot ")]
    assert "mi1" in board
    assert "D←2" in board
    assert re.search(r"1[↑→↓←]\+", board)
    assert text.splitlines()[-3:] == [
        "mi1: mine of robot 1 at 2,0",
        "D←2: drone of robot 2 at 2,1 flying to 1,2, virtual",
        "go1: goo of robot 1 at 0,0",
    ]
    assert ansi(game.record, game.course, unicode=False).isascii()


def test_text_shows_options_and_states(game: rr_gym.Game) -> None:
    own(game, 0, mine_layer=0, shield=0, converter=2, big_gun=4)
    robot = game.record["robots"][0]
    robot["goo"], robot["team"] = 3, 1
    game.record["homing_target"], game.record["damping"], game.record["bombed"] = 0, 0, 1
    game.record["phase"], robot["orders"]["shield"][0] = 1, SHIELD_NAMES.index("left")
    robot["orders"]["gadget"][1] = 2
    robot["orders"]["movement_option"][2], robot["second"][2], robot["registers"][2] = 1, 7, 50
    text = ansi(game.record, game.course)
    assert "options of robot 1: shield left, big_gun 4, converter 2, mine_layer 0" in text
    assert "team 1, in goo 3, caught by a scrambler bomb, homing token, damping field" in text
    assert "- *mine move_1@500+rotate_left@70~crab_legs - -" in text


def test_every_device_has_a_sign_of_its_own() -> None:
    assert set(DEVICE_SIGNS) == set(KINDS)
    assert len(set(DEVICE_SIGNS.values())) == len(KINDS)


def test_pictures_of_games_show_options_and_devices(game: rr_gym.Game) -> None:
    before, document = rgb(game.record, game.course, CELL), svg(game.record, game.course)
    lay(game, 0, kind="mine", owner=0, square=2, target=-1)
    assert squares_drawn(rgb(game.record, game.course, CELL), before) == {(2, 0)}
    assert svg(game.record, game.course).count("<g transform=") == document.count("<g transform=") + 1
    assert tokens_of(game.record, game.course).devices == (DeviceToken("mine", 0, 2),)


def test_pieces_tell_the_sides_of_what_they_own(game: rr_gym.Game) -> None:
    own(game, 0, shield=0, turret=0)
    game.record["phase"] = 2
    game.record["robots"]["orders"]["shield"][:, 1] = 3
    one, two = pieces_of(game.record)
    assert (one.shield, one.reflector, one.turret) == (3, 0, 1)
    assert (two.shield, two.reflector, two.turret) == (0, 0, 0)
    game.record["phase"] = 0
    assert pieces_of(game.record)[0].shield == 0


def test_flags_of_teams_are_marked() -> None:
    course = Course.from_board("grid:\n@1 . . .\n@2 . . .\n. #1 . #2")
    game = rr_gym.Game(course, num_robots=2, seed=1, settings={"game": "flag_toggle", "option_cards": "on"})
    before = rgb(game.record, course, CELL)
    game.record["flag_owner"][1] = 2
    assert tokens_of(game.record, course, "flag_toggle").flag_teams == (0, 2)
    assert tokens_of(game.record, course, "head_to_head").flag_teams == (1, 2)
    assert tokens_of(game.record, course).flag_teams == (0, 2)
    assert squares_drawn(rgb(game.record, course, CELL), before) == {(3, 2)}
    assert "#2: flag of team 2" in ansi(game.record, course)


def test_moved_flags_are_drawn_where_they_are(game: rr_gym.Game) -> None:
    before = rgb(game.record, game.course, CELL)
    game.record["flag_squares"][0] = 7
    assert squares_drawn(rgb(game.record, game.course, CELL), before) == {(1, 2), (3, 1)}
    assert "#1" in ansi(game.record, game.course).splitlines()[4]
