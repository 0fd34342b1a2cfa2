"""The way of a point of damage (R-O0.24): reflectors, shields, coats and converters, options given up, Fire Control."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.floor.ground import phase_of
from rr_gym.rules.options.giving_up import exchange_option, explode_at, gives_up, lose_option
from rr_gym.rules.options.options import (
    discard_option,
    flight_is_over,
    in_damping_field,
    most_valuable,
    note_use,
    owns,
    show_option,
    use_up,
    works,
)
from rr_gym.rules.options.supply import BY_BREAKER
from rr_gym.rules.robot.health import lock_point, lose_point
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import (
    ANY_SIDE,
    BY_ANTIGRAV,
    BY_REAR_LASER,
    BY_REFLECTION,
    BY_ROBOT_LASER,
    DIR_TURN,
    FATAL_DAMAGE,
    FIRE_CONTROL_DAMAGE,
    FIRE_CONTROL_DESTROY,
    FIRE_CONTROL_LOCK_1,
    FIRE_CONTROL_LOCK_5,
    FIRE_CONTROL_LOCK_NEXT,
    MAX_ROBOTS,
    NO_SIDE,
    NUM_REGISTERS,
    ON,
    REFLECTING,
    SHIELD_USED,
)
from rr_gym.rules.state.events import ABSORBED, DAMAGED, OPTION_USED, note_at
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    CONVERTER,
    CONVERTER_LIMIT,
    FIRE_CONTROL,
    POWER_DOWN_SHIELD,
    REFLECTOR,
    ROBO_COPTER,
    SHIELD,
)
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.superbot import blame_shooter

CONVERTER_POWER = 2  # of its explosion with the third counter
PLAIN = -1  # a point that Fire Control makes nothing of
ITS_OPTION = NUM_REGISTERS  # one that destroys an option; lower numbers are the register that it locks


@kernel
def shield_stops(game: Game, table: Table, log: Log, victim: int, side: int) -> bool:
    """The Shield stops one point per phase on its side, of fire on any (R-O23, U11)."""
    robot = game.robots[victim]
    if side == NO_SIDE or robot.shields & SHIELD_USED or not works(game, table, victim, SHIELD):
        return False
    register = 0 if table.settings.dir_timing == DIR_TURN else phase_of(game)
    shown = robot.orders.shield[register] - 1
    if shown < 0 or (side != shown and side != ANY_SIDE):
        return False
    robot.shields |= SHIELD_USED
    note_use(game, log, ABSORBED, victim, SHIELD)
    return True


@kernel
def power_down_shield_stops(game: Game, table: Table, log: Log, victim: int, side: int) -> bool:
    """While its robot is down a Power-Down Shield stops one point per phase on each side (R-O15, D7, U11)."""
    robot = game.robots[victim]
    if side == NO_SIDE or not owns(robot, POWER_DOWN_SHIELD):
        return False
    if not (robot.down or sleeping(game, table, victim)) or in_damping_field(game, table, victim):
        return False
    flames = side == ANY_SIDE
    for own in range(4):
        if (flames or side == own) and not robot.shields >> own & 1:
            robot.shields |= 1 << own
            note_use(game, log, ABSORBED, victim, POWER_DOWN_SHIELD)
            return True
    return False


@kernel
def coat_absorbs(game: Game, table: Table, log: Log, victim: int) -> bool:
    """The Ablative Coat absorbs three points of any kind (R-O1)."""
    if not works(game, table, victim, ABLATIVE_COAT):
        return False
    note_use(game, log, ABSORBED, victim, ABLATIVE_COAT)
    use_up(game, log, victim, ABLATIVE_COAT, 1)
    if game.payload[ABLATIVE_COAT] <= 0:
        discard_option(game, log, victim, ABLATIVE_COAT)
    return True


@kernel
def converter_stores(game: Game, table: Table, log: Log, victim: int) -> bool:
    """The Converter makes a counter of the point; the third one explodes it (R-O33)."""
    if not works(game, table, victim, CONVERTER):
        return False
    note_use(game, log, ABSORBED, victim, CONVERTER)
    use_up(game, log, victim, CONVERTER, -1)
    if game.payload[CONVERTER] >= CONVERTER_LIMIT:
        explode_at(game, victim, CONVERTER, CONVERTER_POWER)
        discard_option(game, log, victim, CONVERTER)
    return True


@kernel
def is_stopped(game: Game, table: Table, log: Log, victim: int, side: int) -> bool:
    """What takes a point without being asked, in the order of R-O0.24.

    A Robo-Copter that is in use, which has a card on it, goes for the first one, also while a booster flies the robot
    (R-O50.4); not one that has stopped to work, or whose robot is gone (U67).
    """
    robot = game.robots[victim]
    if shield_stops(game, table, log, victim, side) or power_down_shield_stops(game, table, log, victim, side):
        return True
    if robot.copter and works(game, table, victim, ROBO_COPTER):
        exchange_option(game, log, victim, ROBO_COPTER)
        return True
    return coat_absorbs(game, table, log, victim) or converter_stores(game, table, log, victim)


@kernel
def is_open(game: Game, victim: int, register: int) -> bool:
    """The register (0-4) exists and is not locked."""
    return 0 <= register < NUM_REGISTERS and not game.robots[victim].locked >> register & 1


@kernel
def effect_of(game: Game, table: Table, victim: int, harm: int, aim: int) -> int:
    """What an aimed point does to the robot: the register that it locks, `ITS_OPTION` or `PLAIN` (R-O8).

    What cannot be done makes it a plain point (R-O8.4); with `fc_mandatory` another register is locked then, the next
    one that is open, else the highest, else an option is destroyed (D11, *ruling* for the order).
    """
    if aim == FIRE_CONTROL_DAMAGE:
        return PLAIN
    robot = game.robots[victim]
    following = phase_of(game) + 1
    register = PLAIN
    if FIRE_CONTROL_LOCK_1 <= aim <= FIRE_CONTROL_LOCK_5:
        register = aim - FIRE_CONTROL_LOCK_1
    elif aim == FIRE_CONTROL_LOCK_NEXT:
        register = following
    if is_open(game, victim, register):
        return register
    if aim == FIRE_CONTROL_DESTROY and robot.options != np.uint64(0):
        return ITS_OPTION
    if harm == BY_ROBOT_LASER and table.settings.fc_mandatory == ON:
        for k in range(NUM_REGISTERS):
            register = following + k if following + k < NUM_REGISTERS else NUM_REGISTERS - 1 - k
            if is_open(game, victim, register):
                return register
        if robot.options != np.uint64(0):
            return ITS_OPTION
    return PLAIN


@kernel
def destroy_best_option(game: Game, log: Log, victim: int, shooter: int) -> None:
    """Fire Control destroys the most valuable option; a loaded explosive one explodes (R-O8.2, R-O8.9)."""
    robot = game.robots[victim]
    best = int(most_valuable(game, robot.options))
    note_at(game, log, OPTION_USED, shooter, victim, FIRE_CONTROL, robot.square, best)
    lose_option(game, log, victim, best)


@kernel
def take_point(game: Game, table: Table, log: Log, victim: int, register: int) -> None:
    """A point has come through; a flight by antigrav ends with it (R-E40.3)."""
    robot = game.robots[victim]
    if robot.flying == BY_ANTIGRAV:
        flight_is_over(robot)
    if register == PLAIN:
        lose_point(game, table, log, victim)
    else:
        lock_point(game, table, log, victim, register)


@kernel
def points_arrive(
    game: Game,
    table: Table,
    log: Log,
    victim: int,
    points: int,
    harm: int,
    shooter: int,
    side: int,
    aim: int,
) -> None:
    """Points of damage one by one (R-O0.24). Beyond the tenth point only Fire Control's destruction still counts."""
    robot = game.robots[victim]
    if robot.options == np.uint64(0) and aim == FIRE_CONTROL_DAMAGE:
        note_at(game, log, DAMAGED, victim, shooter, points, robot.square, harm)
        if robot.damage < FATAL_DAMAGE:
            blame_shooter(game, victim, shooter)
        for _ in range(points):
            take_point(game, table, log, victim, PLAIN)
        return
    for _ in range(points):
        if is_stopped(game, table, log, victim, side):
            continue
        effect = effect_of(game, table, victim, harm, aim)
        if effect == ITS_OPTION:
            destroy_best_option(game, log, victim, shooter)
            continue
        if robot.damage >= FATAL_DAMAGE:
            return
        controlled = effect != PLAIN and harm == BY_ROBOT_LASER  # R-O8.6
        if controlled or not gives_up(game, log, victim):
            note_at(game, log, DAMAGED, victim, shooter, 1, robot.square, harm)
            blame_shooter(game, victim, shooter)
            take_point(game, table, log, victim, effect)


@kernel
def reflects(game: Game, victim: int, harm: int, shooter: int, side: int) -> bool:
    """The Reflector was turned before D1 to the side on which a robot's laser hits (R-O48, U5)."""
    if harm not in (BY_ROBOT_LASER, BY_REAR_LASER) or shooter < 0 or shooter == victim:
        return False
    robot = game.robots[victim]
    return robot.orders.reflector == side + 1 and robot.modified & REFLECTING != 0


@with_expansions(None)
def strike(
    game: Game,
    table: Table,
    log: Log,
    victim: int,
    points: int,
    harm: int,
    shooter: int,
    side: int,
    aim: int,
) -> None:
    """Points of damage one by one, through everything that may stop them. The caller evaluates deaths.

    A Reflector sends as many back to the robot that fired, whatever becomes of them: ordinary points, which come to
    the side from which it fired (R-O48; the side: *ruling*).

    `side` is the side of the victim that is hit (FRONT ...), ANY_SIDE or NO_SIDE; `aim` what Fire Control asks for
    (of a melting beam the register that it locks), FIRE_CONTROL_DAMAGE for anything else. Bodies of devices take no
    damage.
    """
    if victim >= MAX_ROBOTS:
        return
    robot = game.robots[victim]
    if robot.down == BY_BREAKER and table.settings.cb_immunity == ON:
        return  # D8
    returned = reflects(game, victim, harm, shooter, side)
    points_arrive(game, table, log, victim, points, harm, shooter, side, aim)
    if returned:
        source = game.robots[shooter]
        back = (robot.facing + side + 2 - source.facing) & 3
        show_option(game, REFLECTOR)
        note_at(game, log, OPTION_USED, victim, shooter, REFLECTOR, robot.square, source.square)
        points_arrive(game, table, log, shooter, points, BY_REFLECTION, victim, back, FIRE_CONTROL_DAMAGE)
