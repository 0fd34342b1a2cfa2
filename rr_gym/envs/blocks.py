"""Blocks of games that depend only on a seed and the block's number, so that any process can play any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rr_gym.envs.core import Core

Array = np.ndarray[Any, Any]


def begin_block(core: Core, seed: int, block: int) -> Array:
    """Start the games of a block; games take the courses in turn.

    Args:
        core: Where the games are played; its number of games is the size of a block.
        seed: The seed of all blocks.
        block: The number of the block, from 0.

    Returns:
        The numbers of the games, counted over all blocks: int64, (games,).
    """
    numbers: Array = block * core.num_games + np.arange(core.num_games)
    core.reset(seed)
    if block:
        core.games["episode"] = block - 1
        core.restart(np.ones(core.num_games, np.bool_), numbers % len(core.arena.courses))
    return numbers
