"""Teammates that program from one joint hand (R-G2.3, setting `team_cards`)."""

# mutants: scenarios have no hands: tests/rules/test_variants.py
from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.forms import with_expansions
from rr_gym.rules.state.cards import cards_in_hand
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS, OFF
from rr_gym.rules.state.records import GameRecord, OrdersRecord, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.after_deal import gets_cards
from rr_gym.rules.variants.teams import mates

ABSENT = -1
NUM_NAMED = 2 * NUM_REGISTERS + 3  # how many cards a robot's orders can name


@kernel
def named_card(game: GameRecord, orders: Array[OrdersRecord], robot: int, k: int) -> int:
    """Return the k-th card that a robot's orders name, 0 or less for none.

    Cards count in the order in which registers and options get them.
    """
    given = orders[robot]
    if k < NUM_REGISTERS:
        return 0 if game.robots[robot].locked >> k & 1 else int(given.program[k])
    if k < 2 * NUM_REGISTERS:
        return int(given.second[k - NUM_REGISTERS])
    if k == 2 * NUM_REGISTERS:
        return int(given.conditional)
    return int(given.flywheel if k == NUM_NAMED - 2 else given.copter)


@kernel
def names_card(game: GameRecord, orders: Array[OrdersRecord], robot: int, card: int) -> bool:
    """Tell whether the orders of a robot name a card."""
    for k in range(NUM_NAMED):
        if named_card(game, orders, robot, k) == card:
            return True
    return False


@kernel
def slot_of(robot: Robot, card: int) -> int:
    """Return the slot of a hand that holds a card, `ABSENT` for none; card 0 finds a free slot."""
    for slot in range(HAND_SLOTS):
        if robot.hand[slot] == card:
            return slot
    return ABSENT


@kernel
def spare_slot(game: GameRecord, orders: Array[OrdersRecord], robot: int) -> int:
    """Return the slot of a card that a robot has in its hand and has not named, `ABSENT` for none."""
    body = game.robots[robot]
    for slot in range(HAND_SLOTS):
        card = int(body.hand[slot])
        if card and card != body.flywheel and not names_card(game, orders, robot, card):
            return slot
    return ABSENT


@kernel
def more_than_needed(robot: Robot) -> bool:
    """Tell whether a hand has more cards than its robot has open registers."""
    cards = int(cards_in_hand(robot))
    for r in range(NUM_REGISTERS):
        cards -= not robot.locked >> r & 1
    return cards > 0


@kernel
def fetch_card(game: GameRecord, orders: Array[OrdersRecord], robot: int, mate: int, card: int) -> None:
    """Let a mate give a robot a card in exchange for one that the robot does not use.

    If the robot has no such card, the mate gives the card only if it has enough cards without it.
    """
    body, other = game.robots[robot], game.robots[mate]
    theirs = slot_of(other, card)
    if theirs == ABSENT or card == other.flywheel or (mate < robot and names_card(game, orders, mate, card)):
        return
    own = spare_slot(game, orders, robot)
    if own != ABSENT:
        other.hand[theirs] = body.hand[own]
        body.hand[own] = card
    elif more_than_needed(other) and slot_of(body, 0) != ABSENT:
        body.hand[slot_of(body, 0)] = card
        other.hand[theirs] = 0


@with_expansions(None)
def team_cards_go_round(game: GameRecord, table: Table, orders: Array[OrdersRecord]) -> None:
    """Give robots the cards of their mates that they have named, before any robot programs (T4).

    A card that several robots name goes to the first by index. Every robot keeps enough cards for its open registers.
    """
    if table.settings.team_cards == OFF:
        return
    for i in range(game.num_robots):
        if not gets_cards(game, table, i):
            continue
        team = mates(game, i)
        for k in range(NUM_NAMED):
            card = named_card(game, orders, i, k)
            if card <= 0 or slot_of(game.robots[i], card) != ABSENT:
                continue
            for mate in range(game.num_robots):
                if mate != i and team >> mate & 1 and gets_cards(game, table, mate):
                    fetch_card(game, orders, i, mate, card)
