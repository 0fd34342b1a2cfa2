"""What running into an obstacle does: spiked and padded walls, repulsors, the buttons of copy machines (R-P3.1)."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel, with_elements
from rr_gym.courses.tables.ground import BUTTON, PADDED_WALL, PADDING, REPULSOR, SPIKED
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.copies import VANISHED
from rr_gym.rules.floor.ground import grid_next, level_of, surface_under
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
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table

# Causes that press a body against a wall without hurting it on spikes (table of causes, R-E39)
GENTLE = np.array([name in ("belt", "current", "pull", "ring", "slide", "ramp_back") for name in CAUSE_NAMES])


@kernel
def press_button(game: Game, table: Table, robot: int, direction: int) -> None:
    """A robot that runs against the button of a copy machine gets a copy on the other side, facing the wall (R-E45)."""
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
    game: Game, table: Table, log: Log, mover: int, front: int, direction: int, met: int, cause: int
) -> int:
    """What running into an obstacle does, and how the step ends by it (R-E23, R-E39, R-E45, R-E66)."""
    body = game.robots[front]
    if met == SPIKED:
        reason = cause if front == mover else PUSH
        again = cause == RAMP_BACK and not game.robots[mover].marks & DISPLACED  # one that waits on a ramp (R-E14.6)
        if not GENTLE[reason] and not again:
            hurt(game, table, log, front, 1, BY_SPIKES)
        return HELD
    if front == mover and cause == CARD:
        if met == BUTTON:
            press_button(game, table, mover, direction)
        if game.copies_act and body.square == body.copy_birth and direction == body.copy_side:
            body.has_copy = VANISHED  # it has touched its machine
            leave_board(game, mover)
            body.marks = 0
            return HELD
    if met == REPULSOR and cause == CARD:
        body.leaving = direction
        return REPELLED | front
    # A flyer is on no surface; the wall may bring a Robo-Copter down, but only after this.
    if met == PADDED_WALL and front == mover and cause in (CARD, BOUNCE):
        return REBOUND if surface_under(game, table, mover) == PADDING else HELD
    return HELD
