"""Check contacts of devices only where a body may have reached one.

After every displacement the rules look at every device and every body: whether they meet, and whether pits take the
device (`rr_gym.rules.devices.contacts`). In each sub-step of segment C they ask whether a device rides
(`rr_gym.rules.launching.riding`). The answer is rarely yes. So this file records the squares that bodies and devices
have reached since the last check. It also records on which squares devices act, whether one lies where a pit may open,
and the features of the squares under devices; this is collected again after a device has been laid, moved or removed.

Assumes that bodies and devices move only through their setters, that apart from these only D0 and acting copies bring
bodies and devices together, and that during a register phase no room or board turns before segment E. Outside of
register phases the fields of this file are zero, and the rules look at everything.

Without this file a whole turn of eight robots with five options each on death_trap takes 99 % longer (`rr-gym bench
--accelerators`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.accelerators import accelerates
from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import ACTS, LAVA_PIT
from rr_gym.forms import EXPANSIONS, FULL
from rr_gym.rules.devices.contacts import acts_by_contact, device_meets, devices_meet, pits_take_devices
from rr_gym.rules.devices.devices import BY_HAND, lay_device, lies_on_ground, move_device, remove_device
from rr_gym.rules.floor.copies import swap_copies
from rr_gym.rules.floor.ground import row_at
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.launching.riding import ACTS_ON_DEVICES, device_elements_act, devices_arm
from rr_gym.rules.state.constants import NO_DEVICE, PROXIMITY_TOKEN
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.turn import cards_are_revealed, phase_ends

UNUSED, STALE, KNOWN = range(3)  # values of `devices_known`: outside of a phase; to be collected; collected
WORDS = 4  # in a mask of places: 256 bits; on larger courses several places share a bit


@kernel
def word_of(place: int) -> int:
    """Return the index of the word with the bit of a place, in a mask of places."""
    return int(place) >> 6 & WORDS - 1


@kernel
def bit_of(place: int) -> Any:
    """Return the bit of a place in its word."""
    return np.uint64(1) << np.uint64(int(place) & 63)


@kernel
def mark_trigger(game: GameRecord, place: int) -> None:
    """Record that a device acts on bodies at a place."""
    game.caches.trigger_squares[word_of(place)] |= bit_of(place)


@kernel
def mark_dirty(game: GameRecord, table: Table, square: int) -> None:
    """Record that a body has entered a square; on a ramp, also to the place at its foot."""
    dirty_squares = game.caches.dirty_squares
    place = int(place_of_square(game, table, square))
    dirty_squares[word_of(square)] |= bit_of(square)
    dirty_squares[word_of(place)] |= bit_of(place)


@kernel
def mark_bodies_dirty(game: GameRecord, table: Table) -> None:
    """Record all bodies as if they had just come to their squares."""
    if game.caches.devices_known != UNUSED:
        for i in range(game.num_bodies):
            if game.robots[i].alive:
                mark_dirty(game, table, int(game.robots[i].square))


@kernel
def is_dirty(game: GameRecord, place: int) -> bool:
    """Tell whether a body may have reached a place."""
    return bool(game.caches.dirty_squares[word_of(place)] & bit_of(place) != np.uint64(0))


@kernel
def mark_triggers(game: GameRecord, table: Table, slot: int) -> None:
    """Record the places on which a device acts.

    A device that spares bodies of a position set up by hand (`BY_HAND`) is checked every time, so that moves of these
    bodies are noticed.
    """
    device = game.devices[slot]
    square = int(device.square)
    mark_trigger(game, square)
    if device.kind == PROXIMITY_TOKEN:
        place, width = int(place_of_square(game, table, square)), int(table.course.width)
        mark_trigger(game, place)
        mark_trigger(game, place - 1)
        mark_trigger(game, place + 1)
        mark_trigger(game, place - width)
        mark_trigger(game, place + width)
    if device.spares & BY_HAND:
        game.caches.trigger_squares[:] = ~np.uint64(0)


@kernel
def may_be_pit(table: Table, row: int) -> bool:
    """Tell whether a row describes a pit of some phase, or ground that may become a pit."""
    if table.squares[row].pit:
        return True
    ground = table.ground[row]
    return table.special[row] & ACTS != 0 and (ground.crumbly >= 0 or ground.surface == LAVA_PIT)


@kernel
def collect_devices(game: GameRecord, table: Table) -> None:
    """Collect where devices lie and act, unless this is known already."""
    caches = game.caches
    if caches.devices_known == KNOWN:
        return
    caches.devices_known = KNOWN
    caches.trigger_squares[:] = np.uint64(0)
    caches.over_pit = 0
    caches.features_under_devices = 0
    for k in range(game.num_devices):
        kind = game.devices[k].kind
        if kind == NO_DEVICE:
            continue
        row = int(row_at(game, table, game.devices[k].square))
        caches.features_under_devices |= table.active_features[row]
        if lies_on_ground(kind) and may_be_pit(table, row):
            caches.over_pit = 1
        if acts_by_contact(kind):
            mark_triggers(game, table, k)


@kernel
def body_may_have_come(game: GameRecord) -> bool:
    """Tell whether a body may have reached a place on which a device acts."""
    caches = game.caches
    met: Any = np.uint64(0)
    for k in range(WORDS):
        met |= caches.dirty_squares[k] & caches.trigger_squares[k]
    return bool(met != np.uint64(0))


@kernel
def has_come_near(game: GameRecord, table: Table, slot: int) -> bool:
    """Tell whether a body may have reached a place where a certain device acts."""
    device = game.devices[slot]
    square = int(device.square)
    if device.spares & BY_HAND or is_dirty(game, square):
        return True
    if device.kind != PROXIMITY_TOKEN:
        return False
    place, width = int(place_of_square(game, table, square)), int(table.course.width)
    return (
        is_dirty(game, place)
        or is_dirty(game, place - 1)
        or is_dirty(game, place + 1)
        or is_dirty(game, place - width)
        or is_dirty(game, place + width)
    )


@accelerates(devices_meet, forms=EXPANSIONS)
def meet_arrived_bodies(game: GameRecord, table: Table, log: Log) -> None:
    """Let devices meet bodies if a body may have reached one.

    After a drone has pushed a robot, all bodies are checked.
    """
    if game.caches.devices_known == UNUSED:
        devices_meet(game, table, log)
        return
    collect_devices(game, table)
    if body_may_have_come(game):
        devices_meet(game, table, log)
    game.caches.dirty_squares[:] = np.uint64(0)
    if game.thrown:
        mark_bodies_dirty(game, table)


@accelerates(device_meets, forms=EXPANSIONS)
def meet_if_body_came(game: GameRecord, table: Table, log: Log, slot: int) -> None:
    """Let a device meet bodies if one may have reached it."""
    if game.caches.devices_known == UNUSED or has_come_near(game, table, slot):
        device_meets(game, table, log, slot)


@accelerates(come_to, forms=EXPANSIONS)
def come_and_note(game: GameRecord, table: Table, body: int, square: int) -> None:
    """Move a body to a square, and record that a body has come there."""
    come_to(game, table, body, square)
    if game.caches.devices_known != UNUSED and square >= 0:
        mark_dirty(game, table, square)


@accelerates(devices_arm, forms=EXPANSIONS)
def arm_and_recheck(game: GameRecord, table: Table, log: Log) -> None:
    """Make devices live for their launchers (D0), and have all bodies checked again."""
    mark_bodies_dirty(game, table)
    devices_arm(game, table, log)


@accelerates(swap_copies, forms=(FULL,))
def swap_and_recheck(game: GameRecord, table: Table) -> None:
    """Swap robots with their copies, and have the bodies that are on the board now checked."""
    swap_copies(game, table)
    mark_bodies_dirty(game, table)


@accelerates(pits_take_devices, forms=EXPANSIONS)
def take_where_pits_may_be(game: GameRecord, table: Table, log: Log) -> None:
    """Let pits take devices if one lies where a pit is or may open."""
    if game.caches.devices_known != UNUSED:
        collect_devices(game, table)
        if not game.caches.over_pit:
            return
    pits_take_devices(game, table, log)


@accelerates(device_elements_act, forms=EXPANSIONS)
def act_where_devices_lie(game: GameRecord, table: Table, log: Log, step: int) -> None:
    """Apply a sub-step to devices if one lies on an element that acts in it."""
    if game.caches.devices_known != UNUSED:
        collect_devices(game, table)
        if not game.caches.features_under_devices & ACTS_ON_DEVICES[step]:
            return
    device_elements_act(game, table, log, step)


@kernel
def devices_have_changed(game: GameRecord) -> None:
    """Mark the collected facts about devices as out of date."""
    if game.caches.devices_known == KNOWN:
        game.caches.devices_known = STALE


@accelerates(lay_device, forms=EXPANSIONS)
def lay_and_note(
    game: GameRecord,
    table: Table,
    log: Log,
    kind: int,
    owner: int,
    square: int,
    level: int,
    facing: int,
    power: int,
) -> int:
    """Bring a device into play, and have all bodies checked against it."""
    devices_have_changed(game)
    mark_bodies_dirty(game, table)
    return lay_device(game, table, log, kind, owner, square, level, facing, power)


@accelerates(move_device)
def move_and_note(game: GameRecord, log: Log, slot: int, square: int, level: int) -> None:
    """Put a device elsewhere, and have the bodies there checked against it."""
    device = game.devices[slot]
    if game.caches.devices_known != UNUSED and (square != device.square or level != device.level):
        devices_have_changed(game)
        game.caches.dirty_squares[word_of(square)] |= bit_of(square)
        if device.kind == PROXIMITY_TOKEN:
            game.caches.dirty_squares[:] = ~np.uint64(0)
    move_device(game, log, slot, square, level)


@accelerates(remove_device)
def remove_and_note(game: GameRecord, log: Log, slot: int) -> None:
    """Take a device out of play, and record that devices have changed."""
    devices_have_changed(game)
    remove_device(game, log, slot)


@accelerates(cards_are_revealed, forms=EXPANSIONS)
def begin_phase(game: GameRecord, table: Table, log: Log) -> None:
    """Begin to record at the start of a phase; all bodies count as having just come to their squares."""
    game.caches.devices_known = STALE
    game.caches.dirty_squares[:] = np.uint64(0)
    mark_bodies_dirty(game, table)
    cards_are_revealed(game, table, log)


@accelerates(phase_ends, forms=EXPANSIONS)
def end_phase(game: GameRecord, table: Table, log: Log) -> None:
    """Stop recording, and clear everything that was recorded."""
    caches = game.caches
    caches.devices_known = UNUSED
    caches.dirty_squares[:] = np.uint64(0)
    caches.trigger_squares[:] = np.uint64(0)
    caches.over_pit = 0
    caches.features_under_devices = 0
    phase_ends(game, table, log)
