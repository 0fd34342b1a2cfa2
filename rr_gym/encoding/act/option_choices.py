"""Compute the legal choices in the components of actions that are about option cards (docs/actions.md).

All functions read a *draft*: a copy of the game in which the decisions made so far have been carried out
(`rr_gym.encoding.act.option_actions`). In a draft, chosen cards are in their registers, and used counters are gone from
their options.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.act import components as kinds
from rr_gym.encoding.act.components import COMPONENTS, Component
from rr_gym.encoding.orders.option_orders import OPTIONS_FOR
from rr_gym.rules.devices.devices import NO_SLOT, find_device
from rr_gym.rules.options.buzz_bombs import orders_bomb
from rr_gym.rules.options.option_programs import GADGET_OPTION, MOVEMENT_COUNTERS, MOVEMENT_OPTION
from rr_gym.rules.options.options import owns
from rr_gym.rules.options.pairing import may_combine, owns_pairing
from rr_gym.rules.robot.sleep import keeps_program
from rr_gym.rules.state import option_cards as cards_of
from rr_gym.rules.state.cards import FIRST_MOVEMENT
from rr_gym.rules.state.constants import (
    BUZZ_TOKEN,
    CRAB,
    DIR_TURN,
    HAND_SLOTS,
    NUM_OPTIONS,
    NUM_REGISTERS,
    ON,
    OVERLOAD_EMPTY,
    OVERLOAD_SECOND_FIRST,
    RETRO_1,
)
from rr_gym.rules.state.option_cards import INITIAL_PAYLOAD
from rr_gym.rules.state.records import GameRecord, OrdersRecord, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.weapons.optional_weapons import WEAPON_OPTION

Array = np.ndarray[Any, Any]

_ANY = tuple(range(NUM_OPTIONS))
# Robots with these options are asked for a movement option too, although only the default is legal: random orders draw
# a number for it, and without that draw the same seeds would produce other games.
_ALSO_ASKED = {kinds.MOVEMENT_OPTION: (cards_of.PORTABLE_TELEPORTER, cards_of.ROBO_COPTER)}


def _needs(kind: int, component: Component) -> int:
    """Return the mask of options any of which lets a robot decide a component; all bits if it needs none."""
    options = {*OPTIONS_FOR.get(component.orders, _ANY), *_ALSO_ASKED.get(kind, ())}
    return sum(1 << option for option in options)


# Facts about components, indexed by component number
NEEDS = np.array([_needs(*numbered) for numbered in enumerate(COMPONENTS)], np.uint64)
PROGRAMMED = np.array([component.programmed for component in COMPONENTS])
LASTING = np.array([component.lasting for component in COMPONENTS])
CLOSED_WHEN_BOMBED = np.array([component.programmed and not component.bombed for component in COMPONENTS])
BOMB_CARD = np.array([  # which card of the buzz bomb it sets, from 0; -1 for other components
    int(component.name[-1]) - 1 if component.orders == "buzz_program" else -1 for component in COMPONENTS
], np.int8)  # fmt: skip
CHOICES = np.array([component.choices for component in COMPONENTS], np.int64)
NO_CARD_STORED = HAND_SLOTS  # the choice of `flywheel` that stores nothing


@kernel
def holds(robot: Robot, card: int) -> bool:
    """Tell whether the robot's hand contains a card."""
    for slot in range(HAND_SLOTS):
        if robot.hand[slot] == card:
            return True
    return False


@kernel
def spare_cards(robot: Robot) -> int:
    """Return how many cards of the hand are left once every open register has a card."""
    spare = 0
    for slot in range(HAND_SLOTS):
        spare += robot.hand[slot] > 0
    for r in range(NUM_REGISTERS):
        spare -= robot.registers[r] == 0 and not robot.locked >> r & 1
    return spare


@kernel
def partner(table: Table, robot: Robot, movement: int, card: int) -> int:
    """Return the highest card of the hand that a movement option can combine with `card`; 0 if there is none."""
    best = 0
    for slot in range(HAND_SLOTS):
        other = int(robot.hand[slot])
        if other > best and other != card and may_combine(table, movement, card, other):
            best = other
    return best


@kernel
def may_pair(table: Table, robot: Robot, movement: int, r: int) -> bool:
    """Tell whether a movement option can put a second card into a register, given its first card if it has one."""
    if robot.locked >> r & 1 or spare_cards(robot) < 1:
        return False
    if robot.registers[r]:
        return partner(table, robot, movement, int(robot.registers[r])) > 0
    for slot in range(HAND_SLOTS):
        if robot.hand[slot] and partner(table, robot, movement, int(robot.hand[slot])):
            return True
    return False


@kernel
def movement_choices(game: GameRecord, table: Table, robot: Robot, r: int, order: OrdersRecord) -> int:
    """Return the mask of legal movement options of a register.

    Options that combine two cards need an open register; options with counters need enough of them.
    """
    legal = 1
    for movement in range(1, MOVEMENT_OPTION.size):
        option = MOVEMENT_OPTION[movement]
        if not owns(robot, option):
            continue
        if movement <= OVERLOAD_SECOND_FIRST:
            possible = may_pair(table, robot, movement, r)
        elif movement == OVERLOAD_EMPTY:
            possible = not robot.locked >> r & 1 and (robot.registers[r] > 0 or robot.hand[0] > 0)
        else:
            possible = game.payload[option] >= MOVEMENT_COUNTERS[movement]
            possible = possible and not (movement >= RETRO_1 and order.homing)  # R-O39.5
        legal |= possible << movement
    return legal


@kernel
def second_choices(
    table: Table, robot: Robot, r: int, order: OrdersRecord, hand: Array, exact: bool
) -> int:
    """Return the mask of legal second cards of a register: those that combine with its first card.

    If `exact` is False or the first card is not yet known, those that combine with any other card are legal.
    """
    legal = 1
    chosen = int(order.movement_option[r])
    if robot.locked >> r & 1 or spare_cards(robot) < 1 or (exact and not CRAB <= chosen <= OVERLOAD_SECOND_FIRST):
        return legal
    for movement in range(CRAB, OVERLOAD_SECOND_FIRST + 1):
        if movement == chosen if exact else owns_pairing(robot, movement):
            for slot in range(HAND_SLOTS):
                card = int(hand[slot])
                if card == 0 or not holds(robot, card):
                    continue
                first = int(robot.registers[r])
                fits = may_combine(table, movement, first, card) if first else partner(table, robot, movement, card) > 0
                legal |= fits << (1 + slot)
    return legal


@kernel
def card_choices(robot: Robot, hand: Array, lowest: int, last: int) -> int:
    """Return the mask of slots below `last` with unused cards of at least `lowest`; bit 1 + slot, bit 0 for none.

    If the open registers need all cards, only the default is legal.
    """
    legal = 1
    if spare_cards(robot) > 0:
        for slot in range(last):
            legal |= (hand[slot] >= lowest and hand[slot] > 0 and holds(robot, int(hand[slot]))) << (1 + slot)
    return legal


@kernel
def flywheel_choices(robot: Robot, hand: Array, exact: bool) -> int:
    """Return the mask of choices of a card to store on the Flywheel, including the choice to store nothing.

    Cards can be stored only if the Flywheel is empty or its card is used.
    """
    may_store = robot.flywheel == 0 or not exact or not holds(robot, int(robot.flywheel))
    return (card_choices(robot, hand, 1, HAND_SLOTS - 1) if may_store else 1) | 1 << NO_CARD_STORED


@kernel
def bomb_cards(game: GameRecord) -> int:
    """Return how many cards the buzz bomb was dealt."""
    count = 0
    for k in range(NUM_REGISTERS):
        count += game.buzz_program[k] > 0
    return count


@kernel
def num_owned(robot: Robot) -> int:
    """Return how many option cards a robot owns. Bio Option and the options that it grants all count."""
    count = 0
    for option in range(NUM_OPTIONS):
        count += owns(robot, option)
    return count


@kernel
def may_decide(game: GameRecord, table: Table, seat: int, kind: int, r: int) -> bool:
    """Tell whether a robot has a choice in a component about option cards, given its options and its state."""
    robot = game.robots[seat]
    if kind == kinds.KEEP:
        return True
    if robot.options & NEEDS[kind] == np.uint64(0):
        return False
    if kind == kinds.BREAKER and table.settings.cb_choice != ON:
        return False
    if LASTING[kind]:
        return True
    if robot.down or (PROGRAMMED[kind] and keeps_program(game, table, seat)):
        return False
    if CLOSED_WHEN_BOMBED[kind] and game.bombed >> seat & 1:
        return False
    # D9: the order for register 1 may hold for the whole turn
    return r == 0 or kind not in (kinds.TURRET, kinds.SHIELD, kinds.GYRO) or table.settings.dir_timing != DIR_TURN


@kernel
def choices_of(
    game: GameRecord, table: Table, seat: int, kind: int, r: int, order: OrdersRecord, hand: Array, exact: bool
) -> int:
    """Return the legal choices in one component about option cards, for a robot that passes `may_decide`.

    Args:
        game: A draft.
        table: The course of the game.
        seat: The seat that decides.
        kind: The number of the component in `COMPONENTS`.
        r: The register, from 0, if the component is per register.
        order: The orders with the choices made so far.
        hand: The hand whose slots are meant by choices of cards.
        exact: Whether all earlier decisions have been made. If False, a choice is legal if some outcome of the earlier
            decisions makes it legal.

    Returns:
        A mask with bit c for choice c; choice 0 is always legal.
    """
    robot = game.robots[seat]
    every = (1 << int(CHOICES[kind])) - 1
    if kind in (kinds.GIVE_UP, kinds.LOSE, kinds.CHOP_OPTION):
        return (2 << num_owned(robot)) - 1 & every
    if kind == kinds.HOMING:
        return 3 if game.homing_target >= 0 else 1
    if kind == kinds.MOVEMENT_OPTION:
        return movement_choices(game, table, robot, r, order)
    if kind == kinds.SECOND:
        return second_choices(table, robot, r, order, hand, exact)
    if kind == kinds.GADGET:
        legal = 1
        for gadget in range(1, GADGET_OPTION.size):
            option = GADGET_OPTION[gadget]
            legal |= (owns(robot, option) and game.payload[option] > 0) << gadget
        return legal
    if kind == kinds.COPTER:
        return 1 if order.homing else card_choices(robot, hand, FIRST_MOVEMENT, HAND_SLOTS)
    if kind == kinds.CONDITIONAL:
        return card_choices(robot, hand, 1, HAND_SLOTS)
    if kind == kinds.CONDITIONAL_REGISTER:
        return every if order.conditional > 0 or spare_cards(robot) > 0 else 1
    if kind == kinds.FLYWHEEL:
        return flywheel_choices(robot, hand, exact)
    if kind == kinds.WEAPON:
        legal = 1
        for weapon in range(1, WEAPON_OPTION.size):
            option = WEAPON_OPTION[weapon]
            legal |= (owns(robot, option) and (INITIAL_PAYLOAD[option] == 0 or game.payload[option] > 0)) << weapon
        return legal
    if kind == kinds.BUZZ:
        return 3 if find_device(game, BUZZ_TOKEN) == NO_SLOT and game.payload[cards_of.BUZZ_BOMB] > 0 else 1
    if BOMB_CARD[kind] >= 0:
        left = bomb_cards(game) - int(BOMB_CARD[kind])
        return (1 << left) - 1 if left > 1 and orders_bomb(game, seat, order.buzz > 0 or not exact) else 1
    if kind == kinds.TARGET:
        return (1 << int(game.num_robots)) - 1
    return every
