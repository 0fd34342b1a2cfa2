"""Choose each robot's weapon and target in D1, for all robots before the first shot (U5)."""

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
    INITIAL_PAYLOAD,
    REAR_LASER,
    REFLECTOR,
    TURRET,
)
from rr_gym.rules.state.records import GameRecord, Log
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
def may_fire(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot may fire: on the board, real, powered up, awake and not in fog (R-A11.6, R-E54, R-E73)."""
    body = game.robots[robot]
    if not body.alive or body.virtual or body.down or sleeping(game, table, robot):
        return False
    return not in_fog(game, table, place_of_square(game, table, body.square))


@kernel
def may_launch(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a virtual robot may launch missiles (R-A14, R-O42).

    Such a robot cannot aim, but a missile needs no target, and it is virtual like its owner.
    """
    body = game.robots[robot]
    return body.alive != 0 and body.virtual != 0 and not body.down and not sleeping(game, table, robot)


@kernel
def turret_side(game: GameRecord, table: Table, robot: int) -> int:
    """Return the side of a robot to which its Turret points in this phase, the front by default (R-O26, D9)."""
    if not works(game, table, robot, TURRET):
        return 0
    # mutants (never): all registers hold that of register 1
    register = 0 if table.settings.dir_timing == DIR_TURN else phase_of(game)
    return int(game.robots[robot].orders.turret[register])


@kernel
def modifications(game: GameRecord, table: Table, robot: int) -> int:
    """Return the options that change or add to a robot's lasers in this phase, as bits (DOUBLE ...)."""
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
def in_radio_range(game: GameRecord, table: Table, robot: int, direction: int) -> int:
    """Return the robot that Radio Control reaches within six squares in a direction; -1 for none (R-O17).

    Walls and robots do not block it. It takes the target that the orders name if that is in range, otherwise the
    nearest robot. Robots that are powered down, asleep, virtual or on another level are not targets.
    """
    body = game.robots[robot]
    place = int(place_of_square(game, table, body.square))
    nearest = NOBODY
    for _ in range(RADIO_RANGE):
        place = int(grid_next(game, table, place, direction))
        if place < 0:  # mutants (never): no robot is beyond the edge
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
def adjacent(game: GameRecord, table: Table, robot: int, other: int, direction: int) -> bool:
    """Tell whether another robot stands on the square next to a robot in a direction."""
    place = place_of_square(game, table, game.robots[robot].square)
    return grid_next(game, table, place, direction) == place_of_square(game, table, game.robots[other].square)


@kernel
def target_of(game: GameRecord, table: Table, robot: int, weapon: int) -> int:
    """Return the robot at which an optional weapon can be fired now, -1 for none."""
    direction = int(game.robots[robot].fired_to)
    if AIMS_AT[weapon] == IN_RADIO_RANGE:
        return int(in_radio_range(game, table, robot, direction))
    target = int(in_sight(game, table, robot, direction))
    if AIMS_AT[weapon] == NOT_ADJACENT and target >= 0 and adjacent(game, table, robot, target, direction):
        return NOBODY
    return target


@kernel
def needs_target(table: Table, weapon: int) -> bool:
    """Tell whether a weapon can be fired only with a target."""
    if weapon == FIRE_BIG_GUN:
        return bool(table.settings.biggun_needs_target == ON)
    return bool(AIMS_AT[weapon] != NEEDS_NONE)


@kernel
def may_use(game: GameRecord, table: Table, robot: int, weapon: int) -> bool:
    """Tell whether a robot has a weapon, loaded if it needs loading, and may use it in this phase."""
    option = int(WEAPON_OPTION[weapon])
    if not works(game, table, robot, option) or (INITIAL_PAYLOAD[option] > 0 and game.payload[option] == 0):
        return False
    if weapon == FIRE_RADIO and game.radio_target >= 0:
        return False  # Radio Control takes one target per turn
    return bool(game.phase <= LAST_PHASE[weapon])


@kernel
def choose_weapon(game: GameRecord, table: Table, robot: int) -> None:
    """Choose between the optional weapon that a robot has ordered and its main laser.

    If the robot cannot use the weapon, it fires the main laser. If the weapon has no target, the order
    `fallback_to_laser` says whether the robot falls back to the main laser or holds its fire.
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
    elif not body.orders.fallback_to_laser[register]:
        body.fired = HOLDS_FIRE


@kernel
def get_ready(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Set a robot's weapon, target and direction of fire for D1, and the options that change its lasers.

    A shot or token leaves its option now, so that damage in D1 cannot destroy it together with the option (*ruling*).
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
    if body.fired > FIRE_MAIN:  # mutants (boundary): the main laser holds nothing
        option = int(WEAPON_OPTION[body.fired])
        if INITIAL_PAYLOAD[option] > 0:  # mutants (boundary): counters of other options are not shown
            use_up(game, log, robot, option, 1)


@with_expansions(None)
def take_aim(game: GameRecord, table: Table, log: Log) -> None:
    """Decide everything about the shots of D1 from the positions and options before the first of them (U5).

    A Reflector or damping field that works now works for every shot, even if one of them destroys it.
    """
    for i in range(game.num_robots):
        game.robots[i].modified = REFLECTING if works(game, table, i, REFLECTOR) else 0
    if table.settings.robot_lasers == ON:
        for i in range(game.num_robots):
            get_ready(game, table, log, i)
    if game.damping >= 0:
        game.robots[game.damping].modified |= DAMPENING
