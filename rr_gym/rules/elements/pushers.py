"""Pushers and hydraulic pushers (R-A10, R-E9, R-E56)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import phase_bit, row_at
from rr_gym.rules.floor.standing import on_floor
from rr_gym.rules.movement.movement import step
from rr_gym.rules.movement.together import brought_together
from rr_gym.rules.state.constants import CAUGHT, HELD, MOVED_ON, PUSHER
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@with_elements(0)
def hydraulics_at(game: GameRecord, table: Table, square: int, side: int) -> int:
    """Return the phases, as a mask, of the hydraulic pusher that is mounted on a side of a square."""
    return int(table.ground[row_at(game, table, square)].hydraulics[side])


@kernel
def pushers_at(game: GameRecord, table: Table, square: int, side: int) -> int:
    """Return the phases, as a mask, of the pusher or hydraulic pusher on a side of a square."""
    return int(table.squares[row_at(game, table, square)].pushers[side]) | hydraulics_at(game, table, square, side)


@kernel
def push(game: GameRecord, table: Table, log: Log, robot: int, side: int) -> bool:
    """Let the pusher on a side of a robot's square push it; return whether it moved.

    A hydraulic pusher pushes it until something stops it (R-E56). Since portals could make this endless, there is a
    limit.
    """
    hydraulics = hydraulics_at(game, table, game.robots[robot].square, side)
    moved = step(game, table, log, robot, (side + 2) & 3, PUSHER)
    if moved == MOVED_ON and hydraulics & phase_bit(game):
        for _ in range(table.course.num_squares):
            if not game.robots[robot].alive or step(game, table, log, robot, (side + 2) & 3, PUSHER) != MOVED_ON:
                break
    return moved != HELD and moved != CAUGHT


@kernel
def find_pushed(game: GameRecord, table: Table) -> int:
    """Record for every robot the square of the active pusher that it is on; return how many there are."""
    bit = phase_bit(game)
    found = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        robot.pusher_square = -1
        if robot.alive:
            phases = 0
            for side in range(4):
                phases |= pushers_at(game, table, robot.square, side)
            if phases & bit and on_floor(game, table, i):
                robot.pusher_square = robot.square
                found += 1
    return found


@kernel
def still_there(game: GameRecord, square: int) -> int:
    """Return the mask of the robots that were found on a pusher's square and have not been pushed away yet (U8)."""
    waiting = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        waiting |= int(robot.pusher_square == square and robot.square == square) << i
    return waiting


@kernel
def push_from(game: GameRecord, table: Table, log: Log, square: int) -> None:
    """Let the active pushers of one square push the robots that were found there and have not left (U8, U63)."""
    bit = phase_bit(game)
    for side in range(4):
        if pushers_at(game, table, square, side) & bit:
            waiting = still_there(game, square)
            waiting ^= brought_together(game, table, waiting, (side + 2) & 3, PUSHER)
            for i in range(game.num_bodies):
                robot = game.robots[i]
                if waiting >> i & 1 and robot.square == square and push(game, table, log, i, side):
                    robot.pusher_square = -1


@kernel
def pushers_push(game: GameRecord, table: Table, log: Log) -> None:
    """Let all active pushers push (C10, R-E9, U8).

    The robots in front of pushers are recorded first. Then the pushers act square by square in reading order, and every
    robot is pushed at most once.
    """
    if find_pushed(game, table) == 0:
        return
    last = -1
    while True:
        square = -1
        for i in range(game.num_bodies):
            waiting = game.robots[i].pusher_square
            # mutants (boundary 3): each square is found once
            if waiting > last and (square < 0 or waiting < square):
                square = waiting
        if square < 0:
            return
        push_from(game, table, log, square)
        last = square
