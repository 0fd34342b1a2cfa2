"""Crumbly ground (R-E47): it gives way under robots that are about to turn."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import CRUMBLING
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.floor.ground import row_at, surface_under
from rr_gym.rules.robot.current_cards import current_card
from rr_gym.rules.state.cards import FIRST_MOVEMENT
from rr_gym.rules.state.constants import BY_CRUMBLED, NO_CARD, ON
from rr_gym.rules.state.events import CRUMBLED, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def leave_pit(game: GameRecord, table: Table, log: Log, square: int) -> None:
    """Turn a crumbly square into a pit for the rest of the game."""
    number = int(table.ground[row_at(game, table, square)].crumbly)
    game.crumbled[number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    note_at(game, log, CRUMBLED, -1, -1, 0, square, number)


@with_elements(None)
def crumbly_ground_gives_way(game: GameRecord, table: Table, log: Log) -> None:
    """Destroy every robot on crumbly ground that has a rotate card for this phase (A4, R-E47, K18).

    With the setting `crumble_leaves_pit` the square stays a pit, unless the robot was virtual.
    """
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive or robot.down or surface_under(game, table, i) != CRUMBLING:
            continue
        if NO_CARD < current_card(game, table, i) < FIRST_MOVEMENT:
            if table.settings.crumble_leaves_pit == ON and not robot.virtual:
                leave_pit(game, table, log, robot.square)
            destroy(game, table, log, i, BY_CRUMBLED)
