"""Workers that play the deals of a match, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.evaluation.block_worker import BlockWorker
from rr_gym.evaluation.deals import DealBatch, DealPlan, Deals
from rr_gym.evaluation.lost_games import LostGame
from rr_gym.players import Player
from rr_gym.players.notes import Counts, PlayerNotes
from rr_gym.rules.arena.arena import Arena
from rr_gym.runner import TurnCallback

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class PlayedBatch:
    """What came out of a batch of deals.

    Attributes:
        facts: The outcome, by fact: (deals, rotations, ...).
        lost: Games that the player under test lost, as many as are wanted.
        counts: The decisions and faults of each distinct player in these games.
        last: The last fault of each of them, in words; empty where none was described.
    """

    facts: Mapping[str, Array]
    lost: Sequence[LostGame]
    counts: Counts
    last: Sequence[str]


class MatchWorker(BlockWorker[DealBatch, PlayedBatch]):
    """Plays batches of deals of a match.

    Args:
        plan: How the deals are played.
        arena: The courses with their settings.
        players: The line-up: players, or names, for each of which a player is created.
        make: Creates a player from its name.
    """

    def __init__(
        self, plan: DealPlan, arena: Arena, players: Sequence[str | Player], make: Callable[[str], Player]
    ) -> None:
        super().__init__(players, make, each=True)
        self._deals = Deals(plan, arena, self.players)

    def play(self, block: DealBatch, tell: TurnCallback) -> PlayedBatch:
        """Play a batch of deals in all rotations."""
        notes = PlayerNotes(self.players)
        facts, lost = self._deals.play(block, tell)
        return PlayedBatch(facts, lost, notes.counts(), notes.last())
