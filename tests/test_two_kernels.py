"""Base courses are played alike by the base rules and by the rules with all expansions in them."""

from __future__ import annotations

import numpy as np
import pytest

from rr_gym.courses.course import Course
from rr_gym.jit import COMPILED
from rr_gym.rules.arena import Arena
from rr_gym.rules.records import GAME, no_orders
from rr_gym.rules.table import FULL_TABLE, TABLE

# What a displacement is worked out with: it means nothing between turns.
SCRATCH = {"heading", "target", "origin", "leaving", "drop", "marks", "fired", "fired_at", "fired_to", "modified"}
NOTED = {"orders"}  # by the full form alone: decisions that only expansions ask for
WATER = Course.from_board("@1 W\n", name="water")
GAMES, TURNS = (64, 40) if COMPILED else (2, 3)


@pytest.mark.parametrize("course", ["risky_exchange", "checkmate", "dizzy_dash", "robot_stew"])
@pytest.mark.parametrize("preset", ["wotc", "amigo", "ah2005"])
def test_both_forms_of_the_rules_play_base_courses_alike(course: str, preset: str) -> None:
    base, full = Arena(course, {"preset": preset}), Arena([course, WATER], {"preset": preset})
    assert base.tables.dtype == TABLE
    assert full.tables.dtype == FULL_TABLE
    played = []
    for arena in (base, full):
        games = arena.new_games(GAMES, 6, seed=3)
        orders, words = no_orders(GAMES, 8, full=True), np.arange(1, GAMES + 1, dtype=np.uint64)
        for _ in range(TURNS):
            arena.random_orders(games, orders, words)
            arena.play(games, orders, restart=True)
        played.append(games)
    for name in GAME.names or ():
        if name not in ("robots", "stirred", "shifted", "danger", "acting", "unsettled", "aloft"):
            assert np.array_equal(played[0][name], played[1][name]), name
    for name in played[0]["robots"].dtype.names:
        if name not in SCRATCH | NOTED:
            assert np.array_equal(played[0]["robots"][name], played[1]["robots"][name]), name
