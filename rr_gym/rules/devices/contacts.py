"""What sets devices off, and what they do then (R-X1.6, R-X1.8, R-X1.9, U45).

A device acts on whoever is where it acts, however they came to be there: after every displacement `devices_meet` looks
at all of them (`rr_gym.rules.movement.movement.step_ends`).
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.devices.devices import (
    BY_HAND,
    NO_SLOT,
    find_device,
    lies_on_ground,
    move_device,
    remove_device,
    set_off,
    turn_device,
)
from rr_gym.rules.floor.ground import flies, grid_next, is_pit, is_there_for, walled
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.constants import (
    BIG_ONE_BODY,
    BIG_ONE_TOKEN,
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
def acts_by_contact(kind: int) -> bool:
    """A device of the kind goes off, or holds somebody, when a body comes to it."""
    return kind >= MISSILE_TOKEN or MINE_TOKEN <= kind <= GOO_TOKEN


@kernel
def is_near(game: Game, table: Table, slot: int, robot: int) -> bool:
    """The robot is within one square of the device, as explosions count: a level is a square too (R-O46.3)."""
    device = game.devices[slot]
    body = game.robots[robot]
    place = place_of_square(game, table, body.square)
    here, there = table.squares[place], table.squares[device.square]
    away = abs(int(here.x) - int(there.x)) + abs(int(here.y) - int(there.y))
    if away + abs(int(body.level) - int(device.level)) > 1:
        return False
    if away == 0:
        return True
    for direction in range(4):
        if grid_next(game, table, device.square, direction) == place:
            return not walled(game, table, device.square, direction)
    return False


@kernel
def has_laid_big_one(game: Game, robot: int) -> bool:
    """The Big One on the board is that of the robot."""
    slot = find_device(game, BIG_ONE_TOKEN)
    return slot != NO_SLOT and game.devices[slot].owner == robot


@kernel
def is_there_for_body(game: Game, slot: int, i: int) -> bool:
    """The device concerns the body. If one is virtual, it and The Big One are so for each other if one robot owns both
    (R-X1.15, U56).
    """
    if i != BIG_ONE_BODY:
        return is_there_for(game, slot, i)
    device = game.devices[slot]
    return not (device.virtual or game.robots[i].virtual) or has_laid_big_one(game, int(device.owner))


@kernel
def is_in_reach(game: Game, table: Table, slot: int, i: int) -> bool:
    """Body `i` stands where the device acts: on its square, or on the ramp above a flying one, or near a proximity
    mine.
    """
    device = game.devices[slot]
    body = game.robots[i]
    if device.kind == PROXIMITY_TOKEN:
        return is_near(game, table, slot, i)
    square = int(body.square)
    if device.kind >= MISSILE_TOKEN:
        square = int(place_of_square(game, table, square))
    return square == device.square and body.level == device.level


@kernel
def touches(game: Game, table: Table, slot: int, i: int) -> bool:
    """Body `i` sets the device off, or sticks in it, unless the device spares it. Flat devices are for robots on the
    ground (R-X1.3), what flies meets every body (R-X1.14).
    """
    if not game.robots[i].alive or not is_in_reach(game, table, slot, i) or not is_there_for_body(game, slot, i):
        return False
    return game.devices[slot].kind >= MISSILE_TOKEN or (i < MAX_ROBOTS and not flies(game, table, i))


@kernel
def meets(game: Game, table: Table, slot: int, i: int) -> bool:
    """Body `i` sets the device off now, or sticks in it: it touches it, and the device does not spare it.

    What it spares in a position made by hand it spares until that has moved (U45).
    """
    device = game.devices[slot]
    near = touches(game, table, slot, i)
    if not device.spares >> i & 1:
        return near
    if not device.spares & BY_HAND or (near and not game.robots[i].marks & DISPLACED):
        return False
    device.spares ^= 1 << i  # from now on it does not
    return near


@with_expansions(None)
def spare_bodies_there(game: Game, table: Table) -> None:
    """In a position made by hand devices go off by bodies that move, or in D0, not by those already there (U45)."""
    for k in range(game.num_devices):
        for i in range(game.num_bodies):
            if touches(game, table, k, i):
                game.devices[k].spares |= 1 << i | BY_HAND


@kernel
def sticks(game: Game, log: Log, slot: int, robot: int) -> None:
    """Goo holds a robot that has come onto it (R-O38.1)."""
    body = game.robots[robot]
    if body.goo == 0:
        body.goo = game.devices[slot].left
        note(game, log, STUCK, robot, body.goo)


@kernel
def drone_hits(game: Game, table: Table, slot: int) -> None:
    """A drone that goes off pushes the robots that touch it, when what is due at the same time has gone off (R-O35.4,
    U60, U65).
    """
    for i in range(game.num_robots):
        if touches(game, table, slot, i):
            game.thrown |= 1 << i
    if game.thrown:
        game.thrown_to = game.devices[slot].facing


@kernel
def device_meets(game: Game, table: Table, log: Log, slot: int) -> None:
    """A device that a body meets goes off. Goo holds every robot that meets it; copies do not stick."""
    kind = game.devices[slot].kind
    for i in range(game.num_bodies):
        if not meets(game, table, slot, i):
            continue
        if kind == GOO_TOKEN:
            if not game.copies_act:
                sticks(game, log, slot, i)
            continue
        if kind == DRONE_TOKEN:
            drone_hits(game, table, slot)
        set_off(game, log, slot)
        return


@with_expansions(None)
def devices_meet(game: Game, table: Table, log: Log) -> None:
    """Devices that bodies stand on, or near by, go off or hold them, one after the other.

    Those after a drone that pushes somebody wait for that push; in D0 all that are due go off before it (U65).
    """
    for slot in range(game.num_devices):
        kind = game.devices[slot].kind
        waits = game.thrown and (game.step != D0 or kind == DRONE_TOKEN)
        if acts_by_contact(kind) and not waits:
            device_meets(game, table, log, slot)


@with_expansions(None)
def met_in_passing(game: Game, table: Table, log: Log, robot: int) -> None:
    """A robot that a portal is about to take away has come onto its square: mines there and near it go off (R-P2.3)."""
    for k in range(game.num_devices):
        kind = game.devices[k].kind
        if acts_by_contact(kind) and kind != GOO_TOKEN and meets(game, table, k, robot):
            set_off(game, log, k)


@kernel
def big_one_follows(game: Game, log: Log) -> None:
    """The Big One as a device comes to where it is as a body."""
    body = game.robots[BIG_ONE_BODY]
    slot = find_device(game, BIG_ONE_TOKEN)
    if body.alive and slot != NO_SLOT:
        move_device(game, log, slot, int(body.square), int(body.level))
        turn_device(game, log, slot, int(body.facing))


@kernel
def pits_take_devices(game: Game, table: Table, log: Log) -> None:
    """Flat devices over a pit are lost (R-X1.11)."""
    for k in range(game.num_devices):
        if lies_on_ground(game.devices[k].kind) and is_pit(game, table, game.devices[k].square):
            remove_device(game, log, k)
