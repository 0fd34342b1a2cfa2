"""The decisions of a turn, noted for the sub-steps that ask for them (R-O)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.records import Array
from rr_gym.rules.state.constants import (
    ALWAYS,
    BY_VALUE,
    CHOP_AUTO,
    CHOP_DRAW,
    DECK_SIZE,
    FATAL_DAMAGE,
    FIRE_CONTROL_DAMAGE,
    FIRE_CONTROL_LOCK_NEXT,
    FIRE_INTERCEPTOR,
    FIRE_MAIN,
    FRONT,
    LAY_BIG_ONE,
    LEFT,
    MAX_OWNED,
    NO_GADGET,
    NO_MOVEMENT_OPTION,
    NUM_OPTIONS,
    NUM_REGISTERS,
    REENGINEERING_ALWAYS,
    REENGINEERING_BETTER,
    REENGINEERING_NEVER,
    RETRO_3,
)
from rr_gym.rules.state.option_cards import NO_OPTION
from rr_gym.rules.state.records import Game, Orders
from rr_gym.rules.state.table import Table

ORDERS_OF_FREAKS = 6  # the permutations of three cards


@kernel
def within(value: int, low: int, high: int, otherwise: int) -> int:
    """The value if it lies within the two, else another one: orders may hold what no order means."""
    return value if low <= value <= high else otherwise


@kernel
def note_registers(game: Game, orders: Array[Orders], robot: int, r: int) -> None:
    """What is decided for each register."""
    noted = game.robots[robot].orders
    given = orders[robot]
    noted.movement_option[r] = within(given.movement_option[r], NO_MOVEMENT_OPTION, RETRO_3, NO_MOVEMENT_OPTION)
    noted.gadget[r] = within(given.gadget[r], NO_GADGET, LAY_BIG_ONE, NO_GADGET)
    noted.weapon[r] = within(given.weapon[r], FIRE_MAIN, FIRE_INTERCEPTOR, FIRE_MAIN)
    noted.wcond[r] = within(given.wcond[r], 0, 1, 1)
    next_one = FIRE_CONTROL_LOCK_NEXT
    noted.fire_control[r] = within(given.fire_control[r], FIRE_CONTROL_DAMAGE, next_one, next_one)
    noted.turret[r] = within(given.turret[r], FRONT, LEFT, FRONT)
    noted.shield[r] = within(given.shield[r], 0, 1 + LEFT, 1 + FRONT)
    noted.gear[r] = within(given.gear[r], 0, 1, 0)
    noted.frog[r] = within(given.frog[r], 0, 1, 0)
    noted.gyro[r] = within(given.gyro[r], 0, 1, 1)


@with_expansions(None)
def note_decisions(game: Game, table: Table, orders: Array[Orders], robot: int) -> None:
    """T4: the decisions of this turn besides the cards; what no order means becomes the default."""
    for r in range(NUM_REGISTERS):
        note_registers(game, orders, robot, r)
    noted = game.robots[robot].orders
    given = orders[robot]
    noted.target = within(given.target, 0, game.num_robots - 1, -1)
    noted.abort = within(given.abort, 0, NUM_REGISTERS, 0)
    noted.conditional_register = within(given.conditional_register, 0, NUM_REGISTERS, 0)
    noted.reflector = within(given.reflector, 0, 1 + LEFT, 1 + FRONT)
    noted.damping = within(given.damping, 0, 1, 0)
    noted.homing = within(given.homing, 0, 1, 0)
    noted.buzz = within(given.buzz, 0, 1, 0)
    noted.self_destruct = within(given.self_destruct, 0, NUM_REGISTERS, 0)
    noted.recompile = within(given.recompile, 0, ALWAYS, 0)
    noted.intercept = within(given.intercept, 0, ALWAYS, 0)
    noted.reengineering = within(given.reengineering, REENGINEERING_NEVER, REENGINEERING_ALWAYS, REENGINEERING_BETTER)
    noted.arm = within(given.arm, 0, 1, 1)
    noted.superior_archive = within(given.superior_archive, 0, 1, 1)
    noted.sac_thr = within(given.sac_thr, 0, FATAL_DAMAGE + 1, FATAL_DAMAGE)
    for k in range(MAX_OWNED):
        noted.give_up[k] = within(given.give_up[k], BY_VALUE, NUM_OPTIONS - 1, NO_OPTION)
    noted.lose = within(given.lose, 0, NUM_OPTIONS - 1, NO_OPTION)
    noted.keep = within(given.keep, 0, 8, 0)
    noted.chop = within(given.chop, CHOP_AUTO, CHOP_DRAW, CHOP_AUTO)
    noted.chop_option = within(given.chop_option, 0, NUM_OPTIONS - 1, NO_OPTION)
    noted.waste = within(given.waste, 0, 1, 1)
    noted.freak_order = within(given.freak_order, 0, ORDERS_OF_FREAKS - 1, 0)
    noted.reset_card = within(given.reset_card, 1, DECK_SIZE, 0)
