"""Late programs: damage to robots that were not programmed in time (R-G4.2)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.forms import with_expansions
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.movement.settling import flights_end
from rr_gym.rules.robot.sleep import keeps_program
from rr_gym.rules.state.constants import BY_LATENESS, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord
from rr_gym.rules.state.table import Table

ALL_LOCKED = (1 << NUM_REGISTERS) - 1


# mutants: no scenario has a late program: tests/rules/test_late_programs.py
@kernel
def is_programmed(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a player has programmed a robot in this turn.

    A robot that is powered down, asleep or caught by a scrambler bomb gets no program, and one with five locked
    registers needs none.
    """
    body = game.robots[robot]
    if not body.alive or body.down or body.locked == ALL_LOCKED or game.bombed >> robot & 1:
        return False
    return not keeps_program(game, table, robot)


# mutants: no scenario has a late program: tests/rules/test_late_programs.py
@with_expansions(None)
def late_programs_cost(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Hurt robots with late programs at the end of T4, in the order of their indices (R-G4.2)."""
    if table.settings.late_damage == 0:
        return
    for i in range(game.num_robots):
        if orders[i].late == 1 and is_programmed(game, table, i):
            hurt(game, table, log, i, table.settings.late_damage, BY_LATENESS)
    flights_end(game, table, log)
