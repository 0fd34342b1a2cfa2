"""Jacks-in-the-box (R-E58)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import hurt
from rr_gym.rules.floor.grid import STEP_X, STEP_Y, place_at
from rr_gym.rules.floor.ground import flies, held, phase_of, row_at
from rr_gym.rules.floor.landing import come_down
from rr_gym.rules.floor.positions import come_to, leave_board
from rr_gym.rules.movement.entering import break_barrier, enter
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.state.constants import BY_JACK, DISPLACED, JUMP, ON
from rr_gym.rules.state.events import MOVED, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

FLIGHT = 6  # squares that a robot is thrown
UPWARDS = 4  # the index of the phase in which jacks throw straight up
IMPACT = 2  # points of damage by landing, with the setting `jack_damage`


@kernel
def landing_place(table: Table, square: int, direction: int) -> int:
    """Return the square six squares away, whatever is in between; -1 if no board covers it (U16)."""
    here = table.squares[table.ground[square].place]
    return place_at(table, here.x + FLIGHT * STEP_X[direction], here.y + FLIGHT * STEP_Y[direction])


@kernel
def throw(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Take a robot off the board for its flight, during which it meets nobody."""
    body = game.robots[robot]
    direction = int(table.ground[row_at(game, table, body.square)].jack[phase_of(game)])
    target = landing_place(table, body.square, direction)
    break_barrier(game, table, robot)  # mutants: the beam is broken already: on entry, or in C7
    note_at(game, log, MOVED, robot, -1, JUMP, target, body.square)
    body.heading = body.leaving = direction
    body.origin = -1
    body.target = target
    leave_board(game, robot)


@kernel
def touch_down(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Land a robot on the first open square, beginning with its target.

    It may fall from the height of the jack (R-P3.5).
    """
    body = game.robots[robot]
    body.alive = 1
    come_to(game, table, robot, int(body.target))
    body.drop = 0
    body.marks |= DISPLACED
    come_down(game, table, log, robot, body.heading)
    enter(game, table, log, robot, JUMP)
    step_ends(game, table, log)


@with_elements(None)
def jacks_sling(game: GameRecord, table: Table, log: Log) -> None:
    """Let all jacks throw their robots at the same time; these land in the order of their seats (C9, R-E58).

    In phase 5 jacks throw straight up.
    """
    slung = 0
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if not robot.alive or flies(game, table, i) or held(game, table, i) or robot.goo:
            continue
        if table.ground[row_at(game, table, robot.square)].has_jack:
            slung |= 1 << i
    upwards = phase_of(game) == UPWARDS
    for i in range(game.num_bodies):
        if slung >> i & 1 and not upwards:
            throw(game, table, log, i)
    for i in range(game.num_bodies):
        if slung >> i & 1:
            if not upwards:
                touch_down(game, table, log, i)
            if game.robots[i].alive and table.settings.jack_damage == ON:
                hurt(game, table, log, i, IMPACT, BY_JACK)
                step_ends(game, table, log)
