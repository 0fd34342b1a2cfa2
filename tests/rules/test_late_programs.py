"""Late programs cost points of damage (R-G4.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rr_gym import Arena, Course, Recorder, Replay, new_log, no_orders
from rr_gym.replay.reader import NEWER_SETTINGS
from rr_gym.replay.recording import orders_to_json
from rr_gym.rules.state.constants import BY_LATENESS, HARM_NAMES
from rr_gym.rules.state.events import DAMAGED, DESTROYED

FLOOR = Course.from_board("@1/n,e,s,w . @2/n,e,s,w .\n. . . #1\n")  # robots stay on their walled squares


def played(settings: dict[str, Any], late: list[int], **robot: Any) -> tuple[Any, Any]:
    """Play a turn of two robots on an empty floor; `robot` are fields of robot 0. Return the game and its events."""
    arena = Arena(FLOOR, {"robot_lasers": "off", "reentry_damage": 0, **settings})
    games = arena.new_games(1, 2, seed=3)
    for name, value in robot.items():
        games["robots"][name][0, 0] = value
    orders, log = no_orders(1, 8, full=True), new_log()
    orders["late"][0, late] = 1
    arena.play(games, orders, logs=log)
    return games[0], log[0]["events"][: log[0]["count"]]


def points(events: Any, robot: int) -> int:
    """Return the points of damage that lateness has cost a robot."""
    mine = events[(events["kind"] == DAMAGED) & (events["robot"] == robot) & (events["target"] == BY_LATENESS)]
    return int(mine["value"].sum())


def test_a_late_program_costs_its_robot_points_before_the_first_register() -> None:
    game, events = played({"late_damage": 2}, [1])
    assert (points(events, 0), points(events, 1)) == (0, 2)
    assert (game["robots"]["damage"][0], game["robots"]["damage"][1]) == (0, 2)
    assert all(event["phase"] == 0 for event in events[events["kind"] == DAMAGED])
    assert HARM_NAMES[BY_LATENESS] == "late"


@pytest.mark.parametrize("settings", [{}, {"option_cards": "on"}])
def test_lateness_costs_nothing_by_default(settings: dict[str, Any]) -> None:
    on_time, events = played(settings, [])
    assert played(settings, [0, 1])[0] == on_time
    assert not (events["kind"] == DAMAGED).any()


def test_the_points_lock_registers_with_the_cards_that_are_in_them() -> None:
    game, _ = played({"late_damage": 2}, [0], damage=4)
    assert (game["robots"]["damage"][0], game["robots"]["locked"][0]) == (6, 0b11000)
    assert (game["robots"]["registers"][0][3:] > 0).all()


def test_ten_points_destroy_the_robot_which_returns_at_the_end_of_the_turn() -> None:
    game, events = played({"late_damage": 9}, [0], damage=3)
    destroyed = events[events["kind"] == DESTROYED]
    assert [(e["robot"], e["value"], e["phase"]) for e in destroyed] == [(0, BY_LATENESS, 0)]
    assert game["robots"]["lives"][0] == 2
    assert game["robots"]["alive"][0]


@pytest.mark.parametrize("robot", [{"down": 1}, {"damage": 9, "locked": 31, "registers": [1, 2, 3, 4, 5]}])
def test_robots_that_are_not_programmed_are_never_late(robot: dict[str, Any]) -> None:
    _, events = played({"late_damage": 1}, [0], **robot)
    assert points(events, 0) == 0


def test_a_coat_takes_the_points_and_a_shield_does_not() -> None:
    for card, lost in (("ablative_coat", 0), ("shield", 2)):
        arena = Arena(FLOOR, {"option_cards": "on", "late_damage": 2})
        games = arena.new_games(1, 1, seed=3)
        arena.give(games, 0, card)
        orders = no_orders(1, 8, full=True)
        orders["late"] = 1
        arena.play(games, orders)
        assert games["robots"]["damage"][0, 0] == lost


def test_replays_keep_who_was_late() -> None:
    arena = Arena(FLOOR, {"late_damage": 1})
    games, orders, log = arena.new_games(1, 2, seed=3), no_orders(1, 8, full=True), new_log()
    recorder = Recorder(arena, games, players=["one", "two"])
    orders["late"][0, 1] = 1
    arena.play(games, orders, logs=log)
    recorder.add(orders, log)
    replay = recorder.replay(games)
    assert [orders_to_json(given) for given in replay.turns[0].orders] == [{}, {"late": 1}]
    replay.verify()
    old = json.loads(replay.to_text())
    for name in NEWER_SETTINGS:
        del old["settings"][name]
    assert Replay.from_json(old, "of an earlier version").settings == replay.settings | {"late_damage": 0}
    again = json.loads(replay.to_text())
    again["turns"][0]["orders"][1] = {}
    with pytest.raises(Exception, match="turn 1"):
        Replay.from_json(again, "edited").verify()
