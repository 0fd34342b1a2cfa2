"""Two cards in one register, programmed in T4 (R-O0.18, R-O34, R-O36, R-O44)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.options.options import owns
from rr_gym.rules.state.cards import CARD_TYPE, FIRST_MOVEMENT, take_from_hand
from rr_gym.rules.state.constants import (
    CRAB,
    DECK_SIZE,
    DUAL,
    DUAL_GENERAL,
    MOVE_1,
    MOVE_2,
    MOVE_3,
    NO_MOVEMENT_OPTION,
    OVERLOAD,
    OVERLOAD_SECOND_FIRST,
    U_TURN,
)
from rr_gym.rules.state.option_cards import CRAB_LEGS, DUAL_PROCESSOR, OVERLOAD_OVERRIDE
from rr_gym.rules.state.records import GameRecord, Robot
from rr_gym.rules.state.table import Table


@kernel
def may_combine(table: Table, movement: int, one: int, other: int) -> bool:
    """Tell whether a movement option allows two cards in one register.

    Crab Legs takes a Move 1 and a rotation to a side (R-O34.1). Dual Processor takes a Move 2 and a rotation to a side,
    or a Move 3 and any rotation; by the setting `dual` any movement card and any rotation (R-O36). Overload Override
    takes any two cards (R-O44.1).
    """
    move, rotation = max(one, other), min(one, other)
    if movement in (OVERLOAD, OVERLOAD_SECOND_FIRST):
        return True
    if rotation >= FIRST_MOVEMENT or move < FIRST_MOVEMENT:
        return False
    round_about = CARD_TYPE[rotation] == U_TURN
    if movement == CRAB:
        return CARD_TYPE[move] == MOVE_1 and not round_about
    if movement != DUAL:  # mutants (never): no other option combines two cards
        return False
    if table.settings.dual == DUAL_GENERAL or CARD_TYPE[move] == MOVE_3:
        return True
    return CARD_TYPE[move] == MOVE_2 and not round_about


@kernel
def owns_pairing(robot: Robot, movement: int) -> bool:
    """Tell whether a robot owns the option card that puts two cards into a register."""
    if movement == CRAB:
        return owns(robot, CRAB_LEGS)
    if movement == DUAL:
        return owns(robot, DUAL_PROCESSOR)
    return owns(robot, OVERLOAD_OVERRIDE)


@kernel
def pair_cards(game: GameRecord, table: Table, robot: int, register: int, second: int) -> None:
    """Put a second card of the hand into a register, if the movement option ordered there allows it.

    The movement card of the two becomes the primary one (R-O0.18); Overload Override keeps the order in which they are
    executed. If the pair is not allowed, the register stays as it is, without the option.
    """
    body = game.robots[robot]
    movement = int(body.orders.movement_option[register])
    if not CRAB <= movement <= OVERLOAD_SECOND_FIRST:
        return
    body.orders.movement_option[register] = NO_MOVEMENT_OPTION
    primary = int(body.registers[register])
    # mutants (never): scenarios give no such order: tests/rules/test_option_programs.py
    if primary == 0 or body.locked >> register & 1 or not owns_pairing(body, movement):
        return
    # mutants (never, boundary 1): no scenario has such a card: tests/rules/test_option_programs.py
    if not 0 < second <= DECK_SIZE or not may_combine(table, movement, primary, second):
        return
    if not take_from_hand(body, second):
        return
    if primary < FIRST_MOVEMENT <= second:
        body.registers[register] = second
        second = primary
        if movement == OVERLOAD:
            movement = OVERLOAD_SECOND_FIRST
        elif movement == OVERLOAD_SECOND_FIRST:
            movement = OVERLOAD
    body.second[register] = second
    body.orders.movement_option[register] = movement
