"""Repeaters (R-E31, K9): movement cards that are executed once more, in rounds."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import REPEATER
from rr_gym.forms import with_elements
from rr_gym.rules.driving.option_moves import homes_in
from rr_gym.rules.driving.priority import by_priority
from rr_gym.rules.driving.robots_move import execute, is_overloaded
from rr_gym.rules.floor.ground import flies, stands_on
from rr_gym.rules.robot.current_cards import current_card, current_register, first_register
from rr_gym.rules.state.cards import FIRST_MOVEMENT
from rr_gym.rules.state.constants import OVERLOAD_EMPTY
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

MAX_ROUNDS = 12


@kernel
def was_left_out(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot has not executed its card of the phase.

    This happens if a Homing Device moves the robot, or if Overload Override skips its register (R-O39.2, R-O44.2).
    """
    if homes_in(game, table, robot):
        return True
    register = int(current_register(game, table, robot))
    if game.robots[robot].orders.movement_option[register] != OVERLOAD_EMPTY:
        return False
    return register == first_register(game, table, robot) and is_overloaded(game, table, robot, register)


@kernel
def repeats(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot stands on a repeater with a movement card that it has executed in this phase."""
    body = game.robots[robot]
    if not body.alive or body.down or current_card(game, table, robot) < FIRST_MOVEMENT:
        return False
    if not stands_on(game, table, robot, REPEATER) or flies(game, table, robot):
        return False
    return not was_left_out(game, table, robot)


@with_elements(None)
def repeaters_repeat(game: GameRecord, table: Table, log: Log) -> None:
    """Let robots on repeaters execute their movement cards again, in rounds of priority order (B2, R-E31).

    Rounds follow until no robot with a movement card is on a repeater. All robots on a repeater when a round begins
    take part in it. A robot that is still on the same square after its repetition takes no part in later rounds.
    """
    by_priority(game, table, game.order_now)
    stuck = 0
    for _ in range(MAX_ROUNDS):
        waiting = 0
        for i in range(game.num_robots):
            if not stuck >> i & 1 and repeats(game, table, i):
                waiting |= 1 << i
        if waiting == 0:  # mutants (never): only an optimisation
            return
        for k in range(game.num_robots):
            robot = int(game.order_now[k])
            body = game.robots[robot]
            if waiting >> robot & 1 and body.alive:
                before = body.square
                execute(game, table, log, robot, current_card(game, table, robot), True)
                if body.square == before:
                    stuck |= 1 << robot
