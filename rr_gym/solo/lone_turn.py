"""Play a turn of a robot as if it were alone: where its orders lead, by the rules."""

from __future__ import annotations

from typing import NamedTuple

from rr_gym.rules.options.condition_events import begin_conditions
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord, Robot, new_log, no_orders
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.end_of_turn import end_turn
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.turn import register_phase
from rr_gym.solo.distances import alone


class LoneStand(NamedTuple):
    """How a robot stands after a phase of a turn that it plays alone.

    Attributes:
        square: The number of its square; -1 off the board.
        facing: 0 to 3, clockwise from the north.
        damage: Its points of damage.
        flag: How many flags it has touched.
    """

    square: int
    facing: int
    damage: int
    flag: int


class LoneTurn(NamedTuple):
    """A turn that a robot has played alone.

    Attributes:
        game: The game after it, in which the robot is robot 0.
        log: The events of the turn.
        phases: How many phases were played: those before the first register that would get a random card. If it is all
            five, the end of the turn was played too.
        stands: How the robot stands after each of them.
    """

    game: GameRecord
    log: Log
    phases: int
    stands: tuple[LoneStand, ...]


def play_alone(game: GameRecord, seat: int, table: Table, orders: OrdersRecord, *, logged: bool = True) -> LoneTurn:
    """Play orders for the robot of a seat alone, up to the first open register.

    Nothing is drawn at random and nothing hidden is read, so the result reveals nothing that the seat does not know.

    Args:
        game: A game between two turns.
        seat: The seat.
        table: The compiled course.
        orders: Its orders, dtype `FULL_ORDERS`.
        logged: Whether events are written.
    """
    lone, log = alone(game, seat), new_log(on=logged)[0]
    given = no_orders(8, full=True)
    given[0] = orders
    phases, stands = known_phases(lone.robots[0], orders), []
    begin_conditions(lone, table, log)
    program(lone, table, given, log)
    for phase in range(1, phases + 1):
        if not lone.over:
            lone.phase = phase
            register_phase(lone, table, log)
        stands.append(stand_of(lone))
    if phases == NUM_REGISTERS and not lone.over:
        end_turn(lone, table, given, log)
    return LoneTurn(lone, log, phases, tuple(stands))


def stand_of(lone: GameRecord) -> LoneStand:
    """Return how the robot of a lone game stands."""
    robot = lone.robots[0]
    square = int(robot.square) if robot.alive else -1
    return LoneStand(square, int(robot.facing), int(robot.damage), int(robot.flag))


def known_phases(robot: Robot, orders: OrdersRecord) -> int:
    """Return the number of known phases: those before the first register that would get a random card."""
    if robot.down or not robot.hand.any():
        return NUM_REGISTERS
    registers = range(NUM_REGISTERS)
    return next((r for r in registers if not orders.program[r] and not robot.locked >> r & 1), NUM_REGISTERS)
