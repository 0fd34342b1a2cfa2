"""The scenario format: valid and invalid scenarios, their errors, and the results of the runner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scenario_runs import problem, run_one, run_text, scenario

from rr_gym import yaml12
from rr_gym.cli.main import main
from rr_gym.scenarios import ScenarioResult


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rules.yaml"


def test_a_scenario_that_holds(file: Path) -> None:
    assert run_one(file) == ScenarioResult("a robot moves", True, ())


def test_differences_name_field_expected_and_actual(file: Path) -> None:
    result = run_one(file, expect={"a": {"at": [2, 0], "facing": "e", "registers": ["move_2"], "out": True}})
    assert [(d.field, d.expected, d.actual) for d in result.differences] == [
        ("a.at", [2, 0], [1, 0]),
        ("a.registers", ["move_2"], ["move_1@660"]),
        ("a.out", True, False),
    ]


@pytest.mark.parametrize(
    ("field", "wrong", "actual"),
    [
        ("at", [0, 0], [1, 0]),
        ("facing", "w", "e"),
        ("damage", 1, 0),
        ("lives", 2, 3),
        ("flag", 1, 0),
        ("archive", [1, 0], [0, 0]),
        ("virtual", True, False),
        ("powered_down", True, False),
        ("level", 1, 0),
        ("locked", [5], []),
        ("destroyed", True, False),
        ("out", True, False),
    ],
)
def test_every_field_is_compared(file: Path, field: str, wrong: Any, actual: Any) -> None:
    (difference,) = run_one(file, expect={"a": {field: wrong}}).differences
    assert (difference.field, difference.expected, difference.actual) == (f"a.{field}", wrong, actual)
    assert run_one(file, expect={"a": {field: actual}}).passed


def test_winners_are_compared(file: Path) -> None:
    board = ". #1 .\n"
    assert run_one(file, board=board, winner=["a"]).passed
    (difference,) = run_one(file, board=board, winner="none").differences
    assert (difference.field, difference.expected, difference.actual) == ("winner", "none", ["a"])


def test_locked_cards_can_be_compared_by_register(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "damage": 6, "locked": {5: "u_turn@20", 4: "move_1"}}}
    held = {4: "move_1@660", 5: "u_turn"}
    assert run_one(file, robots=robots, programs=None, expect={"a": {"locked": held}}).passed
    (difference,) = run_one(file, robots=robots, programs=None, expect={"a": {"locked": {5: "u_turn"}}}).differences
    assert difference.actual == {4: "move_1@660", 5: "u_turn@20"}


def test_locks_of_the_map_form_are_complete_with_their_cards(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "damage": 6, "locked": {5: "u_turn@20"}}}
    for held, holds in [
        ({4: "none", 5: "u_turn@20"}, True),
        ({5: "u_turn", "4": None}, True),
        ([5, 4], True),
        ({4: "none", 5: "none"}, False),
        ({4: "move_1", 5: "u_turn"}, False),
        ({5: "u_turn"}, False),
        ([5], False),
    ]:
        result = run_one(file, robots=robots, programs=None, expect={"a": {"locked": held}})
        assert result.passed == holds, held


def test_locked_cards_take_priorities_by_register(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "damage": 6, "locked": {5: "move_1", 4: "move_1"}}}
    held = {4: "move_1@660", 5: "move_1@650"}
    assert run_one(file, robots=robots, programs=None, expect={"a": {"locked": held}}).passed


def test_a_list_of_registers_locks_them_without_cards(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "damage": 2, "locked": [4, 2]}}
    expect = {"a": {"locked": {2: "none", 4: "none"}, "damage": 2}}
    assert run_one(file, robots=robots, programs=None, expect=expect).passed


def test_null_is_an_empty_register(file: Path) -> None:
    expect = {"a": {"at": [1, 0], "registers": [None, "move_1"]}}
    assert run_one(file, programs={"a": [None, "move_1"]}, run={"phases": 2}, expect=expect).passed


def test_missing_locks_are_filled_from_the_top(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "damage": 7, "locked": {2: "u_turn@20"}}}
    assert run_one(file, robots=robots, programs=None, expect={"a": {"locked": [2, 4, 5]}}).passed


# Refusals


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"expects": {}}, "there is no such key here; did you mean 'expect'?"),
        ({"expect": None}, "'expect' is missing"),
        ({"robots": None}, "'robots' is missing"),
        ({"robots": {}}, "0 robots: expected 1 to 8"),
        ({"board": None}, "expected either 'board' or 'course'"),
        ({"course": "exchange"}, "expected either 'board' or 'course'"),
        ({"board": ". .\n.\n"}, "board:2"),
        ({"board": None, "course": "exchang"}, "exchange"),
        ({"robots": {"a": {}}}, "'at' is missing"),
        ({"robots": {"a": {"at": [3, 0]}}}, "[3, 0] is off the board: its size is 3x2"),
        ({"robots": {"a": {"at": [0, -1]}}}, "off the board"),
        ({"robots": {"a": {"at": 3}}}, "expected [x, y]"),
        ({"robots": {"a": {"at": [0, 0], "archive": [0, 2]}}}, "robots.a.archive: [0, 2] is off the board"),
        ({"robots": {"a": {"at": [0, 0], "facing": "north"}}}, "there is no direction 'north'"),
        ({"robots": {"a": {"at": [0, 0], "damage": 10}}}, "10: expected a whole number from 0 to 9"),
        ({"robots": {"a": {"at": [0, 0], "lives": 0}}}, "robots.a.lives"),
        ({"robots": {"a": {"at": [0, 0], "flag": 9}}}, "expected a whole number from 0 to 8"),
        ({"robots": {"a": {"at": [0, 0], "locked": {"5": "u_turn", 5: "u_turn"}}}}, "this register is there twice"),
        ({"robots": {"a": {"at": [0, 0], "locked": {"-5": "u_turn"}}}}, "expected a whole number from 1 to 5"),
        ({"robots": {"a": {"at": "none"}}}, "expected [x, y]"),
        ({"robots": {"1": {"at": [0, 0]}, 1: {"at": [1, 0]}}}, "this robot is there twice"),
        ({"robots": {"a": {"at": [0, 0], "level": 1}}}, "the square is on level 0"),
        ({"robots": {"a": {"at": [0, 0], "virtual": "yes"}}}, "expected true or false"),
        ({"robots": {"a": {"at": [0, 0]}, "b": {"at": [0, 0]}}}, "robots.b.at: another real robot"),
        ({"board": "X . .\n"}, "[0, 0] is a pit"),
        ({"programs": {"a": ["move_4"]}}, "'move_4': expected one of u_turn"),
        ({"programs": {"a": ["move_1@670"]}}, "expected a priority of move_1"),
        ({"programs": {"a": ["move_1@490", "move_1@490"]}}, "move_1@490 is already in programs.a.0"),
        ({"programs": {"a": ["u_turn@10"]}, "deck": ["u_turn@10"]}, "u_turn@10 is already in programs.a.0"),
        ({"deck": ["u_turn"] * 7}, "all cards of the type u_turn are in use"),
        ({"programs": {"a": ["none"] * 6}}, "a robot has 5 registers"),
        ({"programs": {"b": []}}, "there is no robot 'b'"),
        ({"orders": {"a": {"powerdown": True}}}, "did you mean 'power_down'?"),
        ({"orders": {"a": {"site": "wrench"}}}, "there is no value 'wrench'; expected auto | repair | option"),
        ({"orders": {"a": {"unlock": 6}}}, "expected a whole number from 0 to 5"),
        ({"params": {"robot_laser": "off"}}, "did you mean 'robot_lasers'?"),
        ({"params": {"robot_lasers": "maybe"}}, "'maybe'"),
        ({"params": {"superbot": 2}}, "'superbot': 2: expected off | on"),
        ({"params": {"flag_toggle": "x"}}, "params.flag_toggle: 'x': expected true or false"),
        ({"params": {"option_draft": {"deal": 7}}}, "params.option_draft.deal: 7: expected a whole number from 0 to 6"),
        ({"params": {"option_draft": {"take": 1}}}, "there is no such key here; expected deal | keep"),
        ({"params": {"deck_scale": 2}}, "params.deck_scale: 2: expected 1: more than 8 robots are not supported"),
        ({"params": {"lava_mode": "page9"}}, "'page9': expected list | page4 | page8"),
        ({"params": {"game": "chess"}}, "'chess': expected race | survival"),
        ({"orders": {"a": {"facing": "none"}}}, "there is no value 'none'"),
        ({"orders": {"a": {"weapon": ["main"] * 6}}}, "6 registers"),
        ({"params": {"first_card_moves": "on"}, "programs": {"a": ["u_turn"]}}, "expected a movement card"),
        ({"start_phase": 6}, "expected a whole number from 1 to 5"),
        ({"start_phase": 4, "run": {"phases": 3}}, "3: expected a whole number from 1 to 2"),
        ({"run": "phase"}, "expected {phases: N} or turn"),
        ({"then": [{"programs": {}}]}, "then.0: 'expect' is missing"),
        ({"then": [{"expect": {}, "robots": {}}]}, "then.0.robots: there is no such key here"),
        ({"then": [{"expect": {}, "state": {"flip": 1}}]}, "then.0.state.flip: there is no such key here"),
        ({"then": [{"expect": {}, "state": {"turret_cards": ["x"]}}]}, "then.0.state.turret_cards.0: 'x'"),
        ({"winner": ["c"]}, "there is no robot 'c'"),
        ({"expect": {"a": {"dammage": 0}}}, "did you mean 'damage'?"),
        ({"state": {"flip": 2}}, "state.flip: 2: expected a whole number from 0 to 1"),
        ({"state": {"flop": 1}}, "did you mean 'flip'?"),
        ({"state": {"piston_up": "c"}}, "there is no colour of pistons 'c'; expected a | b"),
        ({"state": {"rooms": [0, 1]}}, "state.rooms: [0, 1]: the board has 0 rotating rooms"),
        ({"state": {"crumbled": [[0, 0]]}}, "state.crumbled: [0, 0] is not crumbly ground"),
        ({"state": {"turrets": {"0,0": "n"}}}, "state.turrets: [0, 0] has no turret gun"),
        ({"state": {"turrets": {"0-0": "n"}}}, "'0-0': expected a square such as '3,2'"),
        ({"state": {"turret_cards": ["move_1"] * 6}}, "state.turret_cards: 6 cards"),
        ({"option_deck": ["brake"]}, "did you mean 'brakes'?"),
        ({"option_deck": ["brakes", "brakes"]}, "'brakes' is there twice"),
        ({"robots": {"a": {"at": [0, 0], "options": ["brakes"]}}, "option_deck": ["brakes"]}, "owned by a robot"),
        ({"robots": {"a": {"at": [0, 0], "on_ramp": "e"}}}, "a.on_ramp: e: no ramp rises on this side of [0, 0]"),
        ({"robots": {"a": {"at": [0, 0], "asleep": 6}}}, "expected a whole number from 0 to 5"),
        ({"robots": {"a": {"at": [0, 0], "goo": 5}}}, "goo: 5: expected a whole number from 0 to 4"),
        ({"robots": {"a": {"at": [0, 0], "team": 5}}}, "team: 5: expected a whole number from 1 to 4"),
        ({"robots": {"a": {"at": [0, 0], "options": ["brake"]}}}, "did you mean 'brakes'?"),
        ({"expect": {"a": {"counters": {"mine_layer": "full"}}}}, "expected a whole number from 0 to 99"),
        ({"orders": {"a": {"freak_order": [0, 1, 1]}}}, "expected each of 0 to 2 once"),
        ({"seed": "x"}, "expected a whole number"),
        ({"name": ""}, "expected text"),
    ],
)
def test_a_scenario_is_refused_with_the_reason(file: Path, changes: dict[str, Any], text: str) -> None:
    assert text in problem(file, **changes)


@pytest.mark.parametrize(
    "given",
    [
        {"flying": False}, {"burning": 0}, {"options": []}, {"options": {}}, {"options": None}, {"options": "none"},
        {"team": 0}, {"team": None}, {"goo": "none"}, {"level": 0}, {"locked": []}, {"locked": {}}, {"locked": "none"},
    ],
)  # fmt: skip
def test_words_that_say_nothing_special_are_taken(file: Path, given: dict[str, Any]) -> None:
    assert run_one(
        file, robots={"a": {"at": [0, 0], "facing": "e", **given}}, expect={"a": {"at": [1, 0], **given}}
    ).passed


def test_keys_that_hold_nothing_are_taken(file: Path) -> None:
    text = "{name: n, board: '. .', robots: {a: {at: [0, 0]}}, expect: {a: {counters: {}}}"
    empty = "".join(
        f", {key}: {value}"
        for key, value in {
            "programs": "", "orders": "{a: }", "params": "", "deck": "", "devices": "[]", "expect_devices": "[]",
            "option_deck": "[]", "state": "{flip: 0, piston_up: a, crumbled: [], rooms: [0, 0], turrets: {}}",
            "expect_state": "{flip: 0}", "then": "",
        }.items()
    )  # fmt: skip
    (result,) = run_text(file, f"- {text}{empty}}}")
    assert result.passed, result.differences


def test_robots_may_have_numbers(file: Path) -> None:
    robots = {1: {"at": [0, 0], "facing": "e"}, 2: {"at": [0, 1], "facing": "s"}}
    changes = {"board": ". #1\n. .\n", "robots": robots, "programs": {1: ["move_1"]}}
    assert run_one(file, **changes, orders={2: {"unlock": 1}}, expect={1: {"flag": 1}}, winner=[1]).passed
    assert not run_one(file, **changes, expect={}, winner=[2]).passed
    assert run_one(file, **changes, orders={1: {"target": 2}}, expect={}).passed
    assert "there is no robot '3'" in problem(file, **changes, orders={1: {"target": 3}}, expect={})


def test_a_destroyed_robot_is_nowhere_and_may_have_ten_points(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "damage": 9}, "b": {"at": [1, 0], "facing": "e"}}
    expect = {"a": {"at": "none", "damage": 10, "destroyed": True}}
    board = "./w*1 . .\n"
    assert run_one(file, board=board, robots=robots, programs=None, expect=expect).passed
    (difference,) = run_one(file, expect={"a": {"at": "none"}}).differences
    assert (difference.expected, difference.actual) == ("none", [1, 0])


def test_an_announcement_that_is_forbidden_has_no_effect(file: Path) -> None:
    orders = {"a": {"power_down": True, "stay_down": True}}
    down = {"powered_down": True}
    changes: dict[str, Any] = {"programs": None, "run": "turn", "orders": orders}
    assert run_one(file, **changes, expect={"a": down}).passed
    for params in ({"no_power_down": True}, {"power_down": "off"}, {"pd_needs_damage": "on"}):
        assert not run_one(file, **changes, params=params, expect={"a": down}).passed


def test_more_flags_than_the_board_has_are_kept(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "facing": "e", "flag": 2}}
    assert run_one(file, board=". #1 .\n", robots=robots, expect={"a": {"flag": 2}}, winner="none").passed


def test_errors_name_file_line_scenario_and_field(file: Path) -> None:
    text = problem(file, robots={"a": {"at": [0, 0], "damage": -1}})
    line = 1 + next(i for i, line in enumerate(file.read_text().splitlines()) if "damage" in line)
    assert text == f"{file}:{line}: a robot moves: robots.a.damage: -1: expected a whole number from 0 to 9"


def test_an_expected_error_must_come(file: Path) -> None:
    pit = {"board": "X . .\n", "expect": None}
    assert run_one(file, error="is a pit", **pit).passed
    assert not run_one(file, error="is a hole", **pit).passed
    (difference,) = run_one(file, error="is a pit").differences
    assert (difference.expected, difference.actual) == ("is a pit", "no error")
    assert run_one(file, error="no such key", nonsense=1).passed


def test_an_expected_error_is_not_found_in_file_and_name(file: Path) -> None:
    pit = {"board": "X . .\n", "expect": None}
    for text in ("a robot", "rules.yaml", ":1:"):
        assert not run_one(file, error=text, **pit).passed
    assert run_one(file, error="robots.a.at", **pit).passed
    assert not run_one(file, error="a robot moves", params={"robot_laser": 1}, expect=None).passed


def test_a_malformed_scenario_does_not_stop_the_next(file: Path) -> None:
    results = run_text(file, yaml12.dump([12, {"robots": {}}, scenario()]))
    assert [(result.name, result.passed) for result in results] == [
        ("scenario 1", False),
        ("scenario 2", False),
        ("a robot moves", True),
    ]


@pytest.mark.parametrize("text", ["", "[]", "name: a", "- [", "- {name: a, name: b}", "- !!python/none x"])
def test_a_file_without_scenarios_is_one_failure(file: Path, text: str) -> None:
    (result,) = run_text(file, text)
    assert (result.name, result.passed) == (str(file), False)
    assert str(file) in str(result.differences[0])


# Runs


def test_a_further_turn_begins_in_phase_1_also_where_the_last_run_was_broken_off(file: Path) -> None:
    board = "P>1 . .\n. . .\n"
    again = [
        {"programs": {"a": ["back_up", "move_1"]}, "expect": {"a": {"at": [1, 0], "registers": ["back_up", "move_1"]}}}
    ]
    assert run_one(file, board=board, programs=None, then=again).passed


def test_damage_locks_and_announcements_outlive_a_run_that_was_broken_off(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "damage": 5, "locked": {5: "u_turn@10"}}}
    then = [{"run": "turn", "expect": {"a": {"powered_down": True, "damage": 0, "locked": []}}}]
    expect = {"a": {"damage": 5, "locked": [5], "powered_down": False}}
    orders = {"a": {"power_down": True}}
    assert run_one(file, robots=robots, programs=None, orders=orders, expect=expect, then=then).passed


def test_nothing_is_played_after_the_end_of_a_game(file: Path) -> None:
    then = [{"programs": {"a": ["move_1"]}, "expect": {"a": {"at": [1, 0], "destroyed": False}}}]
    assert run_one(file, board=". #1 .\n", run="turn", winner=["a"], then=then).passed


def test_the_seed_decides_what_lies_below_the_listed_cards(file: Path) -> None:
    # A robot that is down locks what it draws: the listed card first, then a random one.
    changes: dict[str, Any] = {
        "board": "./w*1 . .\n. . .\n",
        "robots": {"a": {"at": [0, 0], "damage": 4, "powered_down": True}},
        "programs": None,
        "deck": ["move_3@840"],
        "run": {"phases": 2},
    }
    drawn = set()
    for seed in range(6):
        expect = {"a": {"registers": ["none", "none", "none", "none", "move_3@840"]}}
        result = run_one(file, seed=seed, expect={"a": {"registers": ["none"] * 5}}, **changes)
        registers = result.differences[0].actual
        assert registers[:3] + registers[4:] == ["none"] * 3 + ["move_3@840"]
        assert run_one(file, seed=seed, expect={"a": {"registers": registers}}, **changes).passed
        drawn.add(registers[3])
        assert not run_one(file, seed=seed, expect=expect, **changes).passed
    assert len(drawn) > 1
    assert "none" not in drawn


def test_the_order_facing_counts_in_the_first_run_without_a_dock(file: Path) -> None:
    orders = {"a": {"facing": "s"}}
    assert run_one(file, orders=orders, expect={"a": {"at": [0, 1], "facing": "s"}}).passed
    docked = {"board": None, "course": "risky_exchange", "robots": {"a": {"at": [5, 9], "facing": "n"}}}
    assert run_one(file, orders=orders, programs=None, expect={"a": {"facing": "n"}}, **docked).passed


# Board elements

RAMPS = ". ./eh .\n. h12 .\n. h .\nlevels:\n001\n001\n001\n"


def still(file: Path, board: str, given: dict[str, Any], expect: dict[str, Any] | None = None, **more: Any) -> bool:
    """Tell whether a robot that does nothing for up to a phase is as `expect` says; by default, unchanged."""
    expect = {"a": given if expect is None else expect}
    return run_one(file, board=board, robots={"a": given}, programs=None, expect=expect, **more).passed


def test_a_robot_stands_on_the_floor_of_its_square_unless_it_flies(file: Path) -> None:
    assert still(file, RAMPS, {"at": [2, 0]}, {"level": 1})
    assert still(file, RAMPS, {"at": [0, 0], "flying": True, "level": 1})
    assert not still(file, RAMPS, {"at": [2, 0]}, {"flying": True})
    wrong = problem(file, board=RAMPS, robots={"a": {"at": [0, 0], "level": 1}})
    assert "robots.a.level: 1: the square is on level 0" in wrong
    low = problem(file, board=RAMPS, robots={"a": {"at": [2, 0], "level": 0, "flying": True}})
    assert "robots.a.level: 0: the square is on level 1" in low


def test_a_robot_may_stand_on_an_elevator_that_is_up(file: Path) -> None:
    on_top = {"at": [1, 1], "level": 1}
    assert still(file, RAMPS, on_top, start_phase=2)
    assert still(file, RAMPS, on_top, {"level": 0}, start_phase=3)
    down = problem(file, board=RAMPS, robots={"a": on_top})
    assert "robots.a.level: 1: the elevator is down, on level 0" in down
    assert still(file, RAMPS, {"at": [1, 2], "level": 0}, {"level": 1})  # elevators are down when a game starts
    assert still(file, RAMPS, {"at": [1, 2], "level": 1})  # so this is a later turn
    both = {"a": {"at": [1, 1], "level": 0}, "b": {"at": [1, 1], "level": 1}}
    levels = {"a": {"level": 0}, "b": {"level": 1}}
    assert run_one(file, board=RAMPS, robots=both, programs=None, start_phase=2, expect=levels).passed
    assert "another real robot" in problem(file, board=RAMPS, robots={"a": {"at": [0, 0]}, "b": {"at": [0, 0]}})


def test_a_robot_may_wait_on_a_ramp(file: Path) -> None:
    # A mag-lock keeps a robot at the foot, so that the robot on the ramp cannot slide back.
    board = ". M/eh .\nlevels:\n001\n"
    robots = {"a": {"at": [1, 0], "on_ramp": "e"}, "b": {"at": [1, 0]}}
    expect = {"a": {"at": [1, 0], "level": 0, "on_ramp": "e"}, "b": {"at": [1, 0], "on_ramp": "none"}}
    assert run_one(file, board=board, robots=robots, programs=None, expect=expect).passed
    differences = run_one(file, board=board, robots=robots, programs=None, expect={"b": {"on_ramp": "e"}}).differences
    assert [(d.field, d.expected, d.actual) for d in differences] == [("b.on_ramp", "e", "none")]


def test_counters_are_compared_by_number_or_by_being_above_zero(file: Path) -> None:
    board = "E . .\n"
    for given, later in [
        ({"burning": 2}, {"burning": 2, "damage": 2}), ({"burning": True}, {"burning": 1, "damage": 1}),
        ({"asleep": 3}, {"asleep": 2}), ({"asleep": True}, {"asleep": 4}), ({"asleep": 1}, {"asleep": False}),
        ({"asleep": 3}, {"asleep": True}), ({"energized": True}, {"energized": True}), ({}, {"energized": True}),
        ({"burning": 0, "speed": "none"}, {"burning": False, "asleep": 0, "speed": 0}), ({"speed": 3}, {"speed": True}),
    ]:  # fmt: skip
        assert still(file, board, {"at": [0, 0], **given}, later), (given, later)
    assert not still(file, board, {"at": [0, 0], "asleep": 3}, {"asleep": False})


def test_a_sleeper_keeps_its_program_also_in_further_turns(file: Path) -> None:
    changes: dict[str, Any] = {
        "board": ". . .\n. . z\n",
        "robots": {"a": {"at": [0, 0], "facing": "e", "asleep": 2}},
        "programs": {"a": ["move_3", "none", "move_1", "u_turn"]},
    }
    expect = {"a": {"at": [1, 0], "facing": "w", "asleep": 0, "registers": ["move_3", "none", "move_1", "u_turn"]}}
    assert run_one(file, **changes, run={"phases": 4}, expect=expect).passed
    # Asleep since phase 2, it sleeps in phases 3 to 5, 1 and 2, and then executes the old program.
    changes |= {"robots": {"a": {"at": [0, 1], "facing": "e"}}, "programs": {"a": ["move_1", "move_1", "u_turn"]}}
    again = {"programs": {"a": ["move_3"]}, "run": {"phases": 3}, "expect": {"a": {"at": [2, 1], "facing": "w"}}}
    assert run_one(file, **changes, run="turn", expect={"a": {"asleep": 2}}, then=[again]).passed


def test_an_energized_robot_continues_with_the_next_registers(file: Path) -> None:
    changes: dict[str, Any] = {"board": "E . . . . .\n", "programs": {"a": ["move_1"] * 2 + ["u_turn"] * 3}}
    for since, at, facing in [(True, [2, 0], "e"), (1, [2, 0], "e")]:
        robots = {"a": {"at": [1, 0], "facing": "e", "energized": since}}
        expect = {"a": {"at": at, "facing": "w" if facing == "e" else "e"}}
        assert run_one(file, **changes, robots=robots, start_phase=2, expect=expect).passed, since
    # Energized since phase 1: registers 2 and 3 in phase 2, 4 and 5 in phase 3, 1 and 2 in phase 4.
    robots = {"a": {"at": [1, 0], "facing": "e", "energized": 1}}
    assert run_one(file, **changes, robots=robots, start_phase=4, expect={"a": {"at": [3, 0], "facing": "e"}}).passed


def test_shared_state_is_set_and_compared(file: Path) -> None:
    board = "gwe gsn . . .\npa> pb< Y Y .\n. t^ . . .\n. . . . .\ngroups:\nroom at 3,2 2\n"
    changes: dict[str, Any] = {"board": board, "programs": None, "robots": {"a": {"at": [2, 0], "facing": "e"}}}
    start = {"flip": 0, "piston_up": "a", "turrets": {"1,2": "n"}, "turret_cards": [], "crumbled": [], "rooms": [0]}
    assert run_one(file, **changes, expect={}, state={"turret_cards": "none"}, expect_state=start).passed  # U53
    assert run_one(file, **changes, expect={}, params={"flip_state": 1}, expect_state={"flip": 1}).passed
    other = {
        "flip": 1, "piston_up": "b", "turrets": {"1,2": "e"}, "turret_cards": ["u_turn", "none", "move_1@490"],
        "crumbled": [[3, 1], [2, 1]], "rooms": [3],
    }  # fmt: skip
    turned = other | {"turrets": {"1,2": "w"}, "turret_cards": ["u_turn@60", "none", "move_1"]}
    assert run_one(file, **changes, expect={}, state=other, expect_state=turned).passed
    differences = run_one(file, **changes, expect={}, state=other, expect_state=start | {"turret_cards": ["move_1"]})
    assert [(d.field, d.expected, d.actual) for d in differences.differences] == [
        ("expect_state.flip", 0, 1),
        ("expect_state.piston_up", "a", "b"),
        ("expect_state.turrets", {"1,2": "n"}, {"1,2": "w"}),
        ("expect_state.turret_cards", ["move_1"], ["u_turn@60"]),
        ("expect_state.crumbled", [], [[2, 1], [3, 1]]),
        ("expect_state.rooms", [0], [3]),
    ]


def test_flags_turn_with_the_rooms_of_the_state(file: Path) -> None:
    board = "#1 . .\n. . .\ngroups:\nroom at 0,0 2\n"
    changes: dict[str, Any] = {"board": board, "state": {"rooms": [1]}, "programs": None}
    assert run_one(file, **changes, robots={"a": {"at": [1, 0]}}, expect={"a": {"flag": 1}}).passed
    assert run_one(file, **changes, robots={"a": {"at": [0, 0]}}, expect={"a": {"flag": 0}}).passed


def test_crumbled_ground_and_lasting_pits_hold_no_robot(file: Path) -> None:
    crumbled = {"board": "Y . .\n", "state": {"crumbled": [[0, 0]]}}
    assert "[0, 0] is a pit" in problem(file, **crumbled)
    assert run_one(file, board="X1 . .\n", programs=None, expect={"a": {"destroyed": True}}).passed
    assert still(file, "X . .\n. . G\n", {"at": [0, 0], "flying": True})


def test_options_are_owned_and_drawn_in_order(file: Path) -> None:
    robots = {"a": {"at": [0, 0], "options": ["brakes", "mine_layer"]}, "b": {"at": [2, 1], "options": {"big_gun": 2}}}
    changes: dict[str, Any] = {"board": "ZZ . .\n. . .\n", "robots": robots, "option_deck": ["turret", "big_jet"]}
    expect = {
        "a": {"options": ["turret", "mine_layer", "brakes"], "counters": {"mine_layer": 3, "turret": 0}},
        "b": {"options": {"big_gun": 2}, "counters": {}},
    }
    assert run_one(file, **changes, programs=None, expect=expect).passed
    wrong = {"a": {"options": ["brakes"], "counters": {"turret": 1}}, "b": {"options": {"big_gun": 5}}}
    differences = run_one(file, **changes, programs=None, expect=wrong).differences
    assert [(d.field, d.expected, d.actual) for d in differences] == [
        ("a.options", ["brakes"], ["brakes", "turret", "mine_layer"]),
        ("a.counters", {"turret": 1}, {"turret": 0}),
        ("b.options", {"big_gun": 5}, {"big_gun": 2}),
    ]
    twice = {"a": {"at": [0, 0], "options": ["brakes"]}, "b": {"at": [1, 0], "options": ["brakes"]}}
    assert "robots.b.options: 'brakes' is there twice" in problem(file, robots=twice)


def test_the_option_deck_of_a_further_turn_lies_on_top(file: Path) -> None:
    changes: dict[str, Any] = {"board": "ZZ . .\n", "programs": None, "robots": {"a": {"at": [0, 0]}}}
    then = [{"option_deck": ["turret"], "expect": {"a": {"options": ["brakes", "turret"]}}}]
    expect = {"a": {"options": ["brakes"]}}
    assert run_one(file, **changes, option_deck=["brakes"], expect=expect, then=then).passed
    off = {"params": {"option_cards": "off"}, "option_deck": ["brakes"]}
    assert run_one(file, **changes, **off, expect={"a": {"options": []}}).passed


def test_orders_for_sites_are_followed(file: Path) -> None:
    waste: dict[str, Any] = {"board": "ZZ . .\n", "programs": None, "robots": {"a": {"at": [0, 0]}}}
    assert run_one(file, **waste, orders={"a": {"waste": False}}, expect={"a": {"options": []}}).passed
    shop = {"board": "wc . .\n", "programs": None, "option_deck": ["turret"]}
    robots = {"a": {"at": [0, 0], "options": {"brakes": 0, "mine_layer": 1, "big_gun": 4}}}
    for orders, options in [
        ({"chop": "none"}, {"brakes": 0, "mine_layer": 1, "big_gun": 4}),
        ({"chop": "reload", "chop_option": "big_gun"}, {"brakes": 0, "mine_layer": 1, "big_gun": 5}),
        ({"chop": "swap", "chop_option": "big_gun"}, {"brakes": 0, "mine_layer": 1, "turret": 0}),
    ]:
        result = run_one(file, **shop, robots=robots, orders={"a": orders}, expect={"a": {"options": options}})
        assert result.passed, (orders, result.differences)
    reset: dict[str, Any] = {"board": "ws . .\n", "robots": {"a": {"at": [0, 0]}}, "programs": {"a": ["u_turn"] * 2}}
    for card, held in [("move_2", "move_2@780"), ("rotate_left@90", "rotate_left@90"), ("none", "u_turn@50")]:
        expect = {"a": {"registers": ["u_turn", held]}}
        assert run_one(file, **reset, orders={"a": {"reset_card": card}}, expect=expect).passed, card


# The command


def test_the_command_prints_what_fails_and_counts(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(yaml12.dump([scenario(), scenario(name="b", expect={"a": {"damage": 1}})]))
    broken = file.parent / "broken.yaml"
    broken.write_text("3")
    assert main(["scenario", str(file), str(broken)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert f"{file}: b" in lines
    assert "  a.damage: expected 1, got 0" in lines
    assert f"  error: {broken}: expected a list of scenarios" in lines
    assert lines[-1] == "1 passed, 2 failed"


def test_the_command_succeeds_when_all_hold(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(yaml12.dump([scenario()]))
    assert main(["scenario", str(file)]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed\n"


def test_the_command_writes_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(yaml12.dump([scenario(), scenario(name="b", expect={"a": {"at": [2, 0]}})]))
    assert main(["scenario", "--json", str(file)]) == 1
    assert json.loads(capsys.readouterr().out) == [
        {"name": "a robot moves", "passed": True, "differences": []},
        {"name": "b", "passed": False, "differences": [{"field": "a.at", "expected": [2, 0], "actual": [1, 0]}]},
    ]
