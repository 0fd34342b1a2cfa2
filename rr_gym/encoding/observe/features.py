"""The features of the game and of robots, as named integers with bounds.

Everything is seen from the own robot (`rr_gym.encoding.observe.frame`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.changes import ExtraFeatures
from rr_gym.encoding.observe.elements import extra_game_features, extra_robot_features
from rr_gym.encoding.observe.frame import Frame, offset
from rr_gym.encoding.observe.game_states import flag_place, goal_of
from rr_gym.encoding.observe.groups import Feature
from rr_gym.encoding.observe.states import write_element_facts, write_states
from rr_gym.rules.robot.sleep import keeps_program
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import DECK_SIZE, MAX_FLAGS, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Robot
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

MAX_DISTANCE = 2047  # the greatest distance in squares: no two squares of a layout are farther apart
MAX_TURN = 32767  # larger numbers of turns are observed as this
MAX_CARD_TYPE = int(CARD_TYPE.max())
MAX_PRIORITY = 10 * DECK_SIZE

GAME_FEATURES: tuple[Feature, ...] = (
    ("turn", 0, MAX_TURN),
    ("over", 0, 1),
    ("num_robots", 0, MAX_ROBOTS),
    ("num_flags", 0, MAX_FLAGS),
    ("phase", 0, NUM_REGISTERS),  # registers already programmed in this turn
    ("next_flag_forward", -MAX_DISTANCE, MAX_DISTANCE),  # 0 when all are touched
    ("next_flag_right", -MAX_DISTANCE, MAX_DISTANCE),
)

# Features of each robot: first the seat's own, then those of the following seats around the table
ROBOT_FEATURES: tuple[Feature, ...] = (
    ("present", 0, 1),  # on the board
    ("forward", -MAX_DISTANCE, MAX_DISTANCE),
    ("right", -MAX_DISTANCE, MAX_DISTANCE),
    ("facing", 0, 3),  # quarter turns to the right of the own facing
    ("damage", 0, 10),
    ("lives", -1, 100),  # -1 without limit
    ("flag", 0, MAX_FLAGS),  # flags touched
    ("archive_forward", -MAX_DISTANCE, MAX_DISTANCE),
    ("archive_right", -MAX_DISTANCE, MAX_DISTANCE),
    ("virtual", 0, 1),
    ("down", 0, 1),
    ("announced", 0, 1),
    ("out", 0, 1),
    ("may_face", 0, 1),
    *(
        feature
        for r in range(1, NUM_REGISTERS + 1)
        # The card of an open register is observed only by its own seat, once it has been chosen.
        for feature in (
            (f"locked_{r}", 0, 1),
            (f"locked_{r}_type", 0, MAX_CARD_TYPE),
            (f"locked_{r}_priority", 0, MAX_PRIORITY),
        )
    ),
)
NUM_GAME_FEATURES = len(GAME_FEATURES)
NUM_ROBOT_FEATURES = len(ROBOT_FEATURES)
FIRST_REGISTER = [name for name, _, _ in ROBOT_FEATURES].index("locked_1")


def game_features(elements: Iterable[str] = ()) -> list[Feature]:
    """Return the features of a game, including those of groups (`rr_gym.encoding.observe.elements`)."""
    return [*GAME_FEATURES, *extra_game_features(elements)]


def robot_features(elements: Iterable[str] = ()) -> list[Feature]:
    """Return the features of a robot, including those of groups."""
    return [*ROBOT_FEATURES, *extra_robot_features(elements)]


@kernel
def num_programmed(game: GameRecord) -> int:
    """Return how many registers are already programmed in this turn; 0 between turns and in a game that is over."""
    return 0 if game.over else game.phase


@kernel
def num_own(game: GameRecord, table: Table, robot: int) -> int:
    """Return how many of its own registers a seat knows already; a sleeping robot keeps its whole program (R-E73)."""
    if not game.over and keeps_program(game, table, robot):
        return NUM_REGISTERS
    return num_programmed(game)


@kernel
def next_flag(game: GameRecord, table: Table, seat: int) -> int:
    """Return the square of a robot's next flag, -1 if there is none."""
    goal = goal_of(game, table, seat)
    return flag_place(game, table, goal) if goal < table.course.num_flags else -1


@kernel
def seen_register(robot: Robot, register: int, shown: int) -> int:
    """Return the card of a register if it is locked or one of the first `shown` registers; otherwise 0."""
    return robot.registers[register] if register < shown or robot.locked >> register & 1 else 0


@kernel
def write_game(
    game: GameRecord, table: Table, seat: int, frame: Frame, extra: ExtraFeatures, out: Array
) -> None:
    """Write the numbers of `game_features`."""
    out[0] = min(game.turn, MAX_TURN)
    out[1] = game.over
    out[2] = game.num_robots
    out[3] = table.course.num_flags
    out[4] = num_programmed(game)
    out[5], out[6] = offset(game, table, frame, next_flag(game, table, seat))
    write_element_facts(game, table, extra.facts, out, NUM_GAME_FEATURES)


@kernel
def write_robot(
    game: GameRecord, table: Table, robot: int, frame: Frame, facing: int, shown: int, out: Array, start: int
) -> None:
    """Write `ROBOT_FEATURES` of a robot; beyond public information, this shows its first `shown` registers."""
    body = game.robots[robot]
    row = out[start : start + NUM_ROBOT_FEATURES]
    row[0] = body.alive
    row[1], row[2] = offset(game, table, frame, body.square)
    row[3] = (body.facing - facing) & 3
    row[4] = body.damage
    row[5] = body.lives
    row[6] = body.flag
    row[7], row[8] = offset(game, table, frame, body.archive)
    row[9] = body.virtual
    row[10] = body.down
    row[11] = body.announced
    row[12] = body.out
    row[13] = body.may_face
    for r in range(NUM_REGISTERS):
        card = seen_register(body, r, shown)
        row[FIRST_REGISTER + 3 * r] = body.locked >> r & 1
        row[FIRST_REGISTER + 3 * r + 1] = CARD_TYPE[card]
        row[FIRST_REGISTER + 3 * r + 2] = 10 * int(card)


@kernel
def write_robots(
    game: GameRecord,
    table: Table,
    seat: int,
    frame: Frame,
    num_robots: int,
    extra: ExtraFeatures,
    out: Array,
    start: int,
) -> None:
    """Write `robot_features` of all robots into one row: first the seat's own, then those of the following seats.

    There is room for `num_robots`; seats without a robot get zeros.
    """
    facing = int(game.robots[seat].facing)
    size = NUM_ROBOT_FEATURES + extra.states.size
    for j in range(num_robots):
        i = seat + j if seat + j < num_robots else seat + j - num_robots
        if i >= game.num_robots:
            out[start + j * size : start + (j + 1) * size] = 0
            continue
        shown = num_own(game, table, i) if j == 0 else 0
        write_robot(game, table, i, frame, facing, shown, out, start + j * size)
        write_states(game, table, seat, i, frame, facing, extra.states, out, start + j * size + NUM_ROBOT_FEATURES)
