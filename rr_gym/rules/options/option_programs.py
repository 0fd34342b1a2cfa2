"""Programming with options in T4 (R-O0): second cards, tokens, counters and stored cards, which are cleared in F6.

From T4 on, `orders.movement_option` and `orders.gadget` of a robot list the tokens and counters on its registers, which
are no longer on their options. A rule that uses or loses one sets its entry to 0, and `orders.buzz` when the bomb
flies. `take_back_tokens` returns the others to their options.
"""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.positions import take_off
from rr_gym.rules.options.buzz_bombs import activate_buzz_bomb, program_buzz_bomb
from rr_gym.rules.options.options import (
    discard_copter_card,
    discard_option,
    in_damping_field,
    note_use,
    owns,
    show_option,
    use_up,
)
from rr_gym.rules.options.pairing import may_combine, pair_cards
from rr_gym.rules.robot.sleep import keeps_program
from rr_gym.rules.state.cards import FIRST_MOVEMENT, discard, take_from_hand
from rr_gym.rules.state.constants import (
    BEST_CARD,
    BY_COPTER,
    DIR_TURN,
    FLOWN,
    FRONT,
    HAND_SLOTS,
    NO_GADGET,
    NO_MOVEMENT_OPTION,
    NUM_REGISTERS,
    ON,
    OVERLOAD_EMPTY,
    SPARED,
)
from rr_gym.rules.state.events import (
    DAMPING_SET,
    GADGET_SET,
    MOVEMENT_OPTION_SET,
    OPTION_USED,
    SECOND_CARD,
    note,
    note_at,
)
from rr_gym.rules.state.option_cards import (
    BIG_JET,
    BIG_ONE,
    BRIDGE_LAYER,
    BUZZ_BOMB,
    CONDITIONAL_PROGRAM,
    CRAB_LEGS,
    DUAL_PROCESSOR,
    FLYWHEEL,
    GOO_DROPPER,
    HOMING_DEVICE,
    MINE_LAYER,
    NO_OPTION,
    OPTION_DAMPING_FIELD,
    OVERLOAD_OVERRIDE,
    PORTABLE_TELEPORTER,
    PROXIMITY_MINE,
    RETRO_ROCKETS,
    ROBO_COPTER,
    SCRAMBLER_BOMB,
    SELF_DESTRUCT,
)
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord, Robot
from rr_gym.rules.state.table import Table

# The option card of each gadget and of each movement option, and the counters that a movement option costs
GADGET_OPTION = np.array([
    NO_OPTION, BRIDGE_LAYER, MINE_LAYER, PROXIMITY_MINE, GOO_DROPPER, PORTABLE_TELEPORTER, SCRAMBLER_BOMB, BIG_ONE,
], np.int8)  # fmt: skip
MOVEMENT_OPTION = np.array([
    NO_OPTION, CRAB_LEGS, DUAL_PROCESSOR, OVERLOAD_OVERRIDE, OVERLOAD_OVERRIDE, OVERLOAD_OVERRIDE, BIG_JET,
    RETRO_ROCKETS, RETRO_ROCKETS, RETRO_ROCKETS,
], np.int8)  # fmt: skip
MOVEMENT_COUNTERS = np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, 3], np.int8)


@kernel
def is_programmed(robot: Robot, card: int) -> bool:
    """Tell whether a card lies in a register or on an option that uses it in this turn."""
    for r in range(NUM_REGISTERS):
        if robot.registers[r] == card or robot.second[r] == card:
            return True
    return robot.conditional == card or robot.copter == card


@kernel
def best_card(robot: Robot) -> int:
    """Return the best unused card of a hand: Move 3 before Move 2 and so on; 0 if the hand is empty."""
    best = 0
    for slot in range(HAND_SLOTS):
        best = max(best, int(robot.hand[slot]))
    return best


# mutants: scenarios name every card: tests/rules/test_option_programs.py
@kernel
def chosen_card(robot: Robot, wanted: int, automatic: bool) -> int:
    """Return the card that an order names; for `BEST_CARD` the best one, if `automatic`."""
    if wanted == BEST_CARD and automatic:
        return best_card(robot)
    return wanted


@kernel
def store_cards(game: GameRecord, orders: Array[OrdersRecord], robot: int, automatic: bool) -> None:
    """Place the cards that orders name on Robo-Copter, Conditional Program and Flywheel (R-O50.1, R-O5.1, R-O9.1).

    Robo-Copter accepts only movement cards, and excludes the Homing Device (R-O39.5). The Flywheel can take another
    card once its card is programmed.
    """
    body = game.robots[robot]
    given = orders[robot]
    card = chosen_card(body, int(given.copter), automatic)
    usable = owns(body, ROBO_COPTER) and not homes(game, robot) and body.copter == 0
    if usable and card >= FIRST_MOVEMENT and take_from_hand(body, card):
        body.copter = card
    card = chosen_card(body, int(given.conditional), automatic)
    # mutants (negate): a second call stores it
    if owns(body, CONDITIONAL_PROGRAM) and body.conditional == 0 and take_from_hand(body, card):
        body.conditional = card
    if body.flywheel and is_programmed(body, body.flywheel):
        body.flywheel = 0
    card = chosen_card(body, int(given.flywheel), automatic)
    # mutants (negate): a second call stores it
    if owns(body, FLYWHEEL) and body.flywheel == 0 and take_from_hand(body, card):
        body.flywheel = card


@kernel
def homes(game: GameRecord, robot: int) -> bool:
    """Tell whether a robot has activated its Homing Device and the token lies on a robot (R-O39.2, R-O39.4)."""
    body = game.robots[robot]
    return body.orders.homing != 0 and owns(body, HOMING_DEVICE) and game.homing_target >= 0


@with_expansions(None)
def set_cards_aside(game: GameRecord, table: Table, orders: Array[OrdersRecord], robot: int) -> None:
    """Remove all cards that orders name from the hand, before open registers are filled at random (T4)."""
    body = game.robots[robot]
    if body.options == np.uint64(0):  # mutants (never): only an optimisation
        return
    for r in range(NUM_REGISTERS):
        pair_cards(game, table, robot, r, int(orders[robot].second[r]))
    store_cards(game, orders, robot, False)


@kernel
def load_movement(game: GameRecord, table: Table, log: Log, robot: int, r: int) -> None:
    """Program the movement option of a register with its counters (R-O0.15), if that is possible.

    A register that Overload Override leaves empty needs its primary card and must not be locked (R-O0.19, R-O44.5).
    Retro-Rockets exclude the Homing Device (R-O39.5). A pair of cards is checked again, because it may have lost its
    movement card to the first register of the game (R-A5.7).
    """
    body = game.robots[robot]
    movement = int(body.orders.movement_option[r])
    option, counters = int(MOVEMENT_OPTION[movement]), int(MOVEMENT_COUNTERS[movement])
    possible = owns(body, option) and game.payload[option] >= counters
    if movement == OVERLOAD_EMPTY:
        possible = possible and body.registers[r] != 0 and not body.locked >> r & 1
    elif movement < OVERLOAD_EMPTY:  # mutants (never, boundary): only a first turn changes pairs
        possible = possible and may_combine(table, movement, int(body.registers[r]), int(body.second[r]))
    if not possible or (option == RETRO_ROCKETS and homes(game, robot)):
        discard(game, body.second[r])
        body.second[r] = 0
        body.orders.movement_option[r] = NO_MOVEMENT_OPTION
        return
    if counters:
        use_up(game, log, robot, option, counters)
    if body.second[r]:
        note_at(game, log, SECOND_CARD, robot, -1, r + 1, body.square, body.second[r])
    note_at(game, log, MOVEMENT_OPTION_SET, robot, -1, r + 1, body.square, movement)


@kernel
def load_gadget(game: GameRecord, log: Log, robot: int, r: int) -> None:
    """Program the gadget token on a register (R-O0.14), if one is left."""
    body = game.robots[robot]
    gadget = int(body.orders.gadget[r])
    option = int(GADGET_OPTION[gadget])
    if not owns(body, option) or game.payload[option] <= 0:
        body.orders.gadget[r] = NO_GADGET
        return
    use_up(game, log, robot, option, 1)
    note_at(game, log, GADGET_SET, robot, -1, r + 1, body.square, gadget)


@kernel
def forget_orders(robot: Robot) -> None:
    """Cancel a robot's orders about tokens, counters and options of the turn."""
    orders = robot.orders
    orders.movement_option[:] = NO_MOVEMENT_OPTION
    orders.gadget[:] = NO_GADGET
    orders.conditional_register = orders.damping = orders.homing = orders.buzz = orders.self_destruct = 0


@with_expansions(None)
def program_options(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log, robot: int) -> None:
    """Program a robot's options, with the cards that its registers have left in its hand.

    `fill_registers` has run before. A robot caught by a scrambler bomb programs nothing: its open registers stay empty,
    and its orders about options of the turn are ignored, except the sides of Turret and Shield (R-O51.2, D29, U59).
    """
    body = game.robots[robot]
    noted = body.orders
    if table.settings.dir_timing == DIR_TURN:  # D9: one direction for the whole turn
        noted.shield[:] = noted.shield[0]
        noted.turret[:] = noted.turret[0]
        noted.gyro[:] = noted.gyro[0]
    if game.bombed >> robot & 1:
        noted.reflector = 1 + FRONT
        for r in range(NUM_REGISTERS):
            if not body.locked >> r & 1:  # mutants (never): a robot that was caught has no hand
                discard(game, body.registers[r])
                body.registers[r] = 0
        return
    if body.options == np.uint64(0):  # mutants (never): only an optimisation
        forget_orders(body)
        return
    noted.damping = 1 if noted.damping and owns(body, OPTION_DAMPING_FIELD) else 0
    noted.homing = 1 if homes(game, robot) else 0
    noted.self_destruct = noted.self_destruct if owns(body, SELF_DESTRUCT) else 0
    for r in range(NUM_REGISTERS):
        if noted.movement_option[r] != NO_MOVEMENT_OPTION:
            load_movement(game, table, log, robot, r)
        if noted.gadget[r] != NO_GADGET:
            load_gadget(game, log, robot, r)
    activate_buzz_bomb(game, log, robot)
    store_cards(game, orders, robot, True)  # mutants: scenarios name every card: tests/rules/test_option_programs.py
    # mutants: scenarios have no hands: tests/rules/test_option_programs.py
    take_from_hand(body, body.flywheel)  # a card that was not programmed stays on the Flywheel


@kernel
def unset_turn_options(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Cancel a robot's options of the turn inside a damping field (R-O43.1).

    Their cards and tokens are not used. Shield, Turret and Gyroscopic Stabilizer are set for each register and stay
    set, unless `dir_timing = turn` (D9).
    """
    body = game.robots[robot]
    if table.settings.dir_timing == DIR_TURN:
        body.orders.shield[:] = 0
        body.orders.gyro[:] = 0
        body.orders.turret[:] = FRONT
    discard(game, body.conditional)
    body.conditional = 0
    discard_copter_card(game, body)
    body.orders.homing = body.orders.reflector = 0
    if body.orders.buzz:
        body.orders.buzz = 0
        use_up(game, log, robot, BUZZ_BOMB, -1)


@with_expansions(None)
def turn_options_begin(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Put options of the turn into effect, after all robots have programmed (T4).

    A damping field comes first: other robots inside it cannot set options of the turn. Then Robo-Copters take off.
    """
    game.damping = -1
    for i in range(game.num_robots):
        body = game.robots[i]
        if not body.alive or body.down or game.bombed >> i & 1 or keeps_program(game, table, i):
            forget_orders(body)
        if body.orders.damping:
            game.damping = i
            show_option(game, OPTION_DAMPING_FIELD)
            note(game, log, DAMPING_SET, i, 1)
    for i in range(game.num_robots):
        body = game.robots[i]
        if game.damping >= 0 and body.options != np.uint64(0) and in_damping_field(game, table, i):
            unset_turn_options(game, table, log, i)
        if body.copter:
            take_off(game, i, BY_COPTER)
            body.rewired |= FLOWN
            note_use(game, log, OPTION_USED, i, ROBO_COPTER)
    program_buzz_bomb(game, orders)  # mutants: scenarios order a bomb's cards: tests/rules/test_option_programs.py


@kernel
def take_back_tokens(game: GameRecord, log: Log, robot: int) -> None:
    """Return programmed but unused tokens and counters to their options, if the robot still owns these.

    This happens at the end of the turn, and when the robot is destroyed (R-O0.39).
    """
    body = game.robots[robot]
    for r in range(NUM_REGISTERS):
        movement, gadget = int(body.orders.movement_option[r]), int(body.orders.gadget[r])
        if MOVEMENT_COUNTERS[movement] and owns(body, MOVEMENT_OPTION[movement]):
            use_up(game, log, robot, int(MOVEMENT_OPTION[movement]), -int(MOVEMENT_COUNTERS[movement]))
        if gadget and owns(body, GADGET_OPTION[gadget]):
            use_up(game, log, robot, int(GADGET_OPTION[gadget]), -1)
    if body.orders.buzz and owns(body, BUZZ_BOMB):
        use_up(game, log, robot, BUZZ_BOMB, -1)
    forget_orders(body)


@with_expansions(None)
def options_end_turn(game: GameRecord, table: Table, log: Log) -> None:
    """Clear what was programmed for the turn: second, stored and copied cards, and unused tokens (F6).

    With `copter_single_use` a Robo-Copter that was used is discarded (D10).
    """
    for i in range(game.num_robots):
        body = game.robots[i]
        if body.options != np.uint64(0):
            take_back_tokens(game, log, i)
            if body.rewired & FLOWN and table.settings.copter_single_use == ON and owns(body, ROBO_COPTER):
                discard_option(game, log, i, ROBO_COPTER)
        body.second[:] = 0
        body.copied[:] = 0
        body.conditional = body.copter = 0
        body.rewired &= SPARED
    if game.damping >= 0:  # mutants: only writes an event
        note(game, log, DAMPING_SET, game.damping, 0)
    game.damping = game.radio_owner = game.radio_target = -1
    game.bombed = 0
    game.buzz_program[:] = 0
