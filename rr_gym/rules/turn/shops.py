"""E2: chop shops, radioactive waste and reset sites serve the robots on them (R-E24, R-E20, R-E70)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import CHOP_SHOP, HAS_CHOP_SHOPS, HAS_RESET_SITES, HAS_WASTE, RESET_SITE, WASTED
from rr_gym.forms import with_elements
from rr_gym.rules.driving.priority import by_priority
from rr_gym.rules.driving.registers import replace_cards
from rr_gym.rules.floor.ground import features_of, stands_on
from rr_gym.rules.floor.standing import on_floor
from rr_gym.rules.options.options import (
    discard_option,
    draw_option,
    emptiest,
    least_valuable,
    may_draw,
    owns,
    reload_option,
)
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.cards import take_from_deck
from rr_gym.rules.state.constants import CHOP_AUTO, CHOP_DRAW, CHOP_NONE, CHOP_RELOAD, CHOP_SWAP, NUM_REGISTERS
from rr_gym.rules.state.events import PROGRAMMED, note_at
from rr_gym.rules.state.option_cards import NO_OPTION
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def swap_option(game: GameRecord, table: Table, log: Log, robot: int, option: int) -> None:
    """Take an option from a robot in a chop shop, and give it the next one of the pile.

    Without an order, it is the robot's least valuable option.
    """
    body = game.robots[robot]
    if option == NO_OPTION:
        option = least_valuable(game, body.options)
    if owns(body, option) and may_draw(game, table, robot):
        discard_option(game, log, robot, option)
        draw_option(game, table, log, robot)


@kernel
def chop_shop_serves(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Serve a robot in a chop shop, once per phase: swap an option, fill one up, or draw one (R-E24).

    It draws only after phase 5. Without an order the robot draws then, and fills up its emptiest launcher in other
    phases.
    """
    body = game.robots[robot]
    wish = body.orders.chop
    last = game.phase == NUM_REGISTERS
    if wish == CHOP_NONE:
        return
    if wish == CHOP_AUTO:
        wish = CHOP_DRAW if last else CHOP_RELOAD
    if wish == CHOP_SWAP:
        swap_option(game, table, log, robot, body.orders.chop_option)
    elif wish == CHOP_RELOAD:
        chosen = int(body.orders.chop_option)
        reload_option(game, log, robot, emptiest(game, body) if chosen == NO_OPTION else chosen)
    elif last:
        draw_option(game, table, log, robot)


@kernel
def replace_next_card(game: GameRecord, log: Log, robot: int) -> None:
    """Replace the cards of the next register by the card of the draw pile that a robot has chosen (R-E70).

    The old cards are discarded. Nothing changes if that register is locked or the card is not in the pile.
    """
    body = game.robots[robot]
    register = game.phase  # that of the next phase: registers are numbered from 0, phases from 1
    if body.locked >> register & 1 or not take_from_deck(game, body.orders.reset_card):
        return
    replace_cards(game, robot, register, body.orders.reset_card)
    note_at(game, log, PROGRAMMED, robot, -1, register + 1, body.square, body.orders.reset_card)


@kernel
def anybody_is_served(game: GameRecord, table: Table) -> bool:
    """Tell whether a robot stands on a chop shop, radioactive waste or a reset site."""
    for i in range(game.num_robots):
        if game.robots[i].alive and stands_on(game, table, i, CHOP_SHOP | WASTED | RESET_SITE):
            return True
    return False


@with_elements(None)
def shops_serve(game: GameRecord, table: Table, log: Log) -> None:
    """Serve robots at chop shops, waste and reset sites, in the order of their cards (E2, R-E20, R-E24, R-E70).

    Robots that are powered down or asleep get nothing, except a reset site's claim to a card after phase 5.
    """
    features = features_of(table)
    if not features & (HAS_CHOP_SHOPS | HAS_WASTE | HAS_RESET_SITES):  # mutants (never): only an optimisation
        return
    if not anybody_is_served(game, table):  # mutants (never): only an optimisation
        return
    by_priority(game, table, game.order_now)
    claims = 0
    for k in range(game.num_robots):
        i = int(game.order_now[k])
        robot = game.robots[i]
        if not robot.alive or not on_floor(game, table, i):
            continue
        awake = not robot.down and not sleeping(game, table, i)
        if stands_on(game, table, i, RESET_SITE):
            if game.phase == NUM_REGISTERS:
                claims += 1
                robot.reset = claims
            elif awake:
                replace_next_card(game, log, i)
        if awake and stands_on(game, table, i, CHOP_SHOP):
            chop_shop_serves(game, table, log, i)
        if awake and robot.orders.waste and stands_on(game, table, i, WASTED):
            draw_option(game, table, log, i)
