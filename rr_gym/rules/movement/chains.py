"""One step of a robot and of all that it pushes (R-A8, R-P3.2).

A robot is moved in two halves: `displace` puts it on the next square, `arrive` lets it fall, land and meet what lies
there. What a square does to a robot that enters it stands in `entering`.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_elements
from rr_gym.rules.floor.landing import fall
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.movement.bumping import bump
from rr_gym.rules.movement.edges import (
    OPEN,
    edge_from,
    ends_chain,
    prepare,
    prepared_target,
    stands_in_way,
    target_from,
)
from rr_gym.rules.movement.entering import enter
from rr_gym.rules.movement.leaving import on_the_way, outcome
from rr_gym.rules.movement.pushing import push_begins, push_ends, run_into, was_pushed
from rr_gym.rules.state.constants import CAUGHT, HELD, MOVED_ON, PUSH
from rr_gym.rules.state.events import BLOCKED, MOVED, note, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.superbot import blame_mover


@kernel
def displace(
    game: Game, table: Table, log: Log, robot: int, target: int, cause: int, pusher: int
) -> None:
    """Put one robot on the next square, whatever is there; `arrive` comes after it."""
    origin = game.robots[robot].square
    on_the_way(game, table, log, robot, target, cause)
    come_to(game, table, robot, target)
    blame_mover(game, table, robot, cause, pusher)
    note_at(game, log, MOVED, robot, pusher, cause, target, origin)


@kernel
def arrive(game: Game, table: Table, log: Log, robot: int, cause: int) -> None:
    """What happens to a robot that has been displaced: landing after a fall, and what lies there."""
    fall(game, table, log, robot)
    enter(game, table, log, robot, cause)


@kernel
def base_move_chain(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
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
    touched = push_begins(game, table, mover, chain, cause)
    while chain:
        robot = (chain & 15) - 1
        chain >>= 4
        if not game.robots[robot].alive:
            continue  # one that moved before it has opened a trapdoor under it
        target = prepared_target(game, table, robot, direction)
        if chain:
            displace(game, table, log, robot, target, PUSH, mover)
            arrive(game, table, log, robot, cause)  # portals ask for the cause of the first mover
            was_pushed(game, table, robot, PUSH)
        else:
            displace(game, table, log, robot, target, cause, -1)
            arrive(game, table, log, robot, cause)
            was_pushed(game, table, robot, cause)
    push_ends(game, table, log, mover, touched)
    return outcome(game, table, mover)


@with_elements(base_move_chain)
def move_chain(game: Game, table: Table, log: Log, mover: int, direction: int, cause: int) -> int:
    """`base_move_chain`, compiled apart where expansions make it large."""
    return base_move_chain(game, table, log, mover, direction, cause)
