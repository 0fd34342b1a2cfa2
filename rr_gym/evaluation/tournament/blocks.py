"""Blocks of games of a tournament: finished at once, or put aside and resumed later."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.courses import Course
from rr_gym.evaluation.block_worker import BlockWorker, StoppedError, block_seed
from rr_gym.evaluation.tournament.put_aside import put_aside, resume_block
from rr_gym.evaluation.tournament.schedule import DealBlock
from rr_gym.player_calls import close_players
from rr_gym.players import Player
from rr_gym.players.forfeits import places_after, won_after
from rr_gym.players.protocol import reset_players
from rr_gym.render.pieces import labels
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import take_games
from rr_gym.runner import Batch, Seats, TurnCallback, play_out

Outcome = dict[str, Any]

DECISIONS_AT_ONCE = 32  # so that a block can be put aside between decisions of slow players
PUT_ASIDE_EVERY = 15.0  # seconds


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """What a process must know to play blocks; it can be pickled.

    Attributes:
        players: The names of the players.
        make: Creates a player from its name.
        courses: The courses of the games.
        settings: The settings of the games, by name.
        seed: The seed of the games and of the players.
        max_cycles: Turns after which a game is truncated.
        folder: The folder in which unfinished games are put aside; None not to keep them.
        salt: The salt of the games, 0 without one.
        secret: Whether unfinished games must not be on disk, where programs that play could read hidden cards.
        sources: What the players are made from, if they are not made from their names: submissions from `bot:DIR`.
    """

    players: tuple[str, ...]
    make: Callable[[str], Player]
    courses: tuple[Course, ...]
    settings: Mapping[str, Any]
    seed: int
    max_cycles: int
    folder: Path | None
    salt: int = 0
    secret: bool = False
    sources: tuple[str, ...] = ()

    def made(self, name: str) -> Player:
        """Make a player of the plan, by its name."""
        return self.make(self.sources[self.players.index(name)] if self.sources else name)

    def file_of(self, block: int) -> Path | None:
        """Return the file in which an unfinished block is put aside; None without a folder."""
        return self.folder / f"block-{block}.npz" if self.folder else None


class TournamentWorker(BlockWorker[DealBlock, Outcome]):
    """Plays blocks of a tournament; a block that is stopped is put aside, and its rest is played later."""

    def __init__(self, plan: TournamentPlan) -> None:
        self.plan, self.arena = plan, Arena(plan.courses, plan.settings)
        super().__init__(plan.players, plan.made)  # the tournament has created them before, and shown their warnings

    def play(self, block: DealBlock, tell: TurnCallback) -> Outcome:
        """Play a block, or the rest of it, and return its outcome as in ``games.jsonl``.

        Raises:
            BlockError: The file of unfinished games is damaged, or cannot be written; the message names it.
        """
        plan = self.plan
        seed, path = block_seed(plan.seed, block.number), plan.file_of(block.number)
        batch, seats = self._begun(block, seed)
        if path and path.exists():
            resume_block(path, batch, seats, seed)
            if plan.secret:
                path.unlink()
        reset_players(self.players, seed, plan.salt)
        saved = time.monotonic()

        def tell_or_put_aside(over: int) -> None:
            nonlocal saved
            try:
                tell(over)
                stopped = False
            except StoppedError:
                stopped = True
            if not len(batch.running):
                return  # there is nothing to put aside
            if stopped and plan.secret:
                close_players(self.players)
            if path and (stopped or (not plan.secret and time.monotonic() - saved > PUT_ASIDE_EVERY)):
                put_aside(path, batch, seats, seed)
                saved = time.monotonic()
            if stopped:
                raise StoppedError

        play_out(batch, lambda: seats.ask(tell_or_put_aside), tell_or_put_aside)
        return self._outcome(block, batch, seats)

    def _begun(self, block: DealBlock, seed: int) -> tuple[Batch, Seats]:
        """Deal the games of a block and seat their players."""
        seating = np.array([seats for deal in block.deals for seats in deal.rotations()], np.int16)
        course, num_seats = np.array([deal.course for deal in block.deals]), seating.shape[1]
        deals = self.arena.new_games(len(course), num_seats, seed=seed, course_index=course, salt=self.plan.salt)
        games = take_games(deals, np.repeat(np.arange(len(deals)), num_seats))
        batch = Batch(self.arena, games, self.plan.max_cycles)
        return batch, Seats(
            batch, self.players, seating, at_once=DECISIONS_AT_ONCE, skip_eliminated=True, scored="places"
        )

    def _outcome(self, block: DealBlock, batch: Batch, table: Seats) -> Outcome:
        ended, seats = batch.ended, table.seating.shape[1]
        places = places_after(self.arena.placements(ended)[:, :seats], table.forfeits).tolist()
        won = won_after((ended["winners"][:, None] >> np.arange(seats) & 1) == 1, table.forfeits)
        names, courses = self.plan.players, labels([course.id for course in self.plan.courses])
        rows = [
            {
                "deal": block.first + g // seats,
                "course": courses[ended["course"][g]],
                "players": [names[player] for player in table.seating[g]],
                "places": places[g],
                "winners": np.flatnonzero(won[g]).tolist(),
                # A game's record does not count the turn in which it ends.
                "turns": int(ended["turn"][g] + ended["over"][g]),
                "over": bool(ended["over"][g]),
            }
            for g in range(len(ended))
        ]
        decisions = dict(zip(names, table.decisions, strict=True))
        faults = {name: dict(faults) for name, faults in zip(names, table.faults, strict=True) if faults}
        return {"block": block.number, "games": rows, "decisions": decisions, "faults": faults}
