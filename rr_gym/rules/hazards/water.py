"""Water, puddles and deep water: what they do to robots that drive, come or stay (R-E17, R-E48, R-E64, R-E69)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import DEEP, HAS_COPY_MACHINES, OILY, PUDDLE, WATER
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.ground import features_of, row_at, surface_under
from rr_gym.rules.state.constants import BY_DEEP_WATER, DEEPENED
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def copy_swims(game: Game, table: Table, robot: int) -> bool:
    """The robot has a copy in deep water."""
    body = game.robots[robot]
    if not body.has_copy or body.copy_flying:
        return False
    return table.ground[row_at(game, table, body.copy_square)].surface == DEEP


@with_elements(None)
def deep_water_marks(game: Game, table: Table) -> None:
    """A robot that begins the phase in deep water is marked as having been there, its copy too."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and surface_under(game, table, i) == DEEP:
            robot.marks |= DEEPENED
        if robot.alive and features_of(table) & HAS_COPY_MACHINES and copy_swims(game, table, i):
            robot.copy_marks |= DEEPENED


@kernel
def deep_water_drowns(game: Game, table: Table, log: Log) -> None:
    """D3: a point for every robot that was in deep water in this phase, however often (R-E48)."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and (robot.marks & DEEPENED or surface_under(game, table, i) == DEEP):
            hurt(game, table, log, i, 1, BY_DEEP_WATER)


@with_elements(None)
def stand_in_deep_water(game: Game, table: Table, robot: int) -> None:
    """A robot that was in deep water at any time of the phase is hurt in D3 (R-E48)."""
    if surface_under(game, table, robot) == DEEP:
        game.robots[robot].marks |= DEEPENED


@kernel
def get_wet(game: Game, table: Table, robot: int) -> None:
    """Water and puddles put out burning robots that enter them (R-E64, R-E69); deep water hurts later (R-E48)."""
    if surface_under(game, table, robot) in (WATER, DEEP, PUDDLE):
        game.robots[robot].burning = 0
    stand_in_deep_water(game, table, robot)


@kernel
def squares_lost(surface: int) -> int:
    """What a movement card begun in water, in a puddle or on oil loses (R-E17, R-E26, R-E48, R-E69)."""
    return 1 if surface in (WATER, DEEP, PUDDLE, OILY) else 0
