"""T3: the cards of a turn (R-A5, U39): claims of reset sites, hands, and the cards of turret guns.

What option cards do with the deal is in `rr_gym.rules.turn.after_deal`.
"""

# mutants: scenarios deal nothing: tests/rules/test_cards.py, tests/rules/test_dealing.py
from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_RESET_SITES, HAS_TURRETS
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.state.cards import FIRST_MOVEMENT, add_to_hand, draw_card, fill_hand, take_from_deck
from rr_gym.rules.state.constants import DECK_SIZE, NUM_REGISTERS, ON, TURRETS_DRAWN
from rr_gym.rules.state.events import DEALT, note
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.after_deal import (
    after_deal,
    deal_buzz_bomb,
    flywheel_cards_join,
    gets_cards,
    withhold_flywheel_cards,
)
from rr_gym.rules.turn.hands import hand_size

MAX_DEALS = 100  # how often a hand is dealt at most in one turn


@kernel
def gather_deck(game: GameRecord, table: Table) -> None:
    """Form a new draw pile from all cards that no register and no option keeps (R-A5.1, R-A5.8)."""
    for k in range(DECK_SIZE):
        game.deck[k] = k + 1
    kept = withhold_flywheel_cards(game, table)
    for i in range(game.num_robots):
        robot = game.robots[i]
        robot.hand[:] = 0
        for r in range(NUM_REGISTERS):
            card = robot.registers[r]
            if card:
                game.deck[card - 1] = 0
                kept += 1
    if kept:
        left = 0
        for k in range(DECK_SIZE):  # without a branch, which a processor would mispredict twice for each kept card
            card = game.deck[k]
            game.deck[left] = card
            left += card != 0
        game.deck[left:] = 0
    game.deck_left = DECK_SIZE - kept
    game.deck_known = 0
    if game.discards_left:
        game.discards[:] = 0
        game.discards_left = 0
    game.turret_cards[:] = 0


@with_elements(0)
def claimed(game: GameRecord, table: Table, robot: int) -> int:
    """Return the card that a reset site has put into a robot's hand (R-E70), 0 for none."""
    return int(game.robots[robot].hand[0])


@with_elements(None)
def serve_claims(game: GameRecord, table: Table) -> None:
    """Give robots with a claim from a reset site the card that they have chosen (R-E70).

    This happens before anything is dealt, in the order of the claims. A claim lapses if the card is not in the pile, or
    if the robot has chosen none.
    """
    if not features_of(table) & HAS_RESET_SITES:
        return
    for claim in range(1, game.num_robots + 1):
        for i in range(game.num_robots):
            robot = game.robots[i]
            if robot.reset == claim:
                robot.reset = 0
                if (
                    gets_cards(game, table, i)
                    and hand_size(game, table, i) > 0
                    and take_from_deck(game, robot.orders.reset_card)
                ):
                    add_to_hand(robot, 0, robot.orders.reset_card)


@with_elements(None)
def deal_turrets(game: GameRecord, table: Table) -> None:
    """Deal five cards, which all turret guns of a course share (R-E76, U39)."""
    if features_of(table) & HAS_TURRETS:
        for k in range(NUM_REGISTERS):
            game.turret_cards[k] = draw_card(game, TURRETS_DRAWN)


@kernel
def deal_hand(game: GameRecord, table: Table, robot: int) -> int:
    """Fill up a robot's hand from the draw pile; return the number of cards in it."""
    body = game.robots[robot]
    size = 1 if claimed(game, table, robot) else 0
    return int(fill_hand(game, body, size, hand_size(game, table, robot)))


@kernel
def deal(game: GameRecord, table: Table, log: Log) -> None:
    """Form the draw pile, and deal hands to all robots that are powered up, robot by robot (T3, U39)."""
    gather_deck(game, table)
    serve_claims(game, table)
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not gets_cards(game, table, i):
            continue
        size = deal_hand(game, table, i)
        if table.settings.first_card_moves == ON and game.turn == 0:
            # R-A5.7: a first hand without a movement card is dealt again; hands are sorted, so the first card tells.
            # All movement cards may be in other hands, so the number of deals is limited.
            for _ in range(MAX_DEALS):
                if robot.hand[0] >= FIRST_MOVEMENT:
                    break
                for slot in range(min(size, DECK_SIZE - game.deck_left)):
                    game.deck[game.deck_left] = robot.hand[slot]
                    game.deck_left += 1
                    robot.hand[slot] = 0
                size = deal_hand(game, table, i)
        note(game, log, DEALT, i, size)
    deal_turrets(game, table)
    deal_buzz_bomb(game, table)
    after_deal(game, table, log)
    flywheel_cards_join(game, table)
