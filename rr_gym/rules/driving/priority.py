"""The order in which robots act (R-A4.4, U4)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array, i1
from rr_gym.rules.robot.current_cards import first_card
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

FIRST_PRIORITY = 1000  # above all cards and tokens


@kernel
def precedence(game: GameRecord, table: Table, robot: int) -> int:
    """Return twice the priority of the card that a robot executes in this phase, 0 without a card (U4).

    A robot under Radio Control comes right after the robot whose card it executes (R-O17.5).
    """
    card = int(first_card(game, table, robot))
    return 2 * card - 1 if card and robot == game.radio_target else 2 * card


@kernel
def by_priority(game: GameRecord, table: Table, order: Array[i1]) -> None:
    """Write the robots into `order` by their cards of this phase, the highest first.

    Ties go to the lower index (U4).
    """
    for robot in range(game.num_robots):
        game.precedence[robot] = precedence(game, table, robot)
        place = robot
        while place > 0 and game.precedence[order[place - 1]] < game.precedence[robot]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = robot
    game.precedence[:] = 0
