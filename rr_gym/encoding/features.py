"""What observations say of the game, the flags, the cards and the robots, as named whole numbers with bounds.

Everything is seen from the own robot: forward is where it faces, right its right-hand side. While it is off the board
it looks from its archive square.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.courses.grammar import STEPS
from rr_gym.jit import kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import DECK_SIZE, MAX_FLAGS, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.records import GameRecord, RobotRecord, TableRecord

Array = np.ndarray[Any, Any]
Frame = tuple[int, int, int, int]

FAR = 2047  # no two squares of a layout are farther apart
LONGEST = 32767  # turns are counted up to here
LAST_TYPE = int(CARD_TYPE.max())
HIGHEST = 10 * DECK_SIZE

Feature = tuple[str, int, int]  # name, lowest, highest value

GAME_FEATURES: tuple[Feature, ...] = (
    ("turn", 0, LONGEST),
    ("over", 0, 1),
    ("num_robots", 0, MAX_ROBOTS),
    ("num_flags", 0, MAX_FLAGS),
    ("phase", 0, NUM_REGISTERS),  # registers already programmed in this turn
    ("next_flag_forward", -FAR, FAR),  # 0 when all are touched
    ("next_flag_right", -FAR, FAR),
)

# Of the own robot, and of those of the seats after it in turn
ROBOT_FEATURES: tuple[Feature, ...] = (
    ("present", 0, 1),  # on the board
    ("forward", -FAR, FAR),
    ("right", -FAR, FAR),
    ("facing", 0, 3),  # quarter turns to the right of the own facing
    ("damage", 0, 10),
    ("lives", -1, 100),  # -1 without limit
    ("flag", 0, MAX_FLAGS),  # flags touched
    ("archive_forward", -FAR, FAR),
    ("archive_right", -FAR, FAR),
    ("virtual", 0, 1),
    ("down", 0, 1),
    ("announced", 0, 1),
    ("out", 0, 1),
    ("may_face", 0, 1),
    *(
        feature
        for r in range(1, NUM_REGISTERS + 1)
        # The card of an open register is there once it is chosen, in the own robot's registers alone.
        for feature in ((f"locked_{r}", 0, 1), (f"locked_{r}_type", 0, LAST_TYPE), (f"locked_{r}_priority", 0, HIGHEST))
    ),
)
NUM_GAME_FEATURES = len(GAME_FEATURES)
NUM_ROBOT_FEATURES = len(ROBOT_FEATURES)
FIRST_REGISTER = [name for name, _, _ in ROBOT_FEATURES].index("locked_1")

AHEAD_X = np.array([x for x, _ in STEPS], np.int64)  # by facing: the square in front
AHEAD_Y = np.array([y for _, y in STEPS], np.int64)


@kernel
def frame_square(robot: RobotRecord) -> int:
    """Where a robot looks from: its square, or its archive while it is off the board."""
    return robot.square if robot.square >= 0 else robot.archive


@kernel
def frame_of(table: TableRecord, robot: RobotRecord) -> Frame:
    """From where and where to a robot looks: x, y, and the step to the square in front of it."""
    here = table.squares[frame_square(robot)]
    return int(here.x), int(here.y), AHEAD_X[robot.facing], AHEAD_Y[robot.facing]


@kernel
def offset(table: TableRecord, frame: Frame, square: int) -> tuple[int, int]:
    """How far forward and right a square lies; zeros for no square."""
    if square < 0:
        return 0, 0
    there = table.squares[square]
    x = there.x - frame[0]
    y = there.y - frame[1]
    return x * frame[2] + y * frame[3], y * frame[2] - x * frame[3]


@kernel
def sheet_place(table: TableRecord, robot: RobotRecord) -> tuple[int, int]:
    """The row and column of a robot's square in the sheet of its facing, without the margin."""
    here = table.squares[frame_square(robot)]
    x = int(here.x)
    y = int(here.y)
    right = table.course.width - 1 - x
    bottom = table.course.height - 1 - y
    if robot.facing == 0:
        return y, x
    if robot.facing == 1:
        return right, y
    if robot.facing == 2:
        return bottom, right
    return x, bottom


@kernel
def num_programmed(game: GameRecord) -> int:
    """Registers already programmed in this turn; 0 between turns and in a game that is over."""
    return 0 if game.over else game.phase


@kernel
def next_flag(game: GameRecord, table: TableRecord, robot: RobotRecord) -> int:
    """The square of the flag that a robot has to touch next, -1 when it has touched all."""
    return game.flag_squares[robot.flag] if robot.flag < table.course.num_flags else -1


@kernel
def seen_register(robot: RobotRecord, register: int, shown: int) -> int:
    """The card of a register that is locked or among the first `shown` ones, else 0."""
    return robot.registers[register] if register < shown or robot.locked >> register & 1 else 0


@kernel
def write_game(game: GameRecord, table: TableRecord, own: RobotRecord, frame: Frame, out: Array) -> None:
    """The numbers of `GAME_FEATURES`."""
    out[0] = min(game.turn, LONGEST)
    out[1] = game.over
    out[2] = game.num_robots
    out[3] = table.course.num_flags
    out[4] = num_programmed(game)
    out[5], out[6] = offset(table, frame, next_flag(game, table, own))


@kernel
def write_robot(
    table: TableRecord, robot: RobotRecord, frame: Frame, facing: int, shown: int, out: Array, start: int
) -> None:
    """The numbers of `ROBOT_FEATURES`; all are public but the first `shown` registers."""
    row = out[start : start + NUM_ROBOT_FEATURES]
    row[0] = robot.alive
    row[1], row[2] = offset(table, frame, robot.square)
    row[3] = (robot.facing - facing) & 3
    row[4] = robot.damage
    row[5] = robot.lives
    row[6] = robot.flag
    row[7], row[8] = offset(table, frame, robot.archive)
    row[9] = robot.virtual
    row[10] = robot.down
    row[11] = robot.announced
    row[12] = robot.out
    row[13] = robot.may_face
    for r in range(NUM_REGISTERS):
        card = seen_register(robot, r, shown)
        row[FIRST_REGISTER + 3 * r] = robot.locked >> r & 1
        row[FIRST_REGISTER + 3 * r + 1] = CARD_TYPE[card]
        row[FIRST_REGISTER + 3 * r + 2] = 10 * int(card)


@kernel
def write_robots(
    game: GameRecord, table: TableRecord, seat: int, frame: Frame, num_robots: int, out: Array, start: int
) -> None:
    """The own robot, then those of the seats after it, in one row."""
    facing = game.robots[seat].facing
    for j in range(num_robots):
        i = seat + j if seat + j < num_robots else seat + j - num_robots
        shown = num_programmed(game) if j == 0 else 0
        write_robot(table, game.robots[i], frame, facing, shown, out, start + j * NUM_ROBOT_FEATURES)
