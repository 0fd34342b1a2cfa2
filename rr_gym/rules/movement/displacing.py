"""Put a body on the next square, and let it arrive there (R-P3.1).

`displace` puts it there, whatever is on the square; `arrive` lets it fall, land and experience the effects of the
square. Robots that move at the same time are all displaced before the first of them arrives.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.floor.ground import NO_FLOOR, floor_at
from rr_gym.rules.floor.landing import fall
from rr_gym.rules.floor.levels import arrival_level, goes_down_ramp, heading_beyond_gate, level_there, passes_gate
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.movement.entering import break_barrier, enter
from rr_gym.rules.movement.turning import turn
from rr_gym.rules.state.constants import CARD, DISPLACED, HOVERED, JUMP, PUSH, RING
from rr_gym.rules.state.events import MOVED, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.superbot import blame_mover


@with_elements(None)
def change_level(game: GameRecord, table: Table, log: Log, robot: int, target: int, cause: int) -> None:
    """Set the level of a robot that comes to `target` over a ramp, ledge or gate; a gate also turns the robot."""
    body = game.robots[robot]
    if target < 0:
        return
    through = cause in (CARD, PUSH) and passes_gate(game, table, body.square, body.leaving, target)
    if through:
        body.heading = heading_beyond_gate(game, table, body.square, body.leaving)
        turn(game, log, robot, body.heading - body.leaving)
    if body.flying or through:
        body.level = arrival_level(game, table, robot, target, body.leaving)
        return
    if table.ground[target].up >= 0:
        body.level = table.squares[target].level
        return
    if cause == RING:
        level = floor_at(game, table, target, body.level)
    else:
        level = level_there(game, table, body.square, body.leaving, target, body.level)
    if level == NO_FLOOR:
        return
    if level < body.level and (cause == RING or not goes_down_ramp(game, table, body.square, body.leaving, body.level)):
        body.drop = body.level - level
    body.level = level


@with_expansions(None)
def leave_square(game: GameRecord, table: Table, log: Log, robot: int, target: int, cause: int) -> None:
    """Let a robot leave its square for `target`: break a light barrier, record the origin, set the new level."""
    body = game.robots[robot]
    break_barrier(game, table, robot)
    body.heading = body.leaving
    body.origin = body.square
    body.drop = 0
    if cause <= JUMP:  # mutants (boundary): jumps do not go by steps
        body.marks = body.marks & ~HOVERED | DISPLACED
    change_level(game, table, log, robot, target, cause)


@kernel
def displace(
    game: GameRecord, table: Table, log: Log, robot: int, target: int, cause: int, pusher: int
) -> None:
    """Put one robot on the next square, whatever is on it; the caller calls `arrive` afterwards."""
    origin = game.robots[robot].square
    leave_square(game, table, log, robot, target, cause)
    come_to(game, table, robot, target)
    blame_mover(game, table, robot, cause, pusher)
    note_at(game, log, MOVED, robot, pusher, cause, target, origin)


@kernel
def arrive(game: GameRecord, table: Table, log: Log, robot: int, cause: int) -> None:
    """Land a displaced robot if it falls, and let its new square act on it."""
    fall(game, table, log, robot)
    enter(game, table, log, robot, cause)
