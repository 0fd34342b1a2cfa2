"""The program deck: its 84 cards, and how they are drawn, held and discarded (R-A1, R-A5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.errors import RoboRallyError
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.chance import below
from rr_gym.rules.state.constants import (
    BACK_UP,
    CARD_TYPE_NAMES,
    DEAL,
    DECK_SIZE,
    FILL,
    HAND_SLOTS,
    MOVE_1,
    MOVE_2,
    MOVE_3,
    NO_CARD,
    NUM_REGISTERS,
    ROTATE_LEFT,
    ROTATE_RIGHT,
    U_TURN,
)
from rr_gym.rules.state.records import GameRecord, Robot


def _card_types() -> np.ndarray:
    """Return the type of every card (R-A1.3).

    There are 6 U-Turn, 18 Rotate Left and 18 Rotate Right (alternating), 6 Back Up, 18 Move 1, 12 Move 2 and 6 Move 3.
    """
    types = [NO_CARD] + [U_TURN] * 6 + [ROTATE_LEFT, ROTATE_RIGHT] * 18
    return np.array(types + [BACK_UP] * 6 + [MOVE_1] * 18 + [MOVE_2] * 12 + [MOVE_3] * 6, np.int8)


CARD_TYPE = _card_types()  # int8, by card
FIRST_MOVEMENT = 43  # this card and all above it are movement cards


class CardError(RoboRallyError):
    """A card that does not exist."""


def priority(card: int) -> int:
    """Return the priority printed on a card."""
    return 10 * int(card)


def card_name(card: int) -> str:
    """Return the name of a card: `move_1@490` for card 49, `none` for no card."""
    return f"{CARD_TYPE_NAMES[CARD_TYPE[card]]}@{priority(card)}" if card else "none"


def parse_card(text: str) -> tuple[int, int]:
    """Return the (type, card) of a name such as `move_1@490`, or (type, 0) of `move_1`.

    Raises CardError for a card that does not exist.
    """
    name, at, number = str(text).partition("@")
    if name not in CARD_TYPE_NAMES[1:]:
        raise CardError(f"'{text}': expected one of {', '.join(CARD_TYPE_NAMES[1:])}, with or without @priority")
    kind = CARD_TYPE_NAMES.index(name)
    if not at:
        return kind, 0
    digits = number if number.isascii() and number.isdigit() and len(number) <= 3 else "0"
    card = int(digits) // 10 if digits.endswith("0") else 0
    if not 1 <= card <= DECK_SIZE or CARD_TYPE[card] != kind:
        allowed = ", ".join(str(10 * c) for c in np.flatnonzero(kind == CARD_TYPE))
        raise CardError(f"'{text}': expected a priority of {name}: {allowed}")
    return kind, card


@kernel
def draw_card(game: GameRecord, use: int) -> int:
    """Draw the top card of the draw pile; return 0 if there is none.

    If the pile is empty, this turn's discards are shuffled.
    """
    # mutants (never): registers hold at most 40 of the 84 cards
    if game.deck_left == 0:
        for k in range(game.discards_left):
            game.deck[k] = game.discards[k]
            game.discards[k] = 0
        game.deck_left = game.discards_left
        game.discards_left = 0
        game.deck_known = 0
        if game.deck_left == 0:  # mutants (negate): registers hold at most 40 of the 84 cards
            return 0
    top = game.deck_left - 1
    pick = top
    if game.deck_known > 0:  # mutants (boundary): a shuffled pile has no better card on top
        game.deck_known -= 1
    else:
        pick = int(below(game, use, top + 1))
    card = game.deck[pick]
    game.deck[pick] = game.deck[top]
    game.deck[top] = 0
    game.deck_left = top
    return card


@kernel
def take_from_deck(game: GameRecord, card: int) -> bool:
    """Take a card out of the draw pile, wherever it lies; return whether it was there."""
    for k in range(game.deck_left):
        if game.deck[k] == card:
            last = game.deck_left - 1
            if k > last - game.deck_known:  # mutants (never, boundary): a shuffled pile has no better card on top
                game.deck_known -= 1
            for j in range(k, last):
                game.deck[j] = game.deck[j + 1]
            game.deck[last] = 0
            game.deck_left = last
            return True
    return False


# mutants: discards are reused only when the whole deck is drawn: tests/rules/test_cards.py
@kernel
def discard(game: GameRecord, card: int) -> None:
    """Put a card on this turn's discards, an array with room for each card once. Card 0 is not a card."""
    if card and game.discards_left < DECK_SIZE:
        game.discards[game.discards_left] = card
        game.discards_left += 1


# mutants: scenarios deal nothing: tests/rules/test_cards.py
@kernel
def add_to_hand(robot: Robot, size: int, card: int) -> None:
    """Insert a card into a hand of `size` cards that is sorted by priority, the highest first."""
    slot = size
    while slot > 0 and robot.hand[slot - 1] < card:
        robot.hand[slot] = robot.hand[slot - 1]
        slot -= 1
    robot.hand[slot] = card


# mutants: scenarios have no hands: tests/rules/test_cards.py
@kernel
def cards_in_hand(robot: Robot) -> int:
    """Return how many cards are in a hand, with or without gaps."""
    count = 0
    for slot in range(HAND_SLOTS):
        count += robot.hand[slot] > 0
    return count


# mutants: scenarios deal nothing: tests/rules/test_cards.py
@kernel
def fill_hand(game: GameRecord, robot: Robot, size: int, wanted: int) -> int:
    """Deal cards to a hand until it has `wanted` cards or the pile is empty; return how many it has.

    The hand is sorted by building a bit mask of its cards: inserting each card would need branches that a processor
    mispredicts.
    """
    low: Any = np.uint64(0)
    high: Any = np.uint64(0)  # cards from 64 on
    for slot in range(size):
        card = int(robot.hand[slot])
        low |= np.uint64(card < 64) << np.uint64(card & 63)
        high |= np.uint64(card >= 64) << np.uint64(card & 63)
    while size < wanted:
        card = int(draw_card(game, DEAL))
        if not card:
            break
        low |= np.uint64(card < 64) << np.uint64(card & 63)
        high |= np.uint64(card >= 64) << np.uint64(card & 63)
        size += 1
    slot = size
    while low != np.uint64(0):
        slot -= 1
        robot.hand[slot] = lowest_bit(low)
        low = without_lowest(low)
    while high != np.uint64(0):
        slot -= 1
        robot.hand[slot] = 64 + lowest_bit(high)
        high = without_lowest(high)
    return size


@kernel
def take_from_hand(robot: Robot, card: int) -> bool:
    """Remove a card from a hand; return whether it was there.

    All slots are visited, because leaving the loop early would be a branch that a processor mispredicts.
    """
    if card <= 0:  # mutants (never, boundary): takes no card out of an empty slot
        return False
    place = HAND_SLOTS
    for slot in range(HAND_SLOTS - 1, -1, -1):
        place = slot if robot.hand[slot] == card else place
    if place == HAND_SLOTS:
        return False
    robot.hand[place] = 0
    return True


# mutants: scenarios have no hands: tests/rules/test_option_programs.py
@kernel
def close_gaps(robot: Robot) -> None:
    """Close the gaps in a hand, because programs are chosen from hands without gaps."""
    count = 0
    for slot in range(HAND_SLOTS):
        card = robot.hand[slot]
        if card:
            robot.hand[slot] = 0
            robot.hand[count] = card
            count += 1


# mutants: scenarios leave nothing to be filled: tests/rules/test_cards.py
@kernel
def take_any(game: GameRecord, robot: Robot) -> int:
    """Take a random card out of a hand (R-A5.5); return 0 from an empty hand."""
    cards = cards_in_hand(robot)
    if cards == 0:
        return 0
    pick = below(game, FILL, cards)
    for slot in range(HAND_SLOTS):
        card = robot.hand[slot]
        if card:
            if pick == 0:
                robot.hand[slot] = 0
                return card
            pick -= 1
    return 0


@kernel
def empty_registers(robot: Robot, keep: int) -> None:
    """Take the cards out of all registers except those of the mask `keep`."""
    for r in range(NUM_REGISTERS):
        if not keep >> r & 1:
            robot.registers[r] = 0
