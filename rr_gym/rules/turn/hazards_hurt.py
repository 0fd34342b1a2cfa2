"""D3 of the timing table (R-T): hazards damage the robots in them, by one point each."""

from __future__ import annotations

from rr_gym.courses.tables.ground import (
    HAS_DEEP_WATER,
    HAS_FLAMERS,
    HAS_GRAVES,
    HAS_LAVA,
    HAS_RADIATION,
    HAS_WASTE,
)
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.copies import has_copies, swap_copies
from rr_gym.rules.hazards.fire import flamers_burn
from rr_gym.rules.hazards.lava import lava_burns
from rr_gym.rules.hazards.radiation import graves_hurt, radiation_hurts, waste_hurts
from rr_gym.rules.hazards.water import deep_water_drowns
from rr_gym.rules.movement.settling import flights_end
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sub_steps import SubStep, in_order

HAZARDS = (
    SubStep(at.D3, flamers_burn, under=HAS_FLAMERS),
    SubStep(at.D3, lava_burns, on_board=HAS_LAVA),
    SubStep(at.D3, deep_water_drowns, on_board=HAS_DEEP_WATER),
    SubStep(at.D3, graves_hurt, under=HAS_GRAVES),
    SubStep(at.D3, waste_hurts, under=HAS_WASTE),
    SubStep(at.D3, radiation_hurts, under=HAS_RADIATION),
)

hazards_hurt = in_order(f"{__name__}.hazards", HAZARDS)


@with_expansions(None)
def all_hazards_hurt(game: GameRecord, table: Table, log: Log) -> None:
    """Let hazards hurt robots, then their copies (D3).

    Afterwards, flyers whose flight the damage has ended come down.
    """
    hazards_hurt(game, table, log)
    if has_copies(game, table):
        swap_copies(game, table)
        hazards_hurt(game, table, log)
        flights_end(game, table, log)
        swap_copies(game, table)
    flights_end(game, table, log)
