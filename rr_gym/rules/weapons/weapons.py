"""Robots' weapons in segment D: main lasers, additional and optional weapons (R-A11, R-O0, U5, U6)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.damage.damage import strike
from rr_gym.rules.devices.devices import NO_SLOT, POWER, aim_drone, lay_device
from rr_gym.rules.elements.mirrors import looks_into_mirror
from rr_gym.rules.floor.ground import covered, phase_of
from rr_gym.rules.floor.sight import beam_next, in_fog, line_next
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.movement.movement import step
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.options.options import discard_option, owns, show_option, use_up
from rr_gym.rules.state.constants import (
    BY_MIRROR,
    BY_REAR_LASER,
    BY_ROBOT_LASER,
    CONTROLLED,
    DOUBLE,
    DRONE_TOKEN,
    FIRE_BIG_GUN,
    FIRE_CONTROL_DAMAGE,
    FIRE_CONTROL_LOCK_NEXT,
    FIRE_HOMING,
    FIRE_INTERCEPTOR,
    FIRE_MAIN,
    FIRE_RADIO,
    FIRE_SCRAMBLER,
    FRONT,
    HIGH_POWER,
    HPL_WALL_AND_ROBOT,
    NO_DEVICE,
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
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.aiming import may_fire
from rr_gym.rules.weapons.board_lasers import side_hit
from rr_gym.rules.weapons.optional_weapons import AWAY, HARM, LAUNCHES, MOVES, NEARER, POINTS, WEAPON_OPTION
from rr_gym.rules.weapons.targets import big_one_at, in_sight, reach, real_robot_at

MIRROR_POINTS = 1  # the printed strength of a main laser (R-E63)
NO_PROGRAM = -1  # in `copied`: the controlling robot has no card in that register


@with_expansions(None)
def show_weapons(game: GameRecord, table: Table, shooter: int, harm: int) -> None:
    """Reveal the options that have changed a laser that hits a robot."""
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
    game: GameRecord, table: Table, log: Log, shooter: int, target: int, direction: int, points: int,
    harm: int, aim: int,
) -> None:  # fmt: skip
    """Let one shot hit a robot; `aim` is the Fire Control order, an index of FIRE_CONTROL_NAMES."""
    victim = game.robots[target]
    show_weapons(game, table, shooter, harm)  # mutants: only other players learn from it: tests/rules/test_supply.py
    note_at(game, log, SHOT, shooter, target, direction, game.robots[shooter].square, victim.square)
    strike(game, table, log, target, points, harm, shooter, side_hit(victim.facing, direction), aim)


@kernel
def laser_points(game: GameRecord, table: Table, shooter: int) -> int:
    """Return the points of a plain laser hit; courses may multiply them, the SuperBot doubles them (R-G3.3, R-G3.8)."""
    points = int(table.settings.robot_laser_factor)
    return 2 * points if game.superbot == shooter else points


@kernel
def main_points(game: GameRecord, table: Table, shooter: int) -> int:
    """Return the points of one hit by the main laser; a Double-Barreled Laser doubles them (R-O6)."""
    points = laser_points(game, table, shooter)
    return 2 * points if game.robots[shooter].modified & DOUBLE else points


@kernel
def fire_control_aim(game: GameRecord, table: Table, shooter: int) -> int:
    """Return the Fire Control order (index of FIRE_CONTROL_NAMES) for a hit by the main laser in this phase (R-O8)."""
    body = game.robots[shooter]
    if not body.modified & CONTROLLED:
        return FIRE_CONTROL_DAMAGE
    aim = int(body.orders.fire_control[phase_of(game)])
    if aim == FIRE_CONTROL_DAMAGE and table.settings.fc_mandatory == ON:
        return FIRE_CONTROL_LOCK_NEXT  # Fire Control has to be used (D11)
    return aim


@with_expansions(None)
def high_power_laser(game: GameRecord, table: Table, log: Log, shooter: int) -> None:
    """Fire a main laser that passes through one wall or one robot, thanks to a High-Power Laser (R-O12).

    With the setting `hpl` it may pass through one of each.
    """
    body = game.robots[shooter]
    direction, level = int(body.fired_to), int(body.level)
    points, aim = main_points(game, table, shooter), fire_control_aim(game, table, shooter)
    walls = robots = 1  # how many more it may pass through
    both = table.settings.hpl == HPL_WALL_AND_ROBOT
    place = int(place_of_square(game, table, body.square))
    for _ in range(reach(table)):
        if walls and covered(game, table, place, direction):
            walls = 0
            robots = robots if both else 0
            place = int(line_next(game, table, place, direction, level))
        else:
            place = int(beam_next(game, table, place, direction, level))
        if place < 0 or in_fog(game, table, place):
            return
        target = int(real_robot_at(game, table, place, level))
        if target >= 0:
            shoot(game, table, log, shooter, target, direction, points, BY_ROBOT_LASER, aim)
        if target >= 0 or big_one_at(game, table, place, level):
            if not robots:
                return
            robots = 0
            walls = walls if both else 0


@kernel
def front(game: GameRecord, table: Table, robot: int) -> int:
    """Return the direction of a main laser without a Turret: ahead."""
    return int(game.robots[robot].facing)


@with_expansions(front)
def aimed_to(game: GameRecord, table: Table, robot: int) -> int:
    """Return the direction of a main laser: ahead, or the direction of the Turret, set before D1 (R-O26)."""
    return int(game.robots[robot].fired_to)


@kernel
def main_laser(game: GameRecord, table: Table, log: Log, shooter: int) -> None:
    """Fire the main laser at the first robot in line (R-A11.6)."""
    if game.robots[shooter].modified & HIGH_POWER:
        high_power_laser(game, table, log, shooter)
        return
    direction = aimed_to(game, table, shooter)
    target = in_sight(game, table, shooter, direction)
    if target >= 0:
        points, aim = main_points(game, table, shooter), fire_control_aim(game, table, shooter)
        shoot(game, table, log, shooter, target, direction, points, BY_ROBOT_LASER, aim)


@with_expansions(None)
def rear_laser(game: GameRecord, table: Table, log: Log, shooter: int) -> None:
    """Fire a plain laser backwards, in addition to whatever else the robot fires (R-O19)."""
    direction = int(game.robots[shooter].facing + 2 & 3)
    target = in_sight(game, table, shooter, direction)
    if target >= 0:
        points = laser_points(game, table, shooter)
        shoot(game, table, log, shooter, target, direction, points, BY_REAR_LASER, FIRE_CONTROL_DAMAGE)


@kernel
def take_control(game: GameRecord, log: Log, shooter: int, target: int) -> None:
    """Replace the rest of the target's program by a copy of the shooter's primary cards (Radio Control, R-O17)."""
    game.radio_owner = shooter
    game.radio_target = target
    victim = game.robots[target]
    for r in range(phase_of(game) + 1, NUM_REGISTERS):
        card = game.robots[shooter].registers[r]
        victim.copied[r] = card if card else NO_PROGRAM
        note_at(game, log, REVEALED, target, shooter, r + 1, victim.square, card)


@kernel
def launch(game: GameRecord, table: Table, log: Log, shooter: int, kind: int, goal: int) -> None:
    """Launch a missile, or a drone that flies to the place of its target.

    If no device slot is free, the token returns to its option (U25).
    """
    body = game.robots[shooter]
    square, level = int(place_of_square(game, table, body.square)), int(body.level)
    slot = lay_device(game, table, log, kind, shooter, square, level, int(body.fired_to), int(POWER[kind]))
    option = int(WEAPON_OPTION[body.fired])
    if slot == NO_SLOT:
        if owns(body, option):
            use_up(game, log, shooter, option, -1)
    elif kind == DRONE_TOKEN:
        aim_drone(game, log, slot, goal)


@with_expansions(None)
def fire_weapon(game: GameRecord, table: Table, log: Log, shooter: int) -> None:
    """Fire an optional weapon instead of the main laser (R-O14, R-O16, R-O22, R-O25, R-O27).

    Targets that it pushes or pulls move in D2. It fires even if another shot of D1 has destroyed its option (U5), but
    then it places no token, because a token needs its option.
    """
    body = game.robots[shooter]
    weapon, target, direction = int(body.fired), int(body.fired_at), int(body.fired_to)
    option = int(WEAPON_OPTION[weapon])
    square = int(place_of_square(game, table, body.square))
    goal = int(place_of_square(game, table, game.robots[target].square)) if target >= 0 else -1
    show_option(game, option)
    note_at(game, log, WEAPON_FIRED, shooter, target, weapon, square, goal)
    if POINTS[weapon] and target >= 0:
        points, harm = int(POINTS[weapon]), int(HARM[weapon])
        shoot(game, table, log, shooter, target, direction, points, harm, FIRE_CONTROL_DAMAGE)
    if LAUNCHES[weapon] != NO_DEVICE:
        launch(game, table, log, shooter, int(LAUNCHES[weapon]), goal)
    if weapon == FIRE_RADIO:
        take_control(game, log, shooter, target)
    elif weapon == FIRE_SCRAMBLER:
        game.robots[target].rewired |= SCRAMBLED
    elif weapon == FIRE_HOMING and owns(body, option):
        game.homing_target = target
        note_at(game, log, TOKEN_LAID, shooter, target, option, square, goal)
    # mutants: scenarios have no hands: tests/rules/test_option_programs.py
    elif weapon == FIRE_INTERCEPTOR and owns(body, option):
        game.intercept_target = target
        note_at(game, log, TOKEN_LAID, shooter, target, option, square, goal)
    elif option == MINI_HOWITZER and owns(body, option) and game.payload[option] == 0:
        discard_option(game, log, shooter, option)


@with_elements(None)
def mirrors_reflect(game: GameRecord, table: Table, log: Log) -> None:
    """Let robots that fire their main lasers ahead into a mirror hit themselves (R-E63, U6).

    This happens before all other robots fire. A Double-Barreled Laser hits twice.
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.fired == FIRE_MAIN and robot.fired_to == robot.facing and looks_into_mirror(game, table, i):
            note_at(game, log, SHOT, i, i, robot.facing, robot.square, robot.square)
            points = 2 * MIRROR_POINTS if robot.modified & DOUBLE else MIRROR_POINTS
            strike(game, table, log, i, points, BY_MIRROR, i, FRONT, FIRE_CONTROL_DAMAGE)


@kernel
def robot_fires(game: GameRecord, table: Table, log: Log, shooter: int) -> None:
    """Let a robot fire its main laser, or the weapon that it has chosen instead, and then its rear laser."""
    body = game.robots[shooter]
    if body.fired > FIRE_MAIN:
        fire_weapon(game, table, log, shooter)
    elif body.fired == FIRE_MAIN and may_fire(game, table, shooter):
        main_laser(game, table, log, shooter)
    if body.modified & REARWARD:
        rear_laser(game, table, log, shooter)


@kernel
def robots_fire(game: GameRecord, table: Table, log: Log) -> None:
    """Let all robots fire by descending priority (R-A11.6, U6)."""
    for k in range(game.num_robots):
        robot_fires(game, table, log, int(game.order[k]))


@kernel
def beam_direction(game: GameRecord, shooter: int) -> int:
    """Return the direction in which the weapon that a robot has fired moves its target, -1 if it moves none."""
    body = game.robots[shooter]
    moves = MOVES[max(int(body.fired), FIRE_MAIN)]
    if moves == AWAY:
        return int(body.fired_to)
    return int((body.fired_to + 2) & 3) if moves == NEARER else -1


@kernel
def cancelled(game: GameRecord, shooter: int) -> bool:
    """Tell whether another weapon moves the target in the opposite direction, so that neither moves it (U22).

    This can happen only between the push of the Mini Howitzer and a beam.
    """
    body = game.robots[shooter]
    for i in range(game.num_robots):
        other = game.robots[i]
        if other.fired_at == body.fired_at and beam_direction(game, i) == beam_direction(game, shooter) ^ 2:
            return True
    return False


@kernel
def displace_target(game: GameRecord, table: Table, log: Log, shooter: int) -> None:
    """Move the target of a beam or of the Mini Howitzer by one square, or the robot that has fired the Big Gun (U5)."""
    body = game.robots[shooter]
    game.culprit = shooter
    if body.fired == FIRE_BIG_GUN:
        if body.alive:
            step(game, table, log, shooter, int((body.fired_to + 2) & 3), WEAPON)
            settle(game, table, log)  # mutants: robots are settled in D2 at the latest
        return
    direction = beam_direction(game, shooter)
    if direction >= 0 and game.robots[body.fired_at].alive and not cancelled(game, shooter):
        step(game, table, log, int(body.fired_at), direction, WEAPON)
        settle(game, table, log)  # mutants: robots are settled in D2 at the latest


@with_expansions(None)
def weapons_displace(game: GameRecord, table: Table, log: Log) -> None:
    """Carry out the pushes, pulls and recoils of the weapons fired in D1, by descending priority (D2, U5, U22)."""
    for k in range(game.num_robots):
        shooter = int(game.order[k])
        if game.robots[shooter].fired > FIRE_MAIN:
            displace_target(game, table, log, shooter)
