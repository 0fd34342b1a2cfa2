"""Leaving a square for another one, and what holds a robot where it has come to (R-P3.1)."""

from __future__ import annotations

from rr_gym.compilation.kernels import with_elements, with_expansions
from rr_gym.rules.floor.ground import NO_FLOOR, floor_at
from rr_gym.rules.floor.levels import (
    arrival_level,
    goes_down_ramp,
    heading_beyond_gate,
    level_there,
    passes_gate,
)
from rr_gym.rules.movement.touching_ground import break_barrier
from rr_gym.rules.movement.turning import turn
from rr_gym.rules.state.constants import CARD, DISPLACED, HALTED, HOVERED, JUMP, MOVED_ON, PUSH, RING, STOPPED
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@with_elements(None)
def change_level(game: Game, table: Table, log: Log, robot: int, target: int, cause: int) -> None:
    """The level on which a robot comes to `target`, by ramps and falls, and the turn of a gate."""
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
def on_the_way(game: Game, table: Table, log: Log, robot: int, target: int, cause: int) -> None:
    """Leaving a square for `target`: it is noted where from and which way, light barriers and levels see to it."""
    body = game.robots[robot]
    break_barrier(game, table, robot)
    body.heading = body.leaving
    body.origin = body.square
    body.drop = 0
    if cause <= JUMP:
        body.marks = body.marks & ~HOVERED | DISPLACED
        game.unsettled = 1
    change_level(game, table, log, robot, target, cause)


@with_elements(MOVED_ON)
def outcome(game: Game, table: Table, mover: int) -> int:
    """How a step ended for its mover: something may hold it where it has come to."""
    body = game.robots[mover]
    if body.marks & HALTED:
        body.marks &= ~HALTED
        return STOPPED
    return MOVED_ON
