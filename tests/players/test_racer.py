"""The racer: it plays the program with the fewest expected turns to the last flag for a lone robot."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from option_games import floor, give
from random_play import FLOOR, beside_its_flag, played

from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.evaluation import evaluate
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import BEST_CARD
from rr_gym.rules.state.records import clone, no_orders
from rr_gym.solo.turn_tables import expected_turns

pytestmark = pytest.mark.skipif(not COMPILED, reason="expected turns take minutes in interpreted code")
TURN = 256
RING = """
grid:
@1  .     .   .   .     .  .
.   >>:s  >>  >>  vv:w  .  .
.   ^^    .   .   vv    .  .
.   ^^:e  <<  <<  <<:n  .  .
.   .     .   .   .     .  .
"""


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(FLOOR)


def after(arena: Arena, games: np.ndarray, programs: np.ndarray) -> np.ndarray:
    """Return copies of a game of one robot after a turn with each of the programs."""
    many = np.repeat(clone(games), len(programs))
    orders = no_orders(len(programs), 8, full=True)
    orders["program"][:, 0] = programs
    arena.play(many, orders)
    return many


@pytest.mark.parametrize("seed", range(4))
def test_no_program_leaves_fewer_turns_to_go(arena: Arena, seed: int) -> None:
    games = arena.new_games(1, 1, seed=seed)
    robot = games[0].robots[0]
    robot.may_face, robot.damage = 0, 2
    robot.hand[7:] = 0
    known = expected_turns(arena)

    def to_go(game: np.record) -> float:
        end = game.robots[0]
        if game.over:
            return game.phase / 5 - 1
        state = int(end.square) * 4
        facings = range(4) if end.may_face else [int(end.facing)]
        left = min(int(known.turns[end.damage, end.flag, state + facing]) for facing in facings)
        return left / TURN + (end.lives < robot.lives) + end.damage / 16

    programs = np.array(list(itertools.permutations(robot.hand[:7].tolist(), 5)), np.int8)
    orders = make_player("racer").act(arena, games, 0)
    chosen = after(arena, games, orders["program"])[0]
    assert to_go(chosen) == min(to_go(game) for game in after(arena, games, programs))


def test_racer_wins_in_the_earliest_phase() -> None:
    arena = Arena(Course.from_board("grid:\n@1 . #1 .\n. . . .\n"))
    games = arena.new_games(1, 1)
    robot = games[0].robots[0]
    robot.facing, robot.may_face = 1, 0
    robot.hand[:7] = [70, 60, 59, 58, 10, 8, 7]
    robot.hand[7:], robot.damage = 0, 2
    assert make_player("racer").act(arena, games, 0)["program"][0, 0] == 70


def test_racer_drives_from_flag_to_flag() -> None:
    """The program that ends nearest after the first flag is not the best on the way to the second flag."""
    arena = Arena(Course.from_board("grid:\n@1 . #1 . . . . . . #2\n"))
    games = arena.new_games(1, 1)
    robot = games[0].robots[0]
    robot.facing, robot.may_face = 1, 0
    robot.hand[:7] = [67, 66, 65, 64, 55, 54, 53]
    robot.hand[7:], robot.damage = 0, 2
    program = make_player("racer").act(arena, games, 0)["program"]
    assert after(arena, games, program)[0].robots[0].square == 6


def test_racer_powers_down_when_that_saves_turns_and_never_stays_down(arena: Arena) -> None:
    games = arena.new_games(2, 1, seed=3)
    games["robots"]["damage"][:, 0] = [0, 7]
    games["robots"]["hand"][1, 0, 2:] = 0
    games["robots"]["registers"][1, 0, 2:] = 7, 9, 11
    games["robots"]["locked"][1, 0] = 0b11100
    racer = make_player("racer")
    assert racer.act(arena, games, 0)["power_down"].tolist() == [0, 1]
    games["robots"]["down"][:, 0] = 1
    assert racer.act(arena, games, 0)[1] == no_orders(1, full=True)[0]
    never = Arena(FLOOR, {"power_down": "off"})
    games["robots"]["down"][:, 0] = 0
    assert not racer.act(never, games, 0)["power_down"].any()


def test_racer_chooses_its_facing() -> None:
    arena, games = beside_its_flag()
    assert make_player("racer").act(arena, games, 0)["facing"][0] == 1


def test_racer_keeps_its_last_life() -> None:
    """With one life, the way around a pit is better than a way through it."""
    arena = Arena(Course.from_board("grid:\n@1 X #1\n. . .\n"), {"lives": "1"})
    games = arena.new_games(1, 1)
    robot = games[0].robots[0]
    robot.facing, robot.may_face = 1, 0
    robot.hand[:] = 0
    robot.hand[:6] = [50, 49, 10, 9, 8, 7]
    robot.damage = 3
    program = make_player("racer").act(arena, games, 0)["program"]
    assert after(arena, games, program)[0].robots[0].alive


def test_racer_chases_flags_that_belts_carry_away() -> None:
    course = Course.from_yaml({
        "id": "ring", "name": "ring", "players": [2], "size": [7, 5],
        "boards": [{"board": "ring", "rotation": 0, "at": [0, 0]}],
        "flags": [[2, 1], [4, 3]], "rules": [{"rule": "moving_flags"}], "board_texts": {"ring": RING},
    })  # fmt: skip
    result = evaluate("racer", course=course, games=40, max_cycles=20)
    assert result.players[0].finish.value > 0.9


def test_racer_stores_cards() -> None:
    arena = floor()
    games = arena.new_games(1, 1, seed=1)
    give(games, 0, "flywheel")
    assert make_player("racer").act(arena, games, 0)["flywheel"][0] == BEST_CARD


def test_alone_it_is_faster_than_greedy_and_gets_there() -> None:
    turns: dict[str, float] = {}
    for name in ("racer", "greedy"):
        figures = evaluate(name, course="risky_exchange", games=60, seed=1).players[0]
        assert figures.finish.value == 1
        assert figures.turns
        turns[name] = figures.turns.value
    assert turns["racer"] < turns["greedy"]


def test_decisions_are_the_same_everywhere(arena: Arena) -> None:
    games = played(arena, 4, 1, seed=5)
    programs = make_player("racer").act(arena, games, 1)["program"]
    assert programs.tolist() == [[48, 30, 59, 73, 23], [37, 5, 65, 19, 61], [42, 38, 81, 70, 26], [65, 29, 79, 51, 1]]
