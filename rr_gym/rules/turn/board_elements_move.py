"""Segment C of the timing table (R-T): the elements of the board move, sub-step by sub-step."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, seldom, with_elements, with_expansions
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
from rr_gym.rules.elements.accelerators import rings_accelerate
from rr_gym.rules.elements.conveyors import EXPRESS as EXPRESS_BELT
from rr_gym.rules.elements.conveyors import GOLD as GOLD_BELT
from rr_gym.rules.elements.conveyors import NORMAL, belts_move, flip_belts_move
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
from rr_gym.rules.floor.copies import has_copies, swap_copies
from rr_gym.rules.floor.ground import features_here, features_of, features_there
from rr_gym.rules.launching.riding import devices_ride, may_ride
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.options.condition_events import note_conditions
from rr_gym.rules.state import constants as at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table

ALL_STEPS = -1


@kernel
def base_devices_follow(game: Game, table: Table, log: Log, step: int, acting: int) -> int:
    """There are none."""
    return acting


@seldom
@kernel
def ride_and_look(game: Game, table: Table, log: Log, step: int) -> int:
    """Devices ride. The features of the squares that robots stand on then."""
    devices_ride(game, table, log, step)
    return features_here(game, table)


@with_expansions(base_devices_follow)
def devices_follow(game: Game, table: Table, log: Log, step: int, acting: int) -> int:
    """Devices ride after robots, and may throw some. The features of the squares that robots stand on then.

    `acting`: those before it.
    """
    return int(ride_and_look(game, table, log, step)) if may_ride(game, step) else acting


@kernel
def robots_rest(game: Game, table: Table, log: Log, acting: int) -> int:
    """The end of displacements. The features of the squares that robots stand on then; `acting`: those before it."""
    return features_there(game, table, acting, settle(game, table, log))


@kernel
def base_mega_crushers_act(game: Game, table: Table, log: Log, acting: int) -> int:
    """There are none."""
    return acting


@with_elements(base_mega_crushers_act)
def mega_crushers_act(game: Game, table: Table, log: Log, acting: int) -> int:
    """Mega crushers push when all crushers have crushed robots and devices, and what explodes by that has exploded
    (R-E61.2).
    """
    if features_of(table) & HAS_MEGA_CRUSHERS:
        step_ends(game, table, log)
        acting = int(devices_follow(game, table, log, at.C12, acting))
        mega_crushers_push(game, table, log)
    return acting


@with_elements(True)
def is_due(table: Table, only: int, step: int) -> bool:
    """The sub-step is played: all are, or it is the one asked for."""
    return only in (ALL_STEPS, step)


@kernel
def elements_act(game: Game, table: Table, log: Log, acting: int, only: int) -> None:
    """Segment C, or `only` one sub-step of it. What acts on robots alone is left out where nobody stands on it.

    `acting`: the features of the squares that robots stand on.
    """
    features = features_of(table)
    if is_due(table, only, at.C1):
        if features & HAS_RINGS:
            game.step = at.C1
            rings_accelerate(game, table, log, acting)
            acting = robots_rest(game, table, log, acting)
        acting = devices_follow(game, table, log, at.C1, acting)
    if is_due(table, only, at.C2):
        if features & HAS_FANS:
            game.step = at.C2
            ventilators_blow(game, table, log)
            acting = robots_rest(game, table, log, acting)
        acting = devices_follow(game, table, log, at.C2, acting)
    if is_due(table, only, at.C4):
        if acting & HAS_GOLD_BELTS:
            game.step = at.C4
            belts_move(game, table, log, GOLD_BELT)
            acting = robots_rest(game, table, log, acting)
        flags_ride(game, table, log, at.C4)
        acting = devices_follow(game, table, log, at.C4, acting)
    if is_due(table, only, at.C5):
        if acting & HAS_EXPRESS:
            game.step = at.C5
            belts_move(game, table, log, EXPRESS_BELT)
            acting = robots_rest(game, table, log, acting)
        flags_ride(game, table, log, at.C5)
        acting = devices_follow(game, table, log, at.C5, acting)
    if is_due(table, only, at.C6):
        if acting & HAS_BELTS:
            game.step = at.C6
            belts_move(game, table, log, NORMAL)
            acting = robots_rest(game, table, log, acting)
        flags_ride(game, table, log, at.C6)
        acting = devices_follow(game, table, log, at.C6, acting)
    if is_due(table, only, at.C7):
        if features & (HAS_FLIP_BELTS | HAS_FLIP_GEARS | HAS_BARRIERS):
            game.step = at.C7
            barriers_decide(game, table, log, acting)
            if acting & HAS_FLIP_BELTS:
                flip_belts_move(game, table, log)
                acting = robots_rest(game, table, log, acting)
        flags_ride(game, table, log, at.C7)
        acting = devices_follow(game, table, log, at.C7, acting)
    if is_due(table, only, at.C8):
        if acting & HAS_CURRENTS:
            game.step = at.C8
            currents_flow(game, table, log)
            acting = robots_rest(game, table, log, acting)
        acting = devices_follow(game, table, log, at.C8, acting)
    if is_due(table, only, at.C9):
        if acting & HAS_JACKS:
            game.step = at.C9
            jacks_sling(game, table, log)
            acting = robots_rest(game, table, log, acting)
        acting = devices_follow(game, table, log, at.C9, acting)
    if is_due(table, only, at.C10):
        if acting & HAS_PUSHERS:
            game.step = at.C10
            pushers_push(game, table, log)
            acting = robots_rest(game, table, log, acting)
        acting = devices_follow(game, table, log, at.C10, acting)
    if is_due(table, only, at.C10B):
        if features & HAS_ATTRACTORS:
            game.step = at.C10B
            attractors_pull(game, table, log)
            acting = robots_rest(game, table, log, acting)
        acting = devices_follow(game, table, log, at.C10B, acting)
    if is_due(table, only, at.C11):
        if acting & (HAS_GEARS | HAS_FLIP_GEARS | HAS_BIG_GEARS) or features & HAS_TURRETS:
            game.step = at.C11
            if acting & HAS_GEARS:
                gears_turn(game, table, log)
            if acting & HAS_FLIP_GEARS:
                flip_gears_turn(game, table, log)
            if acting & HAS_BIG_GEARS:
                big_gears_turn(game, table, log)
                acting = features_here(game, table)
            turrets_turn(game, table, log)
        acting = devices_follow(game, table, log, at.C11, acting)
    if is_due(table, only, at.C12):
        if acting & HAS_CRUSHERS or features & HAS_MEGA_CRUSHERS:
            game.step = at.C12
            if acting & HAS_CRUSHERS:
                crushers_crush(game, table, log)
            acting = mega_crushers_act(game, table, log, acting)
            acting = robots_rest(game, table, log, acting)
        acting = devices_follow(game, table, log, at.C12, acting)
    if is_due(table, only, at.C13):
        if acting & HAS_ELEVATORS:
            game.step = at.C13
            elevators_move(game, table, log)
            note_conditions(game, table, log)
        devices_follow(game, table, log, at.C13, acting)


@kernel
def base_board_elements_move(game: Game, table: Table, log: Log, acting: int) -> None:
    """Segment C for robots alone."""
    elements_act(game, table, log, acting, ALL_STEPS)


@with_elements(base_board_elements_move)
def board_elements_move(game: Game, table: Table, log: Log, acting: int) -> None:
    """Segment C. In each sub-step copies follow robots: they are virtual and meet nobody, but whom a sub-step destroys
    is gone in the next one (R-E45.4).

    `acting`: the features of the squares that robots stand on.
    """
    if not has_copies(game, table):
        base_board_elements_move(game, table, log, acting)
        return
    for step in range(at.C1, at.C13 + 1):
        elements_act(game, table, log, features_here(game, table), step)
        swap_copies(game, table)
        elements_act(game, table, log, features_here(game, table), step)
        swap_copies(game, table)
