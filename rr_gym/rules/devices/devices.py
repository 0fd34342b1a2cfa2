"""Devices on the board: lay, find, move and remove them (R-X1, U25). `contacts` decides what sets them off."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.devices.blasts import queue_blast
from rr_gym.rules.floor.ground import device_acts_on, flies
from rr_gym.rules.floor.positions import come_to, leave_board
from rr_gym.rules.state.constants import (
    BIG_ONE_BLAST,
    BIG_ONE_BODY,
    BIG_ONE_TOKEN,
    BUZZ_BLAST,
    BY_CRUSHER,
    DRONE_BLAST,
    DRONE_TOKEN,
    GOO_TOKEN,
    MAX_DEVICES,
    MINE_BLAST,
    MINE_TOKEN,
    MISSILE_BLAST,
    MISSILE_TOKEN,
    NO_DEVICE,
    NOBODY,
    PROXIMITY_BLAST,
    SCRAMBLER_TOKEN,
    TELEPORTER_TOKEN,
)
from rr_gym.rules.state.events import (
    DEVICE_GONE,
    DEVICE_LAID,
    DEVICE_MOVED,
    DEVICE_TURNED,
    DRONE_AIMED,
    STUCK,
    note,
    note_at,
)
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

NO_SLOT = -1
BY_HAND = 1 << 15  # bit of `spares`: the device spares bodies that touched it in a position set up by hand (U45)
RIDE, HAVE_RIDDEN = 1, 2  # values of `devices_act`: a sub-step of segment C is moving flat devices, or has moved them
GOO_SQUARES = 4  # squares of movement that destroy goo (R-O38)
FIRST_MISSILE, FIRST_DRONE, NEXT_TOKEN = 735, 880, 10  # priorities printed on the tokens

# By kind: none, bridge, mine, proximity mine, goo, portable teleporter, scrambler bomb, Big One, missile, drone, buzz
POWER = np.array([0, 0, 4, 4, 0, 0, 0, 64, 4, 2, 4], np.int8)
INERT = -1  # marks kinds that do not explode
_EXPLODES_AS = (
    INERT, INERT, MINE_BLAST, PROXIMITY_BLAST, INERT, INERT, INERT, BIG_ONE_BLAST,
    MISSILE_BLAST, DRONE_BLAST, BUZZ_BLAST,
)  # fmt: skip
EXPLODES_AS = np.array(_EXPLODES_AS, np.int8)


@kernel
def find_device(game: GameRecord, kind: int) -> int:
    """Return the first slot that holds a device of a kind, `NO_SLOT` for none."""
    for k in range(game.num_devices):
        if game.devices[k].kind == kind:
            return k
    return NO_SLOT


@kernel
def free_priority(game: GameRecord, kind: int) -> int:
    """Return the highest priority printed on a token of a kind that is not in play; 0 if the kind has none (U45)."""
    if kind != MISSILE_TOKEN and kind != DRONE_TOKEN:  # mutants (never): no other device uses its priority
        return 0
    priority = FIRST_MISSILE if kind == MISSILE_TOKEN else FIRST_DRONE
    k = 0
    while k < game.num_devices:  # mutants (boundary): the slot behind the last one is empty
        if game.devices[k].kind == kind and game.devices[k].priority == priority:
            priority -= NEXT_TOKEN
            k = -1
        k += 1
    return priority


@kernel
def put_big_one(game: GameRecord, table: Table, square: int, level: int, facing: int, virtual: int) -> None:
    """Put the body of The Big One on the board; it acts like a powered-down robot (R-O29)."""
    body = game.robots[BIG_ONE_BODY]
    body.alive = body.down = 1
    body.origin = square
    come_to(game, table, BIG_ONE_BODY, square)
    body.level = level
    body.facing = body.heading = facing
    body.virtual = virtual
    body.marks = body.drop = body.flying = body.speed = body.goo = 0
    body.pusher_square = -1
    game.num_bodies = BIG_ONE_BODY + 1


@kernel
def lay_device(
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
    """Bring a device into play; return its slot, or `NO_SLOT` when all are taken (U25).

    It spares its owner until `devices_arm` is called; missiles and drones spare theirs until they have left its square
    (D27, R-X1.5). Devices of a virtual robot are virtual (R-X1.15).
    """
    slot = 0
    while slot < game.num_devices and game.devices[slot].kind != NO_DEVICE:
        slot += 1
    if slot == MAX_DEVICES or (kind == BIG_ONE_TOKEN and game.robots[BIG_ONE_BODY].alive):
        return NO_SLOT
    device = game.devices[slot]
    device.priority = free_priority(game, kind)
    game.num_devices = max(int(game.num_devices), slot + 1)
    device.kind = kind
    device.owner = owner
    device.square = square
    device.target = -1
    device.level = level
    device.facing = facing
    device.power = power
    device.virtual = game.robots[owner].virtual if owner >= 0 else 0
    device.spares = 1 << owner if owner >= 0 else 0
    if kind == MISSILE_TOKEN:
        device.spares |= 1 << BIG_ONE_BODY  # only a buzz bomb goes off where The Big One lies (U56)
    device.left = GOO_SQUARES if kind == GOO_TOKEN else 0
    if kind == BIG_ONE_TOKEN:
        put_big_one(game, table, square, level, facing, int(device.virtual))
    note_at(game, log, DEVICE_LAID, owner, -1, kind, square, int(facing))
    return slot


@kernel
def other_goo_spares(game: GameRecord, slot: int, robot: int) -> None:
    """Let other goo on the square spare a robot that has just broken free, until D0 (R-O38.1)."""
    square, level = game.devices[slot].square, game.devices[slot].level
    for k in range(game.num_devices):
        other = game.devices[k]
        if k != slot and other.kind == GOO_TOKEN and other.square == square and other.level == level:
            other.spares |= 1 << robot


@kernel
def goo_is_left(game: GameRecord, log: Log, slot: int, left: int) -> None:
    """Set how many squares of movement a goo still withstands, also for the robots in it; 0 sets them free."""
    device = game.devices[slot]
    device.left = left
    for i in range(game.num_robots):
        body = game.robots[i]
        if body.goo > 0 and body.square == device.square and body.level == device.level:
            body.goo = left
            note(game, log, STUCK, i, left)
            if left == 0:
                other_goo_spares(game, slot, i)


@kernel
def remove_device(game: GameRecord, log: Log, slot: int) -> None:
    """Take a device out of play; robots stuck in it are free."""
    device = game.devices[slot]
    # mutants (boundary): a robot that is stuck for 0 squares is free already
    if device.kind == GOO_TOKEN and device.left > 0:
        goo_is_left(game, log, slot, 0)
    note_at(game, log, DEVICE_GONE, device.owner, -1, device.kind, device.square, -1)
    if device.kind == BIG_ONE_TOKEN:
        leave_board(game, BIG_ONE_BODY)
        game.num_bodies = game.num_robots
    device.kind = NO_DEVICE
    # mutants (never, boundary): only an optimisation
    while game.num_devices > 0 and game.devices[game.num_devices - 1].kind == NO_DEVICE:
        game.num_devices -= 1


@kernel
def set_off(game: GameRecord, log: Log, slot: int) -> None:
    """Let a device explode where it is (R-X1.9); a virtual device hurts only its owner."""
    device = game.devices[slot]
    only = int(device.owner) if device.virtual else NOBODY
    blast = int(EXPLODES_AS[device.kind])
    queue_blast(game, device.square, device.level, device.power, device.owner, blast, only)
    remove_device(game, log, slot)


@kernel
def crush_device(game: GameRecord, log: Log, slot: int) -> None:
    """Crush a device: it explodes if it can, otherwise it is removed (R-X1.12)."""
    if EXPLODES_AS[game.devices[slot].kind] == INERT:  # mutants (never): an explosion without power hurts nobody
        remove_device(game, log, slot)
    else:
        set_off(game, log, slot)


@kernel
def move_device(game: GameRecord, log: Log, slot: int, square: int, level: int) -> None:
    """Put a device on another square and level."""
    device = game.devices[slot]
    device.level = level
    if square != device.square:
        note_at(game, log, DEVICE_MOVED, device.owner, -1, device.kind, square, device.square)
        device.square = square


@kernel
def turn_device(game: GameRecord, log: Log, slot: int, facing: int) -> None:
    """Let a device face another way."""
    device = game.devices[slot]
    if facing != device.facing:
        device.facing = facing
        note_at(game, log, DEVICE_TURNED, device.owner, -1, device.kind, device.square, facing)


@kernel
def aim_drone(game: GameRecord, log: Log, slot: int, square: int) -> None:
    """Put the target counter of a drone on a square (R-O35)."""
    device = game.devices[slot]
    device.target = square
    note_at(game, log, DRONE_AIMED, device.owner, -1, device.kind, device.square, square)


@with_expansions(None)
def end_of_body(game: GameRecord, table: Table, log: Log, body: int, why: int) -> None:
    """Take the body of a device off the board; The Big One explodes only if it is crushed (R-O29.4).

    When a flat device rides on a board element, `rr_gym.rules.launching.riding` removes the device itself.
    """
    robot = game.robots[body]
    square = int(robot.square)
    leave_board(game, body)
    slot = find_device(game, BIG_ONE_TOKEN)
    if body != BIG_ONE_BODY or slot < 0:
        return
    # mutants: the token follows its body
    if square >= 0:
        move_device(game, log, slot, square, int(robot.level))
    if why == BY_CRUSHER:
        set_off(game, log, slot)
    else:
        remove_device(game, log, slot)


@kernel
def is_at(game: GameRecord, slot: int, robot: int, square: int, level: int) -> bool:
    """Tell whether a device that exists for a robot is at a square and level.

    A virtual device exists only for its owner (R-X1.15).
    """
    device = game.devices[slot]
    return device.square == square and device.level == level and device_acts_on(game, slot, robot)


@kernel
def find_under(game: GameRecord, kind: int, robot: int) -> int:
    """Return the first slot with a device of a kind under a robot, `NO_SLOT` for none.

    Devices that do not exist for the robot do not count.
    """
    body = game.robots[robot]
    for k in range(game.num_devices):
        if game.devices[k].kind == kind and is_at(game, k, robot, body.square, body.level):
            return k
    return NO_SLOT


@kernel
def strain_goo(game: GameRecord, log: Log, robot: int) -> None:
    """Count an attempt to move a robot in goo by one square; the last one destroys the goo (R-O38.2)."""
    body = game.robots[robot]
    slot = find_under(game, GOO_TOKEN, robot)
    if slot == NO_SLOT:
        body.goo -= 1
        note(game, log, STUCK, robot, body.goo)
        return
    goo_is_left(game, log, slot, int(body.goo) - 1)
    if body.goo == 0:
        remove_device(game, log, slot)


@kernel
def lies_on_ground(kind: int) -> bool:
    """Tell whether devices of a kind are flat, except for bridges."""
    return MINE_TOKEN <= kind <= SCRAMBLER_TOKEN


@with_expansions(False)
def on_portable_teleporter(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot touches a portable teleporter; that of a virtual robot works only for itself (R-O45)."""
    return find_under(game, TELEPORTER_TOKEN, robot) != NO_SLOT and not flies(game, table, robot)


@with_expansions(False)
def is_obstructed(game: GameRecord, table: Table, robot: int, square: int, level: int) -> bool:
    """Tell whether a flying device at a square and level keeps teleporters from bringing a robot there (K8).

    Callers check for other bodies.
    """
    for k in range(game.num_devices):
        if game.devices[k].kind >= MISSILE_TOKEN and is_at(game, k, robot, square, level):
            return True
    return False


@with_expansions(None)
def virtual_devices_vanish(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Take the virtual devices of a robot that becomes real off the board (R-X1.15)."""
    for k in range(game.num_devices):
        device = game.devices[k]
        if device.virtual and device.owner == robot and device.kind != NO_DEVICE:
            remove_device(game, log, k)
