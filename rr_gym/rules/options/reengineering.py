"""The Reengineering Unit (R-O47): an option card that a robot exchanges for an option of a robot that it pushes."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.options.option_programs import GADGET_OPTION
from rr_gym.rules.options.options import clear_option, most_valuable, show_option, use_up, worth
from rr_gym.rules.state.constants import (
    JET,
    NO_GADGET,
    NO_MOVEMENT_OPTION,
    NUM_REGISTERS,
    REENGINEERING_ALWAYS,
    REENGINEERING_NEVER,
    RETRO_1,
    SHIELD_USED,
)
from rr_gym.rules.state.events import OPTION_TAKEN, note_at
from rr_gym.rules.state.option_cards import (
    BIG_JET,
    BIO_OPTION,
    CONDITIONAL_PROGRAM,
    FLYWHEEL,
    HOMING_DEVICE,
    INTERCEPTOR,
    NO_OPTION,
    OPTION_DAMPING_FIELD,
    POWER_DOWN_SHIELD,
    REENGINEERING_UNIT,
    REFLECTOR,
    RETRO_ROCKETS,
    ROBO_COPTER,
    SELF_DESTRUCT,
    SHIELD,
)
from rr_gym.rules.state.records import GameRecord, Log


@kernel
def tokens_change_hands(game: GameRecord, log: Log, giver: int, taker: int, option: int) -> None:
    """Move the programmed tokens and counters of an option to the same registers of its new owner (D25).

    If the new owner has a token or counter of the same kind on that register already, they return to the option.
    """
    given, taken = game.robots[giver].orders, game.robots[taker].orders
    for r in range(NUM_REGISTERS):
        if GADGET_OPTION[given.gadget[r]] == option:
            if taken.gadget[r] == NO_GADGET:
                taken.gadget[r] = given.gadget[r]
            else:
                use_up(game, log, giver, option, -1)
            given.gadget[r] = NO_GADGET
        movement = int(given.movement_option[r])
        if movement < JET or option != (BIG_JET if movement == JET else RETRO_ROCKETS):
            continue
        if taken.movement_option[r] == NO_MOVEMENT_OPTION:
            taken.movement_option[r] = movement
        else:
            use_up(game, log, giver, option, -1 if movement == JET else RETRO_1 - movement - 1)
        given.movement_option[r] = NO_MOVEMENT_OPTION


@kernel
def things_change_hands(game: GameRecord, giver: int, taker: int, option: int) -> None:
    """Transfer the rest of an option's state to its new owner (R-O47.3).

    That includes the side to which a Reflector is turned, an active Homing Device, and what Shields have stopped in
    this phase. A robot that flies by a Robo-Copter lands.
    """
    old_owner, new_owner = game.robots[giver], game.robots[taker]
    if option == CONDITIONAL_PROGRAM:
        new_owner.conditional, old_owner.conditional = old_owner.conditional, 0
        new_owner.orders.conditional_register = old_owner.orders.conditional_register
    elif option == FLYWHEEL:  # mutants (never): scenarios have no hands: tests/rules/test_option_programs.py
        new_owner.flywheel, old_owner.flywheel = old_owner.flywheel, 0
    elif option == SELF_DESTRUCT:
        new_owner.orders.self_destruct, old_owner.orders.self_destruct = old_owner.orders.self_destruct, 0
    elif option == ROBO_COPTER:  # mutants (never): a push has ended the flight
        clear_option(game, old_owner, option)  # mutants: a push has ended the flight
    elif option in (SHIELD, POWER_DOWN_SHIELD):
        used = old_owner.shields & (SHIELD_USED if option == SHIELD else SHIELD_USED - 1)
        old_owner.shields ^= used
        new_owner.shields |= used
    # mutants (never): a robot that pushes the owner is in the field, where no Reengineering Unit works
    elif option == OPTION_DAMPING_FIELD and game.damping == giver:
        game.damping = taker
    elif option == REFLECTOR:
        new_owner.orders.reflector = old_owner.orders.reflector
    elif option == HOMING_DEVICE:
        new_owner.orders.homing, old_owner.orders.homing = old_owner.orders.homing, 0
        if game.homing_target == taker:
            game.homing_target = -1
    # mutants: scenarios have no hands: tests/rules/test_option_programs.py
    elif option == INTERCEPTOR and game.intercept_target == taker:
        game.intercept_target = -1


@kernel
def take_option(game: GameRecord, log: Log, taker: int, giver: int, option: int) -> None:
    """Hand an option over to a new owner, with its tokens, counters and programmed orders."""
    tokens_change_hands(game, log, giver, taker, option)
    things_change_hands(game, giver, taker, option)
    show_option(game, option)
    bit = np.uint64(1) << np.uint64(option)
    game.robots[giver].options &= ~bit
    game.robots[taker].options |= bit
    note_at(game, log, OPTION_TAKEN, taker, giver, option, game.robots[taker].square, -1)


@kernel
def exchange_unit(game: GameRecord, log: Log, pusher: int, pushed: int) -> None:
    """Exchange the pusher's unit for the pushed robot's most valuable option, if the pusher's orders say so.

    A Bio Option takes the option that it grants along with it. If the granted option is taken without the Bio Option,
    it no longer depends on the Bio Option (*ruling*).
    """
    policy = game.robots[pusher].orders.reengineering
    robot = game.robots[pushed]
    best = int(most_valuable(game, robot.options))
    if best == NO_OPTION or policy == REENGINEERING_NEVER:
        return
    # mutants (boundary): no two options have the same value
    if policy != REENGINEERING_ALWAYS and worth(game, best) <= worth(game, REENGINEERING_UNIT):
        return
    granted = int(robot.bio)
    if best == BIO_OPTION and granted >= 0:
        take_option(game, log, pusher, pushed, granted)
        game.robots[pusher].bio = granted
    if best == BIO_OPTION or granted == best:
        robot.bio = NO_OPTION
    take_option(game, log, pusher, pushed, best)
    if game.robots[pusher].bio == REENGINEERING_UNIT:
        game.robots[pusher].bio = NO_OPTION
    take_option(game, log, pushed, pusher, REENGINEERING_UNIT)
