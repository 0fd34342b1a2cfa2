"""In which order robots execute their cards (R-A4.4, U4)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.robot.current_cards import first_card
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table

FIRST_PRIORITY = 1000  # above all cards and tokens
ONES = sum(1 << 8 * i for i in range(MAX_ROBOTS))  # in eight bits for each robot


@kernel
def base_precedence(game: Game, table: Table, robot: int, card: int) -> int:
    """By the card alone: nobody executes the cards of another robot."""
    return card


@with_expansions(base_precedence)
def precedence(game: Game, table: Table, robot: int, card: int) -> int:
    """Robots move by it: a robot under Radio Control comes right after the one whose card it has got (R-O17.5).

    A robot without a card has got none (U4).
    """
    return card - 1 if card and robot == game.radio_target else card


@kernel
def by_priority(game: Game, table: Table) -> int:
    """The robots in the order of their cards of this phase, the highest first: robot + 1 in four bits each.

    A robot without a card has priority 0; ties go to the lower index (U4). Each robot is compared with all that have
    a lower index at one time, without a branch, because chance decides it and a processor foresees nothing.
    """
    cards = 0  # 128 + their precedence, eight bits each
    highest = 0  # the highest bit of each
    order = 0
    for i in range(game.num_robots):
        card = int(first_card(game, table, i))
        first = (cards - card * ONES & highest) >> 7  # those whose precedence is not less
        place = 4 * (first * ONES >> 56 & 255)  # as many come before it: the sum of all eight bits
        order = order & (1 << place) - 1 | i + 1 << place | order >> place << place + 4
        cards |= 128 + precedence(game, table, i, card) << 8 * i
        highest |= 128 << 8 * i
    return order
