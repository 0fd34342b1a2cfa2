"""The seeds of games by the keys of JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def seed_bytes(key: Any) -> Any:
    """Return the seed of a key as its eight bytes, the lowest first: uint8, (8,)."""
    words = jax.random.bits(key, (2,), jnp.uint32)
    return jax.lax.bitcast_convert_type(words, jnp.uint8).reshape(8)


def seeds_of(keys: Any) -> np.ndarray[Any, Any]:
    """Return the seeds of games that begin with keys, for `Arena.new_games` and other environments of this package.

    Args:
        keys: One axis of keys, typed (`jax.random.key`) or raw (`jax.random.PRNGKey`).

    Returns:
        uint64, (keys,).
    """
    return np.asarray(jax.vmap(seed_bytes)(keys)).view(np.uint64)[:, 0]
