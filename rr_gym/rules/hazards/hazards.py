"""What burns, drowns and radiates: the damage of D3, and the marks of a phase that it reads.

R-E19, R-E20, R-E25, R-E30, R-E48 and R-E55, in the order of the timing table: flamers, lava, deep water, graves,
waste, radiation.
"""

from __future__ import annotations

from rr_gym.compilation.jit import kernel, with_elements
from rr_gym.courses.tables.ground import (
    COPY_MACHINES,
    DEEP,
    DEEP_WATER,
    FLAMERS,
    GRAVE,
    GRAVES,
    LAVA,
    RADIANT,
    RADIATION,
    WASTE,
    WASTED,
)
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.ground import features_here, features_of, flies, row_at, stands_on, surface_under
from rr_gym.rules.hazards.fire import flamers_burn
from rr_gym.rules.hazards.lava import lava_burns
from rr_gym.rules.state.constants import (
    BY_DEEP_WATER,
    BY_GRAVE,
    BY_RADIATION,
    BY_WASTE,
    DEEPENED,
    NUM_REGISTERS,
)
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
    """Whoever begins the phase in deep water is marked as having been there, its copy too."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and surface_under(game, table, i) == DEEP:
            robot.marks |= DEEPENED
        if robot.alive and features_of(table) & COPY_MACHINES and copy_swims(game, table, i):
            robot.copy_marks |= DEEPENED


@kernel
def deep_water_drowns(game: Game, table: Table, log: Log) -> None:
    """A point for whoever was in deep water in this phase, however often (R-E48)."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and (robot.marks & DEEPENED or surface_under(game, table, i) == DEEP):
            hurt(game, table, log, i, 1, BY_DEEP_WATER)


@kernel
def overlay_hurts(
    game: Game, table: Table, log: Log, overlay: int, harm: int, flyers: bool
) -> None:
    """A point for every robot that stands on an overlay (R-E19, R-E20, R-E55); `flyers`: also for those above it."""
    for i in range(game.num_robots):
        if game.robots[i].alive and stands_on(game, table, i, overlay) and (flyers or not flies(game, table, i)):
            hurt(game, table, log, i, 1, harm)


@with_elements(None)
def hazards_hurt(game: Game, table: Table, log: Log) -> None:
    """D3: a point from each danger that a robot is in."""
    features = features_of(table)
    here = features_here(game, table)
    if here & FLAMERS:
        flamers_burn(game, table, log)
    if features & LAVA:
        lava_burns(game, table, log)
    if features & DEEP_WATER:
        deep_water_drowns(game, table, log)
    if here & GRAVES:
        overlay_hurts(game, table, log, GRAVE, BY_GRAVE, False)
    if here & WASTE:
        overlay_hurts(game, table, log, WASTED, BY_WASTE, True)
    if here & RADIATION and game.phase == NUM_REGISTERS:
        overlay_hurts(game, table, log, RADIANT, BY_RADIATION, True)
