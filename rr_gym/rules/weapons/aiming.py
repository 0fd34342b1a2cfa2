"""What robots fire in D1, and at which target: decided for all of them before the first shot (U5)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import grid_next, phase_of
from rr_gym.rules.floor.sight import in_fog
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.options.options import use_up, works
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import (
    CONTROLLED,
    DAMPENING,
    DIR_TURN,
    DOUBLE,
    FIRE_BIG_GUN,
    FIRE_MAIN,
    FIRE_MISSILE,
    FIRE_RADIO,
    HIGH_POWER,
    HOLDS_FIRE,
    NOBODY,
    ON,
    REARWARD,
    REFLECTING,
)
from rr_gym.rules.state.option_cards import (
    DOUBLE_BARRELED_LASER,
    FIRE_CONTROL,
    HIGH_POWER_LASER,
    LOAD,
    REAR_LASER,
    REFLECTOR,
    TURRET,
)
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.optional_weapons import (
    AIMS_AT,
    IN_RADIO_RANGE,
    LAST_PHASE,
    NEEDS_NONE,
    NOT_ADJACENT,
    WEAPON_OPTION,
)
from rr_gym.rules.weapons.targets import in_sight

RADIO_RANGE = 6


@kernel
def may_fire(game: Game, table: Table, robot: int) -> bool:
    """It is real, up, awake, and in no fog (R-A11.6, R-E54, R-E73)."""
    body = game.robots[robot]
    if not body.alive or body.virtual or body.down or sleeping(game, table, robot):
        return False
    return not in_fog(game, table, place_of_square(game, table, body.square))


@kernel
def may_launch(game: Game, table: Table, robot: int) -> bool:
    """A virtual robot has no targets, but its missiles are virtual devices (R-A14, R-O42)."""
    body = game.robots[robot]
    return body.alive != 0 and body.virtual != 0 and not body.down and not sleeping(game, table, robot)


@kernel
def turret_side(game: Game, table: Table, robot: int) -> int:
    """The side to which the Turret points in this phase (R-O26, D9)."""
    if not works(game, table, robot, TURRET):
        return 0
    register = 0 if table.settings.dir_timing == DIR_TURN else phase_of(game)
    return int(game.robots[robot].orders.turret[register])


@kernel
def modifications(game: Game, table: Table, robot: int) -> int:
    """What options make of the robot's lasers in this phase."""
    modified = 0
    if works(game, table, robot, DOUBLE_BARRELED_LASER):
        modified |= DOUBLE
    if works(game, table, robot, HIGH_POWER_LASER):
        modified |= HIGH_POWER
    if works(game, table, robot, FIRE_CONTROL):
        modified |= CONTROLLED
    if works(game, table, robot, REAR_LASER):
        modified |= REARWARD
    return modified


@kernel
def in_radio_range(game: Game, table: Table, robot: int, direction: int) -> int:
    """The robot that Radio Control reaches, straight ahead within six squares, through walls and robots (R-O17).

    The one that was asked for, else the nearest; none that is down, asleep or virtual, higher or lower. -1 for none.
    """
    body = game.robots[robot]
    place = int(place_of_square(game, table, body.square))
    nearest = NOBODY
    for _ in range(RADIO_RANGE):
        place = int(grid_next(game, table, place, direction))
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
                if nearest == NOBODY:
                    nearest = i
    return nearest


@kernel
def adjacent(game: Game, table: Table, robot: int, other: int, direction: int) -> bool:
    """The other robot is on the next place in a direction."""
    place = place_of_square(game, table, game.robots[robot].square)
    return grid_next(game, table, place, direction) == place_of_square(game, table, game.robots[other].square)


@kernel
def target_of(game: Game, table: Table, robot: int, weapon: int) -> int:
    """The robot at which an optional weapon can be fired now, -1 for none."""
    direction = int(game.robots[robot].fired_to)
    if AIMS_AT[weapon] == IN_RADIO_RANGE:
        return int(in_radio_range(game, table, robot, direction))
    target = int(in_sight(game, table, robot, direction))
    if AIMS_AT[weapon] == NOT_ADJACENT and target >= 0 and adjacent(game, table, robot, target, direction):
        return NOBODY
    return target


@kernel
def needs_target(table: Table, weapon: int) -> bool:
    """The weapon is not fired at nobody."""
    if weapon == FIRE_BIG_GUN:
        return bool(table.settings.biggun_needs_target == ON)
    return bool(AIMS_AT[weapon] != NEEDS_NONE)


@kernel
def may_use(game: Game, table: Table, robot: int, weapon: int) -> bool:
    """The robot has the weapon, loaded, and may use it in this phase."""
    option = int(WEAPON_OPTION[weapon])
    if not works(game, table, robot, option) or (LOAD[option] > 0 and game.payload[option] == 0):
        return False
    if weapon == FIRE_RADIO and game.radio_target >= 0:
        return False  # one target in a turn
    return bool(game.phase <= LAST_PHASE[weapon])


@kernel
def choose_weapon(game: Game, table: Table, robot: int) -> None:
    """What a robot fires that may fire: the optional weapon that was ordered; its main laser if it was to fall back on
    that where the weapon has no target, or cannot be used.
    """
    body = game.robots[robot]
    register = phase_of(game)
    weapon = int(body.orders.weapon[register])
    body.fired = FIRE_MAIN
    if weapon == FIRE_MAIN or not may_use(game, table, robot, weapon):
        return
    target = target_of(game, table, robot, weapon)
    if target >= 0 or not needs_target(table, weapon):
        body.fired = weapon
        body.fired_at = target
    elif not body.orders.wcond[register]:
        body.fired = HOLDS_FIRE


@kernel
def get_ready(game: Game, table: Table, log: Log, robot: int) -> None:
    """One robot's weapon, target and direction, and what options make of its lasers.

    A shot or token that is fired has left its option before the first point of D1 can cost that (*ruling*).
    """
    body = game.robots[robot]
    body.fired = HOLDS_FIRE
    body.fired_at = NOBODY
    body.fired_to = body.facing
    if may_fire(game, table, robot):
        body.fired_to = (body.facing + turret_side(game, table, robot)) & 3
        body.modified |= modifications(game, table, robot)
        choose_weapon(game, table, robot)
    elif may_launch(game, table, robot) and body.orders.weapon[phase_of(game)] == FIRE_MISSILE:
        body.fired = FIRE_MISSILE if may_use(game, table, robot, FIRE_MISSILE) else HOLDS_FIRE
    if body.fired > FIRE_MAIN:
        option = int(WEAPON_OPTION[body.fired])
        if LOAD[option] > 0:
            use_up(game, log, robot, option, 1)


@with_expansions(None)
def take_aim(game: Game, table: Table, log: Log) -> None:
    """Everything that robots decide about the shots of D1, from positions and options as they are before it (U5).

    What Reflectors and a damping field do counts for all shots, whatever the first of them cost.
    """
    for i in range(game.num_robots):
        game.robots[i].modified = REFLECTING if works(game, table, i, REFLECTOR) else 0
    if table.settings.robot_lasers == ON:
        for i in range(game.num_robots):
            get_ready(game, table, log, i)
    if game.damping >= 0:
        game.robots[game.damping].modified |= DAMPENING
