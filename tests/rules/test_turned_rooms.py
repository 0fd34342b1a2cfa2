"""Rotating rooms and boards that turn, as far as scenarios do not cover them: flags, transcription, coins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rr_gym import yaml12
from rr_gym.courses import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import BY_DAMAGE
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.rules.turn.turn import play_phase
from rr_gym.rules.variants.flags import drop_flag
from rr_gym.scenarios import load_scenarios, run_scenario
from rr_gym.transcribe import scenario_of

# A ramp whose foot is [1, 0] as built and [2, 1] after a quarter turn; the wall keeps a robot on the foot from moving.
ROOM = """
grid:
@1 ./w,eh . #1
@2 .      . #2
.  .      . .
levels:
0010
0000
0000
groups:
room at 0,0 3
"""
FOOT = 4 + 2


@pytest.fixture
def arena() -> Arena:
    return Arena(Course.from_board(ROOM, "room"), {"option_cards": "on", "robot_lasers": "off"})


@pytest.fixture
def games(arena: Arena) -> np.ndarray[Any, Any]:
    """Return a game with robot 0 on the ramp of a room that has turned once, and robot 1 on the foot of the ramp."""
    games = arena.new_games(1, 2, seed=1)
    game = games[0]
    game.rooms[0] = 1
    game.robots[0].square, game.robots[1].square = arena.tables[0].extras.num_visible, FOOT
    game.robots["registers"] = 0
    game.robots["down"] = 1  # so that no robot moves
    return games


def test_a_robot_on_a_ramp_in_a_turned_room_is_transcribed_on_its_foot(
    arena: Arena, games: Any, tmp_path: Path
) -> None:
    before, orders = games.copy(), no_orders(1, 8, full=True)
    arena.play(games, orders)
    scenario = scenario_of(arena, before[0], orders[0], games[0])
    written = [(scenario[key]["a"]["at"], scenario[key]["a"]["on_ramp"]) for key in ("robots", "expect")]
    assert written == [([2, 1], "s"), ([1, 2], "w")]
    file = tmp_path / "ramp.yaml"
    file.write_text(yaml12.dump([scenario]), encoding="utf-8")
    assert [run_scenario(loaded).differences for loaded in load_scenarios(file)] == [()]


def test_a_robot_destroyed_on_a_ramp_in_a_turned_room_leaves_its_flag_on_the_foot(arena: Arena, games: Any) -> None:
    game = games[0]
    game.robots[0].carries = 2
    drop_flag(game, arena.tables[0], new_log(on=False)[0], 0, int(game.robots[0].square), BY_DAMAGE)
    assert game.flag_squares[1] == FOOT


def test_a_flag_goes_along_to_the_foot_of_a_ramp_in_a_turned_room(games: Any) -> None:
    settings = {"option_cards": "on", "robot_lasers": "off", "game": "capture_the_flag"}
    arena = Arena(Course.from_board(ROOM, "room"), settings)
    game = games[0]
    game.robots[0].carries, game.robots[0].team, game.robots[1].team = 2, 1, 2
    game.phase = 1
    play_phase(game, arena.tables[0], new_log(on=False)[0])
    assert game.robots[0].square == arena.tables[0].extras.num_visible
    assert game.flag_squares[1] == FOOT


def play_on_turned_board(text: str, robot: int, **fields: Any) -> Any:
    """Play a phase on a board that has turned once, with a robot on a square."""
    settings = {"rotate_board_on_flag": 1, "moving_flags": 1, "option_cards": "off"}
    arena = Arena(Course.from_board(text, "board"), settings)
    game = arena.new_games(1, 1, seed=1)[0]
    game.rooms[0], game.phase = 1, 1
    game.robots[0].square, game.robots["registers"] = robot, 0
    for name, value in fields.items():
        game[name][: len(value)] = value
    play_phase(game, arena.tables[0], new_log(on=False)[0])
    return game


def test_ventilators_of_a_board_that_has_turned_blow_row_by_row_where_they_are_now() -> None:
    board = """
./nv1 .  .
.     @1 .
./wv1 .  #1
"""
    assert play_on_turned_board(board, robot=1).robots[0].square == 0


def test_on_a_board_that_has_turned_a_lost_flag_is_back_on_the_square_where_it_began() -> None:
    board = """
#1 .  .
<  @1 .
.  .  #2
"""
    game = play_on_turned_board(board, robot=4, flag_squares=[1, 8])
    assert game.flag_squares[:2].tolist() == [0, 8]
