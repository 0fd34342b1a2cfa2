"""The static features of the board from a robot's point of view, once for each of the four facings.

A window of the board can thus be copied line by line for any facing. What changes during games is then written over it
(`rr_gym.encoding.observe.changes`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import LAVA_PIT
from rr_gym.courses.text.grammar import ALL_PHASES, STEPS
from rr_gym.encoding.observe.bounds import FASTEST_BELT
from rr_gym.encoding.observe.elements import elements_of, extra_square_features, groups_of
from rr_gym.encoding.observe.frame import SIDES
from rr_gym.encoding.observe.groups import Feature
from rr_gym.encoding.observe.lines import NUM_LINES, draw_lines, laser_points
from rr_gym.encoding.observe.rows import SquareRows
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.rules.state.constants import LAVA_LIST
from rr_gym.rules.state.records import GAME
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

# Static features of a square in the base game. Phase masks have bit p - 1 for phase p; 31 means all phases.
SQUARE_FEATURES: tuple[Feature, ...] = (
    ("floor", 0, 1),  # the square exists
    *((f"wall_{side}", 0, ALL_PHASES) for side in SIDES),  # phase mask
    ("pit", 0, ALL_PHASES),  # phase mask; 31 off the board
    ("belt_forward", -2, 2),  # squares per phase that the belt moves in this direction
    ("belt_right", -2, 2),
    ("belt_turns", 0, 15),  # bits forward, right, back, left: a robot carried in across that side is turned
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


def square_features(elements: Iterable[str] = ()) -> list[Feature]:
    """Return the features of a square, including those of the given groups (`rr_gym.encoding.observe.elements`)."""
    chosen = tuple(elements)
    features = [*SQUARE_FEATURES, *extra_square_features(chosen)]
    if "gold_belts" in chosen:
        for name in ("belt_forward", "belt_right"):
            features[FEATURE_NAMES.index(name)] = (name, -FASTEST_BELT, FASTEST_BELT)
    return features


def check_window(window: int) -> int:
    """Return the window if it is an odd number from 1 to 127; raise a RoboRallyError otherwise."""
    if not isinstance(window, int) or isinstance(window, bool) or window < 1 or window % 2 == 0 or window > 127:
        raise RoboRallyError(f"window: {short_repr(window)}: expected an odd whole number from 1 to 127")
    return window


def board_sheets(tables: Array, window: int, elements: Iterable[str] | None = None) -> Array:
    """Return the static features of all courses, each in four orientations: with north, east, south and west up.

    Args:
        tables: (k,), dtype `TABLE`, `OPTIONS_TABLE` or `FULL_TABLE`.
        window: Odd width of the windows that will be cut out.
        elements: Groups of elements that are observed; by default those that the courses have.

    Returns:
        int8, (k, 4, size, size, features): by course, facing, row, column, feature, with a margin of window // 2
        squares off the board on all sides.
    """
    margin = check_window(window) // 2
    longest = int(max(tables["course"]["width"].max(), tables["course"]["height"].max()))
    chosen = elements_of(tables) if elements is None else tuple(elements)
    size = longest + 2 * margin
    sheets = np.zeros((len(tables), 4, size, size, len(square_features(chosen))), np.int8)
    sheets[..., PIT] = ALL_PHASES
    for k, table in enumerate(tables):
        width, height = int(table["course"]["width"]), int(table["course"]["height"])
        for facing in range(4):
            features = row_features(table, facing, chosen)[: width * height].reshape(height, width, -1)
            turned = np.rot90(features, facing)
            rows, columns = turned.shape[:2]
            sheets[k, facing, margin : margin + rows, margin : margin + columns] = turned
    return sheets


def row_features(table: Table, facing: int, elements: tuple[str, ...]) -> Array:
    """Return the features of a table's rows at the start of games, for a robot's facing: int8, (rows, features)."""
    if "ground" not in (table.dtype.names or ()):
        return np.array(_base_columns(table, facing, _laser_points(table)) + _blank(table, elements), np.int8).T
    lines = np.zeros((int(table["extras"]["num_rows"]), NUM_LINES), np.int16)
    draw_lines(np.zeros(1, GAME)[0], table, lines)
    rows = SquareRows(table, facing, lines)
    lasers = np.array([laser_points(lines, row) for row in range(len(lines))])
    columns = _base_columns(table, facing, lasers)
    if table["settings"]["lava_mode"] != LAVA_LIST:  # K12: lava pits are pits
        columns[PIT] = np.where(rows.surface(LAVA_PIT), ALL_PHASES, columns[PIT])
    for group in groups_of(elements):
        columns += group.columns(rows) if group.columns else [np.zeros(len(lines), int)] * len(group.squares)
    return np.array(columns).clip(-127, 127).astype(np.int8).T


def _blank(table: Table, elements: tuple[str, ...]) -> list[Array]:
    """Return columns of zeros for the features of elements, which a base course does not have."""
    return [np.zeros(int(table["course"]["num_squares"]), np.int8)] * len(extra_square_features(elements))


def _base_columns(table: Table, facing: int, lasers: Array) -> list[Array]:
    """Return the columns of `SQUARE_FEATURES`, with one number for each of the table's rows."""
    squares = table["squares"][: len(lasers)]
    exists = squares["exists"] > 0
    turned = np.roll(np.arange(4), -facing)  # directions forward, right, back, left
    moving = (squares["belt"] > 0) & (squares["belt_direction"] >= 0)
    belt = np.where(moving & exists, (squares["belt_direction"] - facing) % 4, -1)
    speed = squares["belt"].astype(int)
    turns = sum(((squares["belt_turns"] >> side) & 1) << bit for bit, side in enumerate(turned))
    return [
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
        np.minimum(lasers, 127),
    ]


def _laser_points(table: Table) -> Array:
    """Return points of damage per square; where two lasers face each other, only the stronger one counts (U9)."""
    points = np.zeros(int(table["course"]["num_squares"]), int)
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
    return points


@kernel
def copy_window(sheet: Array, row: int, column: int, window: int, num_features: int, out: Array, start: int) -> None:
    """Copy a window of a sheet, (size, size * features), line by line into `out` from the index `start` on."""
    length = window * num_features
    for i in range(window):
        source = sheet[row + i, column * num_features : column * num_features + length]
        target = out[start + i * length : start + (i + 1) * length]
        for j in range(length):
            target[j] = source[j]
