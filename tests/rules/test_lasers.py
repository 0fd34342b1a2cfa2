"""Targets of robot lasers on base courses, compared with a square-by-square walk on the drawn board (R-A11.6)."""

import numpy as np
import pytest
from combinations import quick

from rr_gym.courses.course import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GAME
from rr_gym.rules.weapons.targets import in_sight

SIDES = "nesw"
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
ROBOTS = 8
SIZES = [(5, 5), (8, 3), (128, 4), (129, 4), (4, 129), (3, 300), (600, 1)]


def random_board(rng, width, height):
    """Return walls by square and side, and an arena with them."""
    squares = [(x, y) for y in range(height) for x in range(width)]
    share = 0.5 / max(width, height)
    walls = {(square, side) for square in squares for side in range(4) if rng.random() < share}
    cells = {}
    for square in squares:
        sides = "".join(SIDES[side] for side in range(4) if (square, side) in walls)
        cells[square] = "./" + sides if sides else "."
    text = "\n".join(["grid:", *(" ".join(cells[x, y] for x in range(width)) for y in range(height))])
    return walls, Arena(Course.from_board(text, filename="board"))


def random_position(rng, num_squares):
    """Return a game with eight robots, some of them virtual or not on the board."""
    game = np.zeros(1, GAME)[0]
    game.num_robots = game.num_bodies = ROBOTS
    for robot in game.robots[:ROBOTS]:
        robot.alive = rng.random() < 0.9
        robot.virtual = rng.random() < 0.2
        robot.facing = rng.integers(4)
        robot.square = rng.choice(num_squares) if robot.alive else -1
    return game


def first_ahead(game, walls, width, height, shooter):
    """Return the number of the first real robot ahead of a robot, -1 for none."""
    facing = int(game.robots[shooter].facing)
    dx, dy = STEPS[facing]
    y, x = divmod(int(game.robots[shooter].square), width)
    while True:
        beyond = x + dx, y + dy
        if ((x, y), facing) in walls or (beyond, facing ^ 2) in walls:
            return -1
        x, y = beyond
        if not (0 <= x < width and 0 <= y < height):
            return -1
        for i, robot in enumerate(game.robots[:ROBOTS]):
            if robot.alive and not robot.virtual and robot.square == y * width + x:
                return i


def stand_apart(game):
    """Tell whether no two real robots share a square (R-A3.7)."""
    squares = [int(robot.square) for robot in game.robots[:ROBOTS] if robot.alive and not robot.virtual]
    return len(set(squares)) == len(squares)


@pytest.mark.parametrize("size", quick(SIZES, (5, 5), (8, 3), (129, 4)))
def test_robots_aim_at_the_first_real_robot_ahead(size):
    rng = np.random.default_rng(size)
    walls, arena = random_board(rng, *size)
    hits = 0
    for _ in range(60):
        game = random_position(rng, size[0] * size[1])
        if not stand_apart(game):
            continue
        for i, robot in enumerate(game.robots[:ROBOTS]):
            if not robot.alive:
                continue
            expected = first_ahead(game, walls, *size, i)
            assert in_sight(game, arena.tables[0], i, int(robot.facing)) == expected, (i, size)
            hits += expected >= 0
    assert hits
