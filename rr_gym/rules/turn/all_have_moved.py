"""B3 and B4 of the timing table (R-T): the effects of squares on robots after all robots have moved."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import (
    HAS_ENERGIZERS,
    HAS_FLAMERS,
    HAS_GAS,
    HAS_LAVA,
    HAS_MELTING,
    HAS_PLATFORMS,
)
from rr_gym.rules.elements.platforms import platforms_tilt
from rr_gym.rules.hazards.fire import flamers_scorch
from rr_gym.rules.hazards.lava import lava_erupts
from rr_gym.rules.hazards.melting import melting_beams_hit
from rr_gym.rules.movement.settling import flights_end, settle
from rr_gym.rules.options.condition_events import note_conditions
from rr_gym.rules.robot.energizers import energizers_charge
from rr_gym.rules.robot.sleep import gas_puts_to_sleep
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sub_steps import SubStep, in_order, robots_then_copies

PLATFORMS = (SubStep(at.B3, platforms_tilt, under=HAS_PLATFORMS, displaces=True),)
SURROUNDINGS = (
    SubStep(at.B4, flamers_scorch, under=HAS_FLAMERS),
    SubStep(at.B4, melting_beams_hit, on_board=HAS_MELTING),
    SubStep(at.B4, lava_erupts, on_board=HAS_LAVA),
    SubStep(at.B4, flights_end),
    SubStep(at.B4, gas_puts_to_sleep, under=HAS_GAS),
    SubStep(at.B4, flights_end),
    SubStep(at.B4, energizers_charge, under=HAS_ENERGIZERS),
    SubStep(at.B4, note_conditions),
)

tilt = in_order(f"{__name__}.platforms", PLATFORMS)
surroundings_act = in_order(f"{__name__}.surroundings", SURROUNDINGS)


@kernel
def robots_have_moved(game: GameRecord, table: Table, log: Log) -> None:
    """Play B3 and B4 for robots, or for copies.

    Platforms move robots and copies at the same time.
    """
    if tilt(game, table, log):
        settle(game, table, log)
    surroundings_act(game, table, log)


all_have_moved = robots_then_copies(f"{__name__}.all", robots_have_moved)
