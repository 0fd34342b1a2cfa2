"""Base courses are played identically by the rules of all forms: base, option cards, and all expansions."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from all_scenarios import ALL

from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.forms import OPTIONS, form_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GAME, no_orders
from rr_gym.rules.state.scratch import GameCaches
from rr_gym.rules.state.table import FULL_TABLE, OPTIONS_TABLE, TABLE
from rr_gym.scenarios import position, run_scenario
from rr_gym.scenarios.position import make_arena
from rr_gym.scenarios.script import Script

# Scratch fields of displacements, which have no meaning between turns
SCRATCH = {"heading", "target", "origin", "leaving", "drop", "marks", "fired", "fired_at", "fired_to", "modified"}
CACHES = {*GameCaches.fields}  # the forms fill caches at different times
RECORDED = {"orders"}  # only the full form records decisions about expansions
OF_ELEMENTS = ("asleep", "burning", "energized", "flying", "level")  # states that only board elements cause
WATER = Course.from_board("@1 W\n", name="water")
Games = np.ndarray[Any, Any]
GAMES, TURNS = (64, 40) if COMPILED else (2, 3)


@pytest.mark.parametrize("course", ["risky_exchange", "checkmate", "dizzy_dash", "robot_stew"])
@pytest.mark.parametrize("preset", ["wotc", "amigo", "ah2005"])
def test_the_base_and_the_full_form_play_base_courses_alike(course: str, preset: str) -> None:
    base, full = Arena(course, {"preset": preset}), Arena([course, WATER], {"preset": preset})
    assert base.tables.dtype == TABLE
    assert full.tables.dtype == FULL_TABLE
    assert_alike(played_by(base, 6, 3), played_by(full, 6, 3), SCRATCH | RECORDED)


@pytest.mark.parametrize("course", ["death_trap", "option_world", "pilgrimage", "chop_shop_challenge"])
def test_rules_without_elements_play_option_cards_alike(course: str) -> None:
    """Rules that the form without elements leaves out would have no effect there."""
    settings = {"option_cards": "on", "lives": "unlimited"}
    short, full = Arena(course, settings), Arena(course, settings, full=True)
    assert short.tables.dtype == OPTIONS_TABLE
    assert full.tables.dtype == FULL_TABLE
    assert_alike(played_by(short, 8, 4, options=5), played_by(full, 8, 4, options=5), SCRATCH | {"pusher_square"})


def played_by(arena: Arena, num_robots: int, seed: int, options: int = 0) -> Games:
    """Return games after some turns of random orders; every robot owns this many options."""
    games = arena.new_games(GAMES, num_robots, seed=seed)
    orders, words = no_orders(GAMES, 8, full=True), np.arange(1, GAMES + 1, dtype=np.uint64)
    for _ in range(TURNS):
        if options:
            arena.equip(games, options)
            random_option_orders(arena, games, orders, words)
        else:
            arena.random_orders(games, orders, words)
        arena.play(games, orders, restart=True)
    return games


def assert_alike(one: Games, other: Games, ignoring: set[str]) -> None:
    for name in GAME.names or ():
        if name not in CACHES | {"robots"}:
            assert np.array_equal(one[name], other[name]), name
    for name in one["robots"].dtype.names or ():
        if name not in ignoring:
            assert np.array_equal(one["robots"][name], other["robots"][name]), name


class OtherFormError(Exception):
    """The scenario does not fit the form for option cards on base boards; other tests run it."""


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.long)])
def test_scenarios_hold_in_the_form_of_option_games_on_base_boards(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests play scenarios with options or devices by the full form."""
    plays_expansions = position.plays_expansions

    def form(script: Script, settings: dict[str, object]) -> bool | None:
        if not plays_expansions(script, settings) or any(
            robot.fields.get(field) for robot in script.robots for field in OF_ELEMENTS
        ):
            raise OtherFormError
        return None

    def arena(script: Script) -> Arena:
        made = make_arena(script)
        if form_of(made.tables.dtype.names or ()) != OPTIONS:
            raise OtherFormError
        return made

    monkeypatch.setattr(position, "plays_expansions", form)
    monkeypatch.setattr(position, "make_arena", arena)
    played, failed = 0, []
    for scenario in ALL[::every]:
        with suppress(OtherFormError):
            result = run_scenario(scenario)
            played += 1
            failed += [(scenario.name, list(map(str, result.differences)))] if not result.passed else []
    assert failed == []
    assert played > 500 // every
