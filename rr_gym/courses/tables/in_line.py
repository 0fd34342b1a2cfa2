"""Mark the squares in line with beams, ventilators and mirrors, and those beside lava. Rules skip all others.

A line runs from its mount to the edge of the layout, through all obstacles. A mount in a rotating room may come to
point anywhere, so its bits are set on every row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.tables.ground import LAVA_PIT, LINE_FAN, LINE_LASER, LINE_MELTING, MIRROR_AHEAD, NEAR_LAVA
from rr_gym.courses.text.grammar import STEPS, SquarePart

_BEAMS = {"board_laser": LINE_LASER, "melting_beam": LINE_MELTING, "ventilator": LINE_FAN}


def put_lines(ground: NDArray[Any], size: tuple[int, int], sides: Iterable[tuple[int, SquarePart]]) -> None:
    """Set `in_line` of the rows of a course; `sides` pairs the numbers of squares with the sides on them."""
    width, height = size
    for square, part in sides:
        if part.element == "mirror":
            bit = MIRROR_AHEAD << part.side
        elif part.element in _BEAMS:
            bit = _BEAMS[part.element]
        else:
            continue
        if ground["room"][square] >= 0:
            ground["in_line"] |= np.uint8(15 if part.element == "mirror" else bit)
            continue
        (dx, dy), x, y = STEPS[(part.side + 2) % 4], square % width, square // width
        while 0 <= x < width and 0 <= y < height:
            ground["in_line"][y * width + x] |= bit
            x, y = x + dx, y + dy
    for square in np.flatnonzero(ground["surface"] == LAVA_PIT).tolist():
        if ground["room"][square] >= 0:
            ground["in_line"] |= np.uint8(NEAR_LAVA)
        x, y = square % width, square // width
        for row in range(max(y - 1, 0), min(y + 2, height)):
            ground["in_line"][row * width + max(x - 1, 0) : row * width + min(x + 2, width)] |= NEAR_LAVA
    hidden = ground["up"] >= 0
    ground["in_line"][hidden] = ground["in_line"][ground["place"][hidden]]
