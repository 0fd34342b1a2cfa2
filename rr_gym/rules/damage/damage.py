"""Damage and destruction (R-A6, R-A13)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.damage.absorbing import strike
from rr_gym.rules.devices.devices import end_of_body
from rr_gym.rules.floor.positions import leave_board
from rr_gym.rules.options.giving_up import lose_by_destruction
from rr_gym.rules.robot.health import lose_point
from rr_gym.rules.state.constants import ANY_SIDE, BY_FIRE, FATAL_DAMAGE, FIRE_CONTROL_DAMAGE, MAX_ROBOTS, NO_SIDE
from rr_gym.rules.state.events import DAMAGED, DESTROYED, ELIMINATED, note, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.superbot import is_lost


@kernel
def base_damage(
    game: Game, table: Table, log: Log, victim: int, points: int, harm: int, shooter: int
) -> None:
    """Points that nothing absorbs."""
    note_at(game, log, DAMAGED, victim, shooter, points, game.robots[victim].square, harm)
    for _ in range(points):
        lose_point(game, table, log, victim)


@with_expansions(base_damage)
def damage(
    game: Game, table: Table, log: Log, victim: int, points: int, harm: int, shooter: int
) -> None:
    """Points of damage from no particular side, of fire from any (D7). The caller evaluates deaths."""
    side = ANY_SIDE if harm == BY_FIRE else NO_SIDE
    strike(game, table, log, victim, points, harm, shooter, side, FIRE_CONTROL_DAMAGE)


@with_expansions(False)
def ended_device(game: Game, table: Table, log: Log, victim: int, why: int) -> bool:
    """What is being destroyed is the body of a device, not a robot."""
    if victim < MAX_ROBOTS:
        return False
    end_of_body(game, table, log, victim, why)
    return True


@kernel
def destroy(game: Game, table: Table, log: Log, victim: int, why: int) -> None:
    """The robot leaves the board at once and loses a life; without lives it is out of the game (R-A13.1, R-A13.2)."""
    if ended_device(game, table, log, victim, why):
        return
    robot = game.robots[victim]
    square = int(robot.square)
    lose_by_destruction(game, table, log, victim)
    note(game, log, DESTROYED, victim, why)
    leave_board(game, victim)
    robot.locked = 0
    robot.marks = 0
    robot.flying = 0
    robot.drop = 0
    robot.asleep = 0
    robot.energized = 0
    robot.burning = 0
    robot.speed = 0
    robot.goo = 0
    robot.velocity[:] = 0
    robot.has_copy = 0
    game.num_destroyed += 1
    robot.destroyed = game.num_destroyed
    if robot.lives > 0:
        robot.lives -= 1
        if robot.lives == 0:
            robot.out = 1
            robot.out_turn = game.turn
            robot.out_phase = game.phase
            note(game, log, ELIMINATED, victim, 0)
    is_lost(game, table, log, victim, square, why)


@kernel
def destroy_damaged(game: Game, table: Table, log: Log, why: int) -> None:
    """All robots with ten points of damage are destroyed, after damage that came at one time (U6)."""
    for i in range(game.num_robots):
        if game.robots[i].alive and game.robots[i].damage >= FATAL_DAMAGE:
            destroy(game, table, log, i, why)


@kernel
def hurt(game: Game, table: Table, log: Log, victim: int, points: int, harm: int) -> None:
    """Damage that is not part of a volley: a robot that has ten points by it is destroyed at once."""
    damage(game, table, log, victim, points, harm, -1)
    if game.robots[victim].damage >= FATAL_DAMAGE:
        destroy(game, table, log, victim, harm)
