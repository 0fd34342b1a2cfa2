"""Lasers of the board and of robots (R-A11, R-E12). All shots of D1 are simultaneous: deaths come after them."""

from __future__ import annotations

import numpy as np

from rr_gym.jit import kernel
from rr_gym.rules.constants import BY_DAMAGE, BY_LASER, BY_ROBOT_LASER, ON
from rr_gym.rules.damage import damage, destroy_damaged
from rr_gym.rules.events import SHOT, note_at
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord
from rr_gym.rules.robots import next_by_priority

STEP_X = np.array([0, 1, 0, -1], np.int8)  # by direction
STEP_Y = np.array([-1, 0, 1, 0], np.int8)


@kernel
def beam_hits(game: GameRecord, table: TableRecord, beam: int) -> int:
    """The mask of robots that a board beam hits: up to the first real one, and the virtual ones on its way (U9)."""
    square = table.beams[beam].square
    mask = 0
    for _ in range(table.beams[beam].length):
        stopped = False
        for i in range(game.num_robots):
            if game.robots[i].square == square:
                mask |= 1 << i
                if not game.robots[i].virtual:
                    stopped = True
        if stopped:
            break
        square = table.squares[square].neighbour[table.beams[beam].direction]
    return mask


@kernel
def hit(game: GameRecord, table: TableRecord, log: LogRecord, beam: int, victims: int, points: int) -> None:
    """A board beam damages the robots of a mask."""
    for i in range(game.num_robots):
        if victims >> i & 1:
            mount = table.beams[beam]
            note_at(game, log, SHOT, -1, i, mount.direction, mount.square, game.robots[i].square)
            damage(game, table, log, i, points, BY_LASER, -1)


@kernel
def board_lasers(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Every mount fires, in reading order (U6). Two mounts on one line hit a robot once, with the stronger (U9)."""
    lit = False
    for i in range(game.num_robots):
        if game.robots[i].alive and table.squares[game.robots[i].square].lit:
            lit = True
    if not lit:
        return
    for beam in range(table.course.num_beams):
        mount = table.beams[beam]
        victims = beam_hits(game, table, beam)
        if victims and mount.twin >= 0:
            twin = table.beams[mount.twin]
            if twin.beams > mount.beams or (twin.beams == mount.beams and mount.twin < beam):
                victims &= ~beam_hits(game, table, mount.twin)  # those are the twin's
        if victims:
            hit(game, table, log, beam, victims, mount.beams)


@kernel
def target_of(game: GameRecord, table: TableRecord, shooter: int) -> int:
    """The first real robot in front of a robot, as far as no wall is between; -1 for none (R-A11.3)."""
    robot = game.robots[shooter]
    square = table.squares[robot.square]
    step_x = STEP_X[robot.facing]
    step_y = STEP_Y[robot.facing]
    nearest = square.reach[robot.facing] + 1
    target = -1
    for i in range(game.num_robots):
        other = game.robots[i]
        if other.alive and not other.virtual:
            there = table.squares[other.square]
            x = there.x - square.x
            y = there.y - square.y
            distance = x * step_x + y * step_y
            if x * step_y == y * step_x and 0 < distance < nearest:
                nearest = distance
                target = i
    return target


@kernel
def robot_lasers(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Every real robot that is powered up fires forward, by descending priority (R-A11.3, U6)."""
    done = 0
    for _ in range(game.num_robots):
        shooter = next_by_priority(game, done)
        done |= 1 << shooter
        robot = game.robots[shooter]
        if not robot.alive or robot.down or robot.virtual:
            continue
        target = target_of(game, table, shooter)
        if target >= 0:
            note_at(game, log, SHOT, shooter, target, robot.facing, robot.square, game.robots[target].square)
            damage(game, table, log, target, table.settings.robot_laser_factor, BY_ROBOT_LASER, shooter)


@kernel
def lasers_fire(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """D1: all shots at one time, then deaths (U6)."""
    if table.course.num_beams:
        board_lasers(game, table, log)
    if table.settings.robot_lasers == ON:
        robot_lasers(game, table, log)
    destroy_damaged(game, log, BY_DAMAGE)
