"""Crumbly ground (R-E47): it gives way under robots that are about to turn."""

from __future__ import annotations

import numpy as np

from rr_gym.courses.ground import CRUMBLING
from rr_gym.jit import element, kernel
from rr_gym.rules.cards import FIRST_MOVEMENT
from rr_gym.rules.constants import BY_CRUMBLED, NO_CARD, ON
from rr_gym.rules.damage import destroy
from rr_gym.rules.energizers import current_card
from rr_gym.rules.events import CRUMBLED, note_at
from rr_gym.rules.ground import row_at, surface_under
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord
from rr_gym.rules.watch import ALL_DEVICES


@kernel
def leave_pit(game: GameRecord, table: TableRecord, log: LogRecord, square: int) -> None:
    """A crumbly square is a pit from now on."""
    number = int(table.ground[row_at(game, table, square)].crumbly)
    game.shifted = ALL_DEVICES
    game.crumbled[number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    note_at(game, log, CRUMBLED, -1, -1, 0, square, number)


@element(None)
def crumbly_ground_gives_way(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """A4: who stands there with a rotate card for this phase sinks and is destroyed (R-E47, K18).

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
