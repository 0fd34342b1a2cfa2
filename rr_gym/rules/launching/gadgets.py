"""Laying gadgets in A5 (R-O0, R-X1.2, R-X1.17)."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import CURRENT, DEEP, FLIP_BELT, FREAK_TELEPORTER, RIVER, TELEPORTER, WATER
from rr_gym.forms import with_expansions
from rr_gym.rules.devices.devices import NO_SLOT, POWER, find_device, lay_device
from rr_gym.rules.floor.ground import grid_next, is_bridged, is_open_pit, is_pit_for, level_of, row_at, walled
from rr_gym.rules.floor.landing import floor_for
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.options.options import in_damping_field, owns, show_option, use_up
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import (
    A5,
    BUZZ_TOKEN,
    GADGETS_AT_REVEAL,
    GADGETS_BY_PRIORITY,
    GOO_LOSE,
    LAY_BRIDGE,
    LAY_GOO,
    NO_GADGET,
    TELEPORTER_TOKEN,
)
from rr_gym.rules.state.option_cards import (
    BIG_ONE,
    BRIDGE_LAYER,
    BUZZ_BOMB,
    GOO_DROPPER,
    MINE_LAYER,
    NO_OPTION,
    PORTABLE_TELEPORTER,
    PROXIMITY_MINE,
    SCRAMBLER_BOMB,
)
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

KEEP, LOSE, LAY = range(3)
LAUNCHERS = np.array(
    [NO_OPTION, BRIDGE_LAYER, MINE_LAYER, PROXIMITY_MINE, GOO_DROPPER, PORTABLE_TELEPORTER, SCRAMBLER_BOMB, BIG_ONE],
    np.int8,
)  # the option card of each gadget


@kernel
def place_in_front(game: GameRecord, table: Table, robot: int) -> int:
    """Return the pit in front of a robot over which it would lay a bridge (R-O31).

    Return -1 if there is none, because of a wall, the edge of the board or solid floor. A trap-door pit counts in every
    phase, a drawbridge or crumbly ground only while it is a pit.
    """
    body = game.robots[robot]
    here = place_of_square(game, table, body.square)
    if walled(game, table, here, body.facing):
        return -1
    place = int(grid_next(game, table, here, body.facing))
    if place < 0 or level_of(game, table, place) != body.level or is_bridged(game, table, place, robot):
        return -1
    row = row_at(game, table, place)
    timed = table.squares[row].pit != 0 and not table.ground[row].drawbridge
    return place if timed or is_open_pit(game, table, place) else -1


@kernel
def goo_may_lie(game: GameRecord, table: Table, robot: int, place: int) -> int:
    """Return LAY if a robot can drop goo on a place, otherwise whether it keeps or loses the token (KEEP or LOSE).

    Goo cannot lie on pits, belts, water, currents and teleporters (R-O38.5, D4, U19).
    """
    row = row_at(game, table, place)
    ground = table.ground[row]
    if table.squares[row].belt > 0 or ground.mover == FLIP_BELT:
        return LOSE if table.settings.goo_on_belt == GOO_LOSE else KEEP
    wet = ground.surface == WATER or ground.surface == DEEP or ground.mover == CURRENT or ground.mover == RIVER
    if wet or ground.overlays & (TELEPORTER | FREAK_TELEPORTER) or is_pit_for(game, table, robot, place):
        return KEEP
    for k in range(game.num_devices):
        if game.devices[k].kind == TELEPORTER_TOKEN and game.devices[k].square == place:
            return KEEP
    return LAY


@kernel
def lay_gadget(game: GameRecord, table: Table, log: Log, robot: int, gadget: int) -> int:
    """Lay a gadget if possible, and return LAY; otherwise return whether its token is kept or lost."""
    body = game.robots[robot]
    if in_damping_field(game, table, robot):
        return LOSE  # R-O43.3
    if sleeping(game, table, robot):
        return KEEP
    place = int(place_of_square(game, table, body.square))
    if gadget == LAY_BRIDGE:
        place = place_in_front(game, table, robot)
        if place < 0:
            return KEEP
    elif gadget == LAY_GOO:
        allowed = goo_may_lie(game, table, robot, place)
        if allowed != LAY:
            return allowed
    level = floor_for(game, table, place, body.level)
    slot = lay_device(game, table, log, gadget, robot, place, level, body.facing, POWER[gadget])
    return KEEP if slot == NO_SLOT else LAY


@kernel
def has_gadget(game: GameRecord, robot: int) -> bool:
    """Tell whether a gadget token lies on a robot's register of this phase."""
    return game.robots[robot].orders.gadget[game.phase - 1] != NO_GADGET


@with_expansions(None)
def gadget_is_laid(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Lay the gadget on a robot's register of this phase, or return it to its option if it cannot be laid (R-X1.17)."""
    body = game.robots[robot]
    gadget = int(body.orders.gadget[game.phase - 1])
    if not body.alive or body.down:
        return
    body.orders.gadget[game.phase - 1] = NO_GADGET
    launcher = int(LAUNCHERS[gadget])
    fate = lay_gadget(game, table, log, robot, gadget)
    if fate == LAY:  # mutants (never): only affects what other players know
        show_option(game, launcher)
    elif fate == KEEP and owns(body, launcher):
        use_up(game, log, robot, launcher, -1)


@with_expansions(None)
def gadget_is_laid_before_card(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Lay a robot's gadget in B1, just before its card, if the setting is `gadget_time = priority`."""
    if table.settings.gadget_time == GADGETS_BY_PRIORITY and has_gadget(game, robot):
        gadget_is_laid(game, table, log, robot)
        step_ends(game, table, log)


@kernel
def launch_buzz_bomb(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Launch the buzz bomb of a robot that has activated it, in phase 1.

    Only one may be in play at a time (R-O32).
    """
    body = game.robots[robot]
    if not body.orders.buzz or not body.alive or body.down:
        return
    body.orders.buzz = 0
    # mutants (never): a robot inside the field was inside in T4 too, so it has set nothing
    if in_damping_field(game, table, robot):
        return
    slot = NO_SLOT
    if find_device(game, BUZZ_TOKEN) == NO_SLOT and not sleeping(game, table, robot):
        place = int(place_of_square(game, table, body.square))
        slot = lay_device(game, table, log, BUZZ_TOKEN, robot, place, body.level, body.facing, POWER[BUZZ_TOKEN])
    if slot == NO_SLOT and owns(body, BUZZ_BOMB):
        use_up(game, log, robot, BUZZ_BOMB, -1)


@with_expansions(None)
def gadgets_are_laid(game: GameRecord, table: Table, log: Log) -> None:
    """Lay all gadgets of this phase at the same time, where their robots are, and launch a buzz bomb (R-X1.2)."""
    game.step = A5
    for i in range(game.num_robots):
        if game.phase == 1:
            launch_buzz_bomb(game, table, log, i)
        if table.settings.gadget_time == GADGETS_AT_REVEAL and has_gadget(game, i):
            gadget_is_laid(game, table, log, i)
    if game.num_devices:
        step_ends(game, table, log)
