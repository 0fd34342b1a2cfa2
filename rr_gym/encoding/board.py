"""What the board looks like from a robot's point of view: its static features, once for each of the four facings.

A window of the board is then a few straight copies, whichever way the robot faces.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.courses.grammar import ALL_PHASES, STEPS
from rr_gym.errors import RoboRallyError
from rr_gym.jit import kernel
from rr_gym.rules.records import GameRecord, TableRecord

Array = np.ndarray[Any, Any]

SIDES = ("forward", "right", "back", "left")

# Static features of a square: (name, lowest, highest value). Phase masks have bit p - 1 for phase p; 31 is always.
SQUARE_FEATURES = (
    ("floor", 0, 1),  # the square exists
    *((f"wall_{side}", 0, ALL_PHASES) for side in SIDES),  # phase mask
    ("pit", 0, ALL_PHASES),  # phase mask; 31 off the board
    ("belt_forward", -2, 2),  # squares per phase that the belt moves in this direction
    ("belt_right", -2, 2),
    ("belt_turns", 0, 15),  # bits forward, right, back, left: who is carried in over this side is turned
    ("gear", -1, 1),  # quarter turns to the right
    *((f"push_{side}", 0, ALL_PHASES) for side in SIDES),  # phase mask of the pusher that pushes in this direction
    ("crusher", 0, ALL_PHASES),  # phase mask
    ("wrenches", 0, 2),
    ("flag", 0, 8),  # its number
    ("laser", 0, 127),  # points of damage of the board lasers that cross the square when nothing is in the way
)
FEATURE_NAMES = tuple(name for name, _, _ in SQUARE_FEATURES)
NUM_FEATURES = len(SQUARE_FEATURES)
PIT = FEATURE_NAMES.index("pit")


def check_window(window: int) -> int:
    """The window if it is odd and of a sensible size, else a RoboRallyError."""
    if not isinstance(window, int) or window < 1 or window % 2 == 0 or window > 127:
        raise RoboRallyError(f"window: {window!r}: expected an odd whole number from 1 to 127")
    return window


def board_sheets(tables: Array, window: int) -> Array:
    """The static features of all courses, turned so that north, east, south and west in turn are up.

    Args:
        tables: (k,), dtype `TABLE`.
        window: Odd width of the windows that will be cut out.

    Returns:
        int8, (k, 4, NUM_FEATURES, size, size): by course, facing, feature, row, column, with a margin of window // 2
        squares off the board on all sides.
    """
    margin = check_window(window) // 2
    longest = int(max(tables["course"]["width"].max(), tables["course"]["height"].max()))
    sheets = np.zeros((len(tables), 4, NUM_FEATURES, longest + 2 * margin, longest + 2 * margin), np.int8)
    sheets[:, :, PIT] = ALL_PHASES
    for k in range(len(tables)):
        for facing in range(4):
            turned = np.rot90(_features(tables[k], facing), facing, axes=(1, 2))
            rows, columns = turned.shape[1:]
            sheets[k, facing, :, margin : margin + rows, margin : margin + columns] = turned
    return sheets


def _features(table: TableRecord, facing: int) -> Array:
    """int8 (NUM_FEATURES, height, width), not yet turned, in words of a robot with this facing."""
    width, height, count = (int(table["course"][name]) for name in ("width", "height", "num_squares"))
    squares = table["squares"][:count]
    exists = squares["exists"] > 0
    turned = np.roll(np.arange(4), -facing)  # directions forward, right, back, left
    belt = np.where((squares["belt"] > 0) & exists, (squares["belt_direction"] - facing) % 4, -1)
    speed = squares["belt"].astype(int)
    turns = sum(((squares["belt_turns"] >> side) & 1) << bit for bit, side in enumerate(turned))
    columns = [
        exists,
        *(squares["wall"][:, side] for side in turned),
        np.where(exists, squares["pit"], ALL_PHASES),
        np.select([belt == 0, belt == 2], [speed, -speed]),
        np.select([belt == 1, belt == 3], [speed, -speed]),
        turns,
        squares["gear"],
        *(squares["pushers"][:, (side + 2) % 4] for side in turned),
        squares["crusher"],
        squares["wrenches"],
        squares["flag"],
        _laser_points(table, count),
    ]
    return np.array(columns, np.int8).reshape(NUM_FEATURES, height, width)


def _laser_points(table: TableRecord, count: int) -> Array:
    """Points of damage per square; of two mounts at the ends of one line only the stronger counts (U9)."""
    points = np.zeros(count, int)
    width = int(table["course"]["width"])
    beams = table["beams"][: int(table["course"]["num_beams"])]
    for index, beam in enumerate(beams):
        twin = int(beam["twin"])
        strength = int(beam["beams"])
        if twin >= 0:
            other = int(beams[twin]["beams"])
            if other > strength or (other == strength and twin < index):
                continue
        dx, dy = STEPS[int(beam["direction"])]
        step = dx + dy * width
        for k in range(int(beam["length"])):
            points[int(beam["square"]) + k * step] += strength
    return np.minimum(points, 127)


@kernel
def frame_square(game: GameRecord, seat: int) -> int:
    """Where a seat looks from: its robot's square, or its archive while the robot is off the board."""
    robot = game.robots[seat]
    return robot.square if robot.square >= 0 else robot.archive


@kernel
def ahead(x: int, y: int, facing: int) -> int:
    """How far forward an offset of x squares east and y squares south lies for a robot with this facing."""
    if facing == 0:
        return -y
    if facing == 1:
        return x
    return y if facing == 2 else -x


@kernel
def aside(x: int, y: int, facing: int) -> int:
    """How far to the right the offset lies."""
    if facing == 0:
        return x
    if facing == 1:
        return y
    return -x if facing == 2 else -y


@kernel
def sheet_row(table: TableRecord, x: int, y: int, facing: int) -> int:
    """The row of a square in the sheet of this facing, without the margin."""
    if facing == 0:
        return y
    if facing == 1:
        return table.course.width - 1 - x
    return table.course.height - 1 - y if facing == 2 else x


@kernel
def sheet_column(table: TableRecord, x: int, y: int, facing: int) -> int:
    """The column of a square in the sheet of this facing, without the margin."""
    if facing == 0:
        return x
    if facing == 1:
        return y
    return table.course.width - 1 - x if facing == 2 else table.course.height - 1 - y
