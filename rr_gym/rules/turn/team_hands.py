"""Team mates who program from one joint hand (R-G2.3, setting `team_cards`)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.forms import with_expansions
from rr_gym.rules.state.cards import cards_in_hand
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS, OFF
from rr_gym.rules.state.records import Game, Orders, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.after_deal import gets_cards
from rr_gym.rules.variants.teams import mates

ABSENT = -1
NUM_NAMED = 2 * NUM_REGISTERS + 3  # cards that orders can name


@kernel
def named_card(game: Game, orders: Array[Orders], robot: int, k: int) -> int:
    """The k-th card that a robot's orders name, in the order in which they get cards; 0 or less for none."""
    given = orders[robot]
    if k < NUM_REGISTERS:
        return 0 if game.robots[robot].locked >> k & 1 else int(given.program[k])
    if k < 2 * NUM_REGISTERS:
        return int(given.second[k - NUM_REGISTERS])
    if k == 2 * NUM_REGISTERS:
        return int(given.conditional)
    return int(given.flywheel if k == NUM_NAMED - 2 else given.copter)


@kernel
def names_card(game: Game, orders: Array[Orders], robot: int, card: int) -> bool:
    """The orders of a robot name a card."""
    for k in range(NUM_NAMED):
        if named_card(game, orders, robot, k) == card:
            return True
    return False


@kernel
def slot_of(robot: Robot, card: int) -> int:
    """Where a card is in a hand; 0 finds a free place."""
    for slot in range(HAND_SLOTS):
        if robot.hand[slot] == card:
            return slot
    return ABSENT


@kernel
def spare_slot(game: Game, orders: Array[Orders], robot: int) -> int:
    """A card of the hand that its robot has not named."""
    body = game.robots[robot]
    for slot in range(HAND_SLOTS):
        card = int(body.hand[slot])
        if card and card != body.flywheel and not names_card(game, orders, robot, card):
            return slot
    return ABSENT


@kernel
def more_than_needed(robot: Robot) -> bool:
    """The hand has more cards than its robot has open registers."""
    cards = int(cards_in_hand(robot))
    for r in range(NUM_REGISTERS):
        cards -= not robot.locked >> r & 1
    return cards > 0


@kernel
def fetch_card(game: Game, orders: Array[Orders], robot: int, mate: int, card: int) -> None:
    """A mate gives a card for one that the robot does not use, or just gives it if it has enough without it."""
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
def team_cards_go_round(game: Game, table: Table, orders: Array[Orders]) -> None:
    """T4, before anybody programs: robots that have named cards of their mates' hands get them, each card once, who
    comes first by index first. Everybody keeps enough cards for its open registers.
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
