"""Segment C of the timing table (R-T): board elements act, sub-step by sub-step."""

from __future__ import annotations

from itertools import groupby

from rr_gym.compilation.kernels import cold, kernel, named_kernel
from rr_gym.courses.tables.ground import (
    HAS_ATTRACTORS,
    HAS_BARRIERS,
    HAS_BIG_GEARS,
    HAS_CURRENTS,
    HAS_ELEVATORS,
    HAS_FANS,
    HAS_FLIP_BELTS,
    HAS_FLIP_GEARS,
    HAS_GOLD_BELTS,
    HAS_JACKS,
    HAS_MEGA_CRUSHERS,
    HAS_RINGS,
    HAS_TURRETS,
)
from rr_gym.courses.tables.tables import HAS_BELTS, HAS_CRUSHERS, HAS_EXPRESS, HAS_GEARS, HAS_PUSHERS
from rr_gym.forms import OPTIONS, with_expansions
from rr_gym.rules.elements.accelerators import rings_accelerate
from rr_gym.rules.elements.conveyors import all_belts_move, express_belts_move, flip_belts_move, gold_belts_move
from rr_gym.rules.elements.crushers import crushers_crush, mega_crushers_push
from rr_gym.rules.elements.currents import currents_flow
from rr_gym.rules.elements.elevators import elevators_move
from rr_gym.rules.elements.gears import big_gears_turn, flip_gears_turn, gears_turn
from rr_gym.rules.elements.jacks import jacks_sling
from rr_gym.rules.elements.light_barriers import barriers_decide
from rr_gym.rules.elements.magnets import attractors_pull
from rr_gym.rules.elements.moving_flags import flags_ride
from rr_gym.rules.elements.pushers import pushers_push
from rr_gym.rules.elements.turrets import turrets_turn
from rr_gym.rules.elements.ventilators import ventilators_blow
from rr_gym.rules.launching.riding import devices_ride
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sub_steps import Rule, SubStep, in_order, one_after_the_other, robots_then_copies


@cold
@kernel
def devices_act(game: GameRecord, table: Table, log: Log) -> None:
    """Move devices with the elements of a sub-step: see `devices_follow`."""
    devices_ride(game, table, log, game.step)


@with_expansions(None)
def devices_follow(game: GameRecord, table: Table, log: Log) -> None:
    """Move devices with the elements of a sub-step, then let them act on the robots that they have reached."""
    if game.num_devices:
        devices_act(game, table, log)


# The rules of segment C, in order. Rows with the same sub-step act together: robots are not settled between them.
SEGMENT_C = (
    SubStep(at.C1, rings_accelerate, on_board=HAS_RINGS, displaces=True),
    SubStep(at.C2, ventilators_blow, on_board=HAS_FANS, displaces=True),
    SubStep(at.C4, gold_belts_move, under=HAS_GOLD_BELTS, displaces=True),
    SubStep(at.C5, express_belts_move, under=HAS_EXPRESS, displaces=True),
    SubStep(at.C6, all_belts_move, under=HAS_BELTS, displaces=True),
    SubStep(at.C7, barriers_decide, on_board=HAS_BARRIERS),
    SubStep(at.C7, flip_belts_move, under=HAS_FLIP_BELTS, displaces=True),
    SubStep(at.C8, currents_flow, under=HAS_CURRENTS, displaces=True),
    SubStep(at.C9, jacks_sling, under=HAS_JACKS, displaces=True),
    SubStep(at.C10, pushers_push, under=HAS_PUSHERS, displaces=True),
    SubStep(at.C10B, attractors_pull, on_board=HAS_ATTRACTORS, displaces=True),
    SubStep(at.C11, gears_turn, under=HAS_GEARS),
    SubStep(at.C11, flip_gears_turn, under=HAS_FLIP_GEARS),
    SubStep(at.C11, big_gears_turn, under=HAS_BIG_GEARS),
    SubStep(at.C11, turrets_turn, on_board=HAS_TURRETS),
    SubStep(at.C12, crushers_crush, under=HAS_CRUSHERS, displaces=True),
    # Mega crushers push only after they have crushed devices, and after the explosions that this causes (R-E61.2).
    SubStep(at.C12, step_ends, on_board=HAS_MEGA_CRUSHERS),
    SubStep(at.C12, devices_follow, on_board=HAS_MEGA_CRUSHERS),
    SubStep(at.C12, mega_crushers_push, on_board=HAS_MEGA_CRUSHERS, displaces=True),
    SubStep(at.C13, elevators_move, under=HAS_ELEVATORS),
)


def _sub_step_of(name: str, rows: tuple[SubStep, ...]) -> Rule:
    """Make the rule of a sub-step of segment C from its rows.

    Elements act first on robots, which are then settled, and then on flags and devices.
    """
    step = rows[0].step
    elements = in_order(f"{name}_elements", rows)

    @named_kernel(name, base=None, form="" if any(row.is_base for row in rows) else OPTIONS)
    def sub_step(game: GameRecord, table: Table, log: Log) -> None:
        if elements(game, table, log):
            settle(game, table, log)
        game.step = step
        flags_ride(game, table, log)
        devices_follow(game, table, log)

    return sub_step


def _segment_of(rows: tuple[SubStep, ...]) -> Rule:
    steps = []
    for step, together in groupby(rows, key=lambda row: row.step):
        name = f"{__name__}.{at.STEP_NAMES[step]}"
        steps.append(robots_then_copies(name, _sub_step_of(f"{name}_for_robots", tuple(together))))
    return one_after_the_other(f"{__name__}.segment_c", steps)


board_elements_move = _segment_of(SEGMENT_C)
