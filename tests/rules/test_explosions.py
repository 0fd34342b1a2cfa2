"""Distances of explosions (R-X2.2, R-X2.3), compared with a shortest-path search on the drawn board."""

import heapq

import numpy as np
import pytest

from rr_gym.courses.course import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.damage.explosions import points_at
from rr_gym.rules.state.records import GAME

SIZE = 5
OUT_OF_REACH = 7  # squares; more than the reach of every explosion
STEPS = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
OPPOSITE = {"n": "s", "e": "w", "s": "n", "w": "e"}


def random_board(rng):
    """Return walls by square and side, levels by square, and the text of a board with these."""
    squares = [(x, y) for y in range(SIZE) for x in range(SIZE)]
    walls = {(square, side) for square in squares for side in STEPS if rng.random() < 0.15}
    levels = {square: int(rng.random() < 0.3) for square in squares}
    cells = {}
    for square in squares:
        sides = "".join(side for side in STEPS if (square, side) in walls)
        cells[square] = "./" + sides if sides else "."
    rows = [" ".join(cells[x, y] for x in range(SIZE)) for y in range(SIZE)]
    heights = ["".join(str(levels[x, y]) for x in range(SIZE)) for y in range(SIZE)]
    return walls, levels, "\n".join(["grid:", *rows, "levels:", *heights])


def shortest_ways(walls, levels, start):
    """Return the length of the shortest way to every square that can be reached; a level up or down counts one more."""
    lengths = {}
    waiting = [(0, start)]
    while waiting:
        length, square = heapq.heappop(waiting)
        if square in lengths:
            continue
        lengths[square] = length
        for side, (dx, dy) in STEPS.items():
            beyond = square[0] + dx, square[1] + dy
            open_way = (square, side) not in walls and (beyond, OPPOSITE[side]) not in walls
            if beyond in levels and open_way:
                heapq.heappush(waiting, (length + 1 + abs(levels[square] - levels[beyond]), beyond))
    return lengths


@pytest.mark.parametrize("seed", range(12))
def test_explosions_reach_as_far_as_the_shortest_way(seed):
    rng = np.random.default_rng(seed)
    walls, levels, text = random_board(rng)
    arena = Arena(Course.from_board(text, filename="board"), full=True)
    game = np.zeros(1, GAME)[0]
    game.num_robots = game.num_bodies = 8
    places = [tuple(int(c) for c in rng.integers(0, SIZE, 2)) for _ in range(8)]
    for robot, (x, y) in zip(game.robots, places, strict=False):
        robot.alive = 1
        robot.square = y * SIZE + x
        robot.level = levels[x, y]
    start = places[0]
    lengths = shortest_ways(walls, levels, start)
    blast = game.blasts[0]
    blast.square, blast.level = start[1] * SIZE + start[0], levels[start]
    for power in (1, 2, 5, 20, 64):
        blast.power = power
        found = [points_at(game, arena.tables[0], blast, robot.square, robot.level) for robot in game.robots[:8]]
        assert found == [power >> lengths.get(place, OUT_OF_REACH) for place in places]
