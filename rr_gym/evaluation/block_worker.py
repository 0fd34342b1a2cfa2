"""Workers that play games in blocks, in this process or in several: they create the players, and stop when told to."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import nullcontext, redirect_stderr
from typing import Generic, TypeVar

import numpy as np

from rr_gym.evaluation.processes import ProgressCallback
from rr_gym.player_calls import close_players, make_named_player
from rr_gym.players import Player
from rr_gym.runner import TurnCallback

Block = TypeVar("Block")
Result = TypeVar("Result")


class StoppedError(Exception):
    """The block is no longer wanted, so the worker stops playing it."""


def block_seed(seed: int, block: int) -> int:
    """Return the seed of a block: what it plays depends on nothing else, whichever process plays it and when."""
    return int(np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)[0])


class BlockWorker(ABC, Generic[Block, Result]):
    """Plays blocks of games with the same players, one block after the other.

    Args:
        players: Names, from each of which a player is created once; or players, which the caller closes.
        make: Creates a player from its name.
        quiet: Whether the players have been created before, so that their warnings need not be shown again.
        each: Whether a name that occurs several times stands for as many players, each with a seed of its own.
    """

    def __init__(
        self,
        players: Iterable[str | Player],
        make: Callable[[str], Player],
        *,
        quiet: bool = True,
        each: bool = False,
    ) -> None:
        self._own: list[Player] = []
        made: dict[str | Player, Player] = {}
        self.players: list[Player] = []
        with redirect_stderr(io.StringIO()) if quiet else nullcontext():
            for player in players:
                if player not in made or (each and isinstance(player, str)):
                    made[player] = player if isinstance(player, Player) else make_named_player(make, player)
                    if isinstance(player, str):
                        self._own.append(made[player])
                self.players.append(made[player])

    @abstractmethod
    def play(self, block: Block, tell: TurnCallback) -> Result:
        """Play a block; call `tell` from time to time, which raises `StoppedError` if the block is no longer wanted."""

    def __call__(self, block: Block, should_stop: ProgressCallback = lambda over: False) -> Result | None:
        """Play a block.

        Args:
            block: The block.
            should_stop: Called from time to time with the number of games that are over; True ends the playing.

        Returns:
            The result of the block; None if it was stopped.
        """

        def tell(over: int) -> None:
            if should_stop(over):
                raise StoppedError

        try:
            return self.play(block, tell)
        except StoppedError:
            return None

    def close(self) -> None:
        """Close the players that this worker has created."""
        close_players(self._own)
