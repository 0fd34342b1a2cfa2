"""Lasers of the board (R-E12) and turret guns (R-E76). Their beams hit virtual robots and copies too (U9)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import strike
from rr_gym.rules.elements.turrets import turret_direction, turret_place, turrets_shoot
from rr_gym.rules.floor.copies import has_copy
from rr_gym.rules.floor.ground import level_of
from rr_gym.rules.floor.sight import beam_next
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.floor.turned import comes_before, direction_now, next_in_rows, place_now
from rr_gym.rules.state.constants import BY_LASER, BY_TURRET, FIRE_CONTROL_DAMAGE, NOBODY
from rr_gym.rules.state.events import SHOT, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.targets import big_one_at, real_robot_at

NO_MOUNT = -1  # the mount of a beam that a turret gun fires


@kernel
def side_hit(facing: int, direction: int) -> int:
    """Return the side of a body, relative to its facing, that a shot in a direction hits."""
    return int((direction + 2 - facing) & 3)


@kernel
def beam_meets(game: GameRecord, table: Table, place: int, direction: int, square: int, level: int) -> bool:
    """Tell whether a beam that begins on a place reaches a square on a level (U9).

    A wall, the edge of the board, a higher floor, a real robot or The Big One in between stops it.
    """
    goal = int(place_of_square(game, table, square))
    if level_of(game, table, place) != level:
        return False
    while place >= 0 and place != goal:
        if real_robot_at(game, table, place, level) >= 0 or big_one_at(game, table, place, level):
            return False
        place = int(beam_next(game, table, place, direction, level))
    return place >= 0


@kernel
def mount_place(game: GameRecord, table: Table, mount: int) -> int:
    """Return the place where the beam of a mount begins; mounts turn with their rotating rooms."""
    return int(place_now(game, table, int(table.beams[mount].square)))


@kernel
def mount_direction(game: GameRecord, table: Table, mount: int) -> int:
    """Return the direction of a mount's beam; mounts turn with their rotating rooms."""
    return int(direction_now(game, table, int(table.beams[mount].square), int(table.beams[mount].direction)))


@kernel
def opposite_meets(game: GameRecord, table: Table, mount: int, square: int, level: int) -> bool:
    """Tell whether a body is hit by an opposite mount and therefore not by this one (R-E12, U9).

    Of two mounts that face each other, only one hits a body: the one with more beams, or with equally many the one that
    fires first.
    """
    against = mount_direction(game, table, mount) ^ 2
    beams = table.beams[mount].beams
    for other in range(table.course.num_beams):
        rival = table.beams[other].beams
        stronger = rival > beams or (rival == beams and comes_before(game, table, table.beams, other, mount))
        if not stronger or mount_direction(game, table, other) != against:
            continue
        if beam_meets(game, table, mount_place(game, table, other), against, square, level):
            return True
    return False


@kernel
def is_hit(game: GameRecord, table: Table, mount: int, place: int, direction: int, square: int, level: int) -> bool:
    """Tell whether the beam of a mount, or of a turret gun (`NO_MOUNT`), hits a body on a square and a level."""
    if not beam_meets(game, table, place, direction, square, level):
        return False
    return mount == NO_MOUNT or not opposite_meets(game, table, mount, square, level)


@kernel
def beam_fires(
    game: GameRecord, table: Table, log: Log, mount: int, place: int, direction: int, points: int, harm: int
) -> None:
    """Fire one beam at all robots that it hits, then at copies; a hit on a copy hurts its robot (R-E45)."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and is_hit(game, table, mount, place, direction, int(robot.square), int(robot.level)):
            note_at(game, log, SHOT, NOBODY, i, direction, place, robot.square)
            side = side_hit(robot.facing, direction)
            strike(game, table, log, i, points, harm, NOBODY, side, FIRE_CONTROL_DAMAGE)
    for i in range(game.num_robots):
        robot = game.robots[i]
        if has_copy(game, table, i) and is_hit(
            game, table, mount, place, direction, int(robot.copy_square), int(robot.copy_level)
        ):
            note_at(game, log, SHOT, NOBODY, i, direction, place, robot.copy_square)
            side = side_hit(robot.copy_facing, direction)
            strike(game, table, log, i, points, harm, NOBODY, side, FIRE_CONTROL_DAMAGE)


@kernel
def mounts_fire(game: GameRecord, table: Table, log: Log) -> None:
    """Fire every mount of the board row by row, from its current place in a rotating room (R-E12, U6, U50)."""
    mount = NO_MOUNT
    for _ in range(table.course.num_beams):
        mount = int(next_in_rows(game, table, table.beams, table.course.num_beams, mount))
        place, direction = mount_place(game, table, mount), mount_direction(game, table, mount)
        beam_fires(game, table, log, mount, place, direction, int(table.beams[mount].beams), BY_LASER)


@with_elements(None)
def guns_fire(game: GameRecord, table: Table, log: Log) -> None:
    """Fire one beam from every turret gun, if the guns' card of this phase is a movement card (R-E76)."""
    if not turrets_shoot(game, table):
        return
    for gun in range(table.extras.num_turrets):
        place, direction = turret_place(game, table, gun), turret_direction(game, table, gun)
        beam_fires(game, table, log, NO_MOUNT, place, direction, 1, BY_TURRET)
