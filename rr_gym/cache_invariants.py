"""What caches of a game must cover (`GameCaches`): they may mark more than there is to look at, never less.

Checked between two turns. What is looked for anew in every phase (`stirred`, `shifted`) has nothing to
cover then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.rules.arena.ranges import Violation
from rr_gym.rules.devices.watch import ACT_BY_CONTACT, BY_HAND, MOVE_DEVICES
from rr_gym.rules.floor.positions import PLACE_BITS
from rr_gym.rules.state.constants import (
    BIG_ONE_TOKEN,
    MAX_DEVICES,
    MISSILE_TOKEN,
    NO_DEVICE,
    PROXIMITY_TOKEN,
    TELEPORTER_TOKEN,
)

if TYPE_CHECKING:
    from rr_gym.rules.arena.arena import Arena

Array = np.ndarray[Any, Any]


def find_stale_caches(games: Array, arena: Arena) -> list[Violation]:
    """Devices that a cache has forgotten.

    Args:
        games: Shape (n,), dtype `GAME`, between two turns; unchanged.
        arena: The arena that they are played in.
    """
    if "ground" not in (arena.tables.dtype.names or ()) or not games["num_devices"].any():
        return []
    devices = games["devices"]
    kinds = devices["kind"].astype(np.int64)
    there = (kinds != NO_DEVICE) & (np.arange(MAX_DEVICES) < games["num_devices"][:, None])
    places = np.maximum(devices["square"].astype(np.int64), 0)
    near = (there & (kinds == PROXIMITY_TOKEN))[..., None]
    width = arena.tables["course"]["width"].astype(np.int64)[games["course"]][:, None]
    beside = np.stack([places + 1, places - 1, places + width, places - width], axis=-1)
    contact = there & (ACT_BY_CONTACT >> kinds & 1 == 1) & (devices["spares"] & BY_HAND == 0)
    danger = games["danger"]
    under = _features_under(games, arena, places)
    known = games["features_under_devices"].astype(np.int64)[:, None]
    forgotten = {
        "of_kind": there & ~_has_slot(np.take_along_axis(games["of_kind"], _kind_numbers(kinds), axis=1)),
        "sparing": (devices["spares"] != 0) & ~_has_slot(games["sparing"][:, None]),
        "big_one": there & (kinds == BIG_ONE_TOKEN) & (games["big_one"][:, None] != np.arange(MAX_DEVICES)),
        "danger": (contact & ~_has(danger, places)) | (near & ~_has(danger, beside)).any(axis=-1),
        "teleporters": there & (kinds == TELEPORTER_TOKEN) & ~_has_teleporter(games, places),
        "features_under_devices": there & (under & ~known != 0),
        "taken_along": there & (under & MOVE_DEVICES != 0) & ~_has_slot(games["taken_along"][:, None]),
    }
    return [
        Violation(int(g), f"device {k}: the cache {name} has forgotten it")
        for name, mask in forgotten.items()
        for g, k in np.argwhere(mask)
    ]


def _has(masks: Array, places: Array) -> Array:
    """Whether masks of places, one for each game, have places; shape of `places`."""
    masks = masks.reshape(masks.shape + (1,) * (places.ndim - 1))
    has: Array = masks >> (places % PLACE_BITS).astype(np.uint64) & np.uint64(1) == 1
    return has


def _has_slot(masks: Array) -> Array:
    """Whether masks of devices, one for each device or for all of a game, have the device; shape (games, devices)."""
    has: Array = masks >> np.arange(MAX_DEVICES, dtype=np.uint64) & np.uint64(1) == 1
    return has


def _kind_numbers(kinds: Array) -> Array:
    """See `kind_number`; 0 where there is no device."""
    numbers: Array = np.clip(kinds, 1, MISSILE_TOKEN) - 1
    return numbers


def _has_teleporter(games: Array, places: Array) -> Array:
    """Whether the mask of portable teleporters has places."""
    words = np.take_along_axis(games["teleporters"], places >> 6 & 1, axis=1)
    has: Array = words >> (places & 63).astype(np.uint64) & np.uint64(1) == 1
    return has


def _features_under(games: Array, arena: Arena, places: Array) -> Array:
    """The features under devices, as far as caches know them: none where they do not, nor in rooms that turn."""
    courses = games["course"][:, None]
    active, room = arena.tables["active"][courses, places], arena.tables["room_of"][courses, places]
    known = (games["features_under_devices"][:, None] >= 0) & (room < 0)
    under: Array = np.where(known, active, 0)
    return under
