"""Damage, locked registers, repair and destruction (R-A6, R-A13)."""

from __future__ import annotations

import numpy as np

from rr_gym.jit import alone, kernel
from rr_gym.rules.cards import draw_card
from rr_gym.rules.constants import BY_ANTIGRAV, DECK, FATAL_DAMAGE, LANDS, LOCK_DRAW, NUM_REGISTERS
from rr_gym.rules.events import DAMAGED, DESTROYED, ELIMINATED, LOCKED, REPAIRED, UNLOCKED, note, note_at
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord

NUM_LOCKED = np.array([bin(mask).count("1") for mask in range(32)], np.int8)  # by lock mask
UNDAMAGED_REGISTERS = 4  # so many points lock nothing
LOCKED_BY_DAMAGE = np.array([0, 0, 0, 0, 0, 16, 24, 28, 30, 31], np.int8)  # R-A6.2: the mask by damage


@kernel
def lock_register(game: GameRecord, table: TableRecord, log: LogRecord, victim: int, register: int) -> None:
    """The card that lies in the register now stays there until it is unlocked (R-A6.5)."""
    robot = game.robots[victim]
    robot.locked |= 1 << register
    if robot.down and robot.registers[register] == 0 and table.settings.pd_lock_card == LOCK_DRAW:
        robot.registers[register] = draw_card(game, DECK)  # R-A7.10, U36
    note_at(game, log, LOCKED, victim, -1, register + 1, robot.square, robot.registers[register])


@alone
def damage(
    game: GameRecord, table: TableRecord, log: LogRecord, victim: int, points: int, harm: int, shooter: int
) -> None:
    """Points of damage one by one; each may lock the highest open register (R-A6.3). The caller evaluates deaths."""
    robot = game.robots[victim]
    note_at(game, log, DAMAGED, victim, shooter, points, robot.square, harm)
    if robot.flying == BY_ANTIGRAV:
        robot.marks |= LANDS  # R-E40.3: it flies no more, and comes down at the end of what is going on
    for _ in range(points):
        if robot.damage >= FATAL_DAMAGE:
            return
        robot.damage += 1
        if robot.damage < FATAL_DAMAGE:
            register = NUM_REGISTERS - 1
            while NUM_LOCKED[robot.locked] < robot.damage - UNDAMAGED_REGISTERS:
                if not robot.locked >> register & 1:
                    lock_register(game, table, log, victim, register)
                register -= 1


@kernel
def unlock_one(game: GameRecord, log: LogRecord, healed: int, first: int) -> None:
    """Unlock register `first` (1-5) if that is locked, else the lowest locked one (R-A6.7). Its card is loose then."""
    robot = game.robots[healed]
    if robot.locked == 0:
        return
    register = first - 1
    if not 0 <= register < NUM_REGISTERS or not robot.locked >> register & 1:
        register = 0
        while not robot.locked >> register & 1:
            register += 1
    robot.locked ^= 1 << register
    note(game, log, UNLOCKED, healed, register + 1)


@kernel
def repair(game: GameRecord, log: LogRecord, healed: int, points: int, unlock: int) -> None:
    """Remove up to so many points of damage; each unlocks one register (R-A6.7, R-A6.8)."""
    robot = game.robots[healed]
    points = min(points, robot.damage)
    if points > 0:
        note(game, log, REPAIRED, healed, points)
    for _ in range(points):
        robot.damage -= 1
        unlock_one(game, log, healed, unlock)


@alone
def destroy(game: GameRecord, log: LogRecord, victim: int, why: int) -> None:
    """The robot leaves the board at once and loses a life; without lives it is out of the game (R-A13.1, R-A13.2)."""
    robot = game.robots[victim]
    note(game, log, DESTROYED, victim, why)
    robot.alive = 0
    robot.square = -1
    robot.locked = 0
    robot.marks = 0
    robot.flying = 0
    robot.drop = 0
    robot.asleep = 0
    robot.energized = 0
    robot.burning = 0
    robot.speed = 0
    robot.velocity[:] = 0
    robot.has_copy = 0
    game.num_destroyed += 1
    robot.destroyed = game.num_destroyed
    if robot.lives > 0:
        robot.lives -= 1
        if robot.lives == 0:
            robot.out = 1
            robot.out_turn = game.turn
            robot.out_phase = game.phase
            note(game, log, ELIMINATED, victim, 0)


@kernel
def destroy_damaged(game: GameRecord, log: LogRecord, why: int) -> None:
    """All robots with ten points of damage are destroyed, after damage that came at one time (U6)."""
    for i in range(game.num_robots):
        if game.robots[i].alive and game.robots[i].damage >= FATAL_DAMAGE:
            destroy(game, log, i, why)


@kernel
def hurt(game: GameRecord, table: TableRecord, log: LogRecord, victim: int, points: int, harm: int) -> None:
    """Damage that is not part of a volley: whoever has ten points by it is destroyed at once."""
    damage(game, table, log, victim, points, harm, -1)
    if game.robots[victim].damage >= FATAL_DAMAGE:
        destroy(game, log, victim, harm)
