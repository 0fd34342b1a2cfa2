"""Segment D of robots: main lasers, additional and optional weapons (R-A11, R-O0, U5, U6)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.courses.tables.ground import HAS_FOG, HAS_MIRRORS
from rr_gym.rules.damage.absorbing import strike
from rr_gym.rules.devices.devices import POWER, aim_drone, lay_device
from rr_gym.rules.elements.mirrors import looks_into_mirror
from rr_gym.rules.floor.ground import covered, features_of, phase_of
from rr_gym.rules.floor.sight import beam_next, in_fog, line_next
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.movement.movement import step
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.options.options import discard_option, owns, show_option, use_up
from rr_gym.rules.state.constants import (
    BY_BIG_GUN,
    BY_HOWITZER,
    BY_MIRROR,
    BY_REAR_LASER,
    BY_ROBOT_LASER,
    CONTROLLED,
    DOUBLE,
    DRONE_TOKEN,
    FIRE_BIG_GUN,
    FIRE_CONTROL_DAMAGE,
    FIRE_CONTROL_LOCK_NEXT,
    FIRE_DRONE,
    FIRE_HOMING,
    FIRE_HOWITZER,
    FIRE_INTERCEPTOR,
    FIRE_MAIN,
    FIRE_MISSILE,
    FIRE_PRESSOR,
    FIRE_RADIO,
    FIRE_SCRAMBLER,
    FIRE_TRACTOR,
    FRONT,
    HIGH_POWER,
    HPL_WALL_AND_ROBOT,
    MISSILE_TOKEN,
    NUM_REGISTERS,
    ON,
    REARWARD,
    SCRAMBLED,
    WEAPON,
)
from rr_gym.rules.state.events import REVEALED, SHOT, TOKEN_LAID, WEAPON_FIRED, note_at
from rr_gym.rules.state.option_cards import (
    DOUBLE_BARRELED_LASER,
    FIRE_CONTROL,
    HIGH_POWER_LASER,
    MINI_HOWITZER,
    REAR_LASER,
    TURRET,
)
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.aiming import HOLDS_FIRE, NO_TARGET, WEAPON_OPTION
from rr_gym.rules.weapons.shots import big_one_at, real_robot_at, side_hit
from rr_gym.rules.weapons.targets import in_sight, reach, somebody_ahead

MIRROR_POINTS = 1  # a main laser as it is printed (R-E63)
HOWITZER_POINTS = 1
BIG_GUN_POINTS = 2
NO_PROGRAM = -1  # `copied`: the controller has no card in the register


@kernel
def show_weapons(game: Game, shooter: int, harm: int) -> None:
    """A laser that hits shows what changes it."""
    body = game.robots[shooter]
    if harm == BY_REAR_LASER:
        show_option(game, REAR_LASER)
    elif harm == BY_ROBOT_LASER:
        if body.modified & DOUBLE:
            show_option(game, DOUBLE_BARRELED_LASER)
        if body.modified & HIGH_POWER:
            show_option(game, HIGH_POWER_LASER)
        if body.modified & CONTROLLED:
            show_option(game, FIRE_CONTROL)
    if body.fired_to != body.facing:
        show_option(game, TURRET)


@kernel
def shoot(
    game: Game, table: Table, log: Log, shooter: int, target: int, direction: int, points: int,
    harm: int, aim: int,
) -> None:  # fmt: skip
    """One shot that hits a robot."""
    victim = game.robots[target]
    show_weapons(game, shooter, harm)
    note_at(game, log, SHOT, shooter, target, direction, game.robots[shooter].square, victim.square)
    strike(game, table, log, target, points, harm, shooter, side_hit(victim.facing, direction), aim)


@kernel
def laser_points(game: Game, table: Table, shooter: int) -> int:
    """Points of one plain hit by a robot's laser: more by a course's rule and for the SuperBot (R-G3.3, R-G3.8)."""
    points = int(table.settings.robot_laser_factor)
    return 2 * points if game.superbot == shooter else points


@kernel
def main_points(game: Game, table: Table, shooter: int) -> int:
    """Points of one hit by the main laser: twice as many by the Double-Barreled Laser (R-O6)."""
    points = laser_points(game, table, shooter)
    return 2 * points if game.robots[shooter].modified & DOUBLE else points


@kernel
def main_laser(game: Game, table: Table, log: Log, shooter: int, target: int) -> None:
    """The first robot in line is hit; a High-Power Laser goes on behind one wall or one robot (R-O6, R-O8, R-O12).

    `target`: that robot, -1 for none.
    """
    body = game.robots[shooter]
    direction = int(body.fired_to)
    points = main_points(game, table, shooter)
    aim = FIRE_CONTROL_DAMAGE
    if body.modified & CONTROLLED:
        aim = int(body.orders.fire_control[phase_of(game)])
        if aim == FIRE_CONTROL_DAMAGE and table.settings.fc_mandatory == ON:
            aim = FIRE_CONTROL_LOCK_NEXT  # D11
    if not body.modified & HIGH_POWER:
        if target >= 0:
            shoot(game, table, log, shooter, target, direction, points, BY_ROBOT_LASER, aim)
        return
    if not somebody_ahead(game, table, shooter, direction):
        return
    walls = robots = 1
    both = table.settings.hpl == HPL_WALL_AND_ROBOT
    place = place_of_square(game, table, body.square)
    level = int(body.level)
    for _ in range(reach(table)):
        if walls and covered(game, table, place, direction):
            walls = 0
            robots = robots if both else 0
            place = line_next(game, table, place, direction, level)
        else:
            place = beam_next(game, table, place, direction, level)
        if place < 0 or (features_of(table) & HAS_FOG and in_fog(game, table, place)):
            return
        target = real_robot_at(game, table, place, level)
        if target >= 0:
            shoot(game, table, log, shooter, target, direction, points, BY_ROBOT_LASER, aim)
        if target >= 0 or big_one_at(game, table, place, level):
            if not robots:
                return
            robots = 0
            walls = walls if both else 0


@kernel
def rear_laser(game: Game, table: Table, log: Log, shooter: int) -> None:
    """An additional weapon: a plain laser backwards, whatever else is fired (R-O19)."""
    direction = int(game.robots[shooter].facing + 2 & 3)
    target = in_sight(game, table, shooter, direction)
    if target >= 0:
        points = laser_points(game, table, shooter)
        shoot(game, table, log, shooter, target, direction, points, BY_REAR_LASER, FIRE_CONTROL_DAMAGE)


@kernel
def take_control(game: Game, log: Log, shooter: int, target: int) -> None:
    """Radio Control: the rest of the target's program becomes a copy of the shooter's primary cards (R-O17)."""
    game.radio_owner = shooter
    game.radio_target = target
    victim = game.robots[target]
    for r in range(phase_of(game) + 1, NUM_REGISTERS):
        card = game.robots[shooter].registers[r]
        victim.copied[r] = card if card else NO_PROGRAM
        note_at(game, log, REVEALED, target, shooter, r + 1, victim.square, card)


@kernel
def fire_weapon(game: Game, table: Table, log: Log, shooter: int) -> None:
    """An optional weapon instead of the main laser; what it displaces moves in D2 (R-O14, R-O16, R-O22, R-O25, R-O27).

    An option that another shot of D1 has destroyed still fires (U5), but a token of it would go back at once.
    """
    body = game.robots[shooter]
    weapon, target, direction = int(body.fired), int(body.fired_at), int(body.fired_to)
    option = int(WEAPON_OPTION[weapon])
    square, level = int(place_of_square(game, table, body.square)), int(body.level)
    goal = int(place_of_square(game, table, game.robots[target].square)) if target >= 0 else -1
    show_option(game, option)
    note_at(game, log, WEAPON_FIRED, shooter, target, weapon, square, goal)
    launched = True
    if weapon == FIRE_HOWITZER:
        shoot(game, table, log, shooter, target, direction, HOWITZER_POINTS, BY_HOWITZER, FIRE_CONTROL_DAMAGE)
    elif weapon == FIRE_BIG_GUN and target >= 0:
        shoot(game, table, log, shooter, target, direction, BIG_GUN_POINTS, BY_BIG_GUN, FIRE_CONTROL_DAMAGE)
    elif weapon == FIRE_RADIO:
        take_control(game, log, shooter, target)
    elif weapon == FIRE_SCRAMBLER:
        game.robots[target].rewired |= SCRAMBLED
    elif weapon == FIRE_MISSILE:
        slot = lay_device(game, table, log, MISSILE_TOKEN, shooter, square, level, direction, POWER[MISSILE_TOKEN])
        launched = slot >= 0
    elif weapon == FIRE_DRONE:
        slot = lay_device(game, table, log, DRONE_TOKEN, shooter, square, level, direction, POWER[DRONE_TOKEN])
        launched = slot >= 0
        if launched:
            aim_drone(game, log, slot, goal)
    elif weapon == FIRE_HOMING and owns(body, option):
        game.homing_target = target
        note_at(game, log, TOKEN_LAID, shooter, target, option, square, goal)
    elif weapon == FIRE_INTERCEPTOR and owns(body, option):
        game.intercept_target = target
        note_at(game, log, TOKEN_LAID, shooter, target, option, square, goal)
    if owns(body, option):
        if not launched:  # U25
            use_up(game, log, shooter, option, -1)
        elif option == MINI_HOWITZER and game.payload[option] == 0:
            discard_option(game, log, shooter, option)


@kernel
def mirrors_reflect(game: Game, table: Table, log: Log) -> None:
    """Robots that fire their main lasers forward into a mirror hit themselves, with a Double-Barreled Laser twice
    (R-E63).
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.fired == FIRE_MAIN and robot.fired_to == robot.facing and looks_into_mirror(game, table, i):
            note_at(game, log, SHOT, i, i, robot.facing, robot.square, robot.square)
            points = 2 * MIRROR_POINTS if robot.modified & DOUBLE else MIRROR_POINTS
            strike(game, table, log, i, points, BY_MIRROR, i, FRONT, FIRE_CONTROL_DAMAGE)


@kernel
def robots_fire(game: Game, table: Table, log: Log, order: int, targets: int) -> None:
    """Mirrors first, then every robot that may fires, by descending priority, its rear laser last (U6).

    All have taken aim before: `targets` are what `take_aim` has found.
    """
    if features_of(table) & HAS_MIRRORS:
        mirrors_reflect(game, table, log)
    while targets and order:
        shooter = (order & 15) - 1
        order >>= 4
        target = targets >> 4 * shooter & 15
        if target == 0:
            continue
        body = game.robots[shooter]
        if body.fired == FIRE_MAIN:
            main_laser(game, table, log, shooter, -1 if target == NO_TARGET else target - 1)
        elif body.fired != HOLDS_FIRE:
            fire_weapon(game, table, log, shooter)
        if body.modified & REARWARD:
            rear_laser(game, table, log, shooter)


@kernel
def beam_direction(game: Game, shooter: int) -> int:
    """Where the weapon that a robot has fired moves its target, -1 for a weapon that moves none."""
    body = game.robots[shooter]
    if body.fired in (FIRE_HOWITZER, FIRE_PRESSOR):
        return int(body.fired_to)
    return int((body.fired_to + 2) & 3) if body.fired == FIRE_TRACTOR else -1


@kernel
def cancelled(game: Game, shooter: int) -> bool:
    """Another weapon moves the target the opposite way: neither does (U22). Only the Mini Howitzer's push and a beam
    can meet so.
    """
    body = game.robots[shooter]
    for i in range(game.num_robots):
        other = game.robots[i]
        if other.fired_at == body.fired_at and beam_direction(game, i) == beam_direction(game, shooter) ^ 2:
            return True
    return False


@kernel
def displace_target(game: Game, table: Table, log: Log, shooter: int) -> None:
    """One square for the target of a beam or the Mini Howitzer, and for the robot that has fired the Big Gun (U5)."""
    body = game.robots[shooter]
    game.culprit = shooter
    if body.fired == FIRE_BIG_GUN:
        if body.alive:
            step(game, table, log, shooter, int((body.fired_to + 2) & 3), WEAPON)
            settle(game, table, log)
        return
    direction = beam_direction(game, shooter)
    if direction >= 0 and game.robots[body.fired_at].alive and not cancelled(game, shooter):
        step(game, table, log, int(body.fired_at), direction, WEAPON)
        settle(game, table, log)


@with_expansions(None)
def weapons_displace(game: Game, table: Table, log: Log, order: int, armed: int) -> None:
    """D2: pushes, pulls and recoils of the weapons fired in D1, by descending priority (U5, U22). `armed`: by whom."""
    while armed and order:
        shooter = (order & 15) - 1
        order >>= 4
        if armed >> shooter & 1:
            displace_target(game, table, log, shooter)
