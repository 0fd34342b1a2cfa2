"""Momentum on ice, with `ice_mode = chart`: robots keep a velocity in x and y, and a spin (R-E57)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import ICY
from rr_gym.rules.floor.grid import STEP_X, STEP_Y
from rr_gym.rules.floor.ground import row_at, surface_under
from rr_gym.rules.state.constants import C4, C6
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

FASTEST_ENTRY = 2


@kernel
def entry_speed(game: GameRecord, table: Table, origin: int) -> int:
    """Return the speed with which a robot comes onto ice: 2 if an express belt has carried it there, otherwise 1."""
    belt = int(table.squares[row_at(game, table, origin)].belt)
    return FASTEST_ENTRY if C4 <= game.step <= C6 and belt >= FASTEST_ENTRY else 1


@kernel
def enter_ice(game: GameRecord, table: Table, robot: int) -> None:
    """Give a robot that comes onto ice the velocity of its last step; without ice under it, it loses its velocity."""
    body = game.robots[robot]
    if surface_under(game, table, robot) != ICY:
        body.velocity[:] = 0
        return
    origin = body.origin
    if origin < 0 or table.ground[row_at(game, table, origin)].surface == ICY or body.heading > 3:
        return
    speed = entry_speed(game, table, origin)
    body.velocity[0] = STEP_X[body.heading] * speed
    body.velocity[1] = STEP_Y[body.heading] * speed
    body.velocity[2] = 0
