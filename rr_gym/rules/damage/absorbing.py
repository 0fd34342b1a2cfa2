"""Options that stop points of damage, in the order in which they are tried (R-O0.24), and the Reflector (R-O48)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import phase_of
from rr_gym.rules.options.giving_up import exchange_option, explode_at
from rr_gym.rules.options.options import discard_option, in_damping_field, note_use, owns, use_up, works
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import (
    ANY_SIDE,
    BY_REAR_LASER,
    BY_ROBOT_LASER,
    DIR_TURN,
    NO_SIDE,
    REFLECTING,
    SHIELD_USED,
)
from rr_gym.rules.state.events import ABSORBED
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    CONVERTER,
    CONVERTER_LIMIT,
    POWER_DOWN_SHIELD,
    ROBO_COPTER,
    SHIELD,
)
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

CONVERTER_POWER = 2  # power of its explosion, which the third counter causes


@kernel
def shield_stops(game: GameRecord, table: Table, log: Log, victim: int, side: int) -> bool:
    """Let the Shield stop a point; return whether it did (R-O23, U11).

    It stops one point per phase on the side that it covers, or a point of fire, which comes from all sides.
    """
    robot = game.robots[victim]
    if side == NO_SIDE or robot.shields & SHIELD_USED or not works(game, table, victim, SHIELD):
        return False
    # mutants (never): all registers hold the order for register 1
    register = 0 if table.settings.dir_timing == DIR_TURN else phase_of(game)
    turned_to = robot.orders.shield[register] - 1  # -1 if it is off
    if turned_to < 0 or (side != turned_to and side != ANY_SIDE):
        return False
    robot.shields |= SHIELD_USED
    note_use(game, log, ABSORBED, victim, SHIELD)
    return True


@kernel
def power_down_shield_stops(game: GameRecord, table: Table, log: Log, victim: int, side: int) -> bool:
    """Let a Power-Down Shield stop a point; return whether it did (R-O15, D7, U11).

    It stops one point per phase on each side while its robot is powered down or asleep.
    """
    robot = game.robots[victim]
    if side == NO_SIDE or not owns(robot, POWER_DOWN_SHIELD):
        return False
    if not (robot.down or sleeping(game, table, victim)) or in_damping_field(game, table, victim):
        return False
    for own in range(4):
        if side in (own, ANY_SIDE) and not robot.shields >> own & 1:
            robot.shields |= 1 << own
            note_use(game, log, ABSORBED, victim, POWER_DOWN_SHIELD)
            return True
    return False


@kernel
def coat_absorbs(game: GameRecord, table: Table, log: Log, victim: int) -> bool:
    """Let the Ablative Coat absorb a point of any kind, at most three in all; return whether it did (R-O1)."""
    if not works(game, table, victim, ABLATIVE_COAT):
        return False
    note_use(game, log, ABSORBED, victim, ABLATIVE_COAT)
    use_up(game, log, victim, ABLATIVE_COAT, 1)
    if game.payload[ABLATIVE_COAT] <= 0:
        discard_option(game, log, victim, ABLATIVE_COAT)
    return True


@kernel
def converter_stores(game: GameRecord, table: Table, log: Log, victim: int) -> bool:
    """Let the Converter store a point as a counter; return whether it did (R-O33).

    The third counter makes it explode.
    """
    if not works(game, table, victim, CONVERTER):
        return False
    note_use(game, log, ABSORBED, victim, CONVERTER)
    use_up(game, log, victim, CONVERTER, -1)
    if game.payload[CONVERTER] >= CONVERTER_LIMIT:
        explode_at(game, victim, CONVERTER, CONVERTER_POWER)
        discard_option(game, log, victim, CONVERTER)
    return True


@kernel
def copter_is_given_up(game: GameRecord, table: Table, log: Log, victim: int) -> bool:
    """Give up a Robo-Copter in use to prevent a point of damage; return whether there was one (R-O50.4).

    It is in use while it has a card on it, and it is given up for the first point, even while a booster flies the
    robot. It prevents nothing if it no longer works or its robot is off the board (U67).
    """
    if not game.robots[victim].copter or not works(game, table, victim, ROBO_COPTER):
        return False
    exchange_option(game, log, victim, ROBO_COPTER)
    return True


@kernel
def is_stopped(game: GameRecord, table: Table, log: Log, victim: int, side: int) -> bool:
    """Let the first option that stops points by itself stop a point; return whether there was one (R-O0.24)."""
    return (
        shield_stops(game, table, log, victim, side)
        or power_down_shield_stops(game, table, log, victim, side)
        or copter_is_given_up(game, table, log, victim)
        or coat_absorbs(game, table, log, victim)
        or converter_stores(game, table, log, victim)
    )


@with_expansions(False)
def reflects(game: GameRecord, table: Table, victim: int, harm: int, shooter: int, side: int) -> bool:
    """Tell whether a robot's Reflector, as set before D1, covers the side that a laser hits (R-O48, U5)."""
    if harm not in (BY_ROBOT_LASER, BY_REAR_LASER) or shooter < 0 or shooter == victim:
        return False
    robot = game.robots[victim]
    return robot.orders.reflector == side + 1 and robot.modified & REFLECTING != 0
