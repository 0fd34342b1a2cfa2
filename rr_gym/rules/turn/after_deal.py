"""T3 with option cards: cards withheld from the deal, and options that affect hands (R-O9, R-O20, R-O40, R-O51)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.damage.explosions import blasts_go_off
from rr_gym.rules.devices.devices import NO_SLOT, find_device
from rr_gym.rules.options.options import owns, show_option
from rr_gym.rules.robot.health import NUM_LOCKED, UNDAMAGED_REGISTERS
from rr_gym.rules.robot.sleep import keeps_program
from rr_gym.rules.state.cards import FIRST_MOVEMENT, add_to_hand, cards_in_hand, discard, draw_card, fill_hand
from rr_gym.rules.state.chance import below
from rr_gym.rules.state.constants import BUZZ_DEALT, BUZZ_TOKEN, BY_RECOMPILE, HAND_SLOTS, NUM_REGISTERS, SWAPPED
from rr_gym.rules.state.events import DEALT_ANEW, HANDS_SWAPPED, TOKEN_LAID, note, note_at
from rr_gym.rules.state.option_cards import BUZZ_BOMB, EXTRA_MEMORY, FLYWHEEL, INTERCEPTOR, RECOMPILE
from rr_gym.rules.state.records import GameRecord, Log, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.hands import hand_size


@kernel
def gets_cards(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot is dealt cards: if on the board, powered up, and not asleep with its old program (R-E73)."""
    body = game.robots[robot]
    return body.alive != 0 and body.down == 0 and not keeps_program(game, table, robot)


@with_expansions(0)
def kept_for_recompile(game: GameRecord, table: Table, robot: int) -> int:
    """Return the mask of the open register that a point of damage by Recompile would lock (F6).

    Its card stays in it until then (R-O20.3).
    """
    body = game.robots[robot]
    # mutants (never): scenarios set the registers
    if not body.alive or not owns(body, RECOMPILE) or NUM_LOCKED[body.locked] > body.damage - UNDAMAGED_REGISTERS:
        return 0
    for r in range(NUM_REGISTERS - 1, -1, -1):
        if not body.locked >> r & 1:
            return 1 << r
    return 0


# mutants: scenarios deal nothing: tests/rules/test_option_programs.py
@with_expansions(0)
def withhold_flywheel_cards(game: GameRecord, table: Table) -> int:
    """Take the cards on Flywheels out of the deck; return how many.

    Cards on lost options stay in the deck (R-O9.4).
    """
    kept = 0
    game.buzz_program[:] = 0
    for i in range(game.num_robots):
        body = game.robots[i]
        if body.flywheel and (body.out or not owns(body, FLYWHEEL)):
            body.flywheel = 0
        if body.flywheel:
            game.deck[body.flywheel - 1] = 0
            kept += 1
    return kept


# mutants: scenarios deal nothing: tests/rules/test_option_programs.py
@with_expansions(None)
def deal_buzz_bomb(game: GameRecord, table: Table) -> None:
    """Deal five cards to the buzz bomb in play, or to one that a robot may launch in this turn (R-O32.2)."""
    needed = find_device(game, BUZZ_TOKEN) != NO_SLOT
    for i in range(game.num_robots):
        body = game.robots[i]
        if owns(body, BUZZ_BOMB) and game.payload[BUZZ_BOMB] > 0 and gets_cards(game, table, i):
            needed = True
    if needed:
        for k in range(NUM_REGISTERS):
            game.buzz_program[k] = draw_card(game, BUZZ_DEALT)


# mutants: scenarios deal nothing: tests/rules/test_option_programs.py
@with_expansions(None)
def flywheel_cards_join(game: GameRecord, table: Table) -> None:
    """Add the card on a Flywheel to the hand, to which it belongs until it is programmed (R-O9.2)."""
    for i in range(game.num_robots):
        body = game.robots[i]
        if body.flywheel and gets_cards(game, table, i) and not game.bombed >> i & 1:
            add_to_hand(body, cards_in_hand(body), body.flywheel)


@kernel
def wants_new_hand(game: GameRecord, table: Table, robot: int, threshold: int) -> bool:
    """Tell whether a hand has fewer movement cards than the orders of the last turn demand (U23)."""
    # mutants (boundary): no hand has fewer movement cards than none
    if threshold <= 0 or not gets_cards(game, table, robot) or game.bombed >> robot & 1:
        return False
    movements = 0
    for slot in range(HAND_SLOTS):
        # mutants: scenarios have no hands: tests/rules/test_option_programs.py
        if game.robots[robot].hand[slot] >= FIRST_MOVEMENT:
            movements += 1
    return movements < threshold  # mutants: scenarios have no hands: tests/rules/test_option_programs.py


# mutants: scenarios have no hands: tests/rules/test_option_programs.py
@kernel
def discard_hand(game: GameRecord, robot: int) -> int:
    """Discard a robot's hand; return how many cards it had."""
    body = game.robots[robot]
    size = cards_in_hand(body)
    for slot in range(size):
        discard(game, body.hand[slot])
        body.hand[slot] = 0
    return size


@kernel
def recompile(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Deal a robot another hand of the same size for one point of damage (R-O20).

    The new hand is not smaller for that point. A robot that gets no cards because of its damage cannot do this.
    """
    body = game.robots[robot]
    if not owns(body, RECOMPILE) or not wants_new_hand(game, table, robot, body.orders.recompile):
        return
    if hand_size(game, table, robot) == 0:
        return
    size = int(fill_hand(game, body, 0, discard_hand(game, robot)))
    show_option(game, RECOMPILE)
    note(game, log, DEALT_ANEW, robot, size)
    hurt(game, table, log, robot, 1, BY_RECOMPILE)
    blasts_go_off(game, table, log)  # mutants: nobody has moved before A1


# mutants: scenarios have no hands: tests/rules/test_option_programs.py
@kernel
def sort_hand(robot: Robot) -> None:
    """Sort a hand, the highest priority first."""
    size = cards_in_hand(robot)
    for slot in range(1, size):
        card = robot.hand[slot]
        robot.hand[slot] = 0
        add_to_hand(robot, slot, card)


# mutants: scenarios have no hands: tests/rules/test_option_programs.py
@kernel
def swap_hands(game: GameRecord, one: int, other: int) -> None:
    """Swap the hands of two robots (R-O40.2).

    All cards of the smaller hand are exchanged for as many random cards of the larger one.
    """
    smaller, larger = game.robots[one], game.robots[other]
    count, total = cards_in_hand(smaller), cards_in_hand(larger)
    if count > total:
        smaller, larger = larger, smaller
        count, total = total, count
    for slot in range(count):
        pick = slot + below(game, SWAPPED, total - slot) if count < total else slot
        card = larger.hand[pick]
        larger.hand[pick] = larger.hand[slot]
        larger.hand[slot] = smaller.hand[slot]
        smaller.hand[slot] = card
    sort_hand(smaller)
    sort_hand(larger)


# mutants: scenarios have no hands: tests/rules/test_option_programs.py
@kernel
def intercept(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Let the owner of the Interceptor swap hands with the robot that has its token (R-O40.2).

    The owner takes the token back.
    """
    target = int(game.intercept_target)
    body = game.robots[robot]
    if target < 0 or not owns(body, INTERCEPTOR) or not wants_new_hand(game, table, robot, body.orders.intercept):
        return
    if not gets_cards(game, table, target) or game.bombed >> target & 1:
        return
    swap_hands(game, robot, target)
    game.intercept_target = -1
    show_option(game, INTERCEPTOR)
    note_at(game, log, HANDS_SWAPPED, robot, target, 0, body.square, game.robots[target].square)
    note_at(game, log, TOKEN_LAID, robot, -1, INTERCEPTOR, body.square, -1)


@with_expansions(None)
def after_deal(game: GameRecord, table: Table, log: Log) -> None:
    """Apply options to hands after the deal, before players see them (T3, U7, U23).

    Scrambler bombs come first, then Recompile, then Interceptor. Afterwards open registers are empty: a card that was
    kept for Recompile is discarded if its register is not locked.
    """
    for i in range(game.num_robots):
        if owns(game.robots[i], EXTRA_MEMORY) and gets_cards(game, table, i):
            show_option(game, EXTRA_MEMORY)
        if game.bombed >> i & 1:  # mutants: scenarios have no hands: tests/rules/test_option_programs.py
            discard_hand(game, i)
    for i in range(game.num_robots):
        recompile(game, table, log, i)
    for i in range(game.num_robots):
        intercept(game, table, log, i)
    for i in range(game.num_robots):
        body = game.robots[i]
        if not body.alive:  # mutants: scenarios have no hands: tests/rules/test_option_programs.py
            discard_hand(game, i)
        elif gets_cards(game, table, i):  # mutants (never): scenarios set the registers
            for r in range(NUM_REGISTERS):
                if not body.locked >> r & 1:  # mutants (never): scenarios set the registers
                    discard(game, body.registers[r])
                    body.registers[r] = 0
