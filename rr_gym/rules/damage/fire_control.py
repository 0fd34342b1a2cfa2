"""Fire Control (R-O8): the effect of an aimed point of damage on the robot that it hits."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.floor.ground import phase_of
from rr_gym.rules.options.giving_up import lose_option
from rr_gym.rules.options.options import most_valuable
from rr_gym.rules.state.constants import (
    BY_ROBOT_LASER,
    FIRE_CONTROL_DAMAGE,
    FIRE_CONTROL_DESTROY,
    FIRE_CONTROL_LOCK_1,
    FIRE_CONTROL_LOCK_5,
    FIRE_CONTROL_LOCK_NEXT,
    NUM_REGISTERS,
    ON,
)
from rr_gym.rules.state.events import OPTION_USED, note_at
from rr_gym.rules.state.option_cards import FIRE_CONTROL
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

# Effects of an aimed point of damage: one of these, or the register (0-4) that it locks
PLAIN = -1  # an ordinary point of damage
ITS_OPTION = NUM_REGISTERS  # it destroys an option of the robot that it hits


@kernel
def is_open(game: GameRecord, victim: int, register: int) -> bool:
    """Tell whether a register (0-4) exists and is not locked."""
    return 0 <= register < NUM_REGISTERS and not game.robots[victim].locked >> register & 1


@kernel
def effect_of(game: GameRecord, table: Table, victim: int, harm: int, aim: int) -> int:
    """Return the effect of an aimed point on a robot: the register that it locks, `ITS_OPTION` or `PLAIN` (R-O8).

    If the shooter's order is impossible, the point is plain (R-O8.4). With the setting `fc_mandatory`, a point of a
    robot's laser instead locks another register: the next open one after this phase's or, without one, the highest open
    one. If no register is open, it destroys an option (D11; the order of registers is a *ruling*).
    """
    if aim == FIRE_CONTROL_DAMAGE:
        return PLAIN
    robot = game.robots[victim]
    following = phase_of(game) + 1
    register = PLAIN
    if FIRE_CONTROL_LOCK_1 <= aim <= FIRE_CONTROL_LOCK_5:
        register = aim - FIRE_CONTROL_LOCK_1
    elif aim == FIRE_CONTROL_LOCK_NEXT:
        register = following
    if is_open(game, victim, register):
        return register
    if aim == FIRE_CONTROL_DESTROY and robot.options != np.uint64(0):
        return ITS_OPTION
    if harm == BY_ROBOT_LASER and table.settings.fc_mandatory == ON:
        for k in range(NUM_REGISTERS):
            register = following + k if following + k < NUM_REGISTERS else NUM_REGISTERS - 1 - k
            if is_open(game, victim, register):
                return register
        if robot.options != np.uint64(0):
            return ITS_OPTION
    return PLAIN


@kernel
def destroy_best_option(game: GameRecord, log: Log, victim: int, shooter: int) -> None:
    """Destroy a robot's most valuable option by Fire Control; a loaded explosive explodes (R-O8.2, R-O8.9)."""
    robot = game.robots[victim]
    best = int(most_valuable(game, robot.options))
    note_at(game, log, OPTION_USED, shooter, victim, FIRE_CONTROL, robot.square, best)
    lose_option(game, log, victim, best)
