"""Find the card that a robot executes in a phase.

Energized robots execute two cards (R-E50), victims of Radio Control execute copied cards (R-O17), and sleeping robots
execute none.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import B1, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Robot
from rr_gym.rules.state.table import Table


@kernel
def current_register(game: GameRecord, table: Table, robot: int) -> int:
    """Return the register (0-4) that a robot executes in this phase.

    For an energized robot it is the first of its two registers, but after B1 the second, which it executed last (R-E50,
    R-E31).
    """
    body = game.robots[robot]
    if body.energized:
        return (body.pointer + (NUM_REGISTERS - 1 if game.step > B1 else 0)) % NUM_REGISTERS
    return int(game.phase) - 1


@kernel
def first_register(game: GameRecord, table: Table, robot: int) -> int:
    """Return the register whose card gives a robot its priority in this phase.

    Of the two registers of an energized robot it is the first.
    """
    body = game.robots[robot]
    register = int(current_register(game, table, robot))
    if game.step > B1 and 0 < body.energized < game.phase:  # mutants (boundary 1): never called in B1
        return (register + NUM_REGISTERS - 1) % NUM_REGISTERS
    return register


@kernel
def card_in(robot: Robot, register: int) -> int:
    """Return the primary card that a robot executes from a register (0-4).

    It is the robot's own card, or a copy by Radio Control that replaces it. A copy of an empty register is stored as a
    negative number: nothing is executed (R-O17.3).
    """
    copied = int(robot.copied[register])
    if copied:
        return max(copied, 0)
    return int(robot.registers[register])


@kernel
def current_card(game: GameRecord, table: Table, robot: int) -> int:
    """Return the card that a robot executes in this phase; 0 for a sleeper."""
    if sleeping(game, table, robot):
        return 0
    return card_in(game.robots[robot], current_register(game, table, robot))


@kernel
def first_card(game: GameRecord, table: Table, robot: int) -> int:
    """Return the card that gives a robot its priority in this phase; 0 for a sleeper."""
    if sleeping(game, table, robot):  # mutants (never): sleeping robots are in the order, but do nothing
        return 0
    return card_in(game.robots[robot], first_register(game, table, robot))
