"""Radiation, radioactive waste and graves (R-E19, R-E20, R-E55)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import GRAVE, RADIANT, WASTED
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.ground import flies, stands_on
from rr_gym.rules.state.constants import BY_GRAVE, BY_RADIATION, BY_WASTE, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def overlay_hurts(game: GameRecord, table: Table, log: Log, overlay: int, harm: int, flyers: bool) -> None:
    """Give one point of damage to every robot on an overlay, with `flyers` also to those that fly above it."""
    for i in range(game.num_robots):
        if game.robots[i].alive and stands_on(game, table, i, overlay) and (flyers or not flies(game, table, i)):
            hurt(game, table, log, i, 1, harm)


@with_elements(None)
def graves_hurt(game: GameRecord, table: Table, log: Log) -> None:
    """Give one point of damage to every robot on a grave (D3, R-E55)."""
    overlay_hurts(game, table, log, GRAVE, BY_GRAVE, False)


@with_elements(None)
def waste_hurts(game: GameRecord, table: Table, log: Log) -> None:
    """Give one point of damage to every robot on or above radioactive waste (D3, R-E20)."""
    overlay_hurts(game, table, log, WASTED, BY_WASTE, True)


@with_elements(None)
def radiation_hurts(game: GameRecord, table: Table, log: Log) -> None:
    """Give one point of damage to every robot in radiation, in the last phase (D3, R-E19)."""
    if game.phase == NUM_REGISTERS:
        overlay_hurts(game, table, log, RADIANT, BY_RADIATION, True)
