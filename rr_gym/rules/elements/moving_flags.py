"""Belts that carry flags (R-G2.7)."""

from __future__ import annotations

from rr_gym.compilation.kernels import cold, kernel
from rr_gym.courses.tables.ground import FLIP_BELT
from rr_gym.forms import with_expansions
from rr_gym.rules.elements.conveyors import GOLD
from rr_gym.rules.floor.ground import NO_FLOOR, floor_at, grid_next, is_pit, level_of, phase_of, row_at, walled
from rr_gym.rules.state.constants import C4, C7, ON
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.flags import first_square, is_carried, move_flag

STAYS = -1  # instead of a direction: the flag is not carried


@kernel
def flag_belt(game: GameRecord, table: Table, square: int) -> int:
    """Return the direction in which the belt of a square carries a flag in this sub-step, `STAYS` for none.

    Gold belts move in C4, express belts too in C5, all belts in C6, flip belts in C7.
    """
    row = row_at(game, table, square)
    ground = table.ground[row]
    if game.step == C7:
        return int(ground.flip_exits[game.flip]) if ground.mover == FLIP_BELT and not game.flip_blocked else STAYS
    return int(ground.directions[phase_of(game)]) if table.squares[row].belt >= GOLD - (game.step - C4) else STAYS


@kernel
def flag_next(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the square that a flag reaches by one step from a square; -1 for a pit or off the board.

    A wall or a ledge keeps it on its square. Ramps let it go up; portals do not transport it.
    """
    if walled(game, table, square, direction):
        return square
    beyond = int(grid_next(game, table, square, direction))
    if beyond < 0 or is_pit(game, table, beyond):
        return -1
    # mutants: a ramp's hidden square never has number 0
    rises = table.ground[row_at(game, table, square)].ramp[direction] >= 0
    ledge = floor_at(game, table, beyond, level_of(game, table, square)) == NO_FLOOR and not rises
    return square if ledge else beyond


@cold
@kernel
def all_flags_ride(game: GameRecord, table: Table, log: Log) -> None:
    """Move each flag that lies on an active belt.

    `flags_ride` calls this only in the rare games in which flags can move.
    """
    for k in range(table.course.num_flags):
        square = int(game.flag_squares[k])
        direction = flag_belt(game, table, square)
        if direction < 0 or is_carried(game, table, k + 1):
            continue
        target = flag_next(game, table, square, direction)
        move_flag(game, log, k + 1, target if target >= 0 else int(first_square(game, table, k + 1)))


@with_expansions(None)
def flags_ride(game: GameRecord, table: Table, log: Log) -> None:
    """Let belts carry the flags on them, past robots and other flags (C4 to C7).

    A flag that would fall into a pit or off the board returns to its first square at once.
    """
    if table.settings.moving_flags == ON and not game.copies_act and C4 <= game.step <= C7:
        all_flags_ride(game, table, log)
