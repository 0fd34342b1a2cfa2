"""Pits that open under robots: trap-door pits at the start of a phase, drawbridges after the cards are shown."""

from __future__ import annotations

from rr_gym.compilation.kernels import with_elements
from rr_gym.courses.tables.ground import ACTS
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.floor.ground import flies, is_pit_for, row_at
from rr_gym.rules.state.constants import BY_PIT
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@with_elements(None)
def pits_switch(game: Game, table: Table, log: Log, at_reveal: bool) -> None:
    """A1 and A6: robots on squares that are pits from now on are destroyed (R-E22, R-E44, U2).

    `at_reveal`: drawbridges switch (A6), else all other pits (A1). Flying robots stay.
    """
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive:
            continue
        row = row_at(game, table, robot.square)
        if not table.squares[row].pit and not table.special[row] & ACTS:
            continue  # no pit at any time
        drawbridge = table.ground[row].drawbridge != 0
        if drawbridge == at_reveal and is_pit_for(game, table, i, robot.square) and not flies(game, table, i):
            destroy(game, table, log, i, BY_PIT)
