"""The number of cards that a robot gets (R-A5.2)."""

# mutants: scenarios deal nothing: tests/rules/test_dealing.py
from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_ICE
from rr_gym.rules.driving.ice import fewer_cards
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.options.options import owns
from rr_gym.rules.state.constants import HAND_SIZE
from rr_gym.rules.state.option_cards import EXTRA_MEMORY
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@kernel
def hand_size(game: GameRecord, table: Table, robot: int) -> int:
    """Return how many cards a robot gets.

    That is nine minus its damage (R-A5.2), one more with Extra Memory (R-O7), and one fewer on ice.
    """
    body = game.robots[robot]
    size = HAND_SIZE - body.damage + (1 if owns(body, EXTRA_MEMORY) else 0)
    if features_of(table) & HAS_ICE:
        size -= fewer_cards(game, table, robot)
    return int(max(size, 0))
