"""Lasers where elements or options change them: square by square, on one level (R-E12, R-E13, R-E54, R-E63, R-E76)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_elements
from rr_gym.courses.tables.ground import HAS_COPY_MACHINES, LINE_LASER
from rr_gym.rules.damage.absorbing import strike
from rr_gym.rules.elements.turrets import turret_direction, turret_place, turrets_shoot
from rr_gym.rules.floor.ground import features_of, row_at
from rr_gym.rules.floor.sight import beam_next, in_fog
from rr_gym.rules.floor.standing import line_through, place_of_square
from rr_gym.rules.floor.turned import comes_before, direction_now, next_in_rows, place_now
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import BIG_ONE_BODY, BY_LASER, BY_TURRET, FIRE_CONTROL_DAMAGE, MAX_ROBOTS
from rr_gym.rules.state.events import SHOT, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@with_elements(False)
def copy_at(game: Game, table: Table, robot: int, place: int, level: int) -> bool:
    """The robot has a copy, and it stands there."""
    body = game.robots[robot]
    if not features_of(table) & HAS_COPY_MACHINES or not body.has_copy or body.copy_level != level:
        return False
    return place_of_square(game, table, body.copy_square) == place


@kernel
def big_one_at(game: Game, table: Table, place: int, level: int) -> bool:
    """The Big One lies there: it stops beams and hides what is behind it (R-O29)."""
    if game.num_bodies <= BIG_ONE_BODY:
        return False
    body = game.robots[BIG_ONE_BODY]
    here = body.alive != 0 and not body.virtual and body.level == level
    return here and place_of_square(game, table, body.square) == place


@kernel
def beam_victims(game: Game, table: Table, place: int, direction: int, level: int) -> int:
    """The mask of bodies that a board beam hits: up to the first real robot, virtual ones on its way too (U9).

    Bit i is robot i, bit 8 + i its copy.
    """
    mask = 0
    while place >= 0:
        stopped = False
        for i in range(game.num_robots):
            robot = game.robots[i]
            if not robot.alive:
                continue
            if robot.level == level and place_of_square(game, table, robot.square) == place:
                mask |= 1 << i
                if not robot.virtual:
                    stopped = True
            if copy_at(game, table, i, place, level):
                mask |= 1 << (MAX_ROBOTS + i)
        stopped |= big_one_at(game, table, place, level)
        if stopped:
            break
        place = beam_next(game, table, place, direction, level)
    return mask


@kernel
def side_hit(facing: int, direction: int) -> int:
    """The side of a body with a facing that a shot in a direction hits."""
    return int((direction + 2 - facing) & 3)


@kernel
def beam_strikes(
    game: Game,
    table: Table,
    log: Log,
    square: int,
    direction: int,
    victims: int,
    points: int,
    harm: int,
) -> None:
    """A beam from a square damages the bodies of a mask; what hits a copy hits its robot (R-E45)."""
    for k in range(2 * MAX_ROBOTS):
        if victims >> k & 1:
            i = k & (MAX_ROBOTS - 1)
            struck = game.robots[i].square if k < MAX_ROBOTS else game.robots[i].copy_square
            facing = game.robots[i].facing if k < MAX_ROBOTS else game.robots[i].copy_facing
            note_at(game, log, SHOT, -1, i, direction, square, struck)
            strike(game, table, log, i, points, harm, -1, side_hit(facing, direction), FIRE_CONTROL_DAMAGE)


@kernel
def mount_direction(game: Game, table: Table, beam: int) -> int:
    """Where a mount's beam goes; mounts turn with their rooms."""
    mount = table.beams[beam]
    return int(direction_now(game, table, int(mount.square), int(mount.direction)))


@kernel
def mount_victims(game: Game, table: Table, beam: int) -> int:
    """The mask of bodies that the beam of a mount hits."""
    place = place_now(game, table, int(table.beams[beam].square))
    level = int(table.squares[row_at(game, table, place)].level)
    return int(beam_victims(game, table, place, mount_direction(game, table, beam), level))


@kernel
def outshone(game: Game, table: Table, beam: int) -> int:
    """The bodies that an opposite mount hits with more beams (U9): only on one line can opposite beams meet a body."""
    against = mount_direction(game, table, beam) ^ 2
    beams = table.beams[beam].beams
    mask = 0
    for other in range(table.course.num_beams):
        rival = table.beams[other].beams
        stronger = rival > beams or (rival == beams and comes_before(game, table, table.beams, other, beam))
        if stronger and mount_direction(game, table, other) == against:
            mask |= mount_victims(game, table, other)
    return mask


@kernel
def rows_and_columns(game: Game, table: Table, square: int) -> int:
    """The row and the column of the place of a square as two bits. Lines 32 apart share one: it only spares looks."""
    here = table.squares[place_of_square(game, table, square)]
    return 1 << int(here.y & 31) | 1 << 32 + int(here.x & 31)


@kernel
def may_meet(game: Game, table: Table, beam: int, taken: int) -> bool:
    """The beam of a mount lies in one of some rows and columns."""
    here = table.squares[place_now(game, table, int(table.beams[beam].square))]
    lengthwise = mount_direction(game, table, beam) & 1 == 0
    line = 32 + int(here.x & 31) if lengthwise else int(here.y & 31)
    return taken >> line & 1 != 0


@kernel
def mounts_fire(game: Game, table: Table, log: Log) -> None:
    """The lasers of the board, row by row where rooms have carried them (U6, U50)."""
    near = taken = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive:
            near |= line_through(game, table, robot.square, LINE_LASER)
            taken |= rows_and_columns(game, table, robot.square)
            if robot.has_copy:
                near |= line_through(game, table, robot.copy_square, LINE_LASER)
                taken |= rows_and_columns(game, table, robot.copy_square)
    if not near:
        return
    beam = -1
    for _ in range(table.course.num_beams):
        beam = int(next_in_rows(game, table, table.beams, table.course.num_beams, beam))
        victims = mount_victims(game, table, beam) if may_meet(game, table, beam, taken) else 0
        if victims:
            victims &= ~outshone(game, table, beam)
            square = place_now(game, table, int(table.beams[beam].square))
            points = int(table.beams[beam].beams)
            beam_strikes(game, table, log, square, mount_direction(game, table, beam), victims, points, BY_LASER)


@kernel
def in_cross(game: Game, table: Table, place: int) -> bool:
    """Some robot or copy is in the row or column of a place."""
    here = table.squares[place]
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive:
            there = table.squares[place_of_square(game, table, robot.square)]
            if there.x == here.x or there.y == here.y or robot.has_copy:
                return True
    return False


@with_elements(None)
def guns_fire(game: Game, table: Table, log: Log) -> None:
    """Turret guns whose card of this phase is a movement card fire one beam each (R-E76)."""
    if not turrets_shoot(game, table):
        return
    for gun in range(table.extras.num_turrets):
        place = turret_place(game, table, gun)
        if not in_cross(game, table, place):
            continue
        direction = turret_direction(game, table, gun)
        level = int(table.squares[row_at(game, table, place)].level)
        victims = beam_victims(game, table, place, direction, level)
        beam_strikes(game, table, log, place, direction, victims, 1, BY_TURRET)


@kernel
def may_fire(game: Game, table: Table, robot: int) -> bool:
    """It is real, up, awake, and in no fog (R-A11.6, R-E54, R-E73)."""
    body = game.robots[robot]
    up = int(body.alive) & int(not body.virtual) & int(not body.down)  # without branches
    if not up or sleeping(game, table, robot):
        return False
    return not in_fog(game, table, place_of_square(game, table, body.square))


@kernel
def real_robot_at(game: Game, table: Table, place: int, level: int) -> int:
    """The real robot that stands there, -1 for none."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if (
            robot.alive
            and not robot.virtual
            and robot.level == level
            and place_of_square(game, table, robot.square) == place
        ):
            return i
    return -1
