"""Elevators (R-E49): floors that go up and down in C13. `elevator_state` computes their current level."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.floor.elevator_state import elevator_up, elevator_was_up
from rr_gym.rules.floor.ground import flies, row_at
from rr_gym.rules.movement.movement import relocate
from rr_gym.rules.options.condition_events import note_conditions
from rr_gym.rules.state.constants import BY_ELEVATOR, CARRY
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def ride(game: GameRecord, table: Table, log: Log, robot: int, row: int) -> None:
    """Apply the move of an elevator to a robot on its square: carry it, or crush it if it is underneath.

    Flyers above the floor do not ride.
    """
    body = game.robots[robot]
    low = int(table.squares[row].level)
    if elevator_up(game, table, row):
        if body.level == low and not flies(game, table, robot):
            relocate(game, table, log, robot, body.square, low + 1, CARRY)
    elif body.level <= low:
        destroy(game, table, log, robot, BY_ELEVATOR)
    elif body.level == low + 1 and not flies(game, table, robot):
        relocate(game, table, log, robot, body.square, low, CARRY)


@kernel
def elevators_carry(game: GameRecord, table: Table, log: Log) -> None:
    """Raise the elevators of this phase and lower all others; robots beneath those are crushed (R-E49, K15)."""
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if robot.alive:
            row = row_at(game, table, robot.square)
            moves = elevator_up(game, table, row) != elevator_was_up(game, table, row)
            if table.ground[row].has_elevator and moves:
                ride(game, table, log, i, row)


@with_elements(None)
def elevators_move(game: GameRecord, table: Table, log: Log) -> None:
    """Move the elevators, with the robots on them (C13)."""
    elevators_carry(game, table, log)
    note_conditions(game, table, log)
