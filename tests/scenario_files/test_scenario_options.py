"""Option cards, devices, orders and variants in scenarios: valid and invalid values, and results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scenario_runs import problem, run_one

from rr_gym.encoding.orders.option_orders import HAND_ORDERS
from rr_gym.rules.state.constants import DEVICE_NAMES
from rr_gym.rules.state.order_table import ORDERS
from rr_gym.scenarios import play
from rr_gym.scenarios.position import Position
from rr_gym.scenarios.words import DEVICE_KINDS


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rules.yaml"


BAD_DEVICES: list[tuple[dict[str, Any], str]] = [
    ({"at": [0, 0]}, "'kind' is missing"),
    ({"kind": "mine"}, "devices.0: 'at' is missing"),
    ({"kind": "bomb", "at": [0, 0]}, "there is no device 'bomb'"),
    ({"kind": "mine", "at": [3, 0]}, "devices.0.at: [3, 0] is off the board"),
    ({"kind": "mine", "at": [0, 0], "owner": "c"}, "there is no robot 'c'"),
    ({"kind": "mine", "at": [0, 0], "size": 1}, "there is no such key here"),
    ({"kind": "missile", "at": [0, 0], "facing": "x"}, "there is no direction 'x'"),
    ({"kind": "drone", "at": [0, 0], "target": [9, 9]}, "devices.0.target: [9, 9] is off the board"),
    ({"kind": "buzz_bomb", "at": [0, 0], "program": ["move_4"]}, "'move_4': expected one of"),
    ({"kind": "buzz_bomb", "at": [0, 0], "program": ["move_1"] * 6}, "6 cards: expected at most 5"),
]


@pytest.mark.parametrize(("device", "text"), BAD_DEVICES)
def test_bad_devices_are_refused(file: Path, device: dict[str, Any], text: str) -> None:
    assert text in problem(file, devices=[device])


def test_there_is_only_one_big_one(file: Path) -> None:
    twice = [{"kind": "big_one", "at": [0, 1]}, {"kind": "big_one", "at": [1, 1]}]
    assert "devices.1: big_one: there is only one" in problem(file, devices=twice)


QUIET: dict[str, Any] = {"board": ". . . . .\n. . . . .\n. . . . .\n", "programs": None, "expect": {}}
LAID = [
    {"kind": "mine", "at": [2, 2], "owner": "a"},
    {"kind": "mine", "at": [4, 2], "power": 2},
    {"kind": "big_one", "at": [2, 0], "facing": "s"},
    {"kind": "buzz_bomb", "at": [4, 0], "owner": "b", "program": ["u_turn", "rotate_left@70"], "facing": "w"},
]


def test_devices_are_compared_as_a_complete_list_in_any_order(file: Path) -> None:
    robots = {"a": {"at": [0, 2], "facing": "w"}, "b": {"at": [0, 0], "facing": "w"}}
    changes = QUIET | {"robots": robots, "devices": LAID, "start_phase": 2}
    expect = [
        {"kind": "mine"},
        {"kind": "buzz_bomb", "at": [4, 0], "level": 0, "power": 4, "program": ["u_turn@60", "rotate_left"]},
        {"kind": "mine", "at": [4, 2], "power": 2, "owner": "none"},
        {"kind": "big_one", "power": 64, "facing": "s"},
    ]
    assert run_one(file, **changes, expect_devices=expect).passed
    for wrong in (expect[1:], [*expect[1:], expect[1]], [{"kind": "mine", "power": 3}, *expect[1:]]):
        (difference,) = run_one(file, **changes, expect_devices=wrong).differences
        assert difference.field == "expect_devices"
        assert [device["at"] for device in difference.actual] == [[2, 2], [4, 2], [2, 0], [4, 0]]
    (difference,) = run_one(file, **changes, expect_devices=[{"kind": "mine", "power": 2}]).differences
    assert difference.expected == [{"kind": "mine", "power": 2}]
    assert difference.actual[1] == {"kind": "mine", "at": [4, 2], "power": 2}


def test_kinds_of_devices_are_those_of_the_game(file: Path) -> None:
    expected = {"kind": "goo", "at": [1, 0], "level": 1}
    (difference,) = run_one(file, **QUIET, expect_devices=[expected]).differences
    assert (difference.expected, difference.actual) == ([expected], [])
    assert set(DEVICE_KINDS) == set(DEVICE_NAMES) - {"none"}


def test_missiles_and_drones_take_the_highest_free_priority(file: Path) -> None:
    flying = [
        {"kind": "missile", "at": [0, 2], "facing": "e"},
        {"kind": "missile", "at": [0, 1], "facing": "e", "priority": 735},
        {"kind": "drone", "at": [4, 2], "target": [0, 2], "facing": "w"},
    ]
    changes = QUIET | {"robots": {"a": {"at": [0, 0], "facing": "w"}}, "devices": flying}
    expect = [
        {"kind": "missile", "at": [2, 1], "priority": 735},
        {"kind": "missile", "at": [2, 2], "priority": 725},
        {"kind": "drone", "at": [1, 2], "priority": 880, "target": [0, 2]},
    ]
    assert run_one(file, **changes, expect_devices=expect).passed, run_one(file, **changes, expect_devices=expect)


def test_a_robot_may_be_held_by_goo(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "facing": "e", "goo": 2}}
    changes = {"devices": [{"kind": "goo", "at": [0, 0]}], "robots": robots}
    stuck = {"at": [0, 0], "goo": 1}
    result = run_one(file, **changes, expect={"a": stuck}, expect_devices=[{"kind": "goo", "at": [0, 0]}])
    assert result.passed, result.differences
    assert run_one(file, **changes, expect={"a": {"goo": True}}).passed
    assert run_one(file, robots={"a": {"at": [0, 0], "facing": "e"}}, expect={"a": {"at": [1, 0], "goo": False}}).passed


GIVEN = {
    "weapon": ["main", "missile"], "gadget": "mine", "movement_option": "retro_3",
    "gear": True, "frog": [True, False], "gyro": False, "turret": "left", "shield": "off", "fire_control": "lock_1",
    "fallback_to_laser": [True, False], "sacrifice_threshold": 11, "keep": 1, "target": "b", "abort": 5, "square": 15,
    "conditional": {"card": "move_1", "register": 3}, "flywheel": "move_3", "reflector": "back", "damping": True,
    "homing": True, "copter": "move_2", "buzz": True,
    "buzz_program": ["move_1", "u_turn"], "self_destruct": 5, "recompile": True, "intercept": 3,
    "reengineering": "always", "arm": False, "superior_archive": False, "give_up": ["brakes", "shield"],
    "lose": "brakes", "power_down": True, "stay_down": True, "facing": "n", "unlock": 3, "site": "option",
    "chop": "swap", "chop_option": "brakes", "waste": False, "freak_order": [2, 1, 0], "reset_card": "u_turn",
}  # fmt: skip
TWO = {"robots": {"a": {"at": [0, 0], "facing": "e"}, "b": {"at": [0, 1], "facing": "w"}}}


@pytest.mark.parametrize("name", GIVEN)
def test_every_order_is_read_and_one_of_an_option_that_the_robot_lacks_is_ignored(file: Path, name: str) -> None:
    facing = {"destroyed": True} if name == "facing" else {"at": [1, 0]}
    result = run_one(file, **TWO, orders={"a": {name: GIVEN[name]}}, expect={"a": facing})
    if name in HAND_ORDERS:  # U57
        assert f"orders.a.{name}: " in result.differences[0].actual
        assert "null: the robot does not own" in result.differences[0].actual
    else:
        assert result.passed, result.differences
    text = problem(file, **TWO, orders={"a": {name: {"such": "nonsense"}}})
    assert f"orders.a.{name}" in text


def test_the_orders_above_are_all_there_are() -> None:
    """Orders of a single number or flag are left out, since all of them are read in the same way."""
    plain = {name for name, order in ORDERS.items() if order.kind in ("flag", "number") and not order.per_register}
    assert set(GIVEN) | plain == set(ORDERS) - {"second"}


DEFAULTS = {
    "weapon": "main", "gadget": "none", "movement_option": "none", "second": "none", "gear": False, "frog": "off",
    "gyro": True, "turret": "front", "shield": "front", "fire_control": "lock_next", "fallback_to_laser": "on",
    "sacrifice_threshold": 10,
    "keep": None, "target": "none", "abort": 0, "conditional": "none", "flywheel": "none", "reflector": "front",
    "damping": False, "homing": False, "copter": "none", "buzz": False, "buzz_program": [], "self_destruct": 0,
    "recompile": "off", "intercept": 0, "reengineering": "better", "arm": True, "superior_archive": True, "give_up": [],
    "lose": "none", "unlock": 0, "reset_card": "none", "chop_option": "none", "waste": "on",
}  # fmt: skip


def test_defaults_may_be_written(file: Path) -> None:
    assert run_one(file, orders={"a": DEFAULTS}).passed
    lists = {name: [value, None] for name, value in DEFAULTS.items() if ORDERS[name].per_register}
    assert lists.keys() == {name for name, order in ORDERS.items() if order.per_register}
    assert run_one(file, orders={"a": lists}).passed


ILLEGAL: list[tuple[str, dict[str, Any], str]] = [
    ("crab_legs", {"movement_option": ["crab_legs"], "second": ["u_turn"]}, "crab_legs: expected none: it does not"),
    ("crab_legs", {"movement_option": ["none", "crab_legs"], "second": ["none", "u_turn"]}, "the register is locked"),
    ("overload_override", {"movement_option": ["none", "overload_empty"]}, "register 2: overload_empty: expected none"),
    ("overload_override", {"second": ["u_turn"]}, "a.second: register 1: u_turn@60: expected null: movement_option"),
    ("robo_copter", {"copter": "u_turn@10"}, "orders.a.copter: u_turn@10: expected a movement card"),
    ("flywheel", {"flywheel": "move_1@660"}, "move_1@660 is already in programs.a.0"),
    ("conditional_program", {"conditional": {"card": "u_turn@60"}}, "u_turn@60 is already in robots.a.locked.2"),
]


@pytest.mark.parametrize(("option", "orders", "text"), ILLEGAL)
def test_illegal_orders_of_options_are_refused(file: Path, option: str, orders: dict[str, Any], text: str) -> None:
    robots = {"a": {"at": [0, 0], "facing": "e", "options": [option], "locked": {2: "u_turn@60"}, "damage": 5}}
    if "conditional" in orders:
        text = "u_turn@60 is already in a locked register, or on an option"
    if "second" in orders:
        text = text.replace("u_turn@60", "u_turn@50")
    changes = {"programs": {"a": ["move_1@660"]}, "robots": robots}
    assert text in problem(file, **changes, orders={"a": orders})


def test_cards_of_orders_take_priorities_after_the_registers_of_their_robot(file: Path) -> None:
    options = ["overload_override", "conditional_program", "flywheel", "robo_copter"]
    robots = {"a": {"at": [2, 1], "options": options}, "b": {"at": [4, 2]}}
    orders = {
        "movement_option": ["overload"], "second": ["rotate_left"], "copter": "back_up", "flywheel": "rotate_left",
        "conditional": {"card": "rotate_left", "register": 2},
    }  # fmt: skip
    changes = QUIET | {"robots": robots, "orders": {"a": orders}, "run": {"phases": 2}}
    programs = {"a": ["rotate_left"], "b": ["rotate_left", "rotate_left"]}
    expect = {"a": {"registers": ["rotate_left@410", "rotate_left@370"]}, "b": {"registers": ["rotate_left@330"]}}
    result = run_one(file, **(changes | {"programs": programs, "expect": expect}))
    assert result.passed, result.differences


def test_open_registers_stay_empty_whatever_cards_orders_name(file: Path) -> None:
    robots = {"a": {"at": [0, 2], "options": ["conditional_program", "flywheel"]}}
    orders = {"a": {"flywheel": "move_3", "conditional": {"card": "move_2"}}}
    changes = QUIET | {"robots": robots, "orders": orders, "run": "turn", "expect": {"a": {"at": [0, 2]}}}
    again = {"orders": {"a": {"power_down": True}}, "expect": {"a": {"registers": ["none"] * 5}}, "run": {"phases": 5}}
    assert run_one(file, **changes, then=[again]).passed


def test_a_stored_card_is_programmed_by_its_priority(file: Path) -> None:
    robots = {"a": {"at": [0, 2], "options": ["flywheel"]}, "b": {"at": [4, 2]}}
    changes = QUIET | {"robots": robots, "orders": {"a": {"flywheel": "move_2"}}, "run": "turn"}
    then = [{"programs": {"a": ["none", "move_2@780"], "b": ["move_2"]}, "run": {"phases": 2}, "expect": {}}]
    then[0]["expect"] = {"a": {"at": [0, 0], "registers": ["none", "move_2@780"]}, "b": {"registers": ["move_2@770"]}}
    assert run_one(file, **changes, then=then).passed
    other = {"programs": {"b": ["move_2@780"]}, "expect": {}}
    assert "move_2@780 is already in a locked register, or on an option" in problem(file, **changes, then=[other])


def test_what_follows_a_bio_option_lies_on_it(file: Path) -> None:
    changes = QUIET | {"option_deck": ["turret"], "orders": {"a": {"power_down": True}}, "run": "turn"}
    for listed, options in [
        (["brakes", "bio_option", "shield"], ["brakes", "bio_option", "turret"]),
        (["shield", "bio_option"], ["shield", "bio_option", "turret"]),
    ]:
        robots = {"a": {"at": [0, 0], "facing": "w", "options": listed}}
        assert run_one(file, **(changes | {"robots": robots, "expect": {"a": {"options": options}}})).passed, listed


def test_special_rules_are_in_params(file: Path) -> None:
    flags = {"board": "#1 . .\n. . #2\n", "programs": None, "robots": {"a": {"at": [2, 1]}, "b": {"at": [0, 1]}}}
    assert run_one(file, **flags, expect={"a": {"flag": 0}}).passed
    for params, expect in [
        ({"superbot": 1}, {"a": {"flag": 0}}),
        ({"option_draft": {"deal": 2, "keep": 2}}, {"a": {"options": ["turret", "shield"]}}),
        ({"option_draft": True}, {"a": {"options": ["shield"]}}),
        ({"start_options": 1}, {"a": {"options": ["turret"]}, "b": {"options": ["shield"]}}),
        ({"start_options": 1, "option_cards": "off"}, {}),
        ({"programming_seconds": 30, "deck_scale": 1, "team_elimination": 0}, {"a": {"options": []}}),
        ({"team_any_robot": True}, {"a": {"team": 1}, "b": {"team": 2}}),
    ]:
        deck = {"option_deck": ["turret", "shield", "brakes"]}
        result = run_one(file, **flags, **deck, params={"robot_lasers": "off", **params}, expect=expect)
        assert result.passed, (params, result.differences)


def test_teams_are_dealt_in_turn_unless_they_are_given(file: Path) -> None:
    robots = {name: {"at": [k, 0]} for k, name in enumerate("abcd")}
    changes = QUIET | {"params": {"game": "runner"}, "robots": robots}
    dealt = {name: {"team": team} for name, team in zip("abcd", (1, 2, 1, 2), strict=True)}
    assert run_one(file, **(changes | {"expect": dealt})).passed
    robots["b"] = robots["b"] | {"team": 1}
    assert run_one(file, **(changes | {"expect": dealt | {"b": {"team": 1}}})).passed
    assert run_one(file, **(QUIET | {"robots": {"a": {"at": [0, 0]}}, "expect": {"a": {"team": 0}}})).passed


def test_scenarios_of_the_base_game_are_played_by_its_rules(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forms: list[bool] = []
    monkeypatch.setattr(play, "Position", lambda script: positions(script))

    def positions(script: Any) -> Position:
        position = Position(script)
        forms.append("ground" in position.table.dtype.names)
        return position

    base: dict[str, Any] = {"orders": {"a": {"power_down": True}}, "params": {"tie": "priority"}}
    expansions: list[dict[str, Any]] = [
        {"robots": {"a": {"at": [0, 0], "facing": "e", "options": ["brakes"]}}},
        {"orders": {"a": {"weapon": "main"}}},
        {"then": [{"expect": {}}]},
        {"option_deck": ["brakes"]},
        {"params": {"game": "survival"}},
        {"devices": [{"kind": "mine", "at": [2, 1]}]},
        {"expect_devices": []},
        {"expect": {"a": {"options": []}}},
    ]
    for changes in [base, *expansions]:
        assert run_one(file, **changes).passed, changes
    assert forms == [False] + [True] * len(expansions)
