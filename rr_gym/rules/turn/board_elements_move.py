"""Segment C of the timing table (R-T): the elements of the board move, sub-step by sub-step."""

from __future__ import annotations

from rr_gym.compilation.jit import kernel
from rr_gym.courses.tables.ground import (
    ATTRACTORS,
    BARRIERS,
    BIG_GEARS,
    CURRENTS,
    ELEVATORS,
    FANS,
    FLIP_BELTS,
    FLIP_GEARS,
    GOLD_BELTS,
    JACKS,
    MEGA_CRUSHERS,
    RINGS,
    TURRETS,
)
from rr_gym.courses.tables.tables import BELTS, CRUSHERS, EXPRESS, GEARS, PUSHERS
from rr_gym.rules.elements.accelerators import rings_accelerate
from rr_gym.rules.elements.conveyors import EXPRESS as EXPRESS_BELT
from rr_gym.rules.elements.conveyors import GOLD as GOLD_BELT
from rr_gym.rules.elements.conveyors import NORMAL, belts_move, flip_belts_move
from rr_gym.rules.elements.crushers import crushers_crush
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
from rr_gym.rules.floor.ground import any_robot_on, features_of
from rr_gym.rules.launching.riding import devices_ride
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.options.condition_events import note_conditions
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def board_elements_move(game: Game, table: Table, log: Log) -> None:
    """Segment C. What acts on robots alone is left out where nobody stands on it."""
    features = features_of(table)
    if features & RINGS:
        game.step = at.C1
        rings_accelerate(game, table, log)
        settle(game, table, log)
    devices_ride(game, table, log, at.C1)
    if features & FANS:
        game.step = at.C2
        ventilators_blow(game, table, log)
        settle(game, table, log)
    devices_ride(game, table, log, at.C2)
    if any_robot_on(game, table, GOLD_BELTS):
        game.step = at.C4
        belts_move(game, table, log, GOLD_BELT)
        settle(game, table, log)
    flags_ride(game, table, log, at.C4)
    devices_ride(game, table, log, at.C4)
    if any_robot_on(game, table, EXPRESS):
        game.step = at.C5
        belts_move(game, table, log, EXPRESS_BELT)
        settle(game, table, log)
    flags_ride(game, table, log, at.C5)
    devices_ride(game, table, log, at.C5)
    if any_robot_on(game, table, BELTS):
        game.step = at.C6
        belts_move(game, table, log, NORMAL)
        settle(game, table, log)
    flags_ride(game, table, log, at.C6)
    devices_ride(game, table, log, at.C6)
    if features & (FLIP_BELTS | FLIP_GEARS | BARRIERS):
        game.step = at.C7
        barriers_decide(game, table, log)
        if any_robot_on(game, table, FLIP_BELTS):
            flip_belts_move(game, table, log)
            settle(game, table, log)
    flags_ride(game, table, log, at.C7)
    devices_ride(game, table, log, at.C7)
    if any_robot_on(game, table, CURRENTS):
        game.step = at.C8
        currents_flow(game, table, log)
        settle(game, table, log)
    devices_ride(game, table, log, at.C8)
    if any_robot_on(game, table, JACKS):
        game.step = at.C9
        jacks_sling(game, table, log)
        settle(game, table, log)
    devices_ride(game, table, log, at.C9)
    if any_robot_on(game, table, PUSHERS):
        game.step = at.C10
        pushers_push(game, table, log)
        settle(game, table, log)
    devices_ride(game, table, log, at.C10)
    if features & ATTRACTORS:
        game.step = at.C10B
        attractors_pull(game, table, log)
        settle(game, table, log)
    devices_ride(game, table, log, at.C10B)
    if any_robot_on(game, table, GEARS | FLIP_GEARS | BIG_GEARS) or features & TURRETS:
        game.step = at.C11
        gears_turn(game, table, log)
        flip_gears_turn(game, table, log)
        big_gears_turn(game, table, log)
        turrets_turn(game, table, log)
    devices_ride(game, table, log, at.C11)
    if any_robot_on(game, table, CRUSHERS) or features & MEGA_CRUSHERS:
        game.step = at.C12
        crushers_crush(game, table, log)
        settle(game, table, log)
    devices_ride(game, table, log, at.C12)
    if any_robot_on(game, table, ELEVATORS):
        game.step = at.C13
        elevators_move(game, table, log)
        note_conditions(game, table, log)
    devices_ride(game, table, log, at.C13)
