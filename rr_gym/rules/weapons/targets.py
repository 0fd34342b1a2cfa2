"""The first robot that a shot meets (R-A11.6): of each robot ahead of it, and of any place in any direction.

Where no board elements lie, all robots are compared at one time, and compiled lengths tell how far a shot flies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import HAS_FOG
from rr_gym.rules.floor.grid import direction_of, squares_ahead
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.floor.sight import beam_next, in_fog
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.bits import ONES, bytes_above, bytes_equal, lowest_byte, without_lowest
from rr_gym.rules.state.constants import BIG_ONE_BODY, EAST, FIRE_MAIN, SOUTH
from rr_gym.rules.state.records import Game, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.shots import big_one_at, real_robot_at, rows_and_columns


@kernel
def reach(table: Table) -> int:
    """More squares than any beam can cross."""
    return max(table.course.width, table.course.height)


@with_expansions(False)
def hidden_by_big_one(game: Game, table: Table, place: int, direction: int, distance: int) -> bool:
    """The Big One lies before what is so far away in a direction (R-O29)."""
    if game.num_bodies <= BIG_ONE_BODY:
        return False
    body = game.robots[BIG_ONE_BODY]
    if not body.alive or body.virtual:
        return False
    return 0 < squares_ahead(table, place, direction, body.square) < distance


@kernel
def base_first_in_sight(game: Game, table: Table, place: int, direction: int, level: int, squares: int) -> int:
    """The nearest robot in line, as far as compiled lengths tell that a shot flies; no other level hides anybody."""
    nearest = min(squares, int(table.squares[place].reach[direction])) + 1
    found = -1
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and not robot.virtual:
            ahead = squares_ahead(table, place, direction, robot.square)
            if 0 < ahead < nearest:
                nearest = ahead
                found = i
    return -1 if hidden_by_big_one(game, table, place, direction, nearest) else found


@with_elements(base_first_in_sight)
def first_in_sight(game: Game, table: Table, place: int, direction: int, level: int, squares: int) -> int:
    """The first real robot within so many squares of a place on one level; -1 for none. Fog hides (R-E54)."""
    for _ in range(squares):
        place = beam_next(game, table, place, direction, level)
        if place < 0 or (features_of(table) & HAS_FOG and in_fog(game, table, place)):
            return -1
        found = real_robot_at(game, table, place, level)
        if found >= 0 or big_one_at(game, table, place, level):
            return int(found)
    return -1


@kernel
def in_sight(game: Game, table: Table, robot: int, direction: int) -> int:
    """The first real robot that a shot of a robot in a direction meets; -1 for none."""
    body = game.robots[robot]
    place = place_of_square(game, table, body.square)
    return int(first_in_sight(game, table, place, direction, body.level, reach(table)))


@kernel
def somebody_ahead(game: Game, table: Table, robot: int, direction: int) -> bool:
    """Some real robot on its level is there, whatever is between them."""
    body = game.robots[robot]
    place = place_of_square(game, table, body.square)
    for i in range(game.num_robots):
        other = game.robots[i]
        if not other.alive or other.virtual or other.level != body.level:
            continue
        if squares_ahead(table, place, direction, place_of_square(game, table, other.square)) > 0:
            return True
    return False


@kernel
def base_fires_main(table: Table, robot: Robot) -> bool:
    """All fire that are not powered down."""
    return not robot.down


@with_expansions(base_fires_main)
def fires_main(table: Table, robot: Robot) -> bool:
    """It is to fire its main laser or what it has instead of that, as far as is known yet."""
    return robot.fired == FIRE_MAIN


@kernel
def base_fires_to(table: Table, robot: Robot) -> int:
    """To the front."""
    return int(robot.facing)


@with_expansions(base_fires_to)
def fires_to(table: Table, robot: Robot) -> int:
    """Where its main laser points (R-O26)."""
    return int(robot.fired_to)


@kernel
def aim(game: Game, table: Table) -> int:
    """The first robot that each shot meets (R-A11.6): target + 1 in four bits for each robot that fires, 0 for none.

    Each shooter is compared with all others at one time: who is in its line, and before it? Only those are looked at.
    """
    columns, rows, real = np.uint64(0), np.uint64(0), np.uint64(0)  # a byte for each robot, of `real` the highest bit
    taken = shared = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and not robot.virtual:
            here, byte = table.squares[robot.square], np.uint64(8 * i)
            columns |= np.uint64(here.x & 127) << byte
            rows |= np.uint64(here.y & 127) << byte
            real |= np.uint64(128) << byte
            lines = int(rows_and_columns(game, table, robot.square))
            shared |= taken & lines
            taken |= lines
    if shared == 0:
        return 0  # nobody is in anybody's line
    # Where bytes do not tell coordinates apart, all in line are looked at.
    large = max(table.course.width, table.course.height) > 128
    targets = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not real >> np.uint64(8 * i + 7) & np.uint64(1) or not fires_main(table, robot):
            continue
        direction, byte = int(fires_to(table, robot)), np.uint64(8 * i)
        along, across = (columns, rows) if direction & 1 else (rows, columns)
        flip = 0 if direction in (EAST, SOUTH) else 127  # then coordinates grow ahead of everybody
        left: Any = bytes_equal(across, int(across >> byte & np.uint64(127))) & real
        if not large:
            left &= bytes_above(along ^ np.uint64(flip) * ONES, int(along >> byte & np.uint64(127)) ^ flip)
        if left == np.uint64(0):
            continue
        nearest = int(table.squares[robot.square].reach[direction]) + 1
        while left != np.uint64(0):
            j = int(lowest_byte(left))
            left = without_lowest(left)
            distance = int(squares_ahead(table, robot.square, direction, game.robots[j].square))
            if 0 < distance < nearest:
                nearest = distance
                targets = targets & ~(15 << 4 * i) | j + 1 << 4 * i
        if targets >> 4 * i & 15 and hidden_by_big_one(game, table, robot.square, direction, nearest):
            targets &= ~(15 << 4 * i)
    return targets


@kernel
def lines_of_robots(game: Game, table: Table) -> int:
    """Four bits for each robot, by direction: some real robot on its level is there, whatever is between them.

    Each robot is compared with all of a lower index at one time; only those in its row or column are looked at closely.
    """
    lines = 0
    columns, rows, levels, seen = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)  # a byte for each robot
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive or robot.virtual:
            continue
        here = table.squares[place_of_square(game, table, robot.square)]
        left: Any = (bytes_equal(columns, here.x) | bytes_equal(rows, here.y)) & bytes_equal(levels, robot.level) & seen
        while left != np.uint64(0):
            j = int(lowest_byte(left))
            left = without_lowest(left)
            there = table.squares[place_of_square(game, table, game.robots[j].square)]
            x, y = int(there.x) - int(here.x), int(there.y) - int(here.y)
            if (x == 0) != (y == 0):
                direction = direction_of(x, y)
                lines |= 1 << 4 * i + direction | 1 << 4 * j + (direction ^ 2)
        byte = np.uint64(8 * i)
        columns |= np.uint64(int(here.x) & 255) << byte
        rows |= np.uint64(int(here.y) & 255) << byte
        levels |= np.uint64(int(robot.level) & 255) << byte
        seen |= np.uint64(128) << byte
    return lines


@with_elements(aim)
def targets_ahead(game: Game, table: Table) -> int:
    """As `aim` does, square by square where somebody is ahead at all."""
    lines = lines_of_robots(game, table)
    targets = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.fired == FIRE_MAIN and lines >> 4 * i + int(robot.fired_to) & 1:
            targets |= int(in_sight(game, table, i, int(robot.fired_to))) + 1 << 4 * i
    return targets
