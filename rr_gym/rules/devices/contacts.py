"""What sets devices off, and what they do then (R-X1.6, R-X1.8, R-X1.9, U45).

Whether a device acts depends on where bodies are, not on how they came there: `devices_meet` looks at all of them, and
`rr_gym.rules.movement.movement.step_ends` calls it after every displacement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.rules.devices.devices import lies_on_ground, move_device, remove_device, set_off, turn_device
from rr_gym.rules.devices.watch import (
    ACT_BY_CONTACT,
    ALL_DEVICES,
    BY_HAND,
    EVERYWHERE,
    act_by_contact,
    flat_devices,
    mark_all_dangers,
    places_beside,
)
from rr_gym.rules.floor.ground import flies, grid_next, is_pit, is_there_for, walled
from rr_gym.rules.floor.positions import place_number, places_of_body, slot_bit
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.constants import (
    BIG_ONE_BODY,
    D0,
    DISPLACED,
    DRONE_TOKEN,
    GOO_TOKEN,
    MAX_ROBOTS,
    MINE_TOKEN,
    MISSILE_TOKEN,
    PROXIMITY_TOKEN,
)
from rr_gym.rules.state.events import STUCK, note
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def is_near(game: Game, table: Table, slot: int, robot: int) -> bool:
    """The robot is within one square of the device, as explosions count: a level is a square too (R-O46.3)."""
    device = game.devices[slot]
    body = game.robots[robot]
    place = place_of_square(game, table, body.square)
    here, there = table.squares[place], table.squares[device.square]
    if abs(int(here.x) - int(there.x)) + abs(int(here.y) - int(there.y)) > 1:
        return False
    apart = abs(int(body.level) - int(device.level))
    if place == device.square:
        return apart <= 1
    if apart > 0:
        return False
    for direction in range(4):
        if grid_next(game, table, device.square, direction) == place:
            return not walled(game, table, device.square, direction)
    return False


@kernel
def is_there_for_body(game: Game, slot: int, i: int) -> bool:
    """The device concerns the body. If one is virtual, it and The Big One are so for each other if one robot owns both
    (R-X1.15, U56).
    """
    if i != BIG_ONE_BODY:
        return is_there_for(game, slot, i)
    device = game.devices[slot]
    return not (device.virtual or game.robots[i].virtual) or device.owner == game.devices[game.big_one].owner


@kernel
def touches(game: Game, table: Table, slot: int, i: int) -> bool:
    """Body `i` is where a live device is set off by it, or holds it."""
    device = game.devices[slot]
    body = game.robots[i]
    if device.kind < MISSILE_TOKEN and device.kind != PROXIMITY_TOKEN and body.square != device.square:
        return False
    if not body.alive or not is_there_for_body(game, slot, i):
        return False
    if device.kind < MISSILE_TOKEN and (i >= MAX_ROBOTS or flies(game, table, i)):
        return False  # flat devices are for robots on the ground (R-X1.3)
    if device.kind == PROXIMITY_TOKEN:
        return is_near(game, table, slot, i)
    if device.kind < MISSILE_TOKEN:
        return body.level == device.level
    return place_of_square(game, table, body.square) == device.square and body.level == device.level


@kernel
def bodies_on(game: Game, table: Table, square: int) -> int:
    """The mask of the bodies on a square, or on the ramp above it. Without branches: nobody foresees who is there."""
    mask = 0
    for i in range(game.num_bodies):
        own = int(game.robots[i].square)
        mask |= (int(own == square) | int(place_of_square(game, table, own) == square)) << i
    return mask


@kernel
def meets(game: Game, table: Table, slot: int, i: int) -> bool:
    """Body `i` sets the device off now, or sticks in it: the device does not spare it."""
    device = game.devices[slot]
    spared = device.spares >> i & 1 != 0
    if spared and not device.spares & BY_HAND:
        return False
    near = touches(game, table, slot, i)
    if spared:
        if near and not game.robots[i].marks & DISPLACED:
            return False
        device.spares ^= 1 << i  # it has moved: see `spare_bodies_there`
    return near


@with_expansions(None)
def spare_bodies_there(game: Game, table: Table) -> None:
    """In a position made by hand devices go off by bodies that move, or in D0, not by those already there (U45)."""
    for k in range(game.num_devices):
        for i in range(game.num_bodies):
            if touches(game, table, k, i):
                game.devices[k].spares |= 1 << i | BY_HAND
                game.sparing |= slot_bit(k)
    mark_all_dangers(game, table)
    game.stirred = EVERYWHERE
    game.shifted = ALL_DEVICES


@kernel
def sticks(game: Game, log: Log, slot: int, robot: int) -> None:
    """Goo holds a robot that has come onto it (R-O38.1)."""
    body = game.robots[robot]
    if body.goo == 0:
        body.goo = game.devices[slot].left
        note(game, log, STUCK, robot, body.goo)


@kernel
def places_of_bodies(game: Game, table: Table) -> Any:
    """The mask of the places on which bodies stand."""
    mask = np.uint64(0)
    for i in range(game.num_bodies):
        if game.robots[i].alive:
            mask |= places_of_body(game, table, i)
    return mask


@kernel
def robots_at_drone(game: Game, table: Table, slot: int) -> int:
    """The mask of the robots that a drone pushes on when it goes off (R-O35.4, U60)."""
    mask = 0
    for i in range(game.num_robots):
        if touches(game, table, slot, i):
            mask |= 1 << i
    return mask


@kernel
def goes_off(game: Game, table: Table, log: Log, slot: int) -> int:
    """A live device that a body meets, if there is one; see `devices_meet`."""
    device = game.devices[slot]
    kind = int(device.kind)
    here_only = kind != PROXIMITY_TOKEN and not device.spares & BY_HAND
    everybody = (1 << int(game.num_bodies)) - 1
    left: Any = np.uint64(bodies_on(game, table, int(device.square)) if here_only else everybody)
    while left != np.uint64(0):
        i = int(lowest_bit(left))
        left = without_lowest(left)
        if not meets(game, table, slot, i):
            continue
        if kind == GOO_TOKEN:
            if not game.copies_act:
                sticks(game, log, slot, i)
            continue
        thrown = robots_at_drone(game, table, slot) if kind == DRONE_TOKEN else 0
        if thrown:
            thrown |= int(device.facing) << MAX_ROBOTS
        set_off(game, log, slot)
        return thrown
    return 0


@kernel
def big_one_has_moved(game: Game) -> bool:
    """The device is not where its body is."""
    body = game.robots[BIG_ONE_BODY]
    if not body.alive:
        return False
    device = game.devices[game.big_one]
    return body.square != device.square or body.level != device.level or body.facing != device.facing


@kernel
def big_one_follows(game: Game, log: Log) -> None:
    """The device comes to where its body is."""
    body = game.robots[BIG_ONE_BODY]
    move_device(game, log, int(game.big_one), int(body.square), int(body.level))
    turn_device(game, log, int(game.big_one), int(body.facing))


@kernel
def pits_take_devices(game: Game, table: Table, log: Log) -> None:
    """Flat devices over a pit are lost (R-X1.11)."""
    left = game.shifted & flat_devices(game)
    game.shifted = 0
    while left != np.uint64(0):
        k = int(lowest_bit(left))
        left = without_lowest(left)
        if lies_on_ground(game.devices[k].kind) and is_pit(game, table, game.devices[k].square):
            remove_device(game, log, k)


@kernel
def devices_reached(game: Game, table: Table, came: Any) -> Any:
    """The mask of the devices that may act on bodies that have come to some places: see `places_it_guards`.

    Without branches, because a processor does not foresee where devices lie.
    """
    nearby = places_beside(table, came)  # a place is beside another one if that is beside it
    mask = np.uint64(0)
    left = act_by_contact(game)
    while left != np.uint64(0):
        slot = int(lowest_bit(left))
        left = without_lowest(left)
        device = game.devices[slot]
        place = int(place_of_square(game, table, device.square))
        places = came >> np.uint64(place_number(device.square))
        if device.kind == PROXIMITY_TOKEN:
            places |= nearby >> np.uint64(place_number(place))
        comes = int(places & np.uint64(1)) | int(device.spares) // BY_HAND
        mask |= np.uint64(ACT_BY_CONTACT >> int(device.kind) & comes & 1) << np.uint64(slot)
    return mask


@with_expansions(0)
def devices_meet(game: Game, table: Table, log: Log, came: Any) -> int:
    """Devices that bodies stand on, or near by, go off or hold them. `came`: the places to which somebody has come.

    0, or the mask of the robots that a drone pushes on | direction << 8 (R-O35.4): then there may be more to do. What
    is due in D0 goes off before that push (U65).
    """
    if came == EVERYWHERE:
        came = places_of_bodies(game, table)
        if came == np.uint64(0):
            return 0
    left = devices_reached(game, table, came)
    thrown = 0
    while left != np.uint64(0):
        slot = int(lowest_bit(left))
        left = without_lowest(left)
        if not thrown:
            thrown = int(goes_off(game, table, log, slot))
        elif game.step == D0 and game.devices[slot].kind != DRONE_TOKEN:
            goes_off(game, table, log, slot)
    return thrown


@with_expansions(None)
def met_in_passing(game: Game, table: Table, log: Log, robot: int) -> None:
    """A robot that a portal is about to take away has come onto its square: mines there and near it go off (R-P2.3)."""
    for k in range(game.num_devices):
        kind = game.devices[k].kind
        if (kind in (MINE_TOKEN, PROXIMITY_TOKEN) or kind >= MISSILE_TOKEN) and meets(game, table, k, robot):
            set_off(game, log, k)
