"""The previewed pose: the square and the facing of a robot if no other robot were on the board (docs/actions.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.state.constants import BIG_ONE_BODY, CHOP_NONE, HAND_SLOTS, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.decisions import note_decisions
from rr_gym.rules.state.records import FULL_ORDERS, GameRecord, Log, OrdersRecord, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.turn import register_phase

Array = np.ndarray[Any, Any]


@kernel
def base_put_alone(lone: GameRecord, table: Table, shown: GameRecord, seat: int) -> int:
    """Make a robot the only one of the game `lone`, and return its seat there."""
    lone.num_robots = lone.num_bodies = 1
    lone.robots[0] = shown.robots[seat]
    return 0


@with_expansions(base_put_alone)
def put_alone(lone: GameRecord, table: Table, shown: GameRecord, seat: int) -> int:
    """Take all other robots off the board, and return the robot's seat.

    Seats stay as they are, since devices stay on the floor and refer to their owners by seat.
    """
    for i in range(lone.num_robots):
        if i != seat:
            lone.robots[i].alive = 0
            lone.robots[i].square = -1
    return seat


@with_expansions(None)
def without_chance(lone: GameRecord, table: Table, seat: int, order: OrdersRecord) -> None:
    """Remove hidden information and chance from a game, so that a preview cannot reveal anything.

    As a result, no card is drawn, no turret gun acts, and decisions that are still open have no effect.
    """
    lone.deck_left = 0
    lone.discards_left = 0
    lone.option_deck_left = 0
    lone.option_discards_left = 0
    lone.turret_cards[:] = 0
    lone.buzz_program[:] = 0
    lone.homing_target = -1
    orders = np.empty(MAX_ROBOTS, FULL_ORDERS)
    orders[seat] = order
    robot = lone.robots[seat]
    movements = robot.orders.movement_option.copy()  # as step T4 will record them
    note_decisions(lone, table, orders, seat)  # type: ignore[arg-type]  # kernels make plain arrays
    for r in range(NUM_REGISTERS):
        robot.orders.movement_option[r] = movements[r]
    robot.orders.chop = CHOP_NONE
    robot.orders.waste = 0
    robot.orders.reset_card = 0


@with_expansions(None)
def keep_board(shown: GameRecord, table: Table, lone: GameRecord) -> None:
    """Copy the changes to the board from the game in which the robot was alone to the game that is shown."""
    shown.step = lone.step
    shown.flip = lone.flip
    shown.flip_pending = lone.flip_pending
    shown.barrier_broken = lone.barrier_broken
    shown.piston_up = lone.piston_up
    for k in range(shown.crumbled.size):
        shown.crumbled[k] = lone.crumbled[k]
    if shown.num_devices or lone.num_devices:
        for k in range(max(shown.num_devices, lone.num_devices)):
            shown.devices[k] = lone.devices[k]
        shown.num_devices = lone.num_devices
        shown.num_bodies = lone.num_bodies
        shown.robots[BIG_ONE_BODY] = lone.robots[BIG_ONE_BODY]


@with_expansions(None)
def keep_options(before: Robot, table: Table, after: Robot) -> None:
    """Restore what the preview used up of a robot's options, since the rest of the turn is still to be programmed."""
    after.options = before.options
    after.bio = before.bio
    after.conditional = before.conditional
    after.flywheel = before.flywheel
    after.copter = before.copter
    after.orders = before.orders
    for r in range(NUM_REGISTERS):
        after.second[r] = before.second[r]


@kernel
def preview_phase(
    shown: GameRecord, table: Table, seat: int, order: OrdersRecord, scratch: Array, log: Log
) -> None:
    """Play the phase `shown.phase` with only the seat's robot on the board, and move that robot in `shown`.

    Args:
        shown: The game that is shown to the seat, updated; the robot's registers hold the cards chosen so far.
        table: The course.
        seat: The seat of the robot.
        order: The other decisions of the seat so far.
        scratch: (1,), dtype `GAME`: a copy of `shown`, on which the phase is played.
        log: A log that is off.
    """
    lone = scratch[0]
    lone.num_destroyed = 0
    lone.over = 0
    lone.winners = 0
    lone.key = lone.salted_key = 0  # future random draws must not be visible
    at = put_alone(lone, table, shown, seat)
    without_chance(lone, table, at, order)
    register_phase(lone, table, log)
    keep_board(shown, table, lone)
    # The rest of the turn is programmed with the real cards and registers.
    before, after = shown.robots[seat], lone.robots[at]
    after.virtual = before.virtual
    after.locked = before.locked
    for r in range(NUM_REGISTERS):
        after.registers[r] = before.registers[r]
    for slot in range(HAND_SLOTS):
        after.hand[slot] = before.hand[slot]
    keep_options(before, table, after)
    shown.robots[seat] = lone.robots[at]
