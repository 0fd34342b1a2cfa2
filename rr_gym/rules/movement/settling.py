"""The end of a displacement (R-P4): what follows it happens, robots slide on, and then all rest."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_elements, with_expansions
from rr_gym.rules.floor.standing import on_ramp
from rr_gym.rules.movement.landings import somebody_lands
from rr_gym.rules.movement.movement import devices_wait, step_ends
from rr_gym.rules.movement.slides import robots_slide
from rr_gym.rules.options.condition_events import note_conditions
from rr_gym.rules.state.constants import DISPLACED, HALTED, HOVERED, LANDS, SLIPPED
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@with_expansions(False)
def flights_end(game: Game, table: Table, log: Log) -> bool:
    """A1, B4, D1, D3 and E2, after which nothing settles by itself: robots hurt in flight come down (R-E40.3), so do
    those that have lost their Robo-Copter (R-O50.6), and what has lost its owner by that damage explodes (R-X2.6).
    Whether somebody may have moved.
    """
    if game.num_blasts or (game.aloft and somebody_lands(game)):
        return settle(game, table, log)
    return False


@with_expansions(None)
def launches_meet(game: Game, table: Table, log: Log) -> None:
    """The end of D1: what has been launched on the square of a robot that it does not spare goes off (U56)."""
    if devices_wait(game):
        settle(game, table, log)


@with_elements(False)
def somebody_is_on_ramp(game: Game, table: Table) -> bool:
    """Some body on the board stands on a ramp."""
    for i in range(game.num_bodies):
        if game.robots[i].alive and on_ramp(game, table, i):
            return True
    return False


@kernel
def somebody_moves(game: Game, table: Table) -> bool:
    """Some robot has been displaced or is on a ramp: all others rest."""
    marks = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        marks |= robot.marks * robot.alive
    return marks & (DISPLACED | LANDS) != 0 or somebody_is_on_ramp(game, table)


@kernel
def settle_robots(game: Game, table: Table, log: Log) -> None:
    """What follows a displacement, slides, and then all robots rest."""
    step_ends(game, table, log)
    robots_slide(game, table, log)
    game.unsettled = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        robot.marks &= ~(DISPLACED | SLIPPED | HALTED | HOVERED)
        if on_ramp(game, table, i):
            game.unsettled = 1
    note_conditions(game, table, log)


@with_expansions(False)
def settle(game: Game, table: Table, log: Log) -> bool:
    """The end of a displacement, where there was one; False where nobody has moved."""
    moved = game.unsettled | game.aloft and somebody_moves(game, table)
    if moved or game.flips or game.num_blasts or devices_wait(game):
        settle_robots(game, table, log)
        return True
    game.unsettled = 0
    if log.on:
        note_conditions(game, table, log)
    return False
