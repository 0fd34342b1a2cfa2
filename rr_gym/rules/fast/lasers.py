"""Skip shots that hit nobody (R-A11.6, R-E12): few robots have a target, and few are in the beam of a board laser.

Assumes that shots and beams stay in their row or column, and that on base boards a beam reaches only squares that the
compiled tables mark as `lit`.

Without this file a whole turn takes 32 % longer on risky_exchange, with 4 robots as with 8, 6 % longer with 8 robots
that own five options each on death_trap, and 63 % longer on everything with 8 robots (`rr-gym bench --accelerators`).
"""

from __future__ import annotations

from rr_gym.compilation.accelerators import accelerates
from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import LINE_LASER
from rr_gym.forms import BASE, FULL, OPTIONS
from rr_gym.rules.floor.grid import direction_of, squares_ahead
from rr_gym.rules.floor.standing import line_through, place_of_square
from rr_gym.rules.state.constants import FIRE_MAIN, REARWARD
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.board_lasers import beam_meets, mounts_fire
from rr_gym.rules.weapons.weapons import aimed_to, robot_fires, robots_fire


@kernel
def who_faces_somebody(game: GameRecord, table: Table) -> int:
    """Return the mask of robots with a real robot ahead in their row or column, whatever is in between."""
    facing = 0
    for i in range(game.num_robots):
        if not game.robots[i].alive or game.robots[i].virtual:
            continue
        here = table.squares[place_of_square(game, table, game.robots[i].square)]
        for j in range(i):
            if not game.robots[j].alive or game.robots[j].virtual:
                continue
            there = table.squares[place_of_square(game, table, game.robots[j].square)]
            x, y = int(there.x) - int(here.x), int(there.y) - int(here.y)
            if x != 0 and y != 0:
                continue
            direction = int(direction_of(x, y))
            facing |= int(aimed_to(game, table, i) == direction) << i
            facing |= int(aimed_to(game, table, j) == direction ^ 2) << j
    return facing


@accelerates(robots_fire)
def robots_in_line_fire(game: GameRecord, table: Table, log: Log) -> None:
    """Let only those robots fire that have a robot ahead, or whose options fire anything but a main laser forward."""
    facing = int(who_faces_somebody(game, table))
    for k in range(game.num_robots):
        shooter = int(game.order[k])
        body = game.robots[shooter]
        if facing >> shooter & 1 or body.fired > FIRE_MAIN or body.modified & REARWARD:
            robot_fires(game, table, log, shooter)


@accelerates(beam_meets)
def beam_meets_in_line(game: GameRecord, table: Table, place: int, direction: int, square: int, level: int) -> bool:
    """Follow a beam of the board only if the given square is in its row or column."""
    if squares_ahead(table, place, direction, place_of_square(game, table, square)) < 0:
        return False
    return bool(beam_meets(game, table, place, direction, square, level))


@accelerates(mounts_fire, forms=(BASE, OPTIONS))
def mounts_fire_at_lit_squares(game: GameRecord, table: Table, log: Log) -> None:
    """Fire the lasers of the board only if a robot is on a square that one of them may cross."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and table.squares[robot.square].lit:
            mounts_fire(game, table, log)
            return


@accelerates(mounts_fire, forms=(FULL,))
def mounts_fire_at_lines(game: GameRecord, table: Table, log: Log) -> None:
    """Fire the lasers of the board only if a robot or copy is in a line that one of them may cross.

    These lines allow for all turns of rooms.
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        near = robot.alive and line_through(game, table, robot.square, LINE_LASER) != 0
        if near or (robot.has_copy and line_through(game, table, robot.copy_square, LINE_LASER) != 0):
            mounts_fire(game, table, log)
            return
