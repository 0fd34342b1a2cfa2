"""Lasers of the board and of robots (R-A11, R-E12). All shots of D1 are simultaneous: deaths come after them.

On base courses compiled lengths tell how far a beam reaches; with expansions it is walked (rr_gym.rules.weapons.shots).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.damage.damage import damage, destroy_damaged
from rr_gym.rules.floor.grid import squares_ahead
from rr_gym.rules.state.bits import ONES, bytes_above, bytes_equal, lowest_bit, without_lowest
from rr_gym.rules.state.constants import BY_DAMAGE, BY_LASER, BY_ROBOT_LASER, EAST, ON, SOUTH
from rr_gym.rules.state.events import SHOT, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.aiming import field_fades, note_options, take_aim_all
from rr_gym.rules.weapons.shots import guns_fire, mounts_fire, rows_and_columns
from rr_gym.rules.weapons.weapons import robots_fire


@kernel
def beam_hits(game: Game, table: Table, beam: int, lit: int) -> int:
    """The mask of robots that a board beam hits: up to the first real one, and the virtual ones on its way (U9).

    `lit`: the mask of those that some beam may hit.
    """
    mount = table.beams[beam]
    last = int(mount.length) - 1
    for i in range(game.num_robots):
        if lit >> i & 1 and not game.robots[i].virtual:
            distance = int(squares_ahead(table, mount.square, mount.direction, game.robots[i].square))
            last = min(last, distance) if distance >= 0 else last
    mask = 0
    for i in range(game.num_robots):
        if lit >> i & 1 and 0 <= squares_ahead(table, mount.square, mount.direction, game.robots[i].square) <= last:
            mask |= 1 << i
    return mask


@kernel
def hit(game: Game, table: Table, log: Log, beam: int, victims: int, points: int) -> None:
    """A board beam damages the robots of a mask."""
    for i in range(game.num_robots):
        if victims >> i & 1:
            mount = table.beams[beam]
            note_at(game, log, SHOT, -1, i, mount.direction, mount.square, game.robots[i].square)
            damage(game, table, log, i, points, BY_LASER, -1)


@kernel
def base_beams_of_board(game: Game, table: Table, log: Log) -> None:
    """Every mount fires, in reading order (U6). Two on one line hit a robot once, with the stronger (R-E12, U9)."""
    lit = 0
    for i in range(game.num_robots):
        if game.robots[i].alive and table.squares[game.robots[i].square].lit:
            lit |= 1 << i
    if not lit:
        return
    for beam in range(table.course.num_beams):
        mount = table.beams[beam]
        victims = beam_hits(game, table, beam, lit)
        if victims and mount.twin >= 0:
            twin = table.beams[mount.twin]
            if twin.beams > mount.beams or (twin.beams == mount.beams and mount.twin < beam):
                victims &= ~beam_hits(game, table, mount.twin, lit)  # those are the twin's
        if victims:
            hit(game, table, log, beam, victims, mount.beams)


@kernel
def some_in_line(game: Game, table: Table) -> bool:
    """Two real robots may be in one row or column: see `rows_and_columns`."""
    taken = shared = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and not robot.virtual:
            lines = int(rows_and_columns(game, table, robot.square))
            shared |= taken & lines
            taken |= lines
    return shared != 0


@kernel
def aim(game: Game, table: Table) -> int:
    """The first robot that a shot of each real robot meets: target + 1 in four bits for each, 0 for none (R-A11.6).

    Each shooter is compared with all others at one time: who is in its line, and before it? Only those are looked at.
    """
    if not some_in_line(game, table):
        return 0
    columns, rows, real = np.uint64(0), np.uint64(0), np.uint64(0)  # a byte for each robot
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and not robot.virtual:
            here, byte = table.squares[robot.square], np.uint64(8 * i)
            columns |= np.uint64(here.x & 127) << byte
            rows |= np.uint64(here.y & 127) << byte
            real |= np.uint64(128) << byte
    # Where bytes do not tell coordinates apart, all in line are looked at.
    large = max(table.course.width, table.course.height) > 128
    targets = 0
    for i in range(game.num_robots):
        if not real >> np.uint64(8 * i + 7) & np.uint64(1):
            continue
        robot = game.robots[i]
        here = table.squares[robot.square]
        along, across = (columns, rows) if robot.facing & 1 else (rows, columns)
        at, aside = (here.x, here.y) if robot.facing & 1 else (here.y, here.x)
        flip = 0 if robot.facing in (EAST, SOUTH) else 127  # then coordinates grow ahead of everybody
        left: Any = bytes_equal(across, aside & 127) & real
        if not large:
            left &= bytes_above(along ^ np.uint64(flip) * ONES, (at & 127) ^ flip)
        reach = int(here.reach[robot.facing])
        while left != np.uint64(0):
            j = int(lowest_bit(left)) >> 3
            left = without_lowest(left)
            distance = int(squares_ahead(table, robot.square, robot.facing, game.robots[j].square))
            if 0 < distance <= reach:
                reach = distance
                targets = targets & ~(15 << 4 * i) | j + 1 << 4 * i
    return targets


@kernel
def base_shots_of_robots(game: Game, table: Table, log: Log, order: int, lines: int) -> None:
    """Every real robot that is powered up fires forward, by descending priority (R-A11.6, U6)."""
    targets = aim(game, table)
    while targets and order:
        shooter = (order & 15) - 1
        order >>= 4
        target = (targets >> 4 * shooter & 15) - 1
        robot = game.robots[shooter]
        if target >= 0 and not robot.down:
            note_at(game, log, SHOT, shooter, target, robot.facing, robot.square, game.robots[target].square)
            damage(game, table, log, target, table.settings.robot_laser_factor, BY_ROBOT_LASER, shooter)


@with_expansions(0)
def robots_take_aim(game: Game, table: Table, log: Log) -> int:
    """What options do to the shots of this phase, then targets (U5). Returns `lines_of_robots`."""
    note_options(game, table)
    return take_aim_all(game, table, log) if table.settings.robot_lasers == ON else 0


@with_expansions(base_beams_of_board)
def beams_of_board(game: Game, table: Table, log: Log) -> None:
    """Every mount of the board fires (R-E12)."""
    mounts_fire(game, table, log)


@with_expansions(base_shots_of_robots)
def shots_of_robots(game: Game, table: Table, log: Log, order: int, lines: int) -> None:
    """Every robot fires that may (R-A11.6)."""
    robots_fire(game, table, log, order, lines)


@kernel
def lasers_fire(game: Game, table: Table, log: Log, order: int) -> None:
    """D1: all shots at one time, then deaths (U6). `order` is that of `by_priority`."""
    lines = robots_take_aim(game, table, log)
    if table.course.num_beams:
        beams_of_board(game, table, log)
    guns_fire(game, table, log)
    if table.settings.robot_lasers == ON:
        shots_of_robots(game, table, log, order, lines)
    field_fades(game, table)
    destroy_damaged(game, table, log, BY_DAMAGE)
