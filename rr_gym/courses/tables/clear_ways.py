"""How far around a square nothing makes ways on foot longer than rows and columns tell: nobody looks for them there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.text.grammar import STEPS

FARTHEST = 6  # steps that are looked at: as far as any explosion reaches (R-X2.1)

Mask = NDArray[np.bool_]


def put_clear_ways(squares: NDArray[Any], ground: NDArray[Any], size: tuple[int, int]) -> None:
    """Set `clear` of the squares of a layout.

    A way is clear that leads away from its square with every step, over sides without walls or doors, on one level, and
    not over ramps, elevators or squares of rotating rooms: then no other way is shorter.

    Args:
        squares: Rows of SQUARE, of which those of the layout come first.
        ground: Their rows of GROUND; (0,) without expansions.
        size: Width and height of the layout.
    """
    width, height = size
    rows = squares[: width * height]
    exists = rows["exists"].reshape(height, width) > 0
    steps = _steps(rows, ground[: width * height], exists)
    ways = {(0, 0): np.ones_like(exists)}
    clear = np.zeros(exists.shape, np.int8)
    so_far = np.ones_like(exists)
    for distance in range(1, FARTHEST + 1):
        for dx in range(-distance, distance + 1):
            for dy in {distance - abs(dx), abs(dx) - distance}:
                way = np.zeros_like(exists)
                for step, (step_x, step_y) in zip(steps, STEPS, strict=True):
                    before = dx - step_x, dy - step_y
                    if step_x * dx > 0 or step_y * dy > 0:
                        way |= ways[before] & _seen_from(step, *before)
                ways[dx, dy] = way
                so_far &= way | ~_seen_from(exists, dx, dy)
        clear[so_far] = distance
    rows["clear"] = clear.ravel()


def _steps(rows: NDArray[Any], ground: NDArray[Any], exists: Mask) -> list[Mask]:
    """By direction: from which squares a step is always open and leads to a square like it."""
    plain = exists.copy()
    if len(ground):
        slopes = (ground["ramp"] >= 0).any(axis=1) | (ground["ramp_down"] > 0) | (ground["has_elevator"] > 0)
        plain &= ~(slopes | (ground["room"] >= 0)).reshape(exists.shape)
    walls = rows["wall"].reshape(*exists.shape, 4)
    levels = rows["level"].reshape(exists.shape)
    return [
        plain & _seen_from(plain, dx, dy) & (walls[:, :, side] == 0) & (levels == _seen_from(levels, dx, dy))
        for side, (dx, dy) in enumerate(STEPS)
    ]


def _seen_from(values: NDArray[Any], dx: int, dy: int) -> NDArray[Any]:
    """By square (y, x) the value of the one at (y + dy, x + dx); 0 beyond the layout."""
    height, width = values.shape
    seen = np.zeros_like(values)
    if abs(dx) < width and abs(dy) < height:
        to_y, to_x = slice(max(0, -dy), height - max(0, dy)), slice(max(0, -dx), width - max(0, dx))
        from_y, from_x = slice(max(0, dy), height - max(0, -dy)), slice(max(0, dx), width - max(0, -dx))
        seen[to_y, to_x] = values[from_y, from_x]
    return seen
