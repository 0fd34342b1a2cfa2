"""One step of a robot and of all robots that it pushes (R-A8, R-P3.2).

`move_chain` makes the whole step. First, `gather` collects the robots of the push, square by square, until a square is
free or something stops them all. Then `advance` moves them, the foremost first: each is displaced and arrives.

Meanwhile, `game.push` lists the robots of the push, and the fields `leaving` and `target` of each robot hold the side
over which it leaves its square and the square to which it comes.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import OILY, PADDING
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.damage.damage import damage, destroy
from rr_gym.rules.devices.devices import strain_goo
from rr_gym.rules.floor.ground import held, surface_under
from rr_gym.rules.floor.levels import FALLING, arrival_level
from rr_gym.rules.movement.displacing import arrive, displace
from rr_gym.rules.movement.edges import OPEN, bump, edge_from, heading_from, in_goo, target_from
from rr_gym.rules.options.options import note_use, owns, stop_copter, works
from rr_gym.rules.options.reengineering import exchange_unit
from rr_gym.rules.state.constants import (
    BOUNCE,
    BY_COPTER,
    BY_RAMMING,
    CARD,
    CAUGHT,
    FATAL_DAMAGE,
    HALTED,
    HELD,
    ICE,
    MAX_ROBOTS,
    MOVED_ON,
    NOBODY,
    OIL,
    OPTION,
    PUSH,
    PUSHER,
    REBOUND,
    STOPPED,
)
from rr_gym.rules.state.events import BLOCKED, OPTION_USED, note
from rr_gym.rules.state.option_cards import RAMMING_GEAR, REENGINEERING_UNIT
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def moves_itself(cause: int) -> bool:
    """Tell whether a displacement is the mover's own movement (R-O18.4, R-O47.2).

    Slides, weapons and board elements do not count.
    """
    return cause in (CARD, OPTION, BOUNCE)


@kernel
def ram(game: GameRecord, table: Table, log: Log, mover: int, other: int) -> None:
    """Let a Ramming Gear hurt the robot that its owner runs into, at most once per card (R-O18, U20)."""
    # mutants (boundary): no device takes damage
    if other >= MAX_ROBOTS or game.rammed >> other & 1 or not works(game, table, mover, RAMMING_GEAR):
        return
    game.rammed |= 1 << other
    note_use(game, log, OPTION_USED, mover, RAMMING_GEAR)
    damage(game, table, log, other, 1, BY_RAMMING, mover)
    if game.robots[other].damage >= FATAL_DAMAGE:
        destroy(game, table, log, other, BY_RAMMING)


@kernel
def is_pushed(game: GameRecord, robot: int) -> bool:
    """Tell whether a robot is already part of the push."""
    for k in range(game.push.length):
        if game.push.robots[k] == robot:
            return True
    return False


@kernel
def may_push(game: GameRecord, table: Table, other: int, cause: int) -> bool:
    """Tell whether a displacement may push a robot (R-P3.2).

    Robots on a mag-lock and robots that are already part of the push cannot be pushed. Slides on oil push only robots
    on oil, bounces only robots on padded squares, and slides on ice push nobody.
    """
    if held(game, table, other) or cause == ICE:
        return False
    if cause == OIL and surface_under(game, table, other) != OILY:
        return False
    if cause == BOUNCE and surface_under(game, table, other) != PADDING:
        return False
    return not is_pushed(game, other)


@with_expansions(MOVED_ON)
def run_into(
    game: GameRecord, table: Table, log: Log, mover: int, other: int, cause: int, touches: bool
) -> int:
    """Let a push run into a robot in its way; return the result for that robot.

    The result is `MOVED_ON` if the robot is pushed too, `HELD` or `CAUGHT` if nobody moves, and `OPEN` if the robot is
    no longer there. The mover may ram the robot if it `touches` it directly. Goo holds a robot that is stuck in it, and
    each square of a push counts as an attempt to move that robot (R-O38.4).
    """
    if touches and moves_itself(cause):
        ram(game, table, log, mover, other)
        if not game.robots[other].alive:
            return OPEN
    if not may_push(game, table, other, cause):
        return HELD
    if in_goo(game, table, other):
        strain_goo(game, log, other)
        return CAUGHT
    return MOVED_ON


@with_elements(False)
def falls(game: GameRecord, table: Table, front: int) -> bool:
    """Tell whether the foremost robot falls over a ledge; it then pushes nobody and lands farther on (R-E13.3)."""
    body = game.robots[front]
    return arrival_level(game, table, front, body.target, body.leaving) == FALLING


@with_expansions(True)
def stands_in_way(game: GameRecord, table: Table, front: int, other: int) -> bool:
    """Tell whether another robot is on the level at which the foremost robot arrives."""
    body = game.robots[front]
    return game.robots[other].level == arrival_level(game, table, front, body.target, body.leaving)


@kernel
def note_steps(game: GameRecord, square: int, direction: int, target: int) -> None:
    """Record direction and target of the last robots of the push, which all leave the same square."""
    push = game.push
    k = int(push.length) - 1
    while k >= 0 and game.robots[push.robots[k]].square == square:
        body = game.robots[push.robots[k]]
        body.leaving = direction
        body.target = target
        k -= 1


@kernel
def push_those_on(game: GameRecord, table: Table, log: Log, square: int, cause: int) -> int:
    """Add the robots in the way on a square to the push.

    Return `MOVED_ON`, or the outcome of a robot that stops the whole push.
    """
    push = game.push
    mover = int(push.robots[0])
    front = int(push.robots[push.length - 1])
    touches = push.length == 1
    for i in range(game.num_bodies):
        other = game.robots[i]
        if other.square == square and not other.virtual and stands_in_way(game, table, front, i):
            met = run_into(game, table, log, mover, i, cause, touches)
            if met in (HELD, CAUGHT):
                return met
            if met == MOVED_ON:
                push.robots[push.length] = i
                push.length += 1
    return MOVED_ON


@kernel
def gather(game: GameRecord, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """Collect the robots of a push (R-A8.4 to R-A8.9).

    Return `MOVED_ON` if all of them can move, otherwise the outcome of what stops them.
    """
    push = game.push
    push.robots[0] = mover
    push.length = 1
    square = int(game.robots[mover].square)
    heading = direction
    while True:
        front = int(push.robots[push.length - 1])
        met = edge_from(game, table, front, square, heading, cause)
        if met != OPEN:
            note(game, log, BLOCKED, mover, direction)
            return int(bump(game, table, log, mover, front, heading, met, cause))
        target = int(target_from(game, table, front, square, heading))
        note_steps(game, square, heading, target)
        if target < 0 or game.robots[mover].virtual or falls(game, table, front):
            return MOVED_ON  # R-A14.1: virtual robots push nobody
        heading = int(heading_from(game, table, square, heading))
        square = target
        before = int(push.length)
        met = int(push_those_on(game, table, log, square, cause))
        if met != MOVED_ON:
            note(game, log, BLOCKED, mover, direction)
            return met
        if push.length == before:
            return MOVED_ON  # the square is free


@with_expansions(None)
def push_stops_copter(game: GameRecord, table: Table, robot: int, cause: int) -> None:
    """End a flight by Robo-Copter if a robot or a pusher pushes the flyer (R-O50.3)."""
    body = game.robots[robot]
    if body.flying == BY_COPTER and cause in (PUSH, PUSHER):
        stop_copter(game, body)


@with_expansions(NOBODY)
def met_by_unit(game: GameRecord, table: Table, cause: int) -> int:
    """Return the robot that the owner of a Reengineering Unit directly pushes (R-O47, U20).

    Return `NOBODY` if no unit works, or if the mover does not move by itself.
    """
    push = game.push
    if push.length == 1 or not moves_itself(cause) or not works(game, table, push.robots[0], REENGINEERING_UNIT):
        return NOBODY
    touched = int(push.robots[1])
    return touched if touched < MAX_ROBOTS else NOBODY  # mutants (boundary): the body of The Big One owns no options


@with_expansions(None)
def unit_is_exchanged(game: GameRecord, table: Table, log: Log, mover: int, touched: int) -> None:
    """Exchange a Reengineering Unit after all robots of a push have moved (U61, U67).

    Until then, robots act with the options that they had before the push. The mover must be alive, and must still own
    the unit.
    """
    robot = game.robots[mover]
    if touched != NOBODY and robot.alive and owns(robot, REENGINEERING_UNIT):
        exchange_unit(game, log, mover, touched)


@with_elements(MOVED_ON)
def end_of_step(game: GameRecord, table: Table, mover: int) -> int:
    """Return how a step ended for the mover: `STOPPED` if something on its new square holds it."""
    body = game.robots[mover]
    if body.marks & HALTED:
        body.marks &= ~HALTED
        return STOPPED
    return MOVED_ON


@kernel
def advance(game: GameRecord, table: Table, log: Log, cause: int) -> int:
    """Move all robots of a push, the foremost first, so that each square is empty before the next robot enters.

    Returns how the step ended for the mover.
    """
    push = game.push
    mover = int(push.robots[0])
    touched = int(met_by_unit(game, table, cause))
    k = int(push.length)
    while k > 0:
        k -= 1
        robot = int(push.robots[k])
        if not game.robots[robot].alive:
            continue  # a robot that moved earlier has opened a trapdoor under it
        why = PUSH if k else cause
        displace(game, table, log, robot, int(game.robots[robot].target), why, mover if k else NOBODY)
        arrive(game, table, log, robot, cause)  # whether a portal acts depends on the cause of the whole push
        push_stops_copter(game, table, robot, why)
    unit_is_exchanged(game, table, log, mover, touched)
    return int(end_of_step(game, table, mover))


@kernel
def move_chain(game: GameRecord, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """Make one step of a robot and of all robots that it pushes (R-E1, R-A8).

    Return `HELD`, `MOVED_ON` or another outcome for the mover. The effects of pistons and devices are left to
    `step_ends`.
    """
    result = int(gather(game, table, log, mover, direction, cause))
    if result == MOVED_ON:
        result = int(advance(game, table, log, cause))
    game.push.length = 0
    game.push.robots[:] = 0
    return result


@with_expansions(None)
def obstacle_stops_copter(game: GameRecord, table: Table, robot: int, result: int) -> None:
    """End a flight by Robo-Copter if a wall or a robot was in the way (R-O50.3).

    A mag-lock only keeps the robot on the ground and does not end the flight (R-E29.3).
    """
    body = game.robots[robot]
    if body.flying == BY_COPTER and result in (HELD, REBOUND, CAUGHT) and not held(game, table, robot):
        stop_copter(game, body)
