"""Energizers (R-E50): two cards per phase for the rest of the turn; which card a robot executes in a phase."""

from __future__ import annotations

from rr_gym.compilation.jit import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import ENERGIZER
from rr_gym.rules.floor.ground import flies, stands_on
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import B1, NUM_REGISTERS
from rr_gym.rules.state.records import Game, Log, Robot
from rr_gym.rules.state.table import Table


@kernel
def register_of_phase(game: Game, table: Table, robot: int) -> int:
    return int(game.phase) - 1


@with_elements(register_of_phase)
def current_register(game: Game, table: Table, robot: int) -> int:
    """The register (0-4) that a robot executes in this phase.

    For an energized robot the first of its two, after B1 the second one, which it has executed last (R-E50, R-E31).
    """
    body = game.robots[robot]
    if body.energized:
        return (body.pointer + (NUM_REGISTERS - 1 if game.step > B1 else 0)) % NUM_REGISTERS
    return int(game.phase) - 1


@with_elements(register_of_phase)
def first_register(game: Game, table: Table, robot: int) -> int:
    """The register whose card gives a robot its priority in this phase: of the two of an energized robot the first."""
    body = game.robots[robot]
    register = int(current_register(game, table, robot))
    if game.step > B1 and 0 < body.energized < game.phase:
        return (register + NUM_REGISTERS - 1) % NUM_REGISTERS
    return register


@kernel
def card_in(robot: Robot, register: int) -> int:
    """The primary card that a robot executes from a register (0-4): its own, or what Radio Control has copied over it.

    A copy of an empty register is negative: nothing is executed (R-O17.3).
    """
    copied = int(robot.copied[register])
    if copied:
        return max(copied, 0)
    return int(robot.registers[register])


@kernel
def card_of_phase(game: Game, table: Table, robot: int) -> int:
    return int(game.robots[robot].registers[game.phase - 1])


@with_expansions(card_of_phase)
def current_card(game: Game, table: Table, robot: int) -> int:
    """The card that a robot executes in this phase; sleepers have none."""
    if sleeping(game, table, robot):
        return 0
    return card_in(game.robots[robot], current_register(game, table, robot))


@with_expansions(card_of_phase)
def first_card(game: Game, table: Table, robot: int) -> int:
    """The card that gives a robot its priority in this phase; sleepers have none."""
    if sleeping(game, table, robot):
        return 0
    return card_in(game.robots[robot], first_register(game, table, robot))


@with_elements(None)
def energizers_charge(game: Game, table: Table, log: Log) -> None:
    """B4: robots that have ended their move on an energizer execute two cards in each later phase of the turn."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive or robot.energized or robot.down or sleeping(game, table, i):
            continue
        if stands_on(game, table, i, ENERGIZER) and not flies(game, table, i):
            robot.energized = game.phase
            robot.pointer = game.phase % NUM_REGISTERS


@with_elements(None)
def energy_fades(game: Game, table: Table) -> None:
    """F6: nobody is energized in the next turn."""
    for i in range(game.num_robots):
        game.robots[i].energized = 0
        game.robots[i].pointer = 0
