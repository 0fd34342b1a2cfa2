"""Lines across the squares of courses with expansions: lasers, melting beams and wind."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.rules.floor.ground import cover_now, grid_next, row_at, wall_now
from rr_gym.rules.floor.sight import line_next
from rr_gym.rules.floor.turned import direction_now, place_now
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

# First columns of `lines`: beams of board lasers by direction; 1 in a melting beam; wind strength by direction; phases
# of wind
LASER, MELTED, WIND, GUSTS, NUM_LINES = 0, 4, 5, 9, 10


@kernel
def is_at_height(game: GameRecord, table: Table, place: int, level: int) -> bool:
    """Tell whether a robot on a place, on its floor or its raised elevator, can be on the given level."""
    row = row_at(game, table, place)
    low = table.squares[row].level
    return low == level or (table.ground[row].has_elevator != 0 and low + 1 == level)


@kernel
def draw_beam(
    game: GameRecord, table: Table, place: int, direction: int, level: int, column: int, value: int, lines: Array
) -> None:
    """Mark the squares that a beam reaches in any phase."""
    closed = 0
    while place >= 0:
        if is_at_height(game, table, place, level):
            lines[place, column] = max(lines[place, column], value)
        closed |= cover_now(game, table, place, direction)
        if closed == ALL_PHASES:
            return
        place = line_next(game, table, place, direction, level)


@kernel
def draw_wind(
    game: GameRecord, table: Table, place: int, direction: int, level: int, strength: int, phases: int,
    lines: Array,
) -> None:  # fmt: skip
    """Mark the squares that a ventilator blows over."""
    while place >= 0 and phases:
        if is_at_height(game, table, place, level):
            lines[place, WIND + direction] = max(lines[place, WIND + direction], strength)
            lines[place, GUSTS] |= phases
        phases &= ~wall_now(game, table, place, direction)
        place = grid_next(game, table, place, direction)
        if place >= 0 and table.squares[row_at(game, table, place)].level > level:
            return


@kernel
def draw_lines(game: GameRecord, table: Table, lines: Array) -> None:
    """Write the lines that cross each square, for the current state of rotating rooms, ignoring robots.

    Args:
        game: The game.
        table: The course, of dtype `OPTIONS_TABLE` or `FULL_TABLE`.
        lines: (squares or more, NUM_LINES), any integer type: overwritten.
    """
    lines[:] = 0
    for k in range(table.course.num_beams):
        beam = table.beams[k]
        place = place_now(game, table, int(beam.square))
        direction = int(direction_now(game, table, int(beam.square), int(beam.direction)))
        level = int(table.squares[row_at(game, table, place)].level)
        draw_beam(game, table, place, direction, level, LASER + direction, int(beam.beams), lines)
    for k in range(table.extras.num_melting):
        mount = table.extras.melting[k]
        place = place_now(game, table, int(mount.square))
        direction = int(direction_now(game, table, int(mount.square), int(mount.direction)))
        draw_beam(game, table, place, direction, int(mount.level), MELTED, 1, lines)
    for k in range(table.extras.num_fans):
        mount = table.extras.fans[k]
        place = place_now(game, table, int(mount.square))
        direction = int(direction_now(game, table, int(mount.square), int(mount.direction)))
        draw_wind(
            game, table, place, direction, int(mount.level), int(mount.strength), int(mount.phases), lines
        )


@kernel
def laser_points(lines: Array, place: int) -> int:
    """Return points of damage on a square; of two opposite beams only the stronger counts (U9)."""
    along = max(lines[place, LASER], lines[place, LASER + 2])
    across = max(lines[place, LASER + 1], lines[place, LASER + 3])
    return int(along + across)
