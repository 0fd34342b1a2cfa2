"""Displacements of robots, one square at a time, with all that follows at once (R-A8, R-P3, U15).

`step` is the movement of a robot by one square, `relocate` and `land` bring it elsewhere; what follows each of them is
`step_ends`: flights that something has ended (R-P3.5, R-E40, R-O50), devices that somebody meets, explosions, pistons
(R-E68).
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
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table

MAX_FLIPS = 8  # of the pistons after one step (U15)


@kernel
def come_to_ground(game: Game, table: Table, log: Log, robot: int, direction: int) -> None:
    """The end of a flight, but for what pistons do.

    A robot that comes down where it already was, and has not just come there, has no direction of travel (U55).
    """
    body = game.robots[robot]
    if body.flying == BY_COPTER:  # R-O50.3: the card on it goes with the flight
        discard_copter_card(game, body)
    body.flying = 0
    over = int(body.square)
    come_down(game, table, log, robot, direction & 3)
    if body.square == over:
        body.origin = over  # what fills its own square has met it before
        if not body.marks & DISPLACED:
            body.marks |= HOVERED
    else:
        body.origin = -1
        body.heading = direction & 3
        body.goo = 0  # it has come down beside the goo that held it
    body.marks |= DISPLACED
    enter(game, table, log, robot, FALL)


@kernel
def land_robots_hit(game: Game, table: Table, log: Log) -> None:
    """Damage ends a flight by antigrav (R-E40.3), the loss of the option or a damping field one by Robo-Copter."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive:
            continue  # destroyed, or out of the way of devices that ride
        if robot.flying == BY_COPTER and not works(game, table, i, ROBO_COPTER):
            stop_copter(game, robot)
        if robot.marks & LANDS:
            robot.marks &= ~LANDS
            if robot.flying:
                come_to_ground(game, table, log, i, robot.heading)


@kernel
def somebody_lands(game: Game) -> bool:
    """Something has ended a flight, and the robot has not come down yet."""
    for i in range(game.num_robots):
        if game.robots[i].marks & LANDS:
            return True
    return False


@with_elements(None)
def pistons_flip(game: Game, table: Table, log: Log) -> None:
    """The other colour rises, and robots on it slide off (R-E68)."""
    game.flips = 0
    game.piston_up ^= 1
    note(game, log, PISTONS, -1, game.piston_up)
    rising = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive or flies(game, table, i):
            continue
        if table.ground[row_at(game, table, robot.square)].piston == game.piston_up + 1:
            robot.origin = robot.square  # so that it shows which ones have been moved before their turn
            rising |= 1 << i
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if rising >> i & 1 and robot.alive and robot.origin == robot.square:
            move_chain(game, table, log, i, table.ground[row_at(game, table, robot.square)].piston_direction, SLIDE)


@kernel
def drone_pushes(game: Game, table: Table, log: Log) -> None:
    """The push of a drone that has gone off, on the robots that it has hit (R-O35.4)."""
    thrown, direction = int(game.thrown), int(game.thrown_to)
    game.thrown = game.thrown_to = 0
    for i in range(game.num_robots):
        if thrown >> i & 1 and game.robots[i].goo:
            strain_goo(game, log, i)
        elif thrown >> i & 1 and game.robots[i].alive:
            move_chain(game, table, log, i, direction, WEAPON)


@kernel
def meet_devices(game: Game, table: Table, log: Log) -> None:
    """Devices that a body has met act, explosions follow, and a drone pushes on the robots it has hit (R-X1.8, R-X2.6).

    Where belts and the like move robots and flat devices at one time, only the end of the sub-step counts.
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
def step_ends(game: Game, table: Table, log: Log) -> None:
    """What follows each displacement at once: landings, devices, explosions; pressed pistons flip (U15)."""
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
def step(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """One square in a direction, pushing the robots in the way: `HELD`, `MOVED_ON` or another outcome (R-P3.2).

    The mover may be destroyed by it: see `alive`. In goo it stays; each square that it tries counts (R-O38.2).
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
    game: Game, table: Table, log: Log, robot: int, square: int, level: int, cause: int
) -> None:
    """Take a robot elsewhere without a way between: JUMP, CARRY or PLACE (R-P3.4). `heading` is the caller's."""
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
def land(game: Game, table: Table, log: Log, robot: int, direction: int) -> None:
    """The end of a flight: the robot comes down on the first open square in a direction, its own first (R-P3.5)."""
    come_to_ground(game, table, log, robot, direction)
    step_ends(game, table, log)
