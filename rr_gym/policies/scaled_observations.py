"""Observations of many rows, scaled for networks (`rr_gym.policies.scaling`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.observe.board import square_features
from rr_gym.encoding.observe.entities import board_window
from rr_gym.encoding.observe.observations import Observation, Observer
from rr_gym.policies.scaling import scaled_tables

Array = np.ndarray[Any, Any]


def _tiled(bounds: Sequence[int], window: int) -> Array:
    """Return the bounds of the features of a square for all squares of a window."""
    return np.tile(np.array(bounds, np.int8), (window, window, 1))


class ScaledObservations:
    """Makes scaled observations out of whole numbers. In place of `board`, an index, they have the window itself.

    Args:
        facts: From `rr_gym.policies.spec.policy_facts`.
        observer: The observer of the board.
        native: The space of the observation in whole numbers.
    """

    def __init__(self, facts: Mapping[str, Any], observer: Observer, native: spaces.Space[Any]) -> None:
        self._tables = scaled_tables(facts)
        self._observer = observer
        named = native.spaces if isinstance(native, spaces.Dict) else {"": native}
        self._named = isinstance(native, spaces.Dict)
        self.low: dict[str, Array] = {}
        self.high: dict[str, Array] = {}
        for name, box in named.items():
            assert isinstance(box, spaces.Box)
            low, high = box.low, box.high
            if name == "board":
                if "planes" in named:
                    continue
                _, least, most = zip(*square_features(observer.elements), strict=True)
                name, low, high = "planes", _tiled(least, observer.window), _tiled(most, observer.window)
            # Rows that nobody plays are zeros.
            self.low[name], self.high[name] = self._tables[name].bounds(np.minimum(low, 0), np.maximum(high, 0))

    def space(self) -> spaces.Space[Any]:
        """Make a new space for one observation."""
        boxes: dict[str, spaces.Space[Any]] = {
            name: spaces.Box(low, self.high[name], dtype=np.float32) for name, low in self.low.items()
        }
        return spaces.Dict(boxes) if self._named else boxes[""]

    def buffer(self, rows: int) -> Observation:
        """Allocate uninitialised arrays for the observations of some rows."""
        arrays = {name: np.empty((rows, *low.shape), np.float32) for name, low in self.low.items()}
        return arrays if self._named else arrays[""]

    def write(self, native: Observation, out: Observation) -> None:
        """Write the scaled observations of rows of whole numbers."""
        given = native if isinstance(native, dict) else {"": native}
        for name, array in (out if isinstance(out, dict) else {"": out}).items():
            seen = given.get(name)
            if seen is None:
                seen = board_window(self._observer.boards, given["board"], self._observer.window)
            self._tables[name].write(seen, array)
