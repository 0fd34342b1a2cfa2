"""The features of squares of courses with expansions, relative to a robot's facing, as columns of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.observe.frame import AHEAD_X, AHEAD_Y
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]


class SquareRows:
    """Reads feature columns from all rows of a table, relative to a robot's facing. A column has one number per row.

    Args:
        table: The course, of dtype `OPTIONS_TABLE` or `FULL_TABLE`.
        facing: 0-3.
        lines: Lines across the squares (`rr_gym.encoding.observe.lines`): (rows, NUM_LINES).

    Attributes:
        squares: The rows of SQUARE.
        ground: The rows of GROUND.
    """

    def __init__(self, table: Table, facing: int, lines: Array) -> None:
        count = int(table["extras"]["num_rows"])
        self.squares: Array = table["squares"][:count]
        self.ground: Array = table["ground"][:count]
        self.capacities: Array = table["extras"]["capacities"]
        self.lines = lines
        self.facing = facing
        self._sides = np.roll(np.arange(4), -facing)  # directions forward, right, back, left

    def surface(self, *surfaces: int) -> Array:
        """Return a bool column that is True where the square has one of the surfaces."""
        return np.isin(self.ground["surface"], surfaces)

    def overlay(self, mask: int) -> Array:
        """Return a bool column that is True where the square has an overlay of the mask."""
        there: Array = (self.ground["overlays"] & mask) != 0
        return there

    def sides(self, values: Array) -> list[Array]:
        """Return values by direction, (rows, 4), as columns forward, right, back, left."""
        return [values[:, side] for side in self._sides]

    def kind(self, kind: int) -> list[Array]:
        """Return four columns: for each side, whether it is of the given kind."""
        return self.sides(self.ground["kinds"] == kind)

    def side_bits(self, masks: Array) -> Array:
        """Convert masks of sides, with bits n, e, s, w, to masks with bits forward, right, back, left."""
        return sum(((masks >> side) & 1) << mask for mask, side in enumerate(self._sides))  # type: ignore[return-value]

    def arrow(self, directions: Array) -> list[Array]:
        """Convert directions to two columns, the step forward and the step to the right; zeros for direction -1."""
        ahead = np.where(directions >= 0, (directions.astype(int) - self.facing) % 4, -1)
        return [(ahead == 0).astype(int) - (ahead == 2), (ahead == 1).astype(int) - (ahead == 3)]

    def vector(self, x: Array, y: Array) -> list[Array]:
        """Convert offsets to the east and south to two columns: offsets forward and to the right."""
        ahead_x, ahead_y = AHEAD_X[self.facing], AHEAD_Y[self.facing]
        return [x * ahead_x + y * ahead_y, y * ahead_x - x * ahead_y]

    def way_to(self, places: Array) -> list[Array]:
        """Return two columns, the offsets forward and to the right of the given places; zeros for place -1."""
        here = self.ground["place"]
        there = np.where(places >= 0, places, here)
        x, y = (self.squares[axis][there].astype(int) - self.squares[axis][here] for axis in ("x", "y"))
        return self.vector(x, y)
