"""Damage and destruction (R-A6, R-A13): hits, how options absorb points, and how a robot is destroyed."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.damage.absorbing import is_stopped, reflects
from rr_gym.rules.damage.fire_control import ITS_OPTION, PLAIN, destroy_best_option, effect_of
from rr_gym.rules.devices.devices import end_of_body
from rr_gym.rules.floor.positions import leave_board
from rr_gym.rules.options.giving_up import gives_up, lose_by_destruction
from rr_gym.rules.options.options import flight_is_over, owns_any, show_option
from rr_gym.rules.options.supply import BY_BREAKER
from rr_gym.rules.robot.health import lock_point, lose_point
from rr_gym.rules.state.constants import (
    ANY_SIDE,
    BY_ANTIGRAV,
    BY_FIRE,
    BY_REFLECTION,
    BY_ROBOT_LASER,
    FATAL_DAMAGE,
    FIRE_CONTROL_DAMAGE,
    MAX_ROBOTS,
    NO_SIDE,
    ON,
)
from rr_gym.rules.state.events import DAMAGED, DESTROYED, ELIMINATED, OPTION_USED, note, note_at
from rr_gym.rules.state.option_cards import REFLECTOR
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.superbot import blame_shooter, robot_is_lost


@kernel
def point_comes_through(game: GameRecord, table: Table, log: Log, victim: int, shooter: int, effect: int) -> None:
    """Inflict a point that nothing has stopped: plain damage, or damage that locks a register (`effect_of`).

    Both end a flight by antigrav (R-E40.3).
    """
    robot = game.robots[victim]
    if robot.damage < FATAL_DAMAGE:
        blame_shooter(game, victim, shooter)
    if robot.flying == BY_ANTIGRAV:
        flight_is_over(robot)
    if effect == PLAIN:
        lose_point(game, table, log, victim)
    else:
        lock_point(game, table, log, victim, effect)


@with_expansions(None)
def point_arrives(
    game: GameRecord, table: Table, log: Log, victim: int, harm: int, shooter: int, side: int, aim: int
) -> None:
    """Inflict one point unless an option stops it or is given up for it (R-O0.24).

    A robot with ten points takes no more, but Fire Control can still destroy one of its options.
    """
    robot = game.robots[victim]
    if is_stopped(game, table, log, victim, side):
        return
    effect = effect_of(game, table, victim, harm, aim)
    if effect == ITS_OPTION:
        destroy_best_option(game, log, victim, shooter)
        return
    if robot.damage >= FATAL_DAMAGE:
        return
    controlled = effect != PLAIN and harm == BY_ROBOT_LASER  # no option can be given up for it (R-O8.6)
    if not controlled and gives_up(game, log, victim):
        return
    note_at(game, log, DAMAGED, victim, shooter, 1, robot.square, harm)
    point_comes_through(game, table, log, victim, shooter, effect)


@kernel
def points_arrive(
    game: GameRecord, table: Table, log: Log, victim: int, points: int, harm: int, shooter: int, side: int, aim: int
) -> None:
    """Inflict points of damage one by one; for a robot without options, a single event reports them all."""
    robot = game.robots[victim]
    if owns_any(robot) or aim != FIRE_CONTROL_DAMAGE:
        for _ in range(points):
            point_arrives(game, table, log, victim, harm, shooter, side, aim)
        return
    note_at(game, log, DAMAGED, victim, shooter, points, robot.square, harm)
    for _ in range(points):
        point_comes_through(game, table, log, victim, shooter, PLAIN)


@with_expansions(None)
def points_go_back(game: GameRecord, table: Table, log: Log, victim: int, points: int, shooter: int, side: int) -> None:
    """Let a Reflector send the points of a laser back to the robot that fired it (R-O48).

    All points that hit go back, even if options stopped some of them. They are plain points, and hit the side from
    which that robot fired (the side: *ruling*).
    """
    robot, source = game.robots[victim], game.robots[shooter]
    back = (robot.facing + side + 2 - source.facing) & 3
    show_option(game, REFLECTOR)
    note_at(game, log, OPTION_USED, victim, shooter, REFLECTOR, robot.square, source.square)
    points_arrive(game, table, log, shooter, points, BY_REFLECTION, victim, back, FIRE_CONTROL_DAMAGE)


@kernel
def strike(
    game: GameRecord, table: Table, log: Log, victim: int, points: int, harm: int, shooter: int, side: int, aim: int
) -> None:
    """Hit a robot with points of damage, which options may stop; the caller destroys it if it has ten.

    `side` is the side of the victim that is hit (FRONT ...), ANY_SIDE or NO_SIDE. `aim` is the order for Fire Control;
    for a melting beam it is the register to lock, and for everything else FIRE_CONTROL_DAMAGE. Bodies of devices take
    no damage; with the setting `cb_immunity`, neither does a robot that its Circuit Breaker has powered down (D8).
    """
    if victim >= MAX_ROBOTS:
        return
    if game.robots[victim].down == BY_BREAKER and table.settings.cb_immunity == ON:
        return
    reflected = reflects(game, table, victim, harm, shooter, side)
    points_arrive(game, table, log, victim, points, harm, shooter, side, aim)
    if reflected:
        points_go_back(game, table, log, victim, points, shooter, side)


@kernel
def damage(game: GameRecord, table: Table, log: Log, victim: int, points: int, harm: int, shooter: int) -> None:
    """Hit a robot with points from no side or, for fire, from all sides, where a shield on any side can stop it (D7).

    The caller destroys the robot if it has ten points.
    """
    side = ANY_SIDE if harm == BY_FIRE else NO_SIDE
    strike(game, table, log, victim, points, harm, shooter, side, FIRE_CONTROL_DAMAGE)


@with_expansions(False)
def ended_device(game: GameRecord, table: Table, log: Log, victim: int, why: int) -> bool:
    """Take a body off the board if it is that of a device and not a robot; return whether it was."""
    if victim < MAX_ROBOTS:
        return False
    end_of_body(game, table, log, victim, why)
    return True


@kernel
def destroy(game: GameRecord, table: Table, log: Log, victim: int, why: int) -> None:
    """Remove a robot from the board at once, and one of its lives (R-A13.1, R-A13.2).

    A robot without lives left is out of the game.
    """
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
    if robot.lives > 0:  # mutants (boundary): a robot on the board has a life
        robot.lives -= 1
        if robot.lives == 0:
            robot.out = 1
            robot.out_turn = game.turn
            robot.out_phase = game.phase
            note(game, log, ELIMINATED, victim, 0)
    robot_is_lost(game, table, log, victim, square, why)


@kernel
def destroy_damaged(game: GameRecord, table: Table, log: Log, why: int) -> None:
    """Destroy all robots with ten points of damage, after simultaneous damage (U6)."""
    for i in range(game.num_robots):
        if game.robots[i].alive and game.robots[i].damage >= FATAL_DAMAGE:
            destroy(game, table, log, i, why)


@kernel
def hurt(game: GameRecord, table: Table, log: Log, victim: int, points: int, harm: int) -> None:
    """Hit a robot with points that are not part of a volley, and destroy it at once if it has ten."""
    damage(game, table, log, victim, points, harm, -1)
    if game.robots[victim].damage >= FATAL_DAMAGE:
        destroy(game, table, log, victim, harm)
