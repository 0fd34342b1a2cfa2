"""Copies of robots (R-E45), which are swapped with their robots while they act.

A copy is virtual: it meets neither robots nor other copies. So all copies act together after the robots, by the same
rules.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_COPY_MACHINES
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.state.constants import BIG_ONE_BODY, DISPLACED
from rr_gym.rules.state.records import GameRecord, Robot
from rr_gym.rules.state.table import Table

VANISHED = 2  # `has_copy` of a robot whose copy has touched its machine


@kernel
def exchange(robot: Robot) -> None:
    """Swap the fields of a robot and its copy."""
    robot.square, robot.copy_square = robot.copy_square, robot.square
    robot.level, robot.copy_level = robot.copy_level, robot.level
    robot.facing, robot.copy_facing = robot.copy_facing, robot.facing
    robot.heading, robot.copy_heading = robot.copy_heading, robot.heading
    robot.flying, robot.copy_flying = robot.copy_flying, robot.flying
    robot.marks, robot.copy_marks = robot.copy_marks, robot.marks
    robot.speed, robot.copy_speed = robot.copy_speed, robot.speed


@with_elements(False)
def has_copy(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot has a copy."""
    return game.robots[robot].has_copy != 0


@with_elements(None)
def copies_begin_phase(game: GameRecord, table: Table) -> None:
    """Clear the marks of copies that last for one phase only."""
    for i in range(game.num_robots):
        game.robots[i].copy_marks &= DISPLACED


@with_elements(False)
def has_copies(game: GameRecord, table: Table) -> bool:
    """Tell whether any robot has a copy."""
    if features_of(table) & HAS_COPY_MACHINES:
        copies = 0
        for i in range(game.num_robots):
            copies |= game.robots[i].has_copy
        return copies != 0
    return False


@with_elements(None)
def swap_copies(game: GameRecord, table: Table) -> None:
    """Swap all robots with their copies; a second call undoes this.

    Robots without a copy are off the board then. The Big One has no copy, so rules that act on all bodies skip it
    while copies act.
    """
    game.copies_act ^= 1
    with_big_one = not game.copies_act and game.robots[BIG_ONE_BODY].alive
    game.num_bodies = BIG_ONE_BODY + 1 if with_big_one else game.num_robots
    for i in range(game.num_robots):
        robot = game.robots[i]
        if game.copies_act:
            if not robot.has_copy:  # mutants (never): robots without copies are off the board then
                robot.copy_square = -1
            robot.copy_alive = robot.alive
            robot.copy_virtual = robot.virtual
            exchange(robot)
            robot.alive = 1 if robot.has_copy and robot.copy_alive else 0
            robot.virtual = 1
        elif robot.copy_alive and robot.destroyed and not robot.alive and not robot.has_copy:
            robot.virtual = robot.copy_virtual  # destroyed together with its copy: it stays off the board
        else:
            exchange(robot)
            robot.alive = robot.copy_alive
            robot.virtual = robot.copy_virtual
            if robot.has_copy == VANISHED:
                robot.has_copy = 0
