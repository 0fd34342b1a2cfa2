"""Rotating rooms (R-E72)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.devices.devices import move_device, turn_device
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.movement.turning import turn
from rr_gym.rules.state.constants import CARRY, MAX_ROBOTS, NO_DEVICE
from rr_gym.rules.state.events import MOVED, ROOM_TURNED, note, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def inside(table: Table, square: int, room: int) -> bool:
    """Tell whether a square is in a room; the hidden square of a ramp counts by the ramp's foot."""
    return square >= 0 and table.ground[table.ground[square].place].room == room


@kernel
def occupied(game: GameRecord, table: Table, room: int) -> bool:
    """Tell whether a real robot is in a room, flying or not."""
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if i < MAX_ROBOTS and robot.alive and not robot.virtual and inside(table, robot.square, room):
            return True
    return False


@kernel
def carried(table: Table, square: int, room: int) -> int:
    """Return the square to which a quarter turn of a room carries the things on a square."""
    return int(table.ground[square].room_next) if inside(table, square, room) else square


@kernel
def copy_is_carried(game: GameRecord, table: Table, robot: int, room: int) -> None:
    """Turn a robot's copy, and the recorded place of the machine that made it, with the room."""
    body = game.robots[robot]
    if inside(table, body.copy_square, room):
        body.copy_facing = (body.copy_facing + 1) & 3
    if inside(table, body.copy_birth, room):
        body.copy_side = (body.copy_side + 1) & 3
    body.copy_square = carried(table, body.copy_square, room)
    body.copy_birth = carried(table, body.copy_birth, room)


@kernel
def devices_are_carried(game: GameRecord, table: Table, log: Log, room: int) -> None:
    """Turn all devices in a room with it, and the target counters of drones."""
    for k in range(game.num_devices):
        device = game.devices[k]
        if device.kind != NO_DEVICE and inside(table, device.square, room):
            move_device(game, log, k, carried(table, device.square, room), int(device.level))
            turn_device(game, log, k, (int(device.facing) + 1) & 3)
        device.target = carried(table, device.target, room)


@kernel
def turn_ground(game: GameRecord, log: Log, room: int) -> None:
    """Turn the floor of a room or board by a quarter turn clockwise."""
    game.rooms[room] = (game.rooms[room] + 1) & 3
    note(game, log, ROOM_TURNED, -1, room)


@kernel
def turn_room(game: GameRecord, table: Table, log: Log, room: int) -> None:
    """Turn a room by a quarter turn clockwise, with all robots, copies, archive markers, devices and flags in it."""
    turn_ground(game, log, room)
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if robot.alive and inside(table, robot.square, room):
            origin = int(robot.square)
            come_to(game, table, i, carried(table, origin, room))
            note_at(game, log, MOVED, i, -1, CARRY, robot.square, origin)
            turn(game, log, i, 1)
        robot.archive = carried(table, robot.archive, room)
        if robot.has_copy:
            copy_is_carried(game, table, i, room)
    devices_are_carried(game, table, log, room)
    for k in range(table.course.num_flags):
        game.flag_squares[k] = carried(table, game.flag_squares[k], room)


@with_elements(None)
def rooms_turn(game: GameRecord, table: Table, log: Log) -> None:
    """Turn every room with a real robot in it (F3, R-E72): after repairs, before destroyed robots re-enter."""
    for room in range(table.extras.num_rooms):
        if occupied(game, table, room):
            turn_room(game, table, log, room)
