"""How many cards a robot gets (R-A5.2)."""

from __future__ import annotations

from rr_gym.courses.ground import ICE
from rr_gym.jit import expansion, kernel
from rr_gym.rules.constants import HAND_SIZE
from rr_gym.rules.ground import features_of
from rr_gym.rules.ice import fewer_cards
from rr_gym.rules.option_cards import EXTRA_MEMORY
from rr_gym.rules.options import owns
from rr_gym.rules.records import GameRecord, TableRecord


@kernel
def cards_for_damage(game: GameRecord, table: TableRecord, robot: int) -> int:
    return HAND_SIZE - game.robots[robot].damage


@expansion(cards_for_damage)
def hand_size(game: GameRecord, table: TableRecord, robot: int) -> int:
    """The cards that a robot gets: nine less its damage (R-A5.2), one more by Extra Memory (R-O7), on ice one fewer."""
    body = game.robots[robot]
    size = HAND_SIZE - body.damage + (1 if owns(body, EXTRA_MEMORY) else 0)
    if features_of(table) & ICE:
        size -= fewer_cards(game, table, robot)
    return int(max(size, 0))
