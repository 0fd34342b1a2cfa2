"""Magnets and black holes (R-E43, R-E60)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import PULLED
from rr_gym.forms import with_elements
from rr_gym.rules.floor.grid import direction_of
from rr_gym.rules.floor.ground import held, row_at
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.floor.turned import place_now
from rr_gym.rules.movement.together import move_together
from rr_gym.rules.state.constants import PULL
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

RANGE = 11  # in squares: the distance from edge to edge of a board


@kernel
def pull_on(game: GameRecord, table: Table, robot: int) -> int:
    """Return the direction of the nearest attractor in a robot's row or column of its board, -1 for none.

    Walls do not shield. Two attractors at the same distance hold the robot in place, and so does one under it (R-E43,
    R-E60).
    """
    row = row_at(game, table, game.robots[robot].square)
    here = table.squares[row]
    board = table.ground[table.ground[row].place].board
    nearest, direction = RANGE + 1, -1
    for k in range(table.extras.num_attractors):
        place = place_now(game, table, table.extras.attractors[k])
        there = table.squares[place]
        x, y = int(there.x) - int(here.x), int(there.y) - int(here.y)
        if (x != 0 and y != 0) or table.ground[place].board != board:
            continue
        distance = abs(x + y)
        if distance == nearest:
            direction = -1
        elif distance < nearest:  # mutants (boundary): equal distances are handled above
            nearest = distance
            direction = direction_of(x, y) if distance else -1
    return direction


@with_elements(None)
def attractors_pull(game: GameRecord, table: Table, log: Log) -> None:
    """Pull every robot, even flyers, one square towards a magnet or black hole in its row or column (C10b, K19)."""
    going = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        pulled = robot.alive and table.special[place_of_square(game, table, robot.square)] & PULLED
        if pulled and not held(game, table, i):
            direction = pull_on(game, table, i)
            if direction >= 0:
                game.robots[i].leaving = direction
                going |= 1 << i
    if going:
        move_together(game, table, log, going, PULL, False)
