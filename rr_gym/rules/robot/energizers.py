"""Energizers (R-E50): two cards per phase for the rest of the turn."""

from __future__ import annotations

from rr_gym.courses.tables.ground import ENERGIZER
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import flies, stands_on
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@with_elements(None)
def energizers_charge(game: GameRecord, table: Table, log: Log) -> None:
    """Energize the robots that end their move on an energizer (B4, R-E50).

    They execute two cards in each later phase of the turn.
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive or robot.energized or robot.down or sleeping(game, table, i):
            continue
        if stands_on(game, table, i, ENERGIZER) and not flies(game, table, i):
            robot.energized = game.phase
            robot.pointer = game.phase % NUM_REGISTERS


@with_elements(None)
def energy_fades(game: GameRecord, table: Table) -> None:
    """End the energy of all robots: nobody is energized in the next turn (F6)."""
    for i in range(game.num_robots):
        game.robots[i].energized = 0
        game.robots[i].pointer = 0
