"""Mark offsets whose walking distance is their Manhattan distance, so that rules need not search for a way there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.tables.ground import FARTHEST
from rr_gym.courses.text.grammar import STEPS

Mask = NDArray[np.bool_]


def put_clear_ways(squares: NDArray[Any], ground: NDArray[Any], size: tuple[int, int]) -> None:
    """Set `clear` of the ground of a layout.

    A way is clear if every step leads away from its first square, crosses no wall or door, stays on one level, and
    touches no ramp, elevator or square of a rotating room. No other way can be shorter.

    Args:
        squares: Rows of SQUARE, of which those of the layout come first.
        ground: Their rows of GROUND.
        size: Width and height of the layout.
    """
    width, height = size
    rows = squares[: width * height]
    exists = rows["exists"].reshape(height, width) > 0
    plain = _plain(ground[: width * height], exists)
    steps = [_Seen(step) for step in _steps(rows, plain)]
    ways = {(0, 0): plain}
    clear = np.zeros((*exists.shape, 2 * FARTHEST + 1), np.uint16)
    clear[:, :, FARTHEST] = plain.astype(np.uint16) << np.uint16(FARTHEST)
    for distance in range(1, FARTHEST + 1):
        for dx, dy in _offsets(distance, size):
            way = np.zeros_like(exists)
            for step, (step_x, step_y) in zip(steps, STEPS, strict=True):
                if step_x * dx > 0 or step_y * dy > 0:
                    before = dx - step_x, dy - step_y
                    way |= ways[before] & step.at(*before)
            ways[dx, dy] = way
            clear[:, :, FARTHEST + dy] |= way.astype(np.uint16) << np.uint16(FARTHEST + dx)
    ground["clear"][: width * height] = clear.reshape(width * height, -1)


def _offsets(distance: int, size: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the offsets (dx, dy) at a Manhattan distance that occur between squares of a layout."""
    width, height = size
    for dx in range(max(-distance, 1 - width), min(distance, width - 1) + 1):
        for dy in {distance - abs(dx), abs(dx) - distance}:
            if abs(dy) < height:
                yield dx, dy


def _plain(ground: NDArray[Any], exists: Mask) -> Mask:
    """Return which squares exist, have no ramp or elevator, and are in no rotating room; bool, (height, width)."""
    slopes = (ground["ramp"] >= 0).any(axis=1) | (ground["ramp_down"] > 0) | (ground["has_elevator"] > 0)
    return exists & ~(slopes | (ground["room"] >= 0)).reshape(exists.shape)


def _steps(rows: NDArray[Any], plain: Mask) -> list[Mask]:
    """Return, by direction, where a step is open in all phases and joins two plain squares of one level.

    Each of the four masks is bool, (height, width), indexed by the square that the step leaves.
    """
    walls = rows["wall"].reshape(*plain.shape, 4)
    levels = rows["level"].reshape(plain.shape)
    next_plain, next_levels = _Seen(plain), _Seen(levels)
    return [
        plain & next_plain.at(dx, dy) & (walls[:, :, side] == 0) & (levels == next_levels.at(dx, dy))
        for side, (dx, dy) in enumerate(STEPS)
    ]


class _Seen:
    """Values of squares, shape (height, width), that can be read at an offset from every square at once."""

    def __init__(self, values: NDArray[Any]) -> None:
        self._height, self._width = values.shape
        self._values = np.zeros((self._height + 2 * FARTHEST, self._width + 2 * FARTHEST), values.dtype)
        self.at(0, 0)[:] = values

    def at(self, dx: int, dy: int) -> NDArray[Any]:
        """Return for each square (y, x) the value at (y + dy, x + dx), 0 beyond the layout; offsets are at most
        `FARTHEST`.
        """
        x, y = FARTHEST + dx, FARTHEST + dy
        return self._values[y : y + self._height, x : x + self._width]
