"""Lasers of the board and of robots (R-A11, R-E12). All shots of D1 are simultaneous: deaths come after them."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.constants import BY_DAMAGE, BY_LASER, BY_ROBOT_LASER, EAST, NORTH, ON, SOUTH
from rr_gym.rules.damage import damage, destroy_damaged
from rr_gym.rules.events import SHOT, note_at
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord


@kernel
def beam_hits(game: GameRecord, table: TableRecord, beam: int) -> int:
    """The mask of robots that a board beam hits: up to the first real one, and the virtual ones on its way (U9)."""
    square = table.beams[beam].square
    mask = 0
    for _ in range(table.beams[beam].length):
        stopped = False
        for i in range(game.num_robots):
            if game.robots[i].square == square:
                mask |= 1 << i
                if not game.robots[i].virtual:
                    stopped = True
        if stopped:
            break
        square = table.squares[square].neighbour[table.beams[beam].direction]
    return mask


@kernel
def hit(game: GameRecord, table: TableRecord, log: LogRecord, beam: int, victims: int, points: int) -> None:
    """A board beam damages the robots of a mask."""
    for i in range(game.num_robots):
        if victims >> i & 1:
            mount = table.beams[beam]
            note_at(game, log, SHOT, -1, i, mount.direction, mount.square, game.robots[i].square)
            damage(game, table, log, i, points, BY_LASER, -1)


@kernel
def board_lasers(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """Every mount fires, in reading order (U6). Two mounts on one line hit a robot once, with the stronger (U9)."""
    lit = False
    for i in range(game.num_robots):
        if game.robots[i].alive and table.squares[game.robots[i].square].lit:
            lit = True
    if not lit:
        return
    for beam in range(table.course.num_beams):
        mount = table.beams[beam]
        victims = beam_hits(game, table, beam)
        if victims and mount.twin >= 0:
            twin = table.beams[mount.twin]
            if twin.beams > mount.beams or (twin.beams == mount.beams and mount.twin < beam):
                victims &= ~beam_hits(game, table, mount.twin)  # those are the twin's
        if victims:
            hit(game, table, log, beam, victims, mount.beams)


@kernel
def target_of(game: GameRecord, table: TableRecord, shooter: int) -> int:
    """The first real robot in front of a robot, as far as no wall is between; -1 for none (R-A11.6).

    Squares are numbered row by row and `reach` ends with the row or column, so what lies ahead in a row is told by
    its number, and in a column by its number and its x.
    """
    robot = game.robots[shooter]
    here = table.squares[robot.square]
    sign = 1 if robot.facing == EAST or robot.facing == SOUTH else -1
    column = robot.facing == NORTH or robot.facing == SOUTH
    nearest = here.reach[robot.facing] * (table.course.width if column else 1) + 1
    target = -1
    for i in range(game.num_robots):
        other = game.robots[i]
        ahead = (other.square - robot.square) * sign
        if 0 < ahead < nearest and other.alive and not other.virtual:
            if column and table.squares[other.square].x != here.x:
                continue
            nearest = ahead
            target = i
    return target


@kernel
def robot_lasers(game: GameRecord, table: TableRecord, log: LogRecord, order: int) -> None:
    """Every real robot that is powered up fires forward, by descending priority (R-A11.6, U6)."""
    while order:
        shooter = (order & 15) - 1
        order >>= 4
        robot = game.robots[shooter]
        if not robot.alive or robot.down or robot.virtual:
            continue
        target = target_of(game, table, shooter)
        if target >= 0:
            note_at(game, log, SHOT, shooter, target, robot.facing, robot.square, game.robots[target].square)
            damage(game, table, log, target, table.settings.robot_laser_factor, BY_ROBOT_LASER, shooter)


@kernel
def lasers_fire(game: GameRecord, table: TableRecord, log: LogRecord, order: int) -> None:
    """D1: all shots at one time, then deaths (U6). `order` is that of `by_priority`."""
    if table.course.num_beams:
        board_lasers(game, table, log)
    if table.settings.robot_lasers == ON:
        robot_lasers(game, table, log, order)
    destroy_damaged(game, log, BY_DAMAGE)
