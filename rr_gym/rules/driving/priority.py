"""In which order robots execute their cards (R-A4.4, U4)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.robot.current_cards import first_card
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table

FIRST_PRIORITY = 1000  # above all cards and tokens


@kernel
def base_precedence(game: Game, table: Table, robot: int, card: int) -> int:
    """By the card alone: nobody executes the cards of another robot."""
    return 2 * card + 1


@with_expansions(base_precedence)
def precedence(game: Game, table: Table, robot: int, card: int) -> int:
    """Robots move by it, the highest first: the card counts twice, so that a robot under Radio Control can come right
    after the one whose card it has got (R-O17.5). A robot without a card has got none (U4).
    """
    return 2 * card if card and robot == game.radio_target else 2 * card + 1


@kernel
def by_priority(game: Game, table: Table) -> int:
    """The robots in the order of their cards of this phase, the highest first: robot + 1 in four bits each.

    A robot without a card has priority 0; ties go to the lower index (U4). Every pair is compared without a branch,
    because chance decides it and a processor foresees nothing.
    """
    cards = 0  # their precedence, eight bits each
    ranks = 0  # how many come before each robot, four bits each
    for i in range(game.num_robots):
        card = int(first_card(game, table, i))
        for j in range(i):
            later = i if (cards >> 8 * j & 255) >= 2 * card + 1 else j
            ranks += 1 << 4 * later
        cards |= precedence(game, table, i, card) << 8 * i
    order = 0
    for i in range(game.num_robots):
        order |= i + 1 << 4 * (ranks >> 4 * i & 15)
    return order
