"""Soporific gas (R-E73): robots sleep through five phases, then continue their old program."""

from __future__ import annotations

from rr_gym.courses.tables.ground import GASSED
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import stands_on
from rr_gym.rules.state.constants import A1, BY_COPTER, LANDS, NUM_REGISTERS, SLEEPS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

PHASES_OF_SLEEP = 5


@with_elements(False)
def sleeping(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot is asleep now, and so counts as powered down.

    In the last phase of its sleep, its counter is 0 already, and the mark `SLEEPS` says that it sleeps until the phase
    ends.
    """
    body = game.robots[robot]
    return body.asleep > 0 or (game.step >= A1 and body.marks & SLEEPS != 0)  # mutants (boundary 2): never called in A1


@with_elements(None)
def sleepers_sleep(game: GameRecord, table: Table, log: Log) -> None:
    """Mark sleeping robots for this phase, and count the phase (A1, R-E73)."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive and robot.asleep > 0:
            robot.asleep -= 1
            robot.marks |= SLEEPS
            robot.copy_marks |= SLEEPS


@with_elements(None)
def gas_puts_to_sleep(game: GameRecord, table: Table, log: Log) -> None:
    """Put awake, powered-up robots that stand in gas to sleep: they miss the next five phases (B4, R-E73).

    Their options stop working, so a Robo-Copter comes down (R-O50.6).
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        awake = robot.alive and not robot.down and not sleeping(game, table, i)
        if awake and stands_on(game, table, i, GASSED):
            robot.asleep = PHASES_OF_SLEEP
            if robot.flying == BY_COPTER:
                robot.marks |= LANDS


@with_elements(False)
def keeps_program(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot stays asleep, and so gets no cards and programs nothing (T3, T4)."""
    return game.robots[robot].asleep > 0


@with_elements(0)
def slept_through(game: GameRecord, table: Table, robot: int) -> int:
    """Return the mask of the registers that a sleeper has not executed: it keeps their cards until it wakes (F6)."""
    left = int(game.robots[robot].asleep)
    return (1 << NUM_REGISTERS) - (1 << left) if left else 0
