"""Gears, flip gears and big turning gears (R-A10.6, R-E10, R-E42, R-E46, R-E53)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.floor.copies import has_copies, swap_copies
from rr_gym.rules.floor.ground import flies, level_of, row_at
from rr_gym.rules.movement.movement import relocate
from rr_gym.rules.movement.turning import is_stabilized, turn
from rr_gym.rules.state.constants import CARRY, MAX_ROBOTS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def gear_under(game: GameRecord, table: Table, robot: int) -> int:
    """Return the quarter turns, clockwise, of the gear or crossgear that a robot touches; 0 for none."""
    if flies(game, table, robot):
        return 0
    return int(table.squares[row_at(game, table, game.robots[robot].square)].gear)


@kernel
def gears_turn(game: GameRecord, table: Table, log: Log) -> None:
    """Turn the robots on gears by a quarter turn (C11, R-A10.6, R-E10.1, R-E46)."""
    for i in range(game.num_bodies):
        if game.robots[i].alive:
            gear = gear_under(game, table, i)
            if gear and not is_stabilized(game, table, log, i):
                turn(game, log, i, gear)


@with_elements(None)
def flip_gears_turn(game: GameRecord, table: Table, log: Log) -> None:
    """Turn the robots on flip gears, unless the gears are stopped in this phase (C11, R-E53).

    The light barriers decide in C7 in which direction the gears turn, or that they are stopped.
    """
    if game.flip_blocked:
        return
    for i in range(game.num_bodies):
        if game.robots[i].alive and not flies(game, table, i):
            gear = int(table.ground[row_at(game, table, game.robots[i].square)].flip_gear)
            if gear and not is_stabilized(game, table, log, i):
                turn(game, log, i, -gear if game.flip else gear)


@kernel
def on_big_gear(game: GameRecord, table: Table, robot: int, number: int) -> bool:
    """Tell whether a robot touches a square of big gear `number`.

    A robot on a raised elevator there does not (R-E42.4).
    """
    body = game.robots[robot]
    if not body.alive or flies(game, table, robot):
        return False
    touches = body.level == level_of(game, table, body.square)
    return touches and table.ground[row_at(game, table, body.square)].big_gear == number


@kernel
def big_gear_carries(game: GameRecord, table: Table, log: Log, number: int) -> None:
    """Move all bodies on a big gear to the opposite square, and turn them with it."""
    riders = 0
    for i in range(game.num_bodies):
        if on_big_gear(game, table, i, number):
            riders |= 1 << i
    for i in range(game.num_bodies):
        if riders >> i & 1:
            robot = game.robots[i]
            target = int(table.ground[row_at(game, table, robot.square)].big_gear_to)
            turn(game, log, i, 2)
            relocate(game, table, log, i, target, robot.level, CARRY)


@kernel
def loaded(game: GameRecord, table: Table, number: int) -> bool:
    """Tell whether a real robot stands on big gear `number`."""
    for i in range(game.num_bodies):
        if i < MAX_ROBOTS and not game.robots[i].virtual and on_big_gear(game, table, i, number):
            return True
    return False


@with_elements(None)
def big_gears_turn(game: GameRecord, table: Table, log: Log) -> None:
    """Give half a turn to each big gear on which a real robot stands (C11, R-E42).

    All bodies on it turn along, including copies.
    """
    if game.copies_act:
        return
    for number in range(table.extras.num_big_gears):
        if loaded(game, table, number):
            big_gear_carries(game, table, log, number)
            if has_copies(game, table):
                swap_copies(game, table)
                big_gear_carries(game, table, log, number)
                swap_copies(game, table)
