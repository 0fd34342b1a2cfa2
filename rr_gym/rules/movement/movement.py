"""Displacements of robots: one square at a time, pushing others (R-A8, R-P3.2).

A robot is moved in two halves: `displace` puts it on the next square, `arrive` lets it fall, land and meet what lies
there. What expansions add to a step stands in `expansion_steps`; what a square does to a robot that enters it, in
`entering`.
"""

from __future__ import annotations

from rr_gym.compilation.jit import compiled_once, kernel, with_elements, with_expansions
from rr_gym.rules.damage.explosions import blasts_go_off
from rr_gym.rules.devices.contacts import big_one_follows, big_one_has_moved, devices_meet, pits_take_devices
from rr_gym.rules.devices.devices import HAVE_RIDDEN, strain_goo
from rr_gym.rules.floor.ground import flies, row_at
from rr_gym.rules.floor.landing import come_down, fall
from rr_gym.rules.movement.entering import break_barrier, enter
from rr_gym.rules.movement.expansion_steps import (
    OPEN,
    bump,
    edge_from,
    ends_chain,
    on_the_way,
    outcome,
    prepare,
    prepared_target,
    push_begins,
    run_into,
    stands_in_way,
    target_from,
    was_pushed,
    was_stopped,
)
from rr_gym.rules.options.options import works
from rr_gym.rules.state.cards import discard
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
    HELD,
    HOVERED,
    JUMP,
    LANDS,
    MAX_ROBOTS,
    MOVED_ON,
    PUSH,
    SLIDE,
    WEAPON,
)
from rr_gym.rules.state.events import BLOCKED, MOVED, PISTONS, note, note_at
from rr_gym.rules.state.option_cards import ROBO_COPTER
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.variants import blame_mover

MAX_FLIPS = 8  # of the pistons after one step (U15)


@kernel
def displace(
    game: Game, table: Table, log: Log, robot: int, target: int, cause: int, pusher: int
) -> None:
    """Put one robot on the next square, whatever is there; `arrive` comes after it."""
    body = game.robots[robot]
    origin = body.square
    on_the_way(game, table, log, robot, target, cause)
    body.square = target
    blame_mover(game, table, robot, cause, pusher)
    note_at(game, log, MOVED, robot, pusher, cause, target, origin)


@kernel
def arrive(game: Game, table: Table, log: Log, robot: int, cause: int) -> None:
    """What happens to a robot that has been displaced: landing after a fall, and what lies there."""
    fall(game, table, log, robot)
    enter(game, table, log, robot, cause)


@kernel
def chain_step(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """One step of a robot and of all that it pushes (R-E1, R-A8.4 to R-A8.9); what pistons do comes after it.

    The chain of robots is collected from the mover to the front, four bits each; the front one is the last of it
    and moves first, so that every square is empty before the next robot enters it.
    """
    body = game.robots[mover]
    chain = mover + 1
    square = body.square
    front = mover
    heading = direction
    while True:
        met = edge_from(game, table, front, square, heading, cause)
        if met != OPEN:
            note(game, log, BLOCKED, mover, direction)
            return bump(game, table, log, mover, front, heading, met, cause)
        target = target_from(game, table, front, square, heading)
        heading = prepare(game, table, chain, square, heading, target)
        square = target
        if square < 0 or body.virtual or ends_chain(game, table, front, square):
            break  # R-A14.1: virtual robots push nobody
        before = chain
        for i in range(game.num_bodies):
            other = game.robots[i]
            if other.square == square and not other.virtual and stands_in_way(game, table, front, i):
                met = run_into(game, table, log, mover, i, cause, before)
                if met in (HELD, CAUGHT):
                    note(game, log, BLOCKED, mover, direction)
                    return met
                if met == MOVED_ON:
                    chain = chain << 4 | i + 1
        if chain == before:
            break
        front = (chain & 15) - 1
    push_begins(game, table, log, mover, chain, cause)
    while chain:
        robot = (chain & 15) - 1
        chain >>= 4
        if not game.robots[robot].alive:
            continue  # whoever moved before it has opened a trapdoor under it
        target = prepared_target(game, table, robot, direction)
        if chain:
            displace(game, table, log, robot, target, PUSH, mover)
            arrive(game, table, log, robot, cause)  # portals ask for the cause of the first mover
            was_pushed(game, table, robot, PUSH)
        else:
            displace(game, table, log, robot, target, cause, -1)
            arrive(game, table, log, robot, cause)
            was_pushed(game, table, robot, cause)
    return outcome(game, table, mover)


@with_elements(chain_step, compiled_once)
def move_chain(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """`chain_step`, compiled apart where expansions make it large."""
    return chain_step(game, table, log, mover, direction, cause)


@kernel
def come_to_ground(game: Game, table: Table, log: Log, robot: int, direction: int) -> None:
    """The end of a flight, but for what pistons do.

    Who comes down where it already was, and has not just come there, has no direction of travel (U55).
    """
    body = game.robots[robot]
    if body.flying == BY_COPTER:  # R-O50.3: the card on it goes with the flight
        discard(game, body.copter)
        body.copter = 0
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
    game.unsettled = 1
    enter(game, table, log, robot, FALL)


@kernel
def land_who_was_hit(game: Game, table: Table, log: Log) -> None:
    """Damage ends a flight by antigrav (R-E40.3), the loss of the option or a damping field one by Robo-Copter."""
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if robot.flying == BY_COPTER and not works(game, table, i, ROBO_COPTER):
            robot.marks |= LANDS
        if robot.marks & LANDS:
            robot.marks &= ~LANDS
            if robot.alive and robot.flying:
                come_to_ground(game, table, log, i, robot.heading)


@with_elements(None)
def pistons_flip(game: Game, table: Table, log: Log) -> None:
    """The other colour rises, and who stands on it slides off (R-E68)."""
    game.flips = 0
    game.piston_up ^= 1
    note(game, log, PISTONS, -1, game.piston_up)
    rising = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive or flies(game, table, i):
            continue
        if table.ground[row_at(game, table, robot.square)].piston == game.piston_up + 1:
            robot.origin = robot.square
            rising |= 1 << i
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if rising >> i & 1 and robot.alive and robot.origin == robot.square:
            move_chain(game, table, log, i, table.ground[row_at(game, table, robot.square)].piston_direction, SLIDE)


@kernel
def meet_devices(game: Game, table: Table, log: Log) -> None:
    """Devices that somebody has met act, explosions follow, and a drone pushes on whom it has hit (R-X1.8, R-X2.6).

    Where belts and the like move robots and flat devices at one time, only the end of the sub-step counts.
    """
    together = C4 <= game.step <= C8 or C11 <= game.step <= C13
    settled = game.devices_act == HAVE_RIDDEN or (game.devices_act == 0 and not together)
    while game.num_devices or game.num_blasts:
        thrown = 0
        if settled and big_one_has_moved(game):
            big_one_follows(game, log)
        if settled and game.shifted:
            pits_take_devices(game, table, log)
        if settled and game.stirred & game.danger:
            came = int(game.stirred)
            game.stirred = 0
            thrown = devices_meet(game, table, log, came)
            if thrown:
                game.stirred |= came  # the devices after the drone wait for it
        blasts_go_off(game, table, log)
        if thrown == 0:
            return
        for robot in range(game.num_robots):
            if thrown >> robot & 1 and game.robots[robot].goo:
                strain_goo(game, log, robot)
            elif thrown >> robot & 1 and game.robots[robot].alive:
                move_chain(game, table, log, robot, thrown >> MAX_ROBOTS, WEAPON)


@kernel
def somebody_lands(game: Game) -> bool:
    """An explosion has ended a flight."""
    for i in range(game.num_bodies):
        if game.robots[i].marks & LANDS:
            return True
    return False


@compiled_once
def all_follows(game: Game, table: Table, log: Log) -> None:
    """See `step_ends`."""
    flips = 0
    while True:
        if game.aloft:
            land_who_was_hit(game, table, log)
        if game.num_devices or game.num_blasts:
            meet_devices(game, table, log)
            if game.aloft and somebody_lands(game):
                continue
        if game.flips == 0 or flips == MAX_FLIPS:
            break
        flips += 1
        pistons_flip(game, table, log)
    game.flips = 0


@kernel
def devices_wait(game: Game) -> bool:
    """Somebody may meet a device, fall with it into a pit, or be The Big One: see `meet_devices`."""
    if game.num_devices == 0:
        return False
    if game.stirred & game.danger or big_one_has_moved(game):
        return True
    return game.shifted != 0


@with_expansions(None)
def step_ends(game: Game, table: Table, log: Log) -> None:
    """What follows each displacement at once: landings, devices, explosions; pressed pistons flip (U15)."""
    if game.aloft or game.num_blasts or game.flips or devices_wait(game):
        all_follows(game, table, log)


@kernel
def plain_step(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    return chain_step(game, table, log, mover, direction, cause)


@with_expansions(plain_step, compiled_once)
def step(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """One square in a direction, pushing whoever is in the way: `HELD`, `MOVED_ON` or another outcome (R-P3.2).

    The mover may be destroyed by it: see `alive`. In goo it stays; each square that it tries counts (R-O38.2).
    """
    if game.robots[mover].goo:
        strain_goo(game, log, mover)
        return CAUGHT
    result = move_chain(game, table, log, mover, direction, cause)
    was_stopped(game, table, mover, result)
    step_ends(game, table, log)
    return result


@compiled_once
def relocate(
    game: Game, table: Table, log: Log, robot: int, square: int, level: int, cause: int
) -> None:
    """Take a robot elsewhere without a way between: JUMP, CARRY or PLACE (R-P3.4). `heading` is the caller's."""
    body = game.robots[robot]
    break_barrier(game, table, robot)
    body.origin = body.square
    body.drop = 0
    body.square = square
    body.level = level
    if cause != CARRY:
        body.goo = 0
    if cause <= JUMP:
        body.marks = body.marks & ~HOVERED | DISPLACED
        game.unsettled = 1
    note_at(game, log, MOVED, robot, -1, cause, square, body.origin)
    enter(game, table, log, robot, cause)
    step_ends(game, table, log)


@compiled_once
def land(game: Game, table: Table, log: Log, robot: int, direction: int) -> None:
    """The end of a flight: the robot comes down on the first open square in a direction, its own first (R-P3.5)."""
    come_to_ground(game, table, log, robot, direction)
    step_ends(game, table, log)
