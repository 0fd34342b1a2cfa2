"""Pushers and crushers, hydraulic and mega ones too (R-A10, R-E9, R-E11, R-E56, R-E61)."""

from __future__ import annotations

from rr_gym.compilation.jit import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import BY_MEGA, MEGA_CRUSHERS
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.floor.ground import features_of, grid_next, phase_bit, row_at, walled
from rr_gym.rules.floor.standing import on_floor
from rr_gym.rules.movement.movement import step
from rr_gym.rules.state.constants import BY_CRUSHER, CAUGHT, HELD, MOVED_ON, PUSHER
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def pushers_of_square(game: Game, table: Table, square: int, side: int) -> int:
    return int(table.squares[square].pushers[side])


@with_elements(pushers_of_square)
def pushers_at(game: Game, table: Table, square: int, side: int) -> int:
    """Phases of the pusher, of either kind, that is mounted on a side."""
    row = row_at(game, table, square)
    return int(table.squares[row].pushers[side]) | int(table.ground[row].hydraulics[side])


@kernel
def push_once(game: Game, table: Table, log: Log, robot: int, side: int) -> bool:
    return step(game, table, log, robot, (side + 2) & 3, PUSHER) != 0


@with_expansions(push_once)
def push(game: Game, table: Table, log: Log, robot: int, side: int) -> bool:
    """The pusher on a side of a robot's square pushes it, a hydraulic one until something stops it (R-E56).

    Whether it moved. Robots cannot be stopped for ever on the way round through portals, hence the limit.
    """
    hydraulics = table.ground[row_at(game, table, game.robots[robot].square)].hydraulics[side]
    moved = step(game, table, log, robot, (side + 2) & 3, PUSHER)
    if moved == MOVED_ON and hydraulics & phase_bit(game):
        for _ in range(table.course.num_squares):
            if not game.robots[robot].alive or step(game, table, log, robot, (side + 2) & 3, PUSHER) != MOVED_ON:
                break
    return moved != HELD and moved != CAUGHT


@kernel
def find_pushed(game: Game, table: Table) -> int:
    """Note for every robot the square of the active pusher that it stands on. How many there are."""
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
def push_from(game: Game, table: Table, log: Log, square: int) -> None:
    """The active pushers of one square act on the robots that were found there and have not left (U8)."""
    bit = phase_bit(game)
    for side in range(4):
        if pushers_at(game, table, square, side) & bit:
            for i in range(game.num_bodies):
                robot = game.robots[i]
                still_there = robot.pusher_square == square and robot.square == square
                if still_there and push(game, table, log, i, side):
                    robot.pusher_square = -1


@kernel
def pushers_push(game: Game, table: Table, log: Log) -> None:
    """C10: a snapshot, then square by square in reading order, every robot at most once (R-E9, U8)."""
    if find_pushed(game, table) == 0:
        return
    last = -1
    while True:
        square = -1
        for i in range(game.num_bodies):
            waiting = game.robots[i].pusher_square
            if waiting > last and (square < 0 or waiting < square):
                square = waiting
        if square < 0:
            return
        push_from(game, table, log, square)
        last = square


@kernel
def crusher_of_square(game: Game, table: Table, robot: int) -> int:
    return int(table.squares[game.robots[robot].square].crusher)


@with_expansions(crusher_of_square)
def crusher_over(game: Game, table: Table, robot: int) -> int:
    """Phases of the crusher, of either kind, that hangs over a robot."""
    if not on_floor(game, table, robot):
        return 0
    return int(table.squares[row_at(game, table, game.robots[robot].square)].crusher)


@kernel
def push_aside(game: Game, table: Table, log: Log, square: int) -> None:
    """A mega crusher pushes the robots on the four squares beside it away from it, n, e, s, w; walls shield (R-E61)."""
    level = table.squares[row_at(game, table, square)].level
    for direction in range(4):
        beside = grid_next(game, table, square, direction)
        if beside < 0 or walled(game, table, square, direction):
            continue
        pushed = 0
        for i in range(game.num_bodies):
            if game.robots[i].square == beside and game.robots[i].level == level:
                pushed |= 1 << i
        for i in range(game.num_bodies):
            if pushed >> i & 1 and game.robots[i].square == beside:
                step(game, table, log, i, direction, PUSHER)


@kernel
def next_mega_crusher(game: Game, table: Table, last: int) -> int:
    """The first mega crusher of this phase after square `last` that a robot stands beside, -1 for none."""
    found = -1
    for i in range(game.num_bodies):
        if not game.robots[i].alive or not table.special[game.robots[i].square] & BY_MEGA:
            continue
        for direction in range(4):
            square = grid_next(game, table, game.robots[i].square, direction)
            earlier = square > last and (found < 0 or square < found)
            if earlier and table.ground[row_at(game, table, square)].mega & phase_bit(game):
                found = square
    return found


@with_elements(None)
def mega_crushers_push(game: Game, table: Table, log: Log) -> None:
    """C12, after everything is crushed: mega crushers of this phase, in reading order of their squares (R-E61)."""
    if features_of(table) & MEGA_CRUSHERS:
        last = -1
        while True:
            square = next_mega_crusher(game, table, last)
            if square < 0:
                return
            push_aside(game, table, log, square)
            last = square


@kernel
def crushers_crush(game: Game, table: Table, log: Log) -> None:
    """C12: crushers that are active in this phase destroy the robots under them (R-A10.7, R-E11.1)."""
    bit = phase_bit(game)
    for i in range(game.num_bodies):
        if game.robots[i].alive and crusher_over(game, table, i) & bit:
            destroy(game, table, log, i, BY_CRUSHER)
    mega_crushers_push(game, table, log)
