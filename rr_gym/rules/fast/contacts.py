"""Look at devices only where somebody has come to them.

After every displacement the rules look at every device and every body: whether they meet, and whether pits take the
device (`rr_gym.rules.devices.contacts`). In each sub-step of segment C they ask whether a device rides
(`rr_gym.rules.launching.riding`). Few do. So this file records the squares that bodies and devices have reached since
the last check. It also records on which squares devices act, whether one lies where a pit may open, and which features
the squares under devices have; it collects this anew when a device has been laid, moved or removed.

Assumes that bodies and devices move only through their setters, that apart from these only D0 and copies that act bring
bodies to devices, and that during a register phase no room or board turns before segment E. Outside of register phases
the fields of this file are zero, and the rules look at everything.

Without this file a whole turn of eight robots with five options each on death_trap takes 92 % longer (`rr-gym bench
--accelerators`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.accelerators import accelerates
from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import ACTS, LAVA_PIT
from rr_gym.forms import FULL, OPTIONS
from rr_gym.rules.devices.contacts import acts_by_contact, device_meets, devices_meet, pits_take_devices
from rr_gym.rules.devices.devices import BY_HAND, lay_device, lies_on_ground, move_device, remove_device
from rr_gym.rules.floor.copies import swap_copies
from rr_gym.rules.floor.ground import row_at
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.launching.riding import ACTS_ON_DEVICES, device_elements_act, devices_arm
from rr_gym.rules.state.constants import NO_DEVICE, PROXIMITY_TOKEN
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.turn import cards_are_revealed, phase_ends

EXPANSIONS = (OPTIONS, FULL)
UNUSED, STALE, KNOWN = range(3)  # values of `lying`: outside of a phase, not gathered, gathered
WORDS = 4  # in a mask of places: 256 bits; on larger courses several places share a bit


@kernel
def word_of(place: int) -> int:
    """Return which word of a mask of places has the bit of a place."""
    return int(place) >> 6 & WORDS - 1


@kernel
def bit_of(place: int) -> Any:
    """Return the bit of a place in its word."""
    return np.uint64(1) << np.uint64(int(place) & 63)


@kernel
def guard(game: Game, place: int) -> None:
    """Note that a device acts on bodies at a place."""
    game.caches.guarded[word_of(place)] |= bit_of(place)


@kernel
def stir(game: Game, table: Table, square: int) -> None:
    """Note that somebody has come to a square; on a ramp, also to the place at its foot."""
    stirred = game.caches.stirred
    place = int(place_of_square(game, table, square))
    stirred[word_of(square)] |= bit_of(square)
    stirred[word_of(place)] |= bit_of(place)


@kernel
def stir_bodies(game: Game, table: Table) -> None:
    """Note all bodies as if they had just come to where they are."""
    if game.caches.lying != UNUSED:
        for i in range(game.num_bodies):
            if game.robots[i].alive:
                stir(game, table, int(game.robots[i].square))


@kernel
def is_stirred(game: Game, place: int) -> bool:
    """Tell whether somebody may have come to a place."""
    return bool(game.caches.stirred[word_of(place)] & bit_of(place) != np.uint64(0))


@kernel
def guard_reach(game: Game, table: Table, slot: int) -> None:
    """Note the places on which a device acts.

    A device that spares the bodies of a position made by hand (`BY_HAND`) is checked every time, because it has to
    notice when they move.
    """
    device = game.devices[slot]
    square = int(device.square)
    guard(game, square)
    if device.kind == PROXIMITY_TOKEN:
        place, width = int(place_of_square(game, table, square)), int(table.course.width)
        guard(game, place)
        guard(game, place - 1)
        guard(game, place + 1)
        guard(game, place - width)
        guard(game, place + width)
    if device.spares & BY_HAND:
        game.caches.guarded[:] = ~np.uint64(0)


@kernel
def may_be_pit(table: Table, row: int) -> bool:
    """Tell whether a row describes a pit of some phase, or ground that may become a pit."""
    if table.squares[row].pit:
        return True
    ground = table.ground[row]
    return table.special[row] & ACTS != 0 and (ground.crumbly >= 0 or ground.surface == LAVA_PIT)


@kernel
def gather(game: Game, table: Table) -> None:
    """Collect where devices lie and act, unless this is known."""
    caches = game.caches
    if caches.lying == KNOWN:
        return
    caches.lying = KNOWN
    caches.guarded[:] = np.uint64(0)
    caches.over_pit = 0
    caches.under_devices = 0
    for k in range(game.num_devices):
        kind = game.devices[k].kind
        if kind == NO_DEVICE:
            continue
        row = int(row_at(game, table, game.devices[k].square))
        caches.under_devices |= table.active[row]
        if lies_on_ground(kind) and may_be_pit(table, row):
            caches.over_pit = 1
        if acts_by_contact(kind):
            guard_reach(game, table, k)


@kernel
def somebody_has_come(game: Game) -> bool:
    """Tell whether somebody may have come to a place on which a device acts."""
    caches = game.caches
    met: Any = np.uint64(0)
    for k in range(WORDS):
        met |= caches.stirred[k] & caches.guarded[k]
    return bool(met != np.uint64(0))


@kernel
def has_come_near(game: Game, table: Table, slot: int) -> bool:
    """Tell whether somebody may have come to where a certain device acts."""
    device = game.devices[slot]
    square = int(device.square)
    if device.spares & BY_HAND or is_stirred(game, square):
        return True
    if device.kind != PROXIMITY_TOKEN:
        return False
    place, width = int(place_of_square(game, table, square)), int(table.course.width)
    return (
        is_stirred(game, place)
        or is_stirred(game, place - 1)
        or is_stirred(game, place + 1)
        or is_stirred(game, place - width)
        or is_stirred(game, place + width)
    )


@accelerates(devices_meet, forms=EXPANSIONS)
def meet_who_has_come(game: Game, table: Table, log: Log) -> None:
    """Let devices meet bodies, unless nobody has come to any.

    After a drone has pushed a robot, all bodies are checked.
    """
    if game.caches.lying == UNUSED:
        devices_meet(game, table, log)
        return
    gather(game, table)
    if somebody_has_come(game):
        devices_meet(game, table, log)
    game.caches.stirred[:] = np.uint64(0)
    if game.thrown:
        stir_bodies(game, table)


@accelerates(device_meets, forms=EXPANSIONS)
def meet_if_somebody_has_come(game: Game, table: Table, log: Log, slot: int) -> None:
    """Let a device meet bodies, unless nobody has come to it."""
    if game.caches.lying == UNUSED or has_come_near(game, table, slot):
        device_meets(game, table, log, slot)


@accelerates(come_to, forms=EXPANSIONS)
def come_and_note(game: Game, table: Table, body: int, square: int) -> None:
    """Move a body to a square, and note that somebody has come there."""
    come_to(game, table, body, square)
    if game.caches.lying != UNUSED and square >= 0:
        stir(game, table, square)


@accelerates(devices_arm, forms=EXPANSIONS)
def arm_and_look(game: Game, table: Table, log: Log) -> None:
    """Make devices live for their launchers (D0), and have all bodies checked again."""
    stir_bodies(game, table)
    devices_arm(game, table, log)


@accelerates(swap_copies, forms=(FULL,))
def swap_and_look(game: Game, table: Table) -> None:
    """Swap robots with their copies, and have the bodies that are on the board now checked."""
    swap_copies(game, table)
    stir_bodies(game, table)


@accelerates(pits_take_devices, forms=EXPANSIONS)
def take_where_pits_may_be(game: Game, table: Table, log: Log) -> None:
    """Let pits take devices, unless none lies where a pit is or may open."""
    if game.caches.lying != UNUSED:
        gather(game, table)
        if not game.caches.over_pit:
            return
    pits_take_devices(game, table, log)


@accelerates(device_elements_act, forms=EXPANSIONS)
def act_where_devices_lie(game: Game, table: Table, log: Log, step: int) -> None:
    """Apply a sub-step to devices, unless none lies on anything that acts in it."""
    if game.caches.lying != UNUSED:
        gather(game, table)
        if not game.caches.under_devices & ACTS_ON_DEVICES[step]:
            return
    device_elements_act(game, table, log, step)


@kernel
def devices_have_changed(game: Game) -> None:
    """Mark what is known of devices as out of date."""
    if game.caches.lying == KNOWN:
        game.caches.lying = STALE


@accelerates(lay_device, forms=EXPANSIONS)
def lay_and_note(
    game: Game,
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
    stir_bodies(game, table)
    return lay_device(game, table, log, kind, owner, square, level, facing, power)


@accelerates(move_device)
def move_and_note(game: Game, log: Log, slot: int, square: int, level: int) -> None:
    """Put a device elsewhere, and have the bodies there checked against it."""
    device = game.devices[slot]
    if game.caches.lying != UNUSED and (square != device.square or level != device.level):
        devices_have_changed(game)
        game.caches.stirred[word_of(square)] |= bit_of(square)
        if device.kind == PROXIMITY_TOKEN:
            game.caches.stirred[:] = ~np.uint64(0)
    move_device(game, log, slot, square, level)


@accelerates(remove_device)
def remove_and_note(game: Game, log: Log, slot: int) -> None:
    """Take a device out of play, and note that devices have changed."""
    devices_have_changed(game)
    remove_device(game, log, slot)


@accelerates(cards_are_revealed, forms=EXPANSIONS)
def begin_phase(game: Game, table: Table, log: Log) -> None:
    """Begin to note where devices lie and who has come to them; at first everybody has."""
    game.caches.lying = STALE
    game.caches.stirred[:] = np.uint64(0)
    stir_bodies(game, table)
    cards_are_revealed(game, table, log)


@accelerates(phase_ends, forms=EXPANSIONS)
def end_phase(game: Game, table: Table, log: Log) -> None:
    """Stop noting, and forget everything that was noted."""
    caches = game.caches
    caches.lying = UNUSED
    caches.stirred[:] = np.uint64(0)
    caches.guarded[:] = np.uint64(0)
    caches.over_pit = 0
    caches.under_devices = 0
    phase_ends(game, table, log)
