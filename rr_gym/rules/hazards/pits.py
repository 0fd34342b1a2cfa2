"""Pits that open under robots: trap-door pits at the start of a phase, drawbridges after the cards are shown."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import ACTS
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.floor.ground import flies, is_pit_for, row_at
from rr_gym.rules.state.constants import BY_PIT
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def pits_switch(game: GameRecord, table: Table, log: Log, drawbridges: bool) -> None:
    """Destroy robots on pits that are open now: on drawbridges, or with `drawbridges` False on all others.

    Flying robots are safe.
    """
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive:  # mutants (never): no pit is off the board
            continue
        row = row_at(game, table, robot.square)
        if not table.squares[row].pit and not table.special[row] & ACTS:  # mutants (never): only an optimisation
            continue  # never a pit
        drawbridge = table.ground[row].drawbridge != 0
        if drawbridge == drawbridges and is_pit_for(game, table, i, robot.square) and not flies(game, table, i):
            destroy(game, table, log, i, BY_PIT)


@with_elements(None)
def pits_open(game: GameRecord, table: Table, log: Log) -> None:
    """Destroy the robots on pits that open in this phase (A1, R-E22, U2)."""
    pits_switch(game, table, log, False)


@with_elements(None)
def drawbridges_open(game: GameRecord, table: Table, log: Log) -> None:
    """Destroy the robots on drawbridges that open in this phase (A6, R-E44)."""
    pits_switch(game, table, log, True)
