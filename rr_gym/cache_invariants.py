"""What caches of a game must cover (`GameCaches`): they may mark more than there is to look at, never less.

Checked between two turns. What is looked for anew in every phase (`stirred`, `shifted`, `unsettled`, `aloft`) has
nothing to cover then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.invariants import Violation
from rr_gym.rules.devices.watch import ACT_BY_CONTACT, BY_HAND, PLACE_BITS
from rr_gym.rules.state.constants import BIG_ONE_TOKEN, MAX_DEVICES, NO_DEVICE, PROXIMITY_TOKEN, TELEPORTER_TOKEN

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
    danger = games["danger"].astype(np.int64)
    forgotten = {
        "kinds": there & (games["kinds"].astype(np.int64)[:, None] >> kinds & 1 == 0),
        "big_one": there & (kinds == BIG_ONE_TOKEN) & (games["big_one"][:, None] != np.arange(MAX_DEVICES)),
        "danger": (contact & ~_has(danger, places)) | (near & ~_has(danger, beside)).any(axis=-1),
        "teleporters": there & (kinds == TELEPORTER_TOKEN) & ~_has(games["teleporters"].astype(np.int64), places),
        "features_under_devices": there & _misses_features(games, arena, places),
    }
    return [
        Violation(int(g), f"device {k}: the cache {name} has forgotten it")
        for name, mask in forgotten.items()
        for g, k in np.argwhere(mask)
    ]


def _has(masks: Array, places: Array) -> Array:
    """Whether masks of places, one for each game, have places; shape of `places`."""
    masks = masks.reshape(masks.shape + (1,) * (places.ndim - 1))
    has: Array = masks >> places % PLACE_BITS & 1 == 1
    return has


def _misses_features(games: Array, arena: Arena, places: Array) -> Array:
    """The features under a device are not in `features_under_devices`, where that is known.

    Places in rooms that turn are left out.
    """
    courses = games["course"][:, None]
    active, room = arena.tables["active"][courses, places], arena.tables["room_of"][courses, places]
    known = games["features_under_devices"].astype(np.int64)[:, None]
    misses: Array = (known >= 0) & (room < 0) & (active & ~known != 0)
    return misses
