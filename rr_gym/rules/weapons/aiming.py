"""What robots fire in D1, and at which target: decided for all of them before the first shot (U5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.floor.ground import grid_next, phase_of
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.options.options import may_use as may_use_options
from rr_gym.rules.options.options import owns, owns_any, use_up, works
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.constants import (
    CONTROLLED,
    DAMPENING,
    DIR_TURN,
    DOUBLE,
    FIRE_BIG_GUN,
    FIRE_MAIN,
    FIRE_MISSILE,
    FIRE_RADIO,
    FIRE_SCRAMBLER,
    FIRE_TRACTOR,
    HIGH_POWER,
    NUM_REGISTERS,
    ON,
    REARWARD,
    REFLECTING,
)
from rr_gym.rules.state.option_cards import (
    BIG_GUN,
    DOUBLE_BARRELED_LASER,
    DRONE_LAUNCHER,
    FIRE_CONTROL,
    HIGH_POWER_LASER,
    HOMING_DEVICE,
    INTERCEPTOR,
    LOAD,
    MINI_HOWITZER,
    MISSILE_LAUNCHER,
    NO_OPTION,
    OPTION_DAMPING_FIELD,
    PRESSOR_BEAM,
    RADIO_CONTROL,
    REAR_LASER,
    REFLECTOR,
    SCRAMBLER,
    TRACTOR_BEAM,
    TURRET,
)
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.shots import may_fire
from rr_gym.rules.weapons.targets import aim, somebody_ahead, targets_ahead

# The option behind each weapon, by WEAPON_NAMES
WEAPON_OPTION = np.array([
    NO_OPTION, MINI_HOWITZER, PRESSOR_BEAM, TRACTOR_BEAM, RADIO_CONTROL, SCRAMBLER, BIG_GUN, MISSILE_LAUNCHER,
    DRONE_LAUNCHER, HOMING_DEVICE, INTERCEPTOR,
], np.int8)  # fmt: skip
MODIFIERS = np.uint64(sum(1 << k for k in (DOUBLE_BARRELED_LASER, HIGH_POWER_LASER, FIRE_CONTROL, REAR_LASER)))
HOLDS_FIRE = -1  # `fired`
NO_TARGET, WEAPONS = 15, 32  # `take_aim`
RADIO_RANGE = 6


@kernel
def in_radio_range(game: Game, table: Table, robot: int, direction: int) -> int:
    """The robot that Radio Control reaches, straight ahead within six squares, through walls and robots (R-O17).

    The one that was asked for, else the nearest; none that is down, asleep or virtual, higher or lower. -1 for none.
    """
    body = game.robots[robot]
    if not somebody_ahead(game, table, robot, direction):
        return -1
    place = place_of_square(game, table, body.square)
    nearest = -1
    for _ in range(RADIO_RANGE):
        place = grid_next(game, table, place, direction)
        if place < 0:
            break
        for i in range(game.num_robots):
            other = game.robots[i]
            fit = other.alive and not other.virtual and not other.down and other.level == body.level
            if not fit or i == robot or sleeping(game, table, i):
                continue
            if place_of_square(game, table, other.square) == place:
                if i == body.orders.target:
                    return i
                if nearest < 0:
                    nearest = i
    return nearest


@kernel
def adjacent(game: Game, table: Table, robot: int, other: int, direction: int) -> bool:
    """The other robot is on the next place in a direction."""
    place = place_of_square(game, table, game.robots[robot].square)
    return grid_next(game, table, place, direction) == place_of_square(game, table, game.robots[other].square)


@kernel
def turret_side(game: Game, table: Table, robot: int) -> int:
    """The side to which the Turret points in this phase (R-O26, D9)."""
    if not works(game, table, robot, TURRET):
        return 0
    register = 0 if table.settings.dir_timing == DIR_TURN else phase_of(game)
    return int(game.robots[robot].orders.turret[register])


@kernel
def may_use(game: Game, table: Table, robot: int, weapon: int) -> bool:
    """The robot has the weapon, loaded, and may use it in this phase."""
    option = WEAPON_OPTION[weapon]
    if not works(game, table, robot, option) or (LOAD[option] > 0 and game.payload[option] == 0):
        return False
    if weapon == FIRE_RADIO and game.radio_target >= 0:
        return False  # one target in a turn
    return game.phase < NUM_REGISTERS or weapon not in (FIRE_RADIO, FIRE_SCRAMBLER)


@kernel
def choose_weapon(game: Game, table: Table, robot: int, target: int) -> None:
    """The weapon that was ordered, and its target; the main laser if it has no target and may fall back.

    `target`: the first robot ahead of the main laser, -1 for none.
    """
    body = game.robots[robot]
    register = phase_of(game)
    weapon = int(body.orders.weapon[register])
    if weapon == FIRE_MAIN or not may_use(game, table, robot, weapon):
        return
    direction = int(body.fired_to)
    if weapon == FIRE_RADIO:
        target = int(in_radio_range(game, table, robot, direction))
    if weapon == FIRE_TRACTOR and target >= 0 and adjacent(game, table, robot, target, direction):
        target = -1
    blind = weapon == FIRE_MISSILE or (weapon == FIRE_BIG_GUN and table.settings.biggun_needs_target != ON)
    if target >= 0 or blind:
        body.fired = weapon
        body.fired_at = target
    elif not body.orders.wcond[register]:
        body.fired = HOLDS_FIRE


@kernel
def may_launch(game: Game, table: Table, robot: int) -> bool:
    """A virtual robot has no targets, but its missiles are virtual devices (R-A14, R-O42)."""
    body = game.robots[robot]
    return body.alive != 0 and body.virtual != 0 and not body.down and not sleeping(game, table, robot)


@kernel
def modifications(game: Game, table: Table, robot: int) -> int:
    """What options make of the robot's lasers in this phase."""
    modified = 0
    body = game.robots[robot]
    if body.options & MODIFIERS == np.uint64(0):
        return modified
    if not may_use_options(game, table, robot, DOUBLE_BARRELED_LASER):  # what keeps one of them keeps all of them
        return modified
    if owns(body, DOUBLE_BARRELED_LASER):
        modified |= DOUBLE
    if owns(body, HIGH_POWER_LASER):
        modified |= HIGH_POWER
    if owns(body, FIRE_CONTROL):
        modified |= CONTROLLED
    if owns(body, REAR_LASER):
        modified |= REARWARD
    return modified


@with_expansions(None)
def field_fades(game: Game, table: Table) -> None:
    """The end of the shots: a damping field that one of them has cost is off from now on."""
    if game.damping >= 0:
        body = game.robots[game.damping]
        body.modified ^= DAMPENING
        if not owns(body, OPTION_DAMPING_FIELD):
            game.damping = -1


@kernel
def get_ready(game: Game, table: Table, lasers: bool) -> int:
    """What Reflectors and a damping field do to all shots of D1, whatever the first of them cost (U5).

    With `lasers` also who fires, in which direction, and what options make of its lasers: the mask of the robots that
    have more to decide than where their main lasers hit.
    """
    register = phase_of(game)
    busy = 0
    for i in range(game.num_robots):
        body = game.robots[i]
        body.modified = REFLECTING if works(game, table, i, REFLECTOR) else 0
        if not lasers:
            continue
        ready = may_fire(game, table, i)
        body.fired = FIRE_MAIN if ready else HOLDS_FIRE
        body.fired_at = -1
        body.fired_to = body.facing
        if owns_any(body):
            weapon = int(body.orders.weapon[register])
            if ready:
                body.fired_to = (body.facing + turret_side(game, table, i)) & 3
                body.modified |= modifications(game, table, i)
                busy |= int(weapon != FIRE_MAIN or body.modified & (HIGH_POWER | REARWARD) != 0) << i
            else:
                busy |= int(weapon == FIRE_MISSILE) << i
    if game.damping >= 0:
        game.robots[game.damping].modified |= DAMPENING
    return busy


@kernel
def base_take_aim(game: Game, table: Table, log: Log) -> int:
    """Robots by the base rules have main lasers that point ahead, and nothing else to fire."""
    return int(aim(game, table)) if table.settings.robot_lasers == ON else 0


@with_expansions(base_take_aim)
def take_aim(game: Game, table: Table, log: Log) -> int:
    """Every robot's weapon, target and modifications, from positions and options as they are before D1 (U5).

    A shot or token that is fired has left its option before the first point of D1 can cost that (*ruling*).

    Returns:
        Four bits for each robot: 0 if it does nothing in D1, the target of its main laser plus 1, or `NO_TARGET` if it
        has none but may fire something all the same. From bit `WEAPONS` on the mask of those that fire a weapon.
    """
    busy = int(get_ready(game, table, table.settings.robot_lasers == ON))
    if table.settings.robot_lasers != ON:
        return 0
    targets = int(targets_ahead(game, table))
    left: Any = np.uint64(busy)
    while left != np.uint64(0):
        i = int(lowest_bit(left))
        left = without_lowest(left)
        body = game.robots[i]
        target = targets >> 4 * i & 15
        if body.fired == FIRE_MAIN:
            choose_weapon(game, table, i, target - 1)
        elif may_launch(game, table, i) and may_use(game, table, i, FIRE_MISSILE):
            body.fired = FIRE_MISSILE
        if body.fired > FIRE_MAIN:
            targets |= 1 << WEAPONS + i
            if LOAD[WEAPON_OPTION[body.fired]] > 0:
                use_up(game, log, i, int(WEAPON_OPTION[body.fired]), 1)
        if target == 0 and (body.fired > FIRE_MAIN or body.modified & (HIGH_POWER | REARWARD)):
            targets |= NO_TARGET << 4 * i
    return targets
