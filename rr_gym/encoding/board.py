"""What the board looks like from a robot's point of view: its static features, once for each of the four facings.

A window of the board is then a few straight copies, whichever way the robot faces.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.courses.grammar import ALL_PHASES, STEPS
from rr_gym.errors import RoboRallyError
from rr_gym.jit import kernel
from rr_gym.rules.records import TableRecord

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
        int8, (k, 4, size, size, NUM_FEATURES): by course, facing, row, column, feature, with a margin of window // 2
        squares off the board on all sides.
    """
    margin = check_window(window) // 2
    longest = int(max(tables["course"]["width"].max(), tables["course"]["height"].max()))
    sheets = np.zeros((len(tables), 4, longest + 2 * margin, longest + 2 * margin, NUM_FEATURES), np.int8)
    sheets[..., PIT] = ALL_PHASES
    for k in range(len(tables)):
        for facing in range(4):
            turned = np.rot90(_features(tables[k], facing), facing)
            rows, columns = turned.shape[:2]
            sheets[k, facing, margin : margin + rows, margin : margin + columns] = turned
    return sheets


def _features(table: TableRecord, facing: int) -> Array:
    """int8 (height, width, NUM_FEATURES), not yet turned, in words of a robot with this facing."""
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
    return np.array(columns, np.int8).T.reshape(height, width, NUM_FEATURES)


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
def copy_window(sheet: Array, row: int, column: int, window: int, out: Array, start: int) -> None:
    """Copy a window, line by line; `sheet` has the features of all squares of a line one after the other."""
    length = window * NUM_FEATURES
    for i in range(window):
        source = sheet[row + i, column * NUM_FEATURES : column * NUM_FEATURES + length]
        target = out[start + i * length : start + (i + 1) * length]
        for j in range(length):
            target[j] = source[j]
