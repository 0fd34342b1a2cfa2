"""What robots keep on ice of the mode `chart`: their velocity in x and y, and their spin (R-E57)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import ICY
from rr_gym.rules.floor.grid import STEP_X, STEP_Y
from rr_gym.rules.floor.ground import row_at, surface_under
from rr_gym.rules.state.constants import C4, C6
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table

FASTEST_ENTRY = 2


@kernel
def entry_speed(game: Game, table: Table, origin: int) -> int:
    """The speed of the step that brings a robot onto the ice: 2 from an express belt, else 1."""
    belt = int(table.squares[row_at(game, table, origin)].belt)
    return FASTEST_ENTRY if C4 <= game.step <= C6 and belt >= FASTEST_ENTRY else 1


@kernel
def enter_ice(game: Game, table: Table, robot: int) -> None:
    """A robot that comes onto the ice begins with the speed of its last step; off the ice it has none."""
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
