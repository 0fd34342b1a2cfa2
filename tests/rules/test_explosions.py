"""Distances of explosions (R-X2.2, R-X2.3) against a search of the shortest way that knows only the drawn board."""

import heapq

import numpy as np
import pytest
from combinations import quick

from rr_gym.courses.course import Course
from rr_gym.courses.library import list_courses, load_course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.damage.explosions import ALL_FAR, FAR, distances, distances_on_foot
from rr_gym.rules.state.records import GAME

SIZE = 5
STEPS = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
OPPOSITE = {"n": "s", "e": "w", "s": "n", "w": "e"}


def random_board(rng):
    """Walls by square and side, levels by square, and the text of the board that has them."""
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
    """The length of the shortest way to every square that can be reached, a level up or down counting one more."""
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
    for most in (0, 2, 4, 6):
        known = distances(game, arena.tables[0], start[1] * SIZE + start[0], levels[start], most)
        found = [known >> 3 * i & FAR for i in range(8)]
        assert found == [min(lengths[p], FAR) if lengths.get(p, FAR) <= most else FAR for p in places]


@pytest.mark.parametrize("name", quick(list_courses(), "death_trap", "everything", "pilgrimage"))
def test_where_ways_are_clear_they_are_as_long_as_when_they_are_looked_for(name):
    """All squares of the official courses, whatever stands there; robots near them on levels that may not be theirs."""
    rng = np.random.default_rng(1)
    course = load_course(name)
    arena = Arena(course, full=True)
    table = arena.tables[0]
    squares = table["squares"]
    width, height = course.size
    game = arena.new_games(1, 8, seed=1)[0]
    clear = table["ground"]["clear"]
    assert (clear[width * height :] == 0).all()
    for place in np.flatnonzero(clear.any(axis=1)):
        x, y = place % width, place // width
        for robot in game.robots[:8]:
            near = np.clip(np.add([x, y], rng.integers(-5, 6, 2)), 0, [width - 1, height - 1])
            robot.square = near[1] * width + near[0]
            robot.alive = squares["exists"][robot.square]
            robot.level = squares["level"][robot.square] + rng.integers(-1, 2)
        most = int(rng.integers(1, 7))
        level = int(squares["level"][place])
        bodies = sum(1 << i for i in range(8) if game.robots[i].alive)
        for blast in (level, level + 1):  # on the ground, and in the air above it
            on_foot = distances_on_foot(game, table, place, blast, most, bodies, ALL_FAR)
            assert distances(game, table, place, blast, most) == on_foot


def test_where_ways_are_clear():
    """A wall is in nobody's way who can as well go around it; off the board there are no ways."""
    text = "grid:\n. . . . .\n. . . ./e .\n. . . . .\n"
    table = Arena(Course.from_board(text, filename="board"), full=True).tables[0]

    def clear_from(x, y):
        rows = table["ground"]["clear"][5 * y + x]
        return ["".join(".X"[int(rows[6 + j - y]) >> 6 + i - x & 1] for i in range(5)) for j in range(3)]

    assert clear_from(0, 0) == ["XXXXX"] * 3
    assert clear_from(0, 1) == ["XXXXX", "XXXX.", "XXXXX"]
    assert clear_from(4, 1) == ["XXXXX", "....X", "XXXXX"]
    rows = table["ground"]["clear"][0]
    assert sum(int(row).bit_count() for row in rows) == 15
