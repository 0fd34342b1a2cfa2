"""Displacements of robots: one square at a time, pushing others, and what entering a square does (R-A8)."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.constants import BY_EDGE, BY_PIT, PUSH, TOUCH_PASS
from rr_gym.rules.damage import destroy
from rr_gym.rules.events import ARCHIVED, BLOCKED, FLAG_TOUCHED, MOVED, TURNED, note, note_at
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord


@kernel
def phase_bit(game: GameRecord) -> int:
    """The bit of the current phase in phase masks."""
    return 1 << (game.phase - 1)


@kernel
def turn(game: GameRecord, log: LogRecord, robot: int, quarters: int) -> None:
    """Turn a robot clockwise by quarter turns."""
    body = game.robots[robot]
    body.facing = (body.facing + quarters) & 3
    note(game, log, TURNED, robot, body.facing)


@kernel
def touch_flag(game: GameRecord, table: TableRecord, log: LogRecord, robot: int) -> None:
    """A robot on its next flag touches it; other flags mean nothing to it (R-A12.2)."""
    body = game.robots[robot]
    flag = table.squares[body.square].flag
    if flag > 0 and flag == body.flag + 1:
        body.flag = flag
        note(game, log, FLAG_TOUCHED, robot, flag)


@kernel
def archive(game: GameRecord, log: LogRecord, robot: int) -> None:
    """The robot's archive marker moves to its square (R-A12.1)."""
    body = game.robots[robot]
    if body.archive != body.square:
        body.archive = body.square
        note(game, log, ARCHIVED, robot, 0)


@kernel
def enter(game: GameRecord, table: TableRecord, log: LogRecord, robot: int) -> None:
    """What the square a robot has come to does at once: edges and pits destroy (R-A8.3, R-A8.6, R-E2.1, R-E3.1)."""
    body = game.robots[robot]
    if body.square < 0:
        destroy(game, log, robot, BY_EDGE)
        return
    square = table.squares[body.square]
    if square.pit & phase_bit(game):
        destroy(game, log, robot, BY_PIT)
        return
    if square.flag and table.settings.flag_touch == TOUCH_PASS and square.flag == body.flag + 1:
        touch_flag(game, table, log, robot)  # R-A12.6, K1: crossing the next flag counts and moves the archive
        archive(game, log, robot)


@kernel
def shift(
    game: GameRecord, table: TableRecord, log: LogRecord, robot: int, direction: int, cause: int, pusher: int
) -> None:
    """Move one robot to the neighbouring square, whatever is there."""
    body = game.robots[robot]
    origin = body.square
    body.square = table.squares[origin].neighbour[direction]
    note_at(game, log, MOVED, robot, pusher, cause, body.square, origin)
    enter(game, table, log, robot)


@kernel
def step(game: GameRecord, table: TableRecord, log: LogRecord, mover: int, direction: int, cause: int) -> bool:
    """One square in a direction, pushing whoever is in the way (R-A8.4 to R-A8.9). Whether the mover moved.

    The chain of robots is collected from the mover to the front, four bits each; the front one is the last of it
    and moves first, so that every square is empty before the next robot enters it.
    """
    bit = phase_bit(game)
    body = game.robots[mover]
    chain = mover + 1
    square = body.square
    while True:
        if table.squares[square].wall[direction] & bit:
            note(game, log, BLOCKED, mover, direction)
            return False
        square = table.squares[square].neighbour[direction]
        if square < 0 or body.virtual:  # R-A14.1: virtual robots push nobody
            break
        before = chain
        for i in range(game.num_robots):
            other = game.robots[i]
            if other.square == square and not other.virtual:
                chain = chain << 4 | i + 1
        if chain == before:
            break
    while chain:
        robot = (chain & 15) - 1
        chain >>= 4
        if chain:
            shift(game, table, log, robot, direction, PUSH, mover)
        else:
            shift(game, table, log, robot, direction, cause, -1)
    return True
