"""D3: damage by the surroundings, in the order of the timing table.

Flamers, lava, deep water, graves, waste, radiation: R-E19, R-E20, R-E25, R-E30, R-E48 and R-E55.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import with_elements
from rr_gym.courses.tables.ground import (
    GRAVE,
    HAS_DEEP_WATER,
    HAS_FLAMERS,
    HAS_GRAVES,
    HAS_LAVA,
    HAS_RADIATION,
    HAS_WASTE,
    RADIANT,
    WASTED,
)
from rr_gym.rules.floor.ground import features_here, features_of
from rr_gym.rules.hazards.fire import flamers_burn
from rr_gym.rules.hazards.lava import lava_burns
from rr_gym.rules.hazards.radiation import overlay_hurts
from rr_gym.rules.hazards.water import deep_water_drowns
from rr_gym.rules.state.constants import BY_GRAVE, BY_RADIATION, BY_WASTE, NUM_REGISTERS
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@with_elements(None)
def hazards_hurt(game: Game, table: Table, log: Log) -> None:
    """D3: a point from each danger that a robot is in."""
    features = features_of(table)
    here = features_here(game, table)
    if here & HAS_FLAMERS:
        flamers_burn(game, table, log)
    if features & HAS_LAVA:
        lava_burns(game, table, log)
    if features & HAS_DEEP_WATER:
        deep_water_drowns(game, table, log, here)
    if here & HAS_GRAVES:
        overlay_hurts(game, table, log, GRAVE, BY_GRAVE, False)
    if here & HAS_WASTE:
        overlay_hurts(game, table, log, WASTED, BY_WASTE, True)
    if here & HAS_RADIATION and game.phase == NUM_REGISTERS:
        overlay_hurts(game, table, log, RADIANT, BY_RADIATION, True)
