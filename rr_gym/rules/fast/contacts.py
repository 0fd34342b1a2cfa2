"""Devices are looked at only where somebody has come to them.

After every displacement the rules look at every device and every body: whether they meet, whether pits take the device
(`rr_gym.rules.devices.contacts`), and in each sub-step of segment C whether it rides (`rr_gym.rules.launching.riding`).
Few do. So it is noted to which places bodies and devices have come since the last look. It is gathered on which places
some device acts, whether one lies where a pit may open, and what the squares under devices do; and gathered anew when a
device has been laid, moved or removed.

Assumes that bodies and devices move by their setters alone, that in between only D0 and copies that act bring bodies to
devices, and that during a register phase no room or board turns before segment E. It knows nothing outside of that
time, where rules look at everything: there its fields are zero.

A whole turn of eight robots with five options each on death_trap takes 92 % more without it (`rr-gym bench
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
UNUSED, STALE, KNOWN = range(3)  # `lying`: outside of a phase; to be gathered anew; gathered
WORDS = 4  # of masks of places: a bit for each of 256 places, which on larger courses several places share


@kernel
def word_of(place: int) -> int:
    """Which word of a mask of places has the bit of a place."""
    return int(place) >> 6 & WORDS - 1


@kernel
def bit_of(place: int) -> Any:
    """The bit of a place in that word."""
    return np.uint64(1) << np.uint64(int(place) & 63)


@kernel
def guard(game: Game, place: int) -> None:
    """A device acts on bodies on a place."""
    game.caches.guarded[word_of(place)] |= bit_of(place)


@kernel
def stir(game: Game, table: Table, square: int) -> None:
    """Somebody has come to a square; on a ramp to the place that it rises from, too."""
    stirred = game.caches.stirred
    place = int(place_of_square(game, table, square))
    stirred[word_of(square)] |= bit_of(square)
    stirred[word_of(place)] |= bit_of(place)


@kernel
def stir_bodies(game: Game, table: Table) -> None:
    """All bodies count as just having come to where they are."""
    if game.caches.lying != UNUSED:
        for i in range(game.num_bodies):
            if game.robots[i].alive:
                stir(game, table, int(game.robots[i].square))


@kernel
def is_stirred(game: Game, place: int) -> bool:
    """Somebody may have come to a place."""
    return bool(game.caches.stirred[word_of(place)] & bit_of(place) != np.uint64(0))


@kernel
def guard_reach(game: Game, table: Table, slot: int) -> None:
    """Note where a device acts. One that spares bodies by hand is always looked at: it notes when they move."""
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
    """What a row describes is a pit in some phase, or may become one."""
    if table.squares[row].pit:
        return True
    ground = table.ground[row]
    return table.special[row] & ACTS != 0 and (ground.crumbly >= 0 or ground.surface == LAVA_PIT)


@kernel
def gather(game: Game, table: Table) -> None:
    """Find out where devices lie, unless it is known."""
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
    """To a place on which a device acts."""
    caches = game.caches
    met: Any = np.uint64(0)
    for k in range(WORDS):
        met |= caches.stirred[k] & caches.guarded[k]
    return bool(met != np.uint64(0))


@kernel
def has_come_near(game: Game, table: Table, slot: int) -> bool:
    """Somebody may have come to where a device acts."""
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
    """None does where nobody has come to any. What waits for the push of a drone looks at everybody after it."""
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
    """It meets nobody where nobody has come to it."""
    if game.caches.lying == UNUSED or has_come_near(game, table, slot):
        device_meets(game, table, log, slot)


@accelerates(come_to, forms=EXPANSIONS)
def come_and_note(game: Game, table: Table, body: int, square: int) -> None:
    """A body comes to a square."""
    come_to(game, table, body, square)
    if game.caches.lying != UNUSED and square >= 0:
        stir(game, table, square)


@accelerates(devices_arm, forms=EXPANSIONS)
def arm_and_look(game: Game, table: Table, log: Log) -> None:
    """D0: devices spare their owners no longer."""
    stir_bodies(game, table)
    devices_arm(game, table, log)


@accelerates(swap_copies, forms=(FULL,))
def swap_and_look(game: Game, table: Table) -> None:
    """Other bodies are on the board."""
    swap_copies(game, table)
    stir_bodies(game, table)


@accelerates(pits_take_devices, forms=EXPANSIONS)
def take_where_pits_may_be(game: Game, table: Table, log: Log) -> None:
    """Pits take none where no device lies where a pit is, or may open."""
    if game.caches.lying != UNUSED:
        gather(game, table)
        if not game.caches.over_pit:
            return
    pits_take_devices(game, table, log)


@accelerates(device_elements_act, forms=EXPANSIONS)
def act_where_devices_lie(game: Game, table: Table, log: Log, step: int) -> None:
    """A sub-step does nothing to devices where none lies on what acts in it."""
    if game.caches.lying != UNUSED:
        gather(game, table)
        if not game.caches.under_devices & ACTS_ON_DEVICES[step]:
            return
    device_elements_act(game, table, log, step)


@kernel
def devices_have_changed(game: Game) -> None:
    """What is known of devices holds no longer."""
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
    """Bring a device into play. It looks at everybody."""
    devices_have_changed(game)
    stir_bodies(game, table)
    return lay_device(game, table, log, kind, owner, square, level, facing, power)


@accelerates(move_device)
def move_and_note(game: Game, log: Log, slot: int, square: int, level: int) -> None:
    """Put a device elsewhere. It looks at everybody there."""
    device = game.devices[slot]
    if game.caches.lying != UNUSED and (square != device.square or level != device.level):
        devices_have_changed(game)
        game.caches.stirred[word_of(square)] |= bit_of(square)
        if device.kind == PROXIMITY_TOKEN:
            game.caches.stirred[:] = ~np.uint64(0)
    move_device(game, log, slot, square, level)


@accelerates(remove_device)
def remove_and_note(game: Game, log: Log, slot: int) -> None:
    """Take a device out of play."""
    devices_have_changed(game)
    remove_device(game, log, slot)


@accelerates(cards_are_revealed, forms=EXPANSIONS)
def begin_phase(game: Game, table: Table, log: Log) -> None:
    """From now on it may be known where devices lie, and who has come to them; at first all have."""
    game.caches.lying = STALE
    game.caches.stirred[:] = np.uint64(0)
    stir_bodies(game, table)
    cards_are_revealed(game, table, log)


@accelerates(phase_ends, forms=EXPANSIONS)
def end_phase(game: Game, table: Table, log: Log) -> None:
    """From now on nothing is known."""
    caches = game.caches
    caches.lying = UNUSED
    caches.stirred[:] = np.uint64(0)
    caches.guarded[:] = np.uint64(0)
    caches.over_pit = 0
    caches.under_devices = 0
    phase_ends(game, table, log)
