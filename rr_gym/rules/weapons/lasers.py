"""Lasers of the board and of robots (R-A11, R-E12). All shots of D1 are simultaneous: deaths come after them.

On base courses compiled lengths tell how far a beam reaches; with expansions it is walked (rr_gym.rules.weapons.shots).
At whom robots aim stands in rr_gym.rules.weapons.targets.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.damage.damage import damage, destroy_damaged
from rr_gym.rules.floor.grid import squares_ahead
from rr_gym.rules.state.constants import BY_DAMAGE, BY_LASER, BY_ROBOT_LASER, ON
from rr_gym.rules.state.events import SHOT, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.aiming import WEAPONS, field_fades, take_aim
from rr_gym.rules.weapons.shots import guns_fire, mounts_fire
from rr_gym.rules.weapons.weapons import robots_fire


@kernel
def beam_hits(game: Game, table: Table, beam: int, lit: int) -> int:
    """The mask of robots that a board beam hits: up to the first real one, and the virtual ones on its way (U9).

    `lit`: the mask of those that some beam may hit.
    """
    mount = table.beams[beam]
    last = int(mount.length) - 1
    for i in range(game.num_robots):
        if lit >> i & 1 and not game.robots[i].virtual:
            distance = int(squares_ahead(table, mount.square, mount.direction, game.robots[i].square))
            last = min(last, distance) if distance >= 0 else last
    mask = 0
    for i in range(game.num_robots):
        if lit >> i & 1 and 0 <= squares_ahead(table, mount.square, mount.direction, game.robots[i].square) <= last:
            mask |= 1 << i
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
    lit = 0
    for i in range(game.num_robots):
        if game.robots[i].alive and table.squares[game.robots[i].square].lit:
            lit |= 1 << i
    if not lit:
        return
    for beam in range(table.course.num_beams):
        mount = table.beams[beam]
        victims = beam_hits(game, table, beam, lit)
        if victims and mount.twin >= 0:
            twin = table.beams[mount.twin]
            if twin.beams > mount.beams or (twin.beams == mount.beams and mount.twin < beam):
                victims &= ~beam_hits(game, table, mount.twin, lit)  # those are the twin's
        if victims:
            hit(game, table, log, beam, victims, mount.beams)


@kernel
def base_shots_of_robots(game: Game, table: Table, log: Log, order: int, targets: int) -> None:
    """Every real robot that is powered up fires forward, by descending priority (R-A11.6, U6)."""
    while targets and order:
        shooter = (order & 15) - 1
        order >>= 4
        target = (targets >> 4 * shooter & 15) - 1
        robot = game.robots[shooter]
        if target >= 0:
            note_at(game, log, SHOT, shooter, target, robot.facing, robot.square, game.robots[target].square)
            damage(game, table, log, target, table.settings.robot_laser_factor, BY_ROBOT_LASER, shooter)


@with_expansions(base_beams_of_board)
def beams_of_board(game: Game, table: Table, log: Log) -> None:
    """Every mount of the board fires (R-E12)."""
    mounts_fire(game, table, log)


@with_expansions(base_shots_of_robots)
def shots_of_robots(game: Game, table: Table, log: Log, order: int, targets: int) -> None:
    """Every robot fires that may (R-A11.6)."""
    robots_fire(game, table, log, order, targets)


@kernel
def lasers_fire(game: Game, table: Table, log: Log, order: int) -> int:
    """D1: all shots at one time, then deaths (U6). `order` is that of `by_priority`.

    The mask of the robots that have fired a weapon instead of their main lasers.
    """
    targets = int(take_aim(game, table, log))
    if table.course.num_beams:
        beams_of_board(game, table, log)
    guns_fire(game, table, log)
    if table.settings.robot_lasers == ON:
        shots_of_robots(game, table, log, order, targets)
    field_fades(game, table)
    destroy_damaged(game, table, log, BY_DAMAGE)
    return targets >> WEAPONS
