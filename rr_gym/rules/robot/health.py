"""Points of damage, the registers that they lock, and repair (R-A6)."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.cards import draw_card
from rr_gym.rules.state.constants import DECK, FATAL_DAMAGE, LOCK_DRAW, NUM_REGISTERS
from rr_gym.rules.state.events import LOCKED, REPAIRED, UNLOCKED, note, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

NUM_LOCKED = np.array([bin(mask).count("1") for mask in range(32)], np.int8)  # the number of locked registers, by mask
UNDAMAGED_REGISTERS = 4  # up to this many points of damage lock nothing
LOCKED_BY_DAMAGE = np.array([0, 0, 0, 0, 0, 16, 24, 28, 30, 31], np.int8)  # R-A6.2: mask of locks, by damage


@kernel
def lock_register(game: GameRecord, table: Table, log: Log, victim: int, register: int) -> None:
    """Lock a register: the card in it stays there until it is unlocked (R-A6.5)."""
    robot = game.robots[victim]
    robot.locked |= 1 << register
    if robot.down and robot.registers[register] == 0 and table.settings.pd_lock_card == LOCK_DRAW:
        robot.registers[register] = draw_card(game, DECK)  # R-A7.10, U36
    note_at(game, log, LOCKED, victim, -1, register + 1, robot.square, robot.registers[register])


@kernel
def lose_point(game: GameRecord, table: Table, log: Log, victim: int) -> None:
    """Damage a robot by a point, which may lock its highest open register (R-A6.3).

    Damage never exceeds `FATAL_DAMAGE`.
    """
    robot = game.robots[victim]
    if robot.damage >= FATAL_DAMAGE:  # mutants (never): with ten points or more, a robot is destroyed
        return
    robot.damage += 1
    if robot.damage < FATAL_DAMAGE:
        register = NUM_REGISTERS - 1
        while NUM_LOCKED[robot.locked] < robot.damage - UNDAMAGED_REGISTERS:
            if not robot.locked >> register & 1:
                lock_register(game, table, log, victim, register)
            register -= 1


@kernel
def lock_point(game: GameRecord, table: Table, log: Log, victim: int, register: int) -> None:
    """Damage a robot by a point that locks a chosen open register (R-O8.1).

    It counts as one of the locks that the damage causes.
    """
    robot = game.robots[victim]
    robot.damage += 1
    if robot.damage < FATAL_DAMAGE:
        lock_register(game, table, log, victim, register)


@kernel
def unlock_one(game: GameRecord, log: Log, healed: int, first: int) -> None:
    """Unlock register `first` (1-5) if it is locked, otherwise the lowest locked one (R-A6.7).

    Its card may then be discarded.
    """
    robot = game.robots[healed]
    if robot.locked == 0:
        return
    register = first - 1
    # mutants (boundary): scenarios name no other register: tests/rules/test_arena.py
    if not 0 <= register < NUM_REGISTERS or not robot.locked >> register & 1:
        register = 0
        while not robot.locked >> register & 1:
            register += 1
    robot.locked ^= 1 << register
    note(game, log, UNLOCKED, healed, register + 1)


@kernel
def repair(game: GameRecord, log: Log, healed: int, points: int, unlock: int) -> None:
    """Remove up to `points` points of damage; each unlocks one register (R-A6.7, R-A6.8)."""
    robot = game.robots[healed]
    points = min(points, robot.damage)
    if points > 0:  # mutants: only writes an event
        note(game, log, REPAIRED, healed, points)
    for _ in range(points):
        robot.damage -= 1
        unlock_one(game, log, healed, unlock)
