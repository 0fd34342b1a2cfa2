"""The sides of squares: obstacles on them, where a step over them leads, and the effect of running into them.

R-P3.1, R-E13, R-E14, R-E23, R-E38, R-E39, R-E45, R-E66.
"""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import BUTTON, GATE, PADDED_WALL, PADDING, PLAIN, REPULSOR, SLOPES, SPIKED, TURRET_GUN
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.copies import VANISHED
from rr_gym.rules.floor.ground import (
    NO_FLOOR,
    flies,
    grid_next,
    held,
    is_ramp,
    level_of,
    next_place,
    phase_bit,
    row_at,
    surface_under,
    walled,
)
from rr_gym.rules.floor.levels import beyond_gate, heading_beyond_gate, level_there, through_gate
from rr_gym.rules.floor.positions import leave_board
from rr_gym.rules.state.constants import (
    BOUNCE,
    BY_SPIKES,
    CARD,
    CAUSE_NAMES,
    DISPLACED,
    HELD,
    PUSH,
    RAMP_BACK,
    REBOUND,
    REPELLED,
)
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

OPEN = -1  # nothing in the way
# By cause of movement: whether spikes do not hurt, since a body is only pressed against them (table of causes, R-E39)
GENTLE = np.array([name in ("belt", "current", "pull", "ring", "slide", "ramp_back") for name in CAUSE_NAMES])


@with_expansions(False)
def in_goo(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether goo holds a robot (R-O38)."""
    return game.robots[robot].goo != 0


@with_elements(PLAIN)
def kind_of_wall(game: GameRecord, table: Table, square: int, direction: int, cause: int) -> int:
    """Return the kind of a walled side, `OPEN` for a gate that the robot may pass.

    Gates are open to robots that a card moves, and to all robots that these push (R-E38).
    """
    kind = int(table.ground[row_at(game, table, square)].kinds[direction])
    return OPEN if kind == GATE and cause == CARD else kind


@with_elements(OPEN)
def height_obstacle(game: GameRecord, table: Table, robot: int, square: int, direction: int) -> int:
    """Return `PLAIN` if a difference in height, or a turret gun, is in a robot's way; otherwise `OPEN`.

    These are a ledge from below, a wall at the top of a ramp, or a turret gun that a flyer runs into.
    """
    level = game.robots[robot].level
    target = next_place(game, table, square, direction, level)
    if target < 0 or is_ramp(table, target):
        return OPEN
    row, there = row_at(game, table, square), row_at(game, table, target)
    if flies(game, table, robot) and table.ground[there].overlays & TURRET_GUN:
        return PLAIN
    slopes = table.special[row] & SLOPES and table.ground[row].ramp[direction] >= 0
    if slopes and table.ground[there].in_wall[direction ^ 2] & phase_bit(game):
        return PLAIN
    return PLAIN if level_there(game, table, square, direction, target, level) == NO_FLOOR else OPEN


@kernel
def obstacle(game: GameRecord, table: Table, robot: int, square: int, direction: int, cause: int) -> int:
    """Return the obstacle on a side of a square: `OPEN` for none, otherwise its kind (PLAIN ...).

    `cause` is why the first robot of the push moves.
    """
    if walled(game, table, square, direction):
        return int(kind_of_wall(game, table, square, direction, cause))
    return int(height_obstacle(game, table, robot, square, direction))


@kernel
def edge_from(game: GameRecord, table: Table, robot: int, square: int, direction: int, cause: int) -> int:
    """Return what keeps a robot from leaving its square: `OPEN` for nothing, otherwise the kind of the obstacle.

    A mag-lock or goo that holds the robot acts like a plain wall, whatever is on the side (R-P3.1).
    """
    if held(game, table, robot) or in_goo(game, table, robot):
        return PLAIN
    return int(obstacle(game, table, robot, square, direction, cause))


@kernel
def target_from(game: GameRecord, table: Table, robot: int, square: int, direction: int) -> int:
    """Return the square to which a step over an open side leads, -1 off the board."""
    if through_gate(game, table, square, direction):
        return int(beyond_gate(game, table, square, direction))
    return int(next_place(game, table, square, direction, int(game.robots[robot].level)))


@kernel
def heading_from(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the direction after a step over an open side, which a gate may change (R-E38)."""
    if through_gate(game, table, square, direction):
        return int(heading_beyond_gate(game, table, square, direction))
    return direction


@kernel
def press_button(game: GameRecord, table: Table, robot: int, direction: int) -> None:
    """Give a robot that runs against the button of a copy machine a copy beyond the wall, facing it (R-E45).

    A robot has at most one copy, and copies press no buttons.
    """
    body = game.robots[robot]
    beyond = grid_next(game, table, body.square, direction)
    if body.has_copy or game.copies_act or beyond < 0:
        return
    body.has_copy = 1
    body.copy_square = body.copy_birth = beyond
    body.copy_side = body.copy_facing = body.copy_heading = direction ^ 2
    body.copy_level = level_of(game, table, beyond)
    body.copy_flying = 0
    body.copy_marks = 0
    body.copy_speed = 0


@with_elements(HELD)
def bump(
    game: GameRecord, table: Table, log: Log, mover: int, front: int, direction: int, met: int, cause: int
) -> int:
    """Let the foremost robot of a push run into an obstacle; return how the step ends (R-E23, R-E39, R-E45, R-E66)."""
    body = game.robots[front]
    if met == SPIKED:
        reason = cause if front == mover else PUSH
        # A robot that waits on a ramp is not hurt again at each attempt to slide back (R-E14.6).
        again = cause == RAMP_BACK and not game.robots[mover].marks & DISPLACED
        if not GENTLE[reason] and not again:
            hurt(game, table, log, front, 1, BY_SPIKES)
        return HELD
    if front == mover and cause == CARD:
        if met == BUTTON:
            press_button(game, table, mover, direction)
        if game.copies_act and body.square == body.copy_birth and direction == body.copy_side:
            body.has_copy = VANISHED  # the copy has touched its machine
            leave_board(game, mover)
            body.marks = 0
            return HELD
    if met == REPULSOR and cause == CARD:
        body.leaving = direction
        game.push.repelled = front
        return REPELLED
    # A flyer touches no surface, so it does not rebound; a wall ends a flight by Robo-Copter only after this.
    if met == PADDED_WALL and front == mover and cause in (CARD, BOUNCE):
        return REBOUND if surface_under(game, table, mover) == PADDING else HELD
    return HELD
