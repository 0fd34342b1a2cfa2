"""The level at which a step ends: floors, ramps, ledges and gates (R-E13, R-E14, R-E38)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import GATE
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import floor_at, held, is_ramp, level_of, row_at, walled
from rr_gym.rules.floor.turned import end_of_link, heading_of_link
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

FALLING = -101  # instead of a level: the robot goes over a ledge and lands on the first free square


@kernel
def beyond_gate(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the place in front of the twin of the gate on a side of a square (R-E38)."""
    return int(end_of_link(game, table, square, int(table.ground[row_at(game, table, square)].gate_to[direction])))


@kernel
def heading_beyond_gate(game: GameRecord, table: Table, square: int, direction: int) -> int:
    """Return the heading with which a robot comes out of the twin of the gate on a side (R-E38)."""
    gate = table.ground[row_at(game, table, square)]
    return int(heading_of_link(game, table, square, int(gate.gate_to[direction]), int(gate.gate_heading[direction])))


@with_elements(False)
def through_gate(game: GameRecord, table: Table, square: int, direction: int) -> bool:
    """Tell whether there is a gate on a side of a square.

    It is called only for open sides, so a robot that crosses such a side passes the gate.
    """
    return table.ground[row_at(game, table, square)].kinds[direction] == GATE and walled(game, table, square, direction)


@with_elements(False)
def passes_gate(game: GameRecord, table: Table, square: int, direction: int, target: int) -> bool:
    """Tell whether a step from a square to `target`, straight or diagonal, goes through a gate."""
    if direction > 3 or not through_gate(game, table, square, direction):
        return False
    return beyond_gate(game, table, square, direction) == target


@kernel
def level_beyond_gate(game: GameRecord, table: Table, robot: int, target: int) -> int:
    """Return the level at which a robot comes out of a gate: as high above the floor as it went in.

    A robot that does not fly comes out on a floor, without falling by the difference of the two levels (R-E38.6, U48).
    """
    body = game.robots[robot]
    level = int(body.level) + level_of(game, table, target) - level_of(game, table, body.square)
    return level if body.flying else int(floor_at(game, table, target, level))


@with_elements(0)
def level_there(game: GameRecord, table: Table, square: int, direction: int, target: int, level: int) -> int:
    """Return the level at which a body comes to `target` when it walks there, over ramps and ledges.

    Return `NO_FLOOR` if a ledge is in the way.
    """
    if is_ramp(table, square) and table.ground[row_at(game, table, square)].up == direction:
        return level_of(game, table, target)  # from the ramp to its top
    return floor_at(game, table, target, level)


@with_elements(False)
def goes_down_ramp(game: GameRecord, table: Table, square: int, direction: int, level: int) -> bool:
    """Tell whether leaving a place in a direction leads down a ramp, which is not a fall (R-E14.3).

    A gate on that side leads elsewhere.
    """
    row = row_at(game, table, square)
    if table.ground[row].ramp_down >> direction & 1 and not walled(game, table, square, direction):
        return level == table.squares[row].level
    return False


@with_elements(0)
def arrival_level(game: GameRecord, table: Table, robot: int, target: int, direction: int) -> int:
    """Return the level at which a robot arrives at `target`, a square of a board; `FALLING` if it falls there."""
    body = game.robots[robot]
    if passes_gate(game, table, body.square, direction, target):
        return level_beyond_gate(game, table, robot, target)
    if body.flying and not held(game, table, robot):  # even if it lands after this step
        rises = table.ground[row_at(game, table, body.square)].up == direction  # R-E14.7: up a ramp, not down one
        return max(int(body.level), level_of(game, table, target)) if rises else int(body.level)
    if is_ramp(table, target):  # mutants (never): a ramp's hidden square has the level of its foot
        return int(table.squares[target].level)
    level = level_there(game, table, body.square, direction, target, body.level)
    if level < body.level and not goes_down_ramp(game, table, body.square, direction, body.level):
        return FALLING
    return level
