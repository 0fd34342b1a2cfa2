"""Observations of many rows as float32: the same values, or scaled for networks (`rr_gym.policies.scaling`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.observe.board import square_features
from rr_gym.encoding.observe.entities import board_window
from rr_gym.encoding.observe.observations import Observation, Observer
from rr_gym.policies.scaling import NATIVE, SCALED, scaled_tables
from rr_gym.policies.step_form import StepForm

Array = np.ndarray[Any, Any]


def _tiled(bounds: Sequence[int], window: int) -> Array:
    """Return the bounds of the features of a square for all squares of a window."""
    return np.tile(np.array(bounds, np.int8), (window, window, 1))


class FloatObservations:
    """Converts observations from whole numbers to float32 with the same values.

    Args:
        native: The space of the observation in whole numbers.

    Attributes:
        low: The lowest values of a row's arrays, by name; the name is empty if an observation is one array.
        high: The highest values.
    """

    def __init__(self, native: spaces.Space[Any]) -> None:
        self._named = isinstance(native, spaces.Dict)
        self.low: dict[str, Array] = {}
        self.high: dict[str, Array] = {}
        for name, box in (native.spaces if isinstance(native, spaces.Dict) else {"": native}).items():
            assert isinstance(box, spaces.Box)
            self.low[name], self.high[name] = box.low, box.high

    def space(self) -> spaces.Space[Any]:
        """Make a new space for one observation."""
        boxes: dict[str, spaces.Space[Any]] = {
            name: spaces.Box(low.astype(np.float32), self.high[name].astype(np.float32), dtype=np.float32)
            for name, low in self.low.items()
        }
        return spaces.Dict(boxes) if self._named else boxes[""]

    def buffer(self, rows: int) -> Observation:
        """Allocate uninitialised arrays for the observations of `rows` rows."""
        arrays = {name: np.empty((rows, *low.shape), np.float32) for name, low in self.low.items()}
        return arrays if self._named else arrays[""]

    def write(self, native: Observation, out: Observation) -> None:
        """Write the observations of rows of whole numbers."""
        given = native if isinstance(native, dict) else {"": native}
        for name, array in (out if isinstance(out, dict) else {"": out}).items():
            self._write_table(name, given, array)

    def _write_table(self, name: str, native: Mapping[str, Array], out: Array) -> None:
        np.copyto(out, native[name])


class ScaledObservations(FloatObservations):
    """Converts observations from whole numbers to scaled ones, with the window itself in place of the index `board`.

    Args:
        facts: From `rr_gym.policies.spec.policy_facts`.
        observer: The observer of the board.
        native: The space of the observation in whole numbers.
    """

    def __init__(self, facts: Mapping[str, Any], observer: Observer, native: spaces.Space[Any]) -> None:
        super().__init__(native)
        self._tables = scaled_tables(facts)
        self._observer = observer
        if "board" in self.low:
            del self.low["board"], self.high["board"]
            if "planes" not in self.low:
                _, least, most = zip(*square_features(observer.elements), strict=True)
                self.low["planes"], self.high["planes"] = (_tiled(one, observer.window) for one in (least, most))
        for name, low in self.low.items():
            # Rows that nobody plays are zeros.
            self.low[name], self.high[name] = self._tables[name].bounds(
                np.minimum(low, 0), np.maximum(self.high[name], 0)
            )

    def _write_table(self, name: str, native: Mapping[str, Array], out: Array) -> None:
        table = native.get(name)
        if table is None:
            table = board_window(self._observer.boards, native["board"], self._observer.window)
        self._tables[name].write(table, out)


class RowObservations:
    """What rows observe, in one of `OBSERVATION_DTYPES`.

    Args:
        form: Writes the observations in whole numbers.
        observation_dtype: The form in which they are returned.
    """

    def __init__(self, form: StepForm, observation_dtype: str) -> None:
        self._form = form
        self._floats: FloatObservations | None = None
        self._native: Observation = None  # a buffer in whole numbers for all rows, if rows get floats
        if observation_dtype == SCALED:
            self._floats = ScaledObservations(form.facts(), form.observer, form.space())
        elif observation_dtype != NATIVE:
            self._floats = FloatObservations(form.space())

    def space(self) -> spaces.Space[Any]:
        """Make a new space for one row's observation."""
        return (self._floats or self._form).space()

    def buffer(self, rows: int) -> Observation:
        """Allocate uninitialised arrays for the observations of `rows` rows."""
        return (self._floats or self._form).buffer(rows)

    @property
    def bytes_of_a_row(self) -> int:
        """The memory of one row's observation in bytes, including the whole numbers from which floats are converted."""
        seen = [self.buffer(1), *([self._form.buffer(1)] if self._floats else [])]
        return sum(int(array.nbytes) for one in seen for array in (one.values() if isinstance(one, dict) else [one]))

    def observe(self, games: Array, seats: Array, numbers: Array | None = None, out: Observation = None) -> Observation:
        """Return observations; the arguments are those of `StepForm.observe`."""
        if self._floats is None:
            return self._form.observe(games, seats, numbers, out)
        native = self._form.observe(games, seats, numbers, self._native if numbers is None else None)
        if numbers is None:
            self._native = native
        out = self.buffer(len(seats if numbers is None else numbers) * seats.shape[1]) if out is None else out
        self._floats.write(native, out)
        return out
