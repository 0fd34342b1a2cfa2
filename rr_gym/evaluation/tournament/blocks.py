"""Blocks of games of a tournament: finished at once, or put aside and resumed later."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.asking import close_players, make_by, orders_from
from rr_gym.courses import Course
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.processes import Pause
from rr_gym.evaluation.tournament.schedule import Block
from rr_gym.file_records import check_records
from rr_gym.json_text import loads
from rr_gym.players import Player
from rr_gym.players.protocol import reset_players
from rr_gym.render.pieces import labels
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, STATE_VERSION, no_orders, take_games

Array = np.ndarray[Any, Any]
Outcome = dict[str, Any]

DECISIONS_AT_ONCE = 32  # so that a block can be put aside between decisions of slow players
PUT_ASIDE_EVERY = 15.0  # seconds
_AGAIN = "without this file the block is played from its beginning"


class BlockError(RoboRallyError):
    """Games that cannot be put aside, or were and cannot be resumed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a process must know to play blocks; it can be pickled.

    Attributes:
        players: Names.
        make: Creates a player from its name.
        courses: The courses of the games.
        settings: Of the games, by name.
        seed: Of the games and of the players.
        max_cycles: Turns after which a game is truncated.
        folder: Where unfinished games are put aside; None for nowhere.
        salt: Of the games, 0 without one.
    """

    players: tuple[str, ...]
    make: Callable[[str], Player]
    courses: tuple[Course, ...]
    settings: Mapping[str, Any]
    seed: int
    max_cycles: int
    folder: Path | None
    salt: int = 0

    def file_of(self, block: int) -> Path | None:
        """Where an unfinished block is put aside."""
        return self.folder / f"block-{block}.npz" if self.folder else None


class Host:
    """Plays blocks of games, one after the other."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.arena = Arena(plan.courses, plan.settings)
        with redirect_stderr(io.StringIO()):  # the tournament has created them before, and shown their warnings
            self.players = [make_by(plan.make, name) for name in plan.players]

    def close(self) -> None:
        """Close the players."""
        close_players(self.players)

    def __call__(self, block: Block, pause: Pause) -> Outcome | None:
        """Play a block, or the rest of one that was put aside.

        Args:
            block: A block of the schedule.
            pause: Called every few decisions with the number of games over. If it returns true, the block is put aside.

        Returns:
            The outcome as in ``games.jsonl``; None if it was stopped.

        Raises:
            BlockError: The file of unfinished games is damaged; the message names it.
        """
        # Randomness and players of a block depend only on salt, seed and block, whichever process plays it and when.
        seed = int(np.random.SeedSequence([self.plan.seed, block.number]).generate_state(1, np.uint64)[0])
        seating = np.array([seats for deal in block.deals for seats in deal.rotations()], np.int16)
        path = self.plan.file_of(block.number)
        if path and path.exists():
            games = _Games.load(path, self.arena, seating, self.plan.max_cycles, len(self.players), seed)
        else:
            course = np.array([deal.course for deal in block.deals])
            deals = self.arena.new_games(
                len(course), seating.shape[1], seed=seed, course_index=course, salt=self.plan.salt
            )
            copies = np.repeat(np.arange(len(deals)), seating.shape[1])
            games = _Games(self.arena, take_games(deals, copies), seating, self.plan.max_cycles, len(self.players))
        reset_players(self.players, seed, self.plan.salt)
        saved = time.monotonic()
        while len(games.running):
            games.step(self.players)
            stop = pause(len(seating) - len(games.running))
            if path and (stop or time.monotonic() - saved > PUT_ASIDE_EVERY):
                games.save(path, seed)
                saved = time.monotonic()
            if stop:
                return None
        return self._outcome(block, games)

    def _outcome(self, block: Block, games: _Games) -> Outcome:
        ended, seats = games.ended, games.seating.shape[1]
        places = self.arena.placements(ended)[:, :seats].tolist()
        names, courses = self.plan.players, labels([course.id for course in self.plan.courses])
        rows = [
            {
                "deal": block.first + g // seats,
                "course": courses[ended["course"][g]],
                "players": [names[player] for player in games.seating[g]],
                "places": places[g],
                "winners": [seat for seat in range(seats) if int(ended["winners"][g]) >> seat & 1],
                # A game's record does not count the turn in which it ends.
                "turns": int(ended["turn"][g] + ended["over"][g]),
                "over": bool(ended["over"][g]),
            }
            for g in range(len(ended))
        ]
        decisions = dict(zip(names, games.decisions, strict=True))
        faults = {name: faults for name, faults in zip(names, games.faults, strict=True) if faults}
        return {"block": block.number, "games": rows, "decisions": decisions, "faults": faults}


class _Games:
    """Unfinished games with the players seated by `seating`: (games, seats), indices in the pool."""

    def __init__(self, arena: Arena, games: Array, seating: Array, max_cycles: int, players: int) -> None:
        self.arena, self.seating, self.max_cycles = arena, seating, max_cycles
        self.games = games  # those that are not over
        self.running = np.arange(len(games))  # their numbers
        self.ended = np.zeros_like(games)
        self.turn = 0
        self.orders = no_orders(len(games), MAX_ROBOTS, full=True)
        self.asked = 0  # how many of this turn's groups of decisions were made
        self.decisions = [0] * players
        self.faults: list[dict[str, int]] = [{} for _ in range(players)]

    def step(self, players: list[Player]) -> None:
        """Let one player decide in some games, or play the turn if all have decided."""
        groups = self._groups()
        if self.asked == len(groups):
            self._play_turn()
            return
        who, seat, rows = groups[self.asked]
        before = dict(players[who].faults)
        self.orders[rows, seat] = orders_from(players[who], self.arena, take_games(self.games, rows), seat)
        for kind, count in players[who].faults.items():
            if count > before.get(kind, 0):
                self.faults[who][kind] = self.faults[who].get(kind, 0) + count - before.get(kind, 0)
        self.decisions[who] += len(rows)
        self.asked += 1

    def _groups(self) -> list[tuple[int, int, Array]]:
        """The decisions to be made: player, seat, rows of the games; none for eliminated robots."""
        seats = self.seating.shape[1]
        who = np.where(self.games["robots"]["out"][:, :seats] == 1, -1, self.seating[self.running])
        return [
            (player, seat, rows[first : first + DECISIONS_AT_ONCE])
            for player in range(len(self.decisions))
            for seat in range(seats)
            for rows in [np.flatnonzero(who[:, seat] == player)]
            for first in range(0, len(rows), DECISIONS_AT_ONCE)
        ]

    def _play_turn(self) -> None:
        self.arena.play(self.games, self.orders)
        self.turn += 1
        over = (self.games["over"] == 1) | (self.turn == self.max_cycles)
        if over.any():
            self.ended[self.running[over]] = take_games(self.games, over)
            self.running, self.games = self.running[~over], take_games(self.games, ~over)
        self.orders, self.asked = no_orders(len(self.games), MAX_ROBOTS, full=True), 0

    def save(self, path: Path, seed: int) -> None:
        """Put the games of a block of this seed aside, atomically. Raises BlockError if they cannot be written."""
        counts = {
            "state_version": STATE_VERSION, "seed": seed, "turn": self.turn, "asked": self.asked,
            "decisions": self.decisions, "faults": self.faults,
        }  # fmt: skip
        content = io.BytesIO()
        np.savez_compressed(
            content,
            games=self.games.view(np.uint8), ended=self.ended.view(np.uint8), orders=self.orders.view(np.uint8),
            running=self.running, counts=np.frombuffer(json.dumps(counts).encode(), np.uint8),
        )  # fmt: skip
        # A unique name: a process whose tournament was killed may be putting aside the same block.
        unfinished = path.with_suffix(f".{os.getpid()}.part")
        try:
            with unfinished.open("wb") as file:
                file.write(content.getbuffer())
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        except OSError as failure:
            with suppress(OSError):
                unfinished.unlink()
            raise BlockError(f"{path}: cannot be written: {failure.strerror}") from failure

    @classmethod
    def load(cls, path: Path, arena: Arena, seating: Array, max_cycles: int, players: int, seed: int) -> _Games:
        """The games of a block that were put aside.

        Raises:
            BlockError: The file is damaged, or contains something else.
        """
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
                counts = loads(file["counts"].tobytes(), f"{path}: counts", BlockError)
                ended, running = file["ended"].view(GAME), file["running"]
                games = cls(arena, ended, seating, max_cycles, players)
                games.ended, games.games, games.running = ended, file["games"].view(GAME), running
                games.orders = file["orders"].view(FULL_ORDERS).reshape(-1, MAX_ROBOTS)
            games.turn, games.asked = counts["turn"], counts["asked"]
            games.decisions, games.faults = counts["decisions"], counts["faults"]
            proper = (counts["state_version"], counts["seed"]) == (STATE_VERSION, seed) and games._fit()
        except BlockError as error:
            raise BlockError(f"{error}: {_AGAIN}") from None
        except Exception:  # damaged archives raise errors of a dozen kinds
            proper = False
        if not proper:
            raise BlockError(f"{path}: expected the games of this block, as they were put aside: {_AGAIN}")
        check_records(games.games, arena, f"{path}: games", BlockError)
        over = np.setdiff1d(np.arange(len(seating)), games.running)
        check_records(games.ended[over], arena, f"{path}: ended", BlockError)
        return games

    def _fit(self) -> bool:
        """Whether the parts of a file are consistent."""
        at_all, left, players = len(self.seating), len(self.running), len(self.decisions)
        numbers = [self.turn, self.asked, *self.decisions, *(n for kinds in self.faults for n in kinds.values())]
        return (
            self.ended.shape == (at_all,)
            and self.games.shape == (left,)
            and self.orders.shape == (left, MAX_ROBOTS)
            and players == len(self.faults)
            and self.running.dtype == np.arange(0).dtype
            and np.unique(self.running).tolist() == self.running.tolist()
            and set(self.running.tolist()) <= set(range(at_all))
            and all(type(number) is int and number >= 0 for number in numbers)
            and self.turn < self.max_cycles
            and self.asked <= len(self._groups())
        )
