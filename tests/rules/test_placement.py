"""U32: how robots rank."""

import numpy as np
import pytest

from rr_gym.courses import Course
from rr_gym.rules.arena.arena import Arena

BOARD = "@1 @2 @3 @4 #1\n.  .  .  .  #2\n.  .  .  .  #3\n"


@pytest.fixture
def arena():
    return Arena(Course.from_board(BOARD, "test"))


def places(arena, games):
    return arena.placements(games)[0, : games["num_robots"][0]].tolist()


def test_nearer_to_the_next_flag(arena):
    games = arena.new_games(1, 4)
    assert places(arena, games) == [4, 3, 2, 1]
    assert arena.placements(games)[0, 4:].tolist() == [0, 0, 0, 0]


def test_more_flags_beat_distance(arena):
    games = arena.new_games(1, 4)
    games["robots"]["flag"][0, 0] = 1
    assert places(arena, games) == [1, 4, 3, 2]


def test_equal_robots_share_the_better_place(arena):
    games = arena.new_games(1, 4)
    games["robots"]["square"][0, :4] = 9, 7, 7, 7  # distances 1, 3, 3, 3 to flag 1
    games["robots"]["square"][0, 0] = 4
    assert places(arena, games) == [1, 2, 2, 2]


def test_winners_first_then_the_living_then_the_later_out(arena):
    games = arena.new_games(1, 4)
    game = games[0]
    game["over"], game["winners"] = 1, 0b0010
    robots = game["robots"]
    robots["out"][[0, 2]] = 1
    robots["alive"][[0, 2]] = 0
    robots["square"][[0, 2]] = -1
    robots["out_turn"][[0, 2]] = 5
    robots["out_phase"][[0, 2]] = 2, 4
    assert places(arena, games) == [4, 1, 3, 2]
    robots["flag"][0] = 1  # more flags count more than a later elimination
    assert places(arena, games) == [3, 1, 4, 2]


def test_the_destroyed_with_lives_left_rank_from_their_archive(arena):
    games = arena.new_games(1, 2)
    robots = games["robots"][0]
    robots["alive"][0], robots["square"][0], robots["archive"][0] = 0, -1, 9
    assert places(arena, games) == [1, 2]


def test_all_flags_touched_means_no_distance(arena):
    games = arena.new_games(1, 2)
    games["robots"]["flag"][0, :2] = 3
    games["winners"] = 3
    assert places(arena, games) == [1, 1]
    assert np.issubdtype(arena.placements(games).dtype, np.int8)
