"""Radiation, radioactive waste and graves (R-E19, R-E20, R-E55)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.ground import flies, stands_on
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def overlay_hurts(
    game: Game, table: Table, log: Log, overlay: int, harm: int, flyers: bool
) -> None:
    """A point for every robot that stands on an overlay (R-E19, R-E20, R-E55); `flyers`: also for those above it."""
    for i in range(game.num_robots):
        if game.robots[i].alive and stands_on(game, table, i, overlay) and (flyers or not flies(game, table, i)):
            hurt(game, table, log, i, 1, harm)
