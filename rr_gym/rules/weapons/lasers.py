"""Lasers of the board and of robots (R-A11, R-E12). All shots of D1 are simultaneous: deaths come after them.

On base courses compiled lengths tell how far a beam reaches; with expansions it is walked (rr_gym.rules.weapons.shots).
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.damage.damage import damage, destroy_damaged
from rr_gym.rules.floor.grid import direction_of
from rr_gym.rules.state.constants import BY_DAMAGE, BY_LASER, BY_ROBOT_LASER, ON
from rr_gym.rules.state.events import SHOT, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.aiming import field_fades, note_options, take_aim_all
from rr_gym.rules.weapons.shots import guns_fire, mounts_fire
from rr_gym.rules.weapons.weapons import robots_fire


@kernel
def beam_hits(game: Game, table: Table, beam: int) -> int:
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
def hit(game: Game, table: Table, log: Log, beam: int, victims: int, points: int) -> None:
    """A board beam damages the robots of a mask."""
    for i in range(game.num_robots):
        if victims >> i & 1:
            mount = table.beams[beam]
            note_at(game, log, SHOT, -1, i, mount.direction, mount.square, game.robots[i].square)
            damage(game, table, log, i, points, BY_LASER, -1)


@kernel
def base_beams_of_board(game: Game, table: Table, log: Log) -> None:
    """Every mount fires, in reading order (U6). Two on one line hit a robot once, with the stronger (R-E12, U9)."""
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
def take_aim(game: Game, table: Table, shooter: int, robot: int, distance: int, targets: int) -> int:
    """`targets` with a robot straight ahead of the shooter, unless a wall or a nearer robot is between (R-A11.6)."""
    here = table.squares[game.robots[shooter].square]
    if distance > here.reach[game.robots[shooter].facing]:
        return targets
    place = 4 * shooter
    known = (targets >> place & 15) - 1
    if known >= 0:
        there = table.squares[game.robots[known].square]
        if abs(there.x - here.x) + abs(there.y - here.y) < distance:
            return targets
    return targets & ~(15 << place) | robot + 1 << place


@kernel
def aim(game: Game, table: Table) -> int:
    """The first real robot in front of every real robot: target + 1 in four bits for each, 0 for none.

    Every pair of robots is looked at once: it matters only if they are in line and one faces the other.
    """
    targets = 0
    for i in range(1, game.num_robots):
        robot = game.robots[i]
        if not robot.alive or robot.virtual:
            continue
        here = table.squares[robot.square]
        for j in range(i):
            other = game.robots[j]
            if not other.alive or other.virtual:
                continue
            there = table.squares[other.square]
            x, y = there.x - here.x, there.y - here.y
            if (x == 0) == (y == 0):
                continue  # not in line, or on one square (R-A3.7)
            direction = direction_of(x, y)
            if robot.facing == direction:
                targets = take_aim(game, table, i, j, abs(x + y), targets)
            if other.facing == direction ^ 2:
                targets = take_aim(game, table, j, i, abs(x + y), targets)
    return targets


@kernel
def base_shots_of_robots(game: Game, table: Table, log: Log, order: int, lines: int) -> None:
    """Every real robot that is powered up fires forward, by descending priority (R-A11.6, U6)."""
    targets = aim(game, table)
    while targets and order:
        shooter = (order & 15) - 1
        order >>= 4
        target = (targets >> 4 * shooter & 15) - 1
        robot = game.robots[shooter]
        if target >= 0 and not robot.down:
            note_at(game, log, SHOT, shooter, target, robot.facing, robot.square, game.robots[target].square)
            damage(game, table, log, target, table.settings.robot_laser_factor, BY_ROBOT_LASER, shooter)


@with_expansions(0)
def robots_take_aim(game: Game, table: Table, log: Log) -> int:
    """What options do to the shots of this phase, then targets (U5). Returns `lines_of_robots`."""
    note_options(game, table)
    return take_aim_all(game, table, log) if table.settings.robot_lasers == ON else 0


@with_expansions(base_beams_of_board)
def beams_of_board(game: Game, table: Table, log: Log) -> None:
    """Every mount of the board fires (R-E12)."""
    mounts_fire(game, table, log)


@with_expansions(base_shots_of_robots)
def shots_of_robots(game: Game, table: Table, log: Log, order: int, lines: int) -> None:
    """Every robot fires that may (R-A11.6)."""
    robots_fire(game, table, log, order, lines)


@kernel
def lasers_fire(game: Game, table: Table, log: Log, order: int) -> None:
    """D1: all shots at one time, then deaths (U6). `order` is that of `by_priority`."""
    lines = robots_take_aim(game, table, log)
    if table.course.num_beams:
        beams_of_board(game, table, log)
    guns_fire(game, table, log)
    if table.settings.robot_lasers == ON:
        shots_of_robots(game, table, log, order, lines)
    field_fades(game, table)
    destroy_damaged(game, table, log, BY_DAMAGE)
