"""What plays games in blocks, in this process or in one of several: it makes the players, and stops when it is told."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import nullcontext, redirect_stderr
from typing import Generic, TypeVar

import numpy as np

from rr_gym.asking import close_players, make_by
from rr_gym.evaluation.processes import Pause
from rr_gym.players import Player
from rr_gym.runner import Tell

Block = TypeVar("Block")
Result = TypeVar("Result")


class StoppedError(Exception):
    """Whoever waits for a block does so no more."""


def block_seed(seed: int, block: int) -> int:
    """Return the seed of a block: what it plays depends on nothing else, whichever process plays it and when."""
    return int(np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)[0])


class BlockWorker(ABC, Generic[Block, Result]):
    """Plays blocks of games with the same players, one block after the other.

    Args:
        players: Names, each of which is made once; or players, which others close.
        make: Creates a player from its name.
        quiet: Whether players have been made elsewhere before, and what they warn of has been shown.
    """

    def __init__(self, players: Iterable[str | Player], make: Callable[[str], Player], *, quiet: bool = True) -> None:
        self._own: list[Player] = []
        made: dict[str | Player, Player] = {}
        self.players: list[Player] = []
        with redirect_stderr(io.StringIO()) if quiet else nullcontext():
            for player in players:
                if player not in made:
                    made[player] = player if isinstance(player, Player) else make_by(make, player)
                    if isinstance(player, str):
                        self._own.append(made[player])
                self.players.append(made[player])

    @abstractmethod
    def play(self, block: Block, tell: Tell) -> Result:
        """Play a block; `tell` is to be called now and then, and ends it by an exception if nobody waits for it."""

    def __call__(self, block: Block, pause: Pause = lambda over: False) -> Result | None:
        """Play a block.

        Args:
            block: What is played.
            pause: Called now and then with the number of games over. If it returns true, playing ends.

        Returns:
            What came of it; None if it was stopped.
        """

        def tell(over: int) -> None:
            if pause(over):
                raise StoppedError

        try:
            return self.play(block, tell)
        except StoppedError:
            return None

    def close(self) -> None:
        """Close the players that were made here."""
        close_players(self._own)
