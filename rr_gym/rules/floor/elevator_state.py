"""Compute from the phase and the sub-step whether elevators are up (R-E49); this is not stored."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.state.constants import A1, C13, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@kernel
def last_phase(game: GameRecord, moved: bool) -> int:
    """Return the phase in which elevators moved last, 0 before their first move in a game.

    `moved` tells whether C13 of the current phase counts.
    """
    phase = game.phase if moved else game.phase - 1
    if phase > 0:
        return phase
    # Between turns, and before C13 of phase 1, elevators are as after the last phase of the previous turn.
    played = game.turn > 0 or (game.phase == 0 and game.step >= A1)  # mutants (boundary 2): A1 belongs to a phase
    return NUM_REGISTERS if played else 0


@kernel
def goes_up(table: Table, row: int, phase: int) -> bool:
    """Tell whether an elevator is up from C13 of a phase on; with phase 0, before the first phase, it is down."""
    return phase > 0 and table.ground[row].elevator >> (phase - 1) & 1 == 1


@with_elements(False)
def elevator_up(game: GameRecord, table: Table, row: int) -> bool:
    """Tell whether the elevator described by a row is up now (K15).

    It moves in C13 and keeps its place until the next C13.
    """
    return goes_up(table, row, last_phase(game, game.step >= C13))


@with_elements(False)
def elevator_was_up(game: GameRecord, table: Table, row: int) -> bool:
    """Tell whether an elevator was up before C13 of the current phase."""
    return goes_up(table, row, last_phase(game, False))
