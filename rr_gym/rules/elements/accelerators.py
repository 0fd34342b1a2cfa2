"""Particle accelerators (R-E67): rings on which robots run faster from phase to phase."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import damage, destroy_damaged
from rr_gym.rules.floor.grid import direction_of
from rr_gym.rules.floor.ground import NO_FLOOR, flies, floor_at, held, row_at, walled
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.together import move_to_targets
from rr_gym.rules.state.constants import BY_ACCELERATOR, HALTED, RING
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

TOP_SPEED = 10
NORTH_EAST, SOUTH_EAST, SOUTH_WEST, NORTH_WEST = range(4, 8)  # headings of diagonal steps


@kernel
def on_ring(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot touches a square of a ring."""
    return table.ground[row_at(game, table, game.robots[robot].square)].ring >= 0 and not flies(game, table, robot)


@kernel
def accelerate(game: GameRecord, table: Table, log: Log) -> int:
    """Increase the speed of robots on rings by one square per phase; return the highest speed.

    A robot that already has a speed of ten squares takes a point of damage instead. Robots that are not on a ring lose
    their speed.
    """
    highest = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive:
            continue
        robot.marks &= ~HALTED
        if not on_ring(game, table, i):
            robot.speed = 0
        elif robot.speed < TOP_SPEED:
            robot.speed += 1
        else:
            damage(game, table, log, i, 1, BY_ACCELERATOR, -1)
        highest = max(highest, int(robot.speed))
    if highest == TOP_SPEED:
        destroy_damaged(game, table, log, BY_ACCELERATOR)
        step_ends(game, table, log)  # explosions caused by these destructions come before any movement (R-X2.6)
    return highest


@kernel
def heading_of(x: int, y: int) -> int:
    """Return the heading of a step to a neighbouring square, diagonal ones included."""
    if x == 0 or y == 0:
        return int(direction_of(x, y))
    # mutants: any diagonal would do
    if x > 0:
        return SOUTH_EAST if y > 0 else NORTH_EAST
    return SOUTH_WEST if y > 0 else NORTH_WEST  # mutants: any diagonal would do


@kernel
def aim_along_ring(game: GameRecord, table: Table, robot: int) -> bool:
    """Record a robot's next step along its ring; return False if a ledge, or for orthogonal steps a wall, blocks it."""
    body = game.robots[robot]
    target = int(table.ground[row_at(game, table, body.square)].ring_next)
    here, there = table.squares[body.square], table.squares[target]
    heading = heading_of(int(there.x) - int(here.x), int(there.y) - int(here.y))
    body.leaving = heading
    body.target = target
    if floor_at(game, table, target, body.level) == NO_FLOOR:
        return False
    return heading >= NORTH_EAST or not walled(game, table, body.square, heading)


@with_elements(None)
def rings_accelerate(game: GameRecord, table: Table, log: Log) -> None:
    """Move the robots on rings square by square (C1, R-E67).

    For each square, all robots with enough speed left move at the same time.
    """
    for run in range(accelerate(game, table, log)):
        going = 0
        for i in range(game.num_bodies):
            robot = game.robots[i]
            if not robot.alive or robot.speed <= run or robot.marks & HALTED or robot.goo:
                continue
            if on_ring(game, table, i) and not held(game, table, i) and aim_along_ring(game, table, i):
                going |= 1 << i
        if going:
            move_to_targets(game, table, log, going, RING, False)
