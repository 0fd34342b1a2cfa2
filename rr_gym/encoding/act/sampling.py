"""Random legal actions, for batches and for single rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError, short_repr

Array = np.ndarray[Any, Any]


def random_actions(mask: Array, rng: np.random.Generator) -> Array:
    """Draw a legal choice for each component, independently and uniformly at random.

    Args:
        mask: (..., choices), bool or numbers, nonzero for legal; each row needs at least one legal choice. The mask of
          one action or of a batch, from any interface.
        rng: The source of randomness.

    Returns:
        int64, of the mask's shape without its last axis: one choice for each row.

    Raises:
        RoboRallyError: The mask has no axis of choices, or `rng` is not a generator.
    """
    if not isinstance(rng, np.random.Generator):
        raise RoboRallyError(f"rng: {type(rng).__name__}: expected a numpy.random.Generator")
    try:
        mask = np.asarray(mask)
    except ValueError:
        raise RoboRallyError(f"mask: {short_repr(mask)}: expected an array with a last axis of choices") from None
    if mask.ndim == 0 or mask.shape[-1] == 0 or mask.dtype.kind not in "biuf":
        raise RoboRallyError(f"mask: {mask.dtype} {mask.shape}: expected a last axis of choices")
    lots = rng.random(mask.shape, np.float32)
    np.subtract(1, lots, out=lots)  # above 0, so that a legal choice always has the highest
    lots *= mask
    return np.asarray(lots.argmax(axis=-1))
