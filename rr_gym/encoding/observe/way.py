"""The table `way`: the distance from each square of the window to the next flag, in registers."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.observe.groups import Feature
from rr_gym.solo.distances import path_distances

Array = np.ndarray[Any, Any]

WAY = "way"  # the name of the table
FARTHEST_WAY = 255  # in registers; the longest distance, also used where there is no path
WAY_FEATURES: tuple[Feature, ...] = (("registers_to_go", 0, FARTHEST_WAY),)


def way_sheets(tables: Array, window: int, size: int) -> Array:
    """Return the distance to each flag, in registers, from every square with the best facing, as `board_sheets` does.

    Args:
        tables: (k,), dtype `TABLE`, `OPTIONS_TABLE` or `FULL_TABLE`.
        window: Odd width of the windows that will be cut out.
        size: The width and height of the sheets, as in `board_sheets`.

    Returns:
        int16, (k, flags + 1, 4, size, size): by course, flags touched, facing, row and column; 0 after the last flag.
    """
    margin = window // 2
    most = int(tables["course"]["num_flags"].max())
    sheets = np.full((len(tables), most + 1, 4, size, size), FARTHEST_WAY, np.int16)
    for k, table in enumerate(tables):
        width, height = int(table["course"]["width"]), int(table["course"]["height"])
        distances = path_distances(table)[:, : width * height].min(-1).clip(0, FARTHEST_WAY)
        sheets[k, len(distances) :] = 0
        for flag, squares in enumerate(distances):
            for facing in range(4):
                turned = np.rot90(squares.reshape(height, width), facing)
                rows, columns = turned.shape
                sheets[k, flag, facing, margin : margin + rows, margin : margin + columns] = turned
    return sheets


def cut_ways(sheets: Array, index: Array, flags: Array, window: int) -> Array:
    """Cut windows out of `way_sheets`: int16, (..., window, window, 1).

    Args:
        sheets: From `way_sheets`.
        index: (..., 4): `board` of the observations.
        flags: (...): how many flags the own robot has touched.
        window: The window of the observer.
    """
    course, facing, row, column = np.moveaxis(np.asarray(index, np.intp)[..., None, None, :], -1, 0)
    flag = np.asarray(flags, np.intp)[..., None, None]
    span = np.arange(window)
    ways: Array = sheets[course, np.minimum(flag, sheets.shape[1] - 1), facing, row + span[:, None], column + span]
    return ways[..., None]
