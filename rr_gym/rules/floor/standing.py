"""On which place of the grid, and on which floor, a robot counts as standing."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import floor_at, is_ramp, row_at
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table


@kernel
def place_of_square(game: GameRecord, table: Table, square: int) -> int:
    """Return the place of a square on the grid: for a ramp's hidden square the foot of the ramp."""
    if not is_ramp(table, square):
        return int(square)
    return int(table.ground[row_at(game, table, square)].place)


@kernel
def line_through(game: GameRecord, table: Table, square: int, lines: int) -> int:
    """Return which of the given lines may cross the place of a square.

    Lines are given as a mask: LINE_LASER, MIRROR_AHEAD << direction ...
    """
    return int(table.ground[place_of_square(game, table, square)].in_line) & int(lines)


@with_elements(False)
def on_ramp(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot stands on a ramp's hidden square."""
    return is_ramp(table, game.robots[robot].square)


@kernel
def on_floor(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot is on a floor of its square, and not above it.

    Things on a floor reach only robots on the same level, so not flyers above it.
    """
    body = game.robots[robot]
    return body.level == floor_at(game, table, body.square, body.level)
