"""Which devices have to be looked at, and when: what spares a look at all of them after every step.

Three masks of places, fields of the game:

* `danger`: where some device may act on a body that comes there. It may have more places, never fewer: a rule that lays
  or moves a device adds to it (`mark_dangers`), and it is made anew in phase 1.
* `stirred`: to which some body has come since `contacts` last looked. The setter of positions adds to it
  (`rr_gym.rules.floor.positions.come_to`), and so does a rule that moves a device. Elevators, rooms, doors and
  mag-locks bring bodies and devices together that stay on their squares, so at every phase's start all places are
  looked at (`look_everywhere`).
* `teleporters`: where a portable teleporter may lie; it may have more places, never fewer.

Masks of devices, gone through bit by bit, because most devices have nothing to do in most steps: `of_kind` has one for
each kind (`kind_number`); `shifted` is of those that may have come over a pit, and The Big One if its body may have
moved or turned, `sparing` of those that may spare a
body, `taken_along` of those that may be moved by what they lie on. `features_under_devices` are the features of the
course under devices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import (
    HAS_BIG_GEARS,
    HAS_CURRENTS,
    HAS_ELEVATORS,
    HAS_FLIP_BELTS,
    HAS_FLIP_GEARS,
    HAS_GOLD_BELTS,
)
from rr_gym.courses.tables.tables import HAS_BELTS, HAS_EXPRESS, HAS_GEARS
from rr_gym.rules.floor.ground import kind_number, row_at
from rr_gym.rules.floor.positions import PLACE_BITS, place_bit, place_number, slot_bit
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.constants import (
    BUZZ_TOKEN,
    DRONE_TOKEN,
    GOO_TOKEN,
    MAX_DEVICES,
    MINE_TOKEN,
    MISSILE_TOKEN,
    NO_DEVICE,
    PROXIMITY_TOKEN,
    SCRAMBLER_TOKEN,
    TELEPORTER_TOKEN,
)
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table

EVERYWHERE = np.uint64(2**PLACE_BITS - 1)  # a mask of all places
ALL_DEVICES = np.uint64(2**MAX_DEVICES - 1)  # a mask of all devices
# What moves flat devices that lie on it
MOVE_DEVICES = (
    HAS_GOLD_BELTS | HAS_EXPRESS | HAS_BELTS | HAS_FLIP_BELTS | HAS_CURRENTS | HAS_GEARS | HAS_FLIP_GEARS
    | HAS_BIG_GEARS | HAS_ELEVATORS
)  # fmt: skip
UNKNOWN = -1  # of `features_under_devices`
BY_HAND = 1 << 15  # of `spares`: it spares bodies that were there in a position made by hand (U45)
# Bit k: kind k goes off, or holds somebody, when a body comes to it.
_BY_CONTACT = (GOO_TOKEN, MINE_TOKEN, PROXIMITY_TOKEN, MISSILE_TOKEN, DRONE_TOKEN, BUZZ_TOKEN)
ACT_BY_CONTACT = sum(1 << kind for kind in _BY_CONTACT)


@kernel
def act_by_contact(game: Game) -> Any:
    """The mask of the devices for which `acts_by_contact` may hold."""
    kinds = game.of_kind
    lying = kinds[kind_number(MINE_TOKEN)] | kinds[kind_number(PROXIMITY_TOKEN)] | kinds[kind_number(GOO_TOKEN)]
    return lying | kinds[kind_number(MISSILE_TOKEN)]


@kernel
def flat_devices(game: Game) -> Any:
    """The mask of the devices that may lie flat on the ground, bridges left out."""
    kinds = game.of_kind
    harmless = kinds[kind_number(TELEPORTER_TOKEN)] | kinds[kind_number(SCRAMBLER_TOKEN)]
    mines = kinds[kind_number(MINE_TOKEN)] | kinds[kind_number(PROXIMITY_TOKEN)]
    return harmless | mines | kinds[kind_number(GOO_TOKEN)]


@kernel
def acts_by_contact(kind: int) -> bool:
    """It goes off, or holds somebody, when a body comes to it."""
    return ACT_BY_CONTACT >> int(kind) & 1 != 0


@with_elements(None)
def look_everywhere(game: Game, table: Table) -> None:
    """Bodies and devices may have been brought together that stay on their squares."""
    game.stirred = EVERYWHERE


@kernel
def moved_on(mask: Any, places: int) -> Any:
    """A mask of places with each place moved on by a number of places."""
    return mask << np.uint64(place_number(places)) | mask >> np.uint64(place_number(-places))


@kernel
def places_beside(table: Table, mask: Any) -> Any:
    """The same mask with all places beside those in it."""
    width = int(table.course.width)
    return mask | moved_on(mask, 1) | moved_on(mask, -1) | moved_on(mask, width) | moved_on(mask, -width)


@kernel
def places_it_guards(game: Game, table: Table, slot: int) -> Any:
    """The mask of places where a device may act on a body that comes there."""
    device = game.devices[slot]
    if not acts_by_contact(device.kind):
        return np.uint64(0)
    if device.spares & BY_HAND:
        return EVERYWHERE
    here = place_bit(device.square)
    if device.kind == PROXIMITY_TOKEN:
        return here | places_beside(table, place_bit(place_of_square(game, table, device.square)))
    return here


@kernel
def mark_teleporter(game: Game, square: int) -> None:
    """A portable teleporter may lie there from now on."""
    game.teleporters[square >> 6 & 1] |= np.uint64(1) << np.uint64(square & 63)


@kernel
def teleporter_may_lie(game: Game, square: int) -> bool:
    """A portable teleporter may lie there: False spares a look at all of them, and nothing takes those off the board.

    The mask has a bit for each of 128 places. On a course of more squares several of them share one.
    """
    return bool(game.teleporters[square >> 6 & 1] >> np.uint64(square & 63) & np.uint64(1) != np.uint64(0))


@kernel
def mark_dangers(game: Game, slot: int, guarded: Any) -> None:
    """Where a device acts, on bodies that come there or, a portable teleporter, on what is done there."""
    game.danger |= guarded
    if game.devices[slot].kind == TELEPORTER_TOKEN:
        mark_teleporter(game, int(game.devices[slot].square))


@with_expansions(None)
def mark_all_dangers(game: Game, table: Table) -> None:
    """Anew for all devices, with their kinds: what is gone leaves its marks until then."""
    game.danger = 0
    game.teleporters[:] = 0
    game.features_under_devices = UNKNOWN
    game.of_kind[:] = 0
    for k in range(game.num_devices):
        kind = game.devices[k].kind
        if kind != NO_DEVICE:
            game.of_kind[kind_number(kind)] |= slot_bit(k)
            mark_dangers(game, k, places_it_guards(game, table, k))


@kernel
def features_under_devices(game: Game, table: Table) -> int:
    """The features of the squares of devices: what else acts on those that stand on it does not concern them."""
    if game.features_under_devices < 0:
        found = 0
        taken = np.uint64(0)
        for k in range(game.num_devices):
            there = game.devices[k].kind != NO_DEVICE
            features = int(table.active[row_at(game, table, game.devices[k].square)]) if there else 0
            found |= features
            taken |= np.uint64(features & MOVE_DEVICES != 0) << np.uint64(k)
        game.features_under_devices = found
        game.taken_along = taken
    return int(game.features_under_devices)
