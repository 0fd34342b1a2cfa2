"""Compute flags and feature bits of each row, by which rules skip the many rows that have nothing special."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.tables import ground as bits
from rr_gym.courses.tables.tables import HAS_PUSHERS, machines_on
from rr_gym.courses.tables.terrain import code, lies_at

Records = NDArray[Any]


def special_rows(squares: Records, ground: Records) -> NDArray[np.uint8]:
    """Return the flags ACTS to PULLED (`rr_gym.courses.tables.ground`) of each row; uint8, (rows,)."""
    acts = np.zeros(len(ground), np.bool_)
    for element in ELEMENTS:
        if field := element.acts_on_arrival:
            acts |= lies_at(element, field, ground)
    slopes = (
        (ground["up"] >= 0)
        | (ground["ramp"] >= 0).any(axis=1)
        | (ground["ramp_down"] > 0)
        | (ground["has_elevator"] > 0)
    )
    beside = squares["neighbour"].astype(np.int64)
    turns = ground["room"] >= 0
    by_room = turns | (turns[beside] & (beside >= 0)).any(axis=1)
    faces = (ground["kinds"] > 0).any(axis=1)
    places = ground["place"].astype(np.int64)
    by_mega = _beside(ground["mega"] > 0, squares, turns)[places]
    pulled = _in_cross(ground["overlays"] & (bits.MAGNET | bits.BLACK_HOLE) > 0, squares, turns)[places]
    marks = {
        bits.ACTS: acts,
        bits.SLOPES: slopes,
        bits.FACES: faces,
        bits.BY_ROOM: by_room,
        bits.BY_MEGA: by_mega,
        bits.PULLED: pulled,
    }
    found: Records = np.sum([np.asarray(has, np.uint8) * bit for bit, has in marks.items()], axis=0)
    return found.astype(np.uint8)


def _beside(found: NDArray[np.bool_], squares: Records, turns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the rows that have a neighbour where `found` is set; all rows if any such square turns with a room."""
    beside = squares["neighbour"].astype(np.int64)
    return np.asarray((found[beside] & (beside >= 0)).any(axis=1) | (found & turns).any())


def _in_cross(found: NDArray[np.bool_], squares: Records, turns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the rows in the row or column of a square where `found` is set.

    If any such square turns with a room, these are all rows.
    """
    in_line = np.isin(squares["x"], squares["x"][found]) | np.isin(squares["y"], squares["y"][found])
    return np.asarray(in_line | (found & turns).any())


def row_features(squares: Records, ground: Records) -> NDArray[np.int64]:
    """Return for every row the feature bits of elements that act on robots standing there; int64, (rows,)."""
    pits = (squares["pit"] > 0) | (ground["crumbly"] >= 0) | (ground["surface"] == bits.LAVA_PIT)  # in some phase
    present = machines_on(squares) | {bits.HAS_TIMED_PITS | bits.HAS_DRAWBRIDGES: pits}
    present[HAS_PUSHERS] |= (ground["hydraulics"] > 0).any(axis=1)
    features = np.sum([found.astype(np.int64) * bit for bit, found in present.items()], axis=0)
    for element in ELEMENTS:
        if field := element.acts_on_occupants:
            features |= np.where(lies_at(element, field, ground), code(element.features[0]), 0)
    return np.asarray(features, np.int64)
