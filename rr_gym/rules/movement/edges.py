"""The edges of squares: what is in the way there, and where a step over them leads (R-P3.1, R-E13, R-E14, R-E38)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import GATE, PLAIN, SLOPES, TURRET_GUN
from rr_gym.rules.floor.ground import NO_FLOOR, flies, held, is_ramp, next_place, phase_bit, row_at, walled
from rr_gym.rules.floor.levels import (
    FALLING,
    arrival_level,
    beyond_gate,
    heading_beyond_gate,
    level_there,
    through_gate,
)
from rr_gym.rules.state.constants import CARD
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table

OPEN = -1  # nothing in the way


@kernel
def base_edge(game: Game, table: Table, robot: int, square: int, direction: int, cause: int) -> int:
    """A wall, or nothing: there are no gates, ledges and ramps."""
    return PLAIN if walled(game, table, square, direction) else OPEN


@with_elements(base_edge)
def obstacle(game: Game, table: Table, robot: int, square: int, direction: int, cause: int) -> int:
    """What is in the way at the edge of a square, with gates, ledges, ramps and turret guns."""
    row = row_at(game, table, square)
    if walled(game, table, square, direction):
        kind = int(table.ground[row].kinds[direction])
        return OPEN if kind == GATE and cause == CARD else kind
    target = next_place(game, table, square, direction, game.robots[robot].level)
    if target < 0 or is_ramp(table, target):
        return OPEN
    there = row_at(game, table, target)
    if flies(game, table, robot) and table.ground[there].overlays & TURRET_GUN:
        return PLAIN
    slopes = table.special[row] & SLOPES and table.ground[row].ramp[direction] >= 0
    if slopes and table.ground[there].in_wall[direction ^ 2] & phase_bit(game):
        return PLAIN  # over a ramp to a wall at its top
    ledge = level_there(game, table, square, direction, target, game.robots[robot].level) == NO_FLOOR
    return PLAIN if ledge else OPEN


@with_expansions(base_edge)
def edge_from(game: Game, table: Table, robot: int, square: int, direction: int, cause: int) -> int:
    """What the robot meets that leaves a square in a direction: `OPEN` or the kind of the obstacle (PLAIN ...); R-P3.1.

    `cause` is that of the first mover: gates open for cards only (R-E38).
    """
    if held(game, table, robot) or game.robots[robot].goo:
        return PLAIN
    return obstacle(game, table, robot, square, direction, cause)


@kernel
def base_target_from(game: Game, table: Table, robot: int, square: int, direction: int) -> int:
    """The neighbour."""
    return int(table.squares[square].neighbour[direction])


@with_expansions(base_target_from)
def target_from(game: Game, table: Table, robot: int, square: int, direction: int) -> int:
    """The square that a step over an open edge leads to, -1 off the board."""
    if through_gate(game, table, square, direction):
        return int(beyond_gate(game, table, square, direction))
    return next_place(game, table, square, direction, game.robots[robot].level)


@kernel
def base_prepare(
    game: Game, table: Table, chain: int, square: int, direction: int, target: int
) -> int:
    """Nothing is noted, and there are no gates."""
    return direction


@with_expansions(base_prepare)
def prepare(game: Game, table: Table, chain: int, square: int, direction: int, target: int) -> int:
    """Note for the robots of a chain that stand on `square` where they would go. The heading there: gates bend it."""
    heading = direction
    if through_gate(game, table, square, direction):
        heading = int(heading_beyond_gate(game, table, square, direction))
    while chain:
        body = game.robots[(chain & 15) - 1]
        if body.square != square:
            break
        body.leaving = direction
        body.target = target
        chain >>= 4
    return heading


@kernel
def base_prepared_target(game: Game, table: Table, robot: int, direction: int) -> int:
    """The neighbour."""
    return int(table.squares[game.robots[robot].square].neighbour[direction])


@with_expansions(base_prepared_target)
def prepared_target(game: Game, table: Table, robot: int, direction: int) -> int:
    """Where `prepare` sends a robot."""
    return int(game.robots[robot].target)


@with_elements(False)
def ends_chain(game: Game, table: Table, front: int, target: int) -> bool:
    """The front robot falls there: it pushes nobody, it lands beyond (R-E13.3)."""
    body = game.robots[front]
    return arrival_level(game, table, front, target, body.leaving) == FALLING


@with_expansions(True)
def stands_in_way(game: Game, table: Table, front: int, other: int) -> bool:
    """The other robot is on the level on which the front one arrives."""
    body = game.robots[front]
    return game.robots[other].level == arrival_level(game, table, front, body.target, body.leaving)
