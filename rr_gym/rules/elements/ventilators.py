"""Ventilators (R-E77): fans on walls that blow robots away along a line."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import NO_FLOOR, floor_at, grid_next, phase_bit, walled
from rr_gym.rules.floor.levels import arrival_level
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.floor.turned import direction_now, next_in_rows, place_now
from rr_gym.rules.movement.edges import target_from
from rr_gym.rules.movement.movement import step
from rr_gym.rules.movement.together import brought_together
from rr_gym.rules.state.constants import FAN, MOVED_ON
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def gather_line(game: GameRecord, table: Table, square: int, direction: int, level: int) -> None:
    """Write the robots in the line of a ventilator, on the level of its mount, to `game.line`, nearest first.

    The line ends at the first side that no body can cross, including ledges from below. Robots do not shield others.
    """
    line = game.line
    line.length = 0
    while True:
        for i in range(game.num_bodies):
            robot = game.robots[i]
            if robot.alive and robot.level == level and place_of_square(game, table, robot.square) == square:
                line.robots[line.length] = i
                line.length += 1
        if walled(game, table, square, direction):
            return
        square = grid_next(game, table, square, direction)
        if square < 0 or floor_at(game, table, square, level) == NO_FLOOR:
            return


@kernel
def robot_ahead(game: GameRecord, table: Table, robot: int, direction: int) -> bool:
    """Tell whether a real robot is where a robot would be blown; robots that are blown push nobody (R-E77)."""
    body = game.robots[robot]
    if body.virtual or walled(game, table, body.square, direction):
        return False
    target = target_from(game, table, robot, body.square, direction)
    if target < 0:
        return False
    level = arrival_level(game, table, robot, target, direction)
    for i in range(game.num_bodies):
        other = game.robots[i]
        if other.square == target and not other.virtual and other.level == level:
            return True
    return False


@kernel
def blow(game: GameRecord, table: Table, log: Log, robot: int, direction: int, strength: int) -> None:
    """Blow a robot away square by square, up to `strength` squares, until something stops it."""
    for _ in range(strength):
        if not game.robots[robot].alive or robot_ahead(game, table, robot, direction):
            return
        if step(game, table, log, robot, direction, FAN) != MOVED_ON:
            return


@kernel
def blow_line(game: GameRecord, table: Table, log: Log, direction: int, strength: int) -> None:
    """Let one ventilator blow the robots in `game.line`, the farthest first.

    Robots that the wind would bring to the same square stay where they are (U63).
    """
    line = game.line
    bodies = 0
    for k in range(line.length):
        bodies |= 1 << int(line.robots[k])
    staying = brought_together(game, table, bodies, direction, FAN)
    k = int(line.length)
    while k > 0:
        k -= 1
        robot = int(line.robots[k])
        if not staying >> robot & 1:
            blow(game, table, log, robot, direction, strength)
    line.length = 0
    line.robots[:] = 0


@with_elements(None)
def ventilators_blow(game: GameRecord, table: Table, log: Log) -> None:
    """Let the ventilators blow, row by row (C2, U50), each at the robots in its line, farthest first (R-E77)."""
    k = -1
    for _ in range(table.extras.num_fans):
        k = int(next_in_rows(game, table, table.extras.fans, table.extras.num_fans, k))
        fan = table.extras.fans[k]
        if fan.phases & phase_bit(game):
            square = place_now(game, table, fan.square)
            direction = direction_now(game, table, fan.square, fan.direction)
            gather_line(game, table, square, direction, fan.level)
            blow_line(game, table, log, direction, fan.strength)
