"""Water, puddles and deep water, and their effects on robots (R-E17, R-E48, R-E64, R-E69)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import DEEP, HAS_COPY_MACHINES, OILY, PUDDLE, WATER
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.ground import features_of, row_at, surface_under
from rr_gym.rules.state.constants import BY_DEEP_WATER, DEEPENED
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def copy_swims(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot has a copy in deep water."""
    body = game.robots[robot]
    if not body.has_copy or body.copy_flying:
        return False
    return table.ground[row_at(game, table, body.copy_square)].surface == DEEP


@with_elements(None)
def deep_water_marks(game: GameRecord, table: Table) -> None:
    """Mark the robots and copies that begin a phase in deep water."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and surface_under(game, table, i) == DEEP:
            robot.marks |= DEEPENED
        if robot.alive and features_of(table) & HAS_COPY_MACHINES and copy_swims(game, table, i):
            robot.copy_marks |= DEEPENED


@kernel
def deep_water_drowns(game: GameRecord, table: Table, log: Log) -> None:
    """Give one point of damage to every robot that was in deep water in this phase, however often (D3, R-E48)."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and (robot.marks & DEEPENED or surface_under(game, table, i) == DEEP):
            hurt(game, table, log, i, 1, BY_DEEP_WATER)


@with_elements(None)
def stand_in_deep_water(game: GameRecord, table: Table, robot: int) -> None:
    """Mark a robot that is in deep water now, so that D3 hurts it even if it leaves before (R-E48)."""
    if surface_under(game, table, robot) == DEEP:
        game.robots[robot].marks |= DEEPENED


@kernel
def get_wet(game: GameRecord, table: Table, robot: int) -> None:
    """Put out a burning robot that enters water or a puddle (R-E64, R-E69).

    Mark a robot that enters deep water, which hurts it later in the phase (R-E48).
    """
    if surface_under(game, table, robot) in (WATER, DEEP, PUDDLE):
        game.robots[robot].burning = 0
    stand_in_deep_water(game, table, robot)


@kernel
def squares_lost(surface: int) -> int:
    """Return how many squares a movement card begun on a surface loses (R-E17, R-E26, R-E48, R-E69).

    It loses one in water, in a puddle or on oil.
    """
    return 1 if surface in (WATER, DEEP, PUDDLE, OILY) else 0
