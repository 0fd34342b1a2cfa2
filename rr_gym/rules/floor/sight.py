"""Beams, shots and lines of sight along a row or column of squares, on one level (R-A11, R-E13)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import FOGGY, HAS_TURRETS, TURRET_GUN
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import covered, features_of, grid_next, row_at
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@kernel
def line_next(game: GameRecord, table: Table, place: int, direction: int, level: int) -> int:
    """Return the next place of a line of sight on `level`, or -1 where the line ends.

    The line ends at a higher floor, at a turret gun and at the edge of the board, and passes over lower ground (R-E13,
    R-E76). Walls and other elements on sides are ignored here.
    """
    beyond = grid_next(game, table, place, direction)
    if beyond < 0:  # mutants (never): off the board, there is nothing further on
        return -1
    row = row_at(game, table, beyond)
    if features_of(table) & HAS_TURRETS and table.ground[row].overlays & TURRET_GUN:
        return -1
    return -1 if table.squares[row].level > level else int(beyond)


@kernel
def beam_next(game: GameRecord, table: Table, place: int, direction: int, level: int) -> int:
    """Return the next place of a beam on `level`, or -1 where the beam ends.

    The beam ends where `line_next` does, and also at a side that stops shots.
    """
    if covered(game, table, place, direction):
        return -1
    return int(line_next(game, table, place, direction, level))


@with_elements(False)
def in_fog(game: GameRecord, table: Table, place: int) -> bool:
    """Tell whether there is fog on a place; no robot sees or shoots into, through or out of it (R-E54)."""
    return table.ground[row_at(game, table, place)].overlays & FOGGY != 0
