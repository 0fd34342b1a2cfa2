"""Games of a core in which all seats are players, in blocks that depend only on the seed and the block's number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders, take_games

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


class CoreGames:
    """The games of a core, as `rr_gym.runner` plays them: those that are over stay where they are.

    Args:
        core: The core whose games these are.
    """

    def __init__(self, core: Core) -> None:
        self.core = core

    @property
    def arena(self) -> Arena:
        """The arena in which they are played."""
        return self.core.arena

    @property
    def running(self) -> Array:
        """The numbers of the games that are not over: int64, (running,)."""
        return np.flatnonzero(~self.core.ended)

    @property
    def records(self) -> Array:
        """Copies of these games: (running,), dtype `GAME`."""
        return take_games(self.core.games, self.running)

    @property
    def num_over(self) -> int:
        """How many games are over."""
        return int(self.core.ended.sum())

    def of_all(self, orders: Array) -> Array:
        """Expand orders of the running games, (running, 8), to all games, (games, 8), with empty orders elsewhere."""
        everywhere = no_orders(self.core.num_games, MAX_ROBOTS, full=True)
        everywhere[self.running] = orders
        return everywhere
