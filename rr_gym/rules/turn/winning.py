"""The end of a game: by winners and their teammates, or by elimination (R-A12, R-G2.1, U31)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.events import OVER, WON, note
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.teams import mates


@kernel
def declare_winners(game: GameRecord, log: Log, winners: int) -> None:
    """End the game; `winners` is the mask of the robots that have won, 0 for nobody."""
    game.over = 1
    game.winners = winners
    for i in range(game.num_robots):
        if winners >> i & 1:
            note(game, log, WON, i, 0)
    note(game, log, OVER, -1, 0)


@kernel
def with_mates(game: GameRecord, winners: int) -> int:
    """Return the mask of the winners and their teammates (R-G2.1)."""
    sides = winners
    for i in range(game.num_robots):
        if winners >> i & 1:
            sides |= mates(game, i)
    return sides


@kernel
def end_by_elimination(game: GameRecord, table: Table, log: Log) -> None:
    """End the game if only one robot or team is left, which wins (R-A12.13, U31).

    If none is left, nobody wins.
    """
    left = 0
    last = 0
    for i in range(game.num_robots):
        if not game.robots[i].out:
            left |= 1 << i
            last = i
    side = mates(game, last)
    if left == 0:  # mutants (never): with no robot left, no scenario shows whether the game continues
        declare_winners(game, log, 0)  # mutants: with no robot left, no scenario shows whether the game continues
    elif left & ~side == 0 and side != (1 << int(game.num_robots)) - 1:
        declare_winners(game, log, side)
