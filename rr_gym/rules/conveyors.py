"""Conveyor belts (R-A9, R-E7, R-E8): all robots of a sub-step move at one time, and nobody is pushed."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.constants import BELT
from rr_gym.rules.events import MOVED, note_at
from rr_gym.rules.movement import enter, phase_bit, turn
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord

NORMAL, EXPRESS = 1, 2  # kinds of belts; a sub-step moves its own kind and all faster ones


@kernel
def belt_target(game: GameRecord, table: TableRecord, robot: int) -> int:
    """The square to which the belt under a robot leads, -1 off the board."""
    square = table.squares[game.robots[robot].square]
    return square.neighbour[square.belt_direction]


@kernel
def riders(game: GameRecord, table: TableRecord, kind: int) -> int:
    """The mask of robots on belts of this kind or a faster one whom no wall stops (R-A9.1, R-A9.4)."""
    bit = phase_bit(game)
    mask = 0
    for i in range(game.num_robots):
        if game.robots[i].alive:
            square = table.squares[game.robots[i].square]
            if square.belt >= kind and not square.wall[square.belt_direction] & bit:
                mask |= 1 << i
    return mask


@kernel
def stays(game: GameRecord, table: TableRecord, going: int, rider: int) -> int:
    """The mask of riders that cannot leave because of what rider `rider` meets (R-A9.5, R-A9.6, R-A9.8)."""
    target = belt_target(game, table, rider)
    if target < 0 or table.squares[target].pit & phase_bit(game):
        return 0  # pits and the outside have room for all (R-A9.9)
    staying = 0
    for i in range(game.num_robots):
        other = game.robots[i]
        if i == rider or not other.alive or other.virtual:
            continue
        if not going >> i & 1:
            if other.square == target:
                staying |= 1 << rider
        else:
            its_target = belt_target(game, table, i)
            if its_target == target or (other.square == target and its_target == game.robots[rider].square):
                staying |= 1 << rider | 1 << i
    return staying


@kernel
def conflict_free(game: GameRecord, table: TableRecord, going: int) -> int:
    """The riders left when everyone has stayed who must (R-A9.7). Virtual robots are in nobody's way (R-A9.10)."""
    while True:
        staying = 0
        for i in range(game.num_robots):
            if going >> i & 1 and not game.robots[i].virtual:
                staying |= stays(game, table, going, i)
        if staying == 0:
            return going
        going ^= staying


@kernel
def ride(game: GameRecord, table: TableRecord, log: LogRecord, rider: int) -> None:
    """One square along the belt; a curve turns whoever a belt carries in over its bent side (R-A9.11)."""
    body = game.robots[rider]
    origin = body.square
    direction = table.squares[origin].belt_direction
    body.square = table.squares[origin].neighbour[direction]
    note_at(game, log, MOVED, rider, -1, BELT, body.square, origin)
    if body.square >= 0:
        square = table.squares[body.square]
        if square.belt_turns >> ((direction + 2) & 3) & 1:
            turn(game, log, rider, square.belt_direction - direction)


@kernel
def belts_move(game: GameRecord, table: TableRecord, log: LogRecord, kind: int) -> None:
    """One sub-step of the belts: C5 moves express belts, C6 all belts."""
    going = riders(game, table, kind)
    if going == 0:
        return
    going = conflict_free(game, table, going)
    for i in range(game.num_robots):
        if going >> i & 1:
            ride(game, table, log, i)
    for i in range(game.num_robots):
        if going >> i & 1:
            enter(game, table, log, i)
