"""The deals of a match: each is played once for every rotation of the line-up around the table.

With three or more players, rotations alone would not be fair: a player that follows another in the line-up would sit in
a later seat in most games. So every second deal reverses the line-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.evaluation.lost_games import LostGame, PlayedOrders
from rr_gym.evaluation.luck import LuckBatch
from rr_gym.evaluation.report import facts_of
from rr_gym.players import Player
from rr_gym.players.protocol import reset_players
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import take_games
from rr_gym.runner import Batch, Seats, play_out

Array = np.ndarray[Any, Any]

FIRST_BATCH = 8  # deals; batches grow to the size of the plan, so that an early interruption keeps some
GAMES_AT_ONCE = 4096  # about as many deals are dealt at a time, so that memory holds only these


@dataclass(frozen=True, slots=True)
class DealPlan:
    """How the deals of a match are played; it can be pickled.

    Attributes:
        seats: The number of players.
        courses: The number of courses, which deals take in turn.
        num_deals: The number of deals.
        batch: The largest number of deals that are played at a time.
        block: The number of deals that are dealt at a time: deal d is episode d // `block` of game d % `block`.
        seed: The seed of the deals and of the players.
        salt: The salt besides the seed, 0 without one.
        max_cycles: Turns after which a game is truncated.
        adjusted: Whether to measure the luck of the players.
        watch: How many of the games that the player under test loses are recorded.
    """

    seats: int
    courses: int
    num_deals: int
    batch: int
    block: int
    seed: int
    salt: int
    max_cycles: int
    adjusted: bool
    watch: int

    @classmethod
    def of(cls, seats: int, courses: int, games: int, batch: int, **more: Any) -> DealPlan:
        """Return the plan for at least so many games: equally many on every course, in either direction, in every seat.

        Args:
            seats: The number of players.
            courses: The number of courses.
            games: The least number of games.
            batch: The largest number of deals that are played at a time, rounded up to equally many on every course.
            more: The other attributes.
        """
        even = courses * (2 if seats > 2 else 1)
        return cls(
            seats, courses,
            num_deals=-(-games // (seats * even)) * even,
            batch=-(-batch // even) * even,
            block=max(1, GAMES_AT_ONCE // even) * even,
            **more,
        )  # fmt: skip

    @property
    def even(self) -> int:
        """Return the number of deals after which every course has as many in either direction."""
        return self.courses * len(self.directions)

    @property
    def directions(self) -> tuple[int, ...]:
        """Return the directions of the line-up, 1 or -1, that deals take in turn."""
        return (1, -1) if self.seats > 2 else (1,)

    def batches(self, played: int = 0) -> Iterator[DealBatch]:
        """Yield the batches of the deals that are left after so many.

        The first ones are small: each is as large as all before it together, until they have the size of the plan.
        """
        number = 0
        for block in range(0, self.num_deals, self.block):
            end = min(block + self.block, self.num_deals)
            first = max(block, played)
            while first < end:
                count = min(self.batch, end - first, max(first, -(-FIRST_BATCH // self.even) * self.even))
                yield DealBatch(number, first, count)
                first += count
                number += 1


@dataclass(frozen=True, slots=True)
class DealBatch:
    """Deals `first` to `first + count - 1` of a match; `number` counts batches from 0."""

    number: int
    first: int
    count: int


class Deals:
    """Plays the deals of a match.

    Args:
        plan: How they are played.
        arena: The courses with their settings.
        players: The line-up, the player under test first.
    """

    def __init__(self, plan: DealPlan, arena: Arena, players: Sequence[Player]) -> None:
        self.plan, self.arena, self.players = plan, arena, players
        self._block = 0
        self._games: Array | None = None

    def play(self, batch: DealBatch, report: Callable[[int], None]) -> tuple[dict[str, Array], list[LostGame]]:
        """Play some deals in all rotations. The players stay open.

        Args:
            batch: The deals, all of one block.
            report: Called after every turn with the number of games of these deals that are over.

        Returns:
            The outcome, by fact as in `facts_of`: (deals, rotations, ...); and the first of the games that the player
            under test lost, as many as the plan says.
        """
        plan = self.plan
        deals, numbers = self._dealt(batch), np.arange(batch.first, batch.first + batch.count)
        directions = np.array(plan.directions)[numbers % plan.block // plan.courses % len(plan.directions)]
        facts: dict[str, Array] = {}
        lost: list[LostGame] = []
        places, before = np.arange(plan.seats), 0

        def tell(over: int) -> None:
            report(before + over)

        for one in plan.directions:
            some = directions == one
            rotations = []
            for first in places:
                seats = ((first + one * places) % len(places)).tolist()
                outcome, games = self._play_rotation(take_games(deals, some), numbers[some], seats, tell)
                rotations.append(outcome)
                lost += games
                before += int(some.sum())
            for name in rotations[0]:
                values = np.stack([rotation[name] for rotation in rotations], 1)
                facts.setdefault(name, np.empty((len(deals), *values.shape[1:])))[some] = values
        return facts, sorted(lost, key=lambda game: (game.deal, game.seats))[: plan.watch]

    def _dealt(self, batch: DealBatch) -> Array:
        """Return the games of some deals before their first turn: (deals,), dtype `GAME`."""
        plan, block = self.plan, batch.first // self.plan.block
        if self._games is None or block < self._block:
            size = min(plan.block, plan.num_deals)
            index = np.arange(size) % plan.courses
            self._games = self.arena.new_games(size, plan.seats, seed=plan.seed, course_index=index, salt=plan.salt)
            self._block = 0
        while self._block < block:
            self.arena.restart(self._games)
            self._block += 1
        first = batch.first - block * plan.block
        return self._games[first : first + batch.count]

    def _play_rotation(
        self, games: Array, numbers: Array, seats: list[int], report: Callable[[int], None]
    ) -> tuple[dict[str, Array], list[LostGame]]:
        """Play games with the players in these seats.

        Returns:
            Their outcome by fact: (games, ...); and the first of those that the player under test lost.
        """
        plan = self.plan
        reset_players(self.players, plan.seed, plan.salt)
        luck = LuckBatch(self.arena, games, plan.max_cycles, self.players, seats, plan.seed) if plan.adjusted else None
        batch = luck or Batch(self.arena, games, plan.max_cycles)
        seating = np.tile(np.argsort(seats), (len(games), 1))
        table = Seats(batch, self.players, seating)
        played = PlayedOrders(batch, table.ask) if plan.watch else None
        play_out(batch, played.ask if played else table.ask, report)
        facts = facts_of(self.arena, batch.ended, seats, table.forfeits[:, seats])
        lost = played.lost(facts["win"][:, 0], numbers, seats, plan.watch) if played else []
        return facts | ({"luck": luck.luck} if luck else {}), lost
