"""Contacts of devices with bodies: the triggers and effects of devices (R-X1.6, R-X1.8, R-X1.9, U45).

A device acts on every body in its reach, however the body came there: after every displacement, `devices_meet` checks
all pairs of devices and bodies (`rr_gym.rules.movement.movement.step_ends`).
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
from rr_gym.rules.floor.ground import device_acts_on, flies, grid_next, is_pit, walled
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
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def acts_by_contact(kind: int) -> bool:
    """Tell whether devices of a kind act on bodies that come to them: go off, or hold a robot."""
    return kind >= MISSILE_TOKEN or MINE_TOKEN <= kind <= GOO_TOKEN


@kernel
def is_near(game: GameRecord, table: Table, slot: int, robot: int) -> bool:
    """Tell whether a robot is at most one square from a device, counting as for explosions (R-O46.3)."""
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
def has_laid_big_one(game: GameRecord, robot: int) -> bool:
    """Tell whether a robot owns The Big One that is on the board."""
    slot = find_device(game, BIG_ONE_TOKEN)
    return slot != NO_SLOT and game.devices[slot].owner == robot


@kernel
def is_there_for_body(game: GameRecord, slot: int, i: int) -> bool:
    """Tell whether a device and a body can act on each other (R-X1.15, U56).

    A virtual device exists only for its owner. If a device or The Big One is virtual, the two act on each other only if
    the same robot owns both.
    """
    if i != BIG_ONE_BODY:
        return device_acts_on(game, slot, i)
    device = game.devices[slot]
    return not (device.virtual or game.robots[i].virtual) or has_laid_big_one(game, int(device.owner))


@kernel
def is_in_reach(game: GameRecord, table: Table, slot: int, i: int) -> bool:
    """Tell whether body `i` is on a square on which a device acts.

    A device acts on its own square, a flying device also on a ramp there, and a proximity mine on all squares near it.
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
def touches(game: GameRecord, table: Table, slot: int, i: int) -> bool:
    """Tell whether a device could act on body `i`, whether or not it spares that body.

    Flat devices act on robots on the ground (R-X1.3), flying ones on every body (R-X1.14).
    """
    if not game.robots[i].alive or not is_in_reach(game, table, slot, i) or not is_there_for_body(game, slot, i):
        return False
    return game.devices[slot].kind >= MISSILE_TOKEN or (i < MAX_ROBOTS and not flies(game, table, i))


@kernel
def meets(game: GameRecord, table: Table, slot: int, i: int) -> bool:
    """Tell whether body `i` sets a device off, or gets stuck in it: it touches the device, which does not spare it.

    In a position set up by hand a device spares the bodies that touch it until they have moved (U45).
    """
    device = game.devices[slot]
    near = touches(game, table, slot, i)
    if not device.spares >> i & 1:
        return near
    if not device.spares & BY_HAND or (near and not game.robots[i].marks & DISPLACED):
        return False
    device.spares ^= 1 << i  # from now on it does not spare the body
    return near


@with_expansions(None)
def spare_bodies_there(game: GameRecord, table: Table) -> None:
    """Let the devices of a position set up by hand spare the bodies that touch them (U45).

    Until D0, only bodies that move set these devices off.
    """
    for k in range(game.num_devices):
        for i in range(game.num_bodies):
            if touches(game, table, k, i):
                game.devices[k].spares |= 1 << i | BY_HAND


@kernel
def sticks(game: GameRecord, log: Log, slot: int, robot: int) -> None:
    """Let goo hold a robot that has come onto it (R-O38.1)."""
    body = game.robots[robot]
    if body.goo == 0:
        body.goo = game.devices[slot].left
        note(game, log, STUCK, robot, body.goo)


@kernel
def drone_hits(game: GameRecord, table: Table, slot: int) -> None:
    """Mark all robots that touch a drone as it goes off; it will push them (R-O35.4, U60, U65).

    They are pushed once everything that is due at the same time has gone off.
    """
    for i in range(game.num_robots):
        if touches(game, table, slot, i):
            game.thrown |= 1 << i
    if game.thrown:
        game.thrown_to = game.devices[slot].facing


@kernel
def device_meets(game: GameRecord, table: Table, log: Log, slot: int) -> None:
    """Set off a device if a body meets it; goo instead holds every robot that meets it, but not copies."""
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
def devices_meet(game: GameRecord, table: Table, log: Log) -> None:
    """Let devices act on the bodies that meet them, one device after the other.

    After a drone that pushes a robot, the remaining devices wait for the push. In D0, only other drones wait;
    everything else that is due goes off first (U65).
    """
    for slot in range(game.num_devices):
        kind = game.devices[slot].kind
        waits = game.thrown and (game.step != D0 or kind == DRONE_TOKEN)
        if acts_by_contact(kind) and not waits:
            device_meets(game, table, log, slot)


@with_expansions(None)
def met_in_passing(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Set off what a robot meets on the square of a portal before the portal takes it away (R-P2.3).

    These are mines on the square, proximity mines near it, and flying devices, but not goo.
    """
    for k in range(game.num_devices):
        kind = game.devices[k].kind
        if acts_by_contact(kind) and kind != GOO_TOKEN and meets(game, table, k, robot):
            set_off(game, log, k)


@kernel
def big_one_follows(game: GameRecord, log: Log) -> None:
    """Copy the square, level and facing of The Big One's body to its device."""
    body = game.robots[BIG_ONE_BODY]
    slot = find_device(game, BIG_ONE_TOKEN)
    if body.alive and slot != NO_SLOT:
        move_device(game, log, slot, int(body.square), int(body.level))
        turn_device(game, log, slot, int(body.facing))


@kernel
def pits_take_devices(game: GameRecord, table: Table, log: Log) -> None:
    """Remove the flat devices that lie over a pit (R-X1.11)."""
    for k in range(game.num_devices):
        if lies_on_ground(game.devices[k].kind) and is_pit(game, table, game.devices[k].square):
            remove_device(game, log, k)
