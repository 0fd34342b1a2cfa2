"""The outcome of a program: the robot's situation at the end of the turn."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array, Record, i1, i2, shape, u1
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.encoding.teams import flags_done
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.end_of_turn import end_turn
from rr_gym.rules.turn.placing import distance_to_flag


class Outcome(Record):
    """The outcome of one program for the robot that plays it."""

    program: Array[i1] = shape(NUM_REGISTERS)  # cards, including those of locked registers
    square: i2  # at the end of the turn, after re-entry; -1 if the robot is eliminated
    place: i2  # its index in tables of distances (`rr_gym.rules.floor.ground.standing_place`)
    facing: i1
    damage: i1  # after repairs
    flag: i1  # number of touched flags
    goal: i1  # the target flag, from 0; the number of flags if there is none
    steps: i2  # distance to that flag in squares, at the end of the turn
    alive: u1  # whether it was not destroyed in this turn
    won: u1
    phases: i1  # phases played: fewer than five if the game ended earlier


OUTCOME = Outcome.dtype


@kernel
def write_outcome(
    game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log, seat: int, outcome: Outcome
) -> None:
    """Play the end of the turn, and write a robot's outcome except for the program."""
    robot = game.robots[seat]
    outcome.alive = robot.alive
    outcome.won = game.winners >> seat & 1
    outcome.phases = game.phase
    if not game.over:
        end_turn(game, table, orders, log)
    outcome.square = robot.square
    outcome.place = standing_place(game, table, seat)
    outcome.facing = robot.facing
    outcome.damage = robot.damage
    outcome.flag = flags_done(game, table, seat)
    goal = goal_of(game, table, seat)
    outcome.goal = goal
    outcome.steps = distance_to_flag(game, table, robot.square, goal) if robot.square >= 0 else 0
