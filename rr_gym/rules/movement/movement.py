"""Displacements of robots, one square at a time, with their immediate consequences (R-A8, R-P3, U15).

`step` moves a robot by one square; `relocate` and `land` bring it elsewhere. All of them call `step_ends`, which lands
robots whose flight has been ended (R-P3.5, R-E40, R-O50), sets off devices that a body meets, and lets explosions go
off and pistons flip (R-E68).
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.damage.explosions import blasts_go_off
from rr_gym.rules.devices.contacts import big_one_follows, devices_meet, pits_take_devices
from rr_gym.rules.devices.devices import HAVE_RIDDEN, strain_goo
from rr_gym.rules.floor.ground import flies, row_at
from rr_gym.rules.floor.landing import come_down
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.movement.edges import in_goo
from rr_gym.rules.movement.entering import break_barrier, enter
from rr_gym.rules.movement.pushing import move_chain, obstacle_stops_copter
from rr_gym.rules.options.options import discard_copter_card, stop_copter, works
from rr_gym.rules.state.constants import (
    BY_COPTER,
    C4,
    C8,
    C11,
    C13,
    CARRY,
    CAUGHT,
    DISPLACED,
    FALL,
    HOVERED,
    JUMP,
    LANDS,
    SLIDE,
    WEAPON,
)
from rr_gym.rules.state.events import MOVED, PISTONS, note, note_at
from rr_gym.rules.state.option_cards import ROBO_COPTER
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

MAX_FLIPS = 8  # pistons flip at most this often after one step (U15)


@kernel
def come_to_ground(game: GameRecord, table: Table, log: Log, robot: int, direction: int) -> None:
    """Land a robot and let the ground act; pistons and devices are left to `step_ends`.

    A robot that lands on its own square without having been displaced has no direction of travel (U55).
    """
    body = game.robots[robot]
    if body.flying == BY_COPTER:  # R-O50.3: the card on the Robo-Copter is lost with the flight
        discard_copter_card(game, body)
    body.flying = 0
    over = int(body.square)
    come_down(game, table, log, robot, direction & 3)
    if body.square == over:
        body.origin = over  # it has not come from another square: see `hazards.passing.has_come_down`
        if not body.marks & DISPLACED:
            body.marks |= HOVERED
    else:
        body.origin = -1
        body.heading = direction & 3
        body.goo = 0  # it has landed on another square than the goo that held it
    body.marks |= DISPLACED
    enter(game, table, log, robot, FALL)


@kernel
def land_robots_hit(game: GameRecord, table: Table, log: Log) -> None:
    """Land robots whose flight has been ended.

    Damage ends a flight by antigrav (R-E40.3); losing the option or a damping field ends a flight by Robo-Copter.
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive:
            continue  # destroyed, or set aside while devices ride
        if robot.flying == BY_COPTER and not works(game, table, i, ROBO_COPTER):
            stop_copter(game, robot)
        if robot.marks & LANDS:
            robot.marks &= ~LANDS
            if robot.flying:
                come_to_ground(game, table, log, i, robot.heading)


@kernel
def somebody_lands(game: GameRecord) -> bool:
    """Tell whether the flight of a robot has been ended that has not landed yet."""
    for i in range(game.num_robots):
        if game.robots[i].marks & LANDS:
            return True
    return False


@with_elements(None)
def pistons_flip(game: GameRecord, table: Table, log: Log) -> None:
    """Raise the pistons of the other colour, and slide the robots on them off (R-E68)."""
    game.flips = 0
    game.piston_up ^= 1
    note(game, log, PISTONS, -1, game.piston_up)
    rising = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive or flies(game, table, i):
            continue
        if table.ground[row_at(game, table, robot.square)].piston == game.piston_up + 1:
            robot.origin = robot.square  # a robot pushed before its own move is elsewhere by then
            rising |= 1 << i
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if rising >> i & 1 and robot.alive and robot.origin == robot.square:
            move_chain(game, table, log, i, table.ground[row_at(game, table, robot.square)].piston_direction, SLIDE)


@kernel
def drone_pushes(game: GameRecord, table: Table, log: Log) -> None:
    """Push the robots that touched a drone when it went off (R-O35.4).

    A robot in goo is not pushed; the push counts as an attempt to leave.
    """
    thrown, direction = int(game.thrown), int(game.thrown_to)
    game.thrown = game.thrown_to = 0
    for i in range(game.num_robots):
        if thrown >> i & 1 and game.robots[i].goo:
            strain_goo(game, log, i)
        elif thrown >> i & 1 and game.robots[i].alive:
            move_chain(game, table, log, i, direction, WEAPON)


@kernel
def meet_devices(game: GameRecord, table: Table, log: Log) -> None:
    """Let devices act that a body has met, then explosions go off, then drones push the robots that they have hit.

    This is repeated until no drone pushes (R-X1.8, R-X2.6). When board elements move robots and flat devices at the
    same time, only their squares at the end of the sub-step count.
    """
    together = C4 <= game.step <= C8 or C11 <= game.step <= C13
    settled = game.devices_act == HAVE_RIDDEN or (game.devices_act == 0 and not together)
    while True:
        if settled:
            big_one_follows(game, log)
            pits_take_devices(game, table, log)
            devices_meet(game, table, log)
        blasts_go_off(game, table, log)
        if game.thrown == 0:
            return
        drone_pushes(game, table, log)


@with_expansions(None)
def step_ends(game: GameRecord, table: Table, log: Log) -> None:
    """Carry out all immediate consequences of a displacement (U15).

    Robots land, devices act, explosions go off, and pressed pistons flip, which may cause all of this again.
    """
    flips = 0
    while True:
        land_robots_hit(game, table, log)
        if game.num_devices or game.num_blasts:
            meet_devices(game, table, log)
            if somebody_lands(game):
                continue
        if game.flips == 0 or flips == MAX_FLIPS:
            break
        flips += 1
        pistons_flip(game, table, log)
    game.flips = 0


@kernel
def step(game: GameRecord, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """Move a robot one square in a direction, pushing the robots in the way (R-P3.2).

    Return `HELD`, `MOVED_ON` or another outcome. The step may destroy the mover, so check `alive` afterwards. In goo,
    the robot stays where it is, and each square that it tries counts as an attempt to leave (R-O38.2).
    """
    if in_goo(game, table, mover):
        strain_goo(game, log, mover)
        return CAUGHT
    result = int(move_chain(game, table, log, mover, direction, cause))
    obstacle_stops_copter(game, table, mover, result)
    step_ends(game, table, log)
    return result


@kernel
def relocate(
    game: GameRecord, table: Table, log: Log, robot: int, square: int, level: int, cause: int
) -> None:
    """Move a robot without crossing the squares in between: by JUMP, CARRY or PLACE (R-P3.4).

    The caller sets `heading`.
    """
    body = game.robots[robot]
    break_barrier(game, table, robot)
    body.origin = body.square
    body.drop = 0
    come_to(game, table, robot, square)
    body.level = level
    if cause != CARRY:
        body.goo = 0
    if cause <= JUMP:
        body.marks = body.marks & ~HOVERED | DISPLACED
    note_at(game, log, MOVED, robot, -1, cause, square, body.origin)
    enter(game, table, log, robot, cause)
    step_ends(game, table, log)


@kernel
def land(game: GameRecord, table: Table, log: Log, robot: int, direction: int) -> None:
    """Land a robot on the first open square in a direction, beginning with its own square (R-P3.5)."""
    come_to_ground(game, table, log, robot, direction)
    step_ends(game, table, log)
