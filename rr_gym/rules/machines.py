"""Pushers, gears and crushers (R-A10, R-E9 to R-E11)."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.constants import BY_CRUSHER, PUSHER
from rr_gym.rules.damage import destroy
from rr_gym.rules.movement import phase_bit, step, turn
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord


@kernel
def find_pushed(game: GameRecord, table: TableRecord) -> int:
    """Note for every robot the square of the active pusher that it stands on. How many there are."""
    bit = phase_bit(game)
    found = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        robot.pusher_square = -1
        if robot.alive:
            pushers = table.squares[robot.square].pushers
            if (pushers[0] | pushers[1] | pushers[2] | pushers[3]) & bit:
                robot.pusher_square = robot.square
                found += 1
    return found


@kernel
def push_from(game: GameRecord, table: TableRecord, log: LogRecord, square: int) -> None:
    """The active pushers of one square act on the robots that were found there and have not left (U8)."""
    bit = phase_bit(game)
    for side in range(4):
        if table.squares[square].pushers[side] & bit:
            for i in range(game.num_robots):
                robot = game.robots[i]
                still_there = robot.pusher_square == square and robot.square == square
                if still_there and step(game, table, log, i, (side + 2) & 3, PUSHER):
                    robot.pusher_square = -1


@kernel
def pushers_push(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """C10: a snapshot, then square by square in reading order, every robot at most once (U8)."""
    if find_pushed(game, table) == 0:
        return
    last = -1
    while True:
        square = -1
        for i in range(game.num_robots):
            waiting = game.robots[i].pusher_square
            if waiting > last and (square < 0 or waiting < square):
                square = waiting
        if square < 0:
            return
        push_from(game, table, log, square)
        last = square


@kernel
def gears_turn(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """C11: gears turn the robots on them a quarter turn (R-A10.6, R-E10.1)."""
    for i in range(game.num_robots):
        if game.robots[i].alive:
            gear = table.squares[game.robots[i].square].gear
            if gear:
                turn(game, log, i, gear)


@kernel
def crushers_crush(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """C12: crushers that are active in this phase destroy the robots under them (R-A10.7, R-E11.1)."""
    bit = phase_bit(game)
    for i in range(game.num_robots):
        if game.robots[i].alive and table.squares[game.robots[i].square].crusher & bit:
            destroy(game, log, i, BY_CRUSHER)
