"""Destroyed robots that miss turns (R-G3.13)."""

from __future__ import annotations

from rr_gym.forms import with_expansions
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@with_expansions(False)
def sits_out(game: GameRecord, table: Table, robot: int) -> bool:
    """Count down the turns that a destroyed robot misses; tell whether it misses the next turn (F5, R-G3.13).

    The setting `sit_out` is the number of whole turns that it misses.
    """
    body = game.robots[robot]
    if table.settings.sit_out and body.sits_out == 0:
        body.sits_out = table.settings.sit_out + 1
    if body.sits_out:
        body.sits_out -= 1
    return body.sits_out != 0


@with_expansions(False)
def misses_turn(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot stays off the board in the turn that begins (T1)."""
    return game.robots[robot].sits_out != 0
