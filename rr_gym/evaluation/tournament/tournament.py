"""Tournaments: players against each other at all tables, over courses, seats and deals."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from rr_gym.errors import MAX_SEED, check_memory, check_report, require, short_repr, whole_number
from rr_gym.evaluation.executor import share
from rr_gym.evaluation.processes import MAX_WORKERS
from rr_gym.evaluation.results_folder import arguments_of, plain_settings
from rr_gym.evaluation.secret_salts import is_secret
from rr_gym.evaluation.tournament.blocks import Outcome, TournamentPlan, TournamentWorker
from rr_gym.evaluation.tournament.schedule import make_blocks, make_schedule
from rr_gym.evaluation.tournament.standings import FORMAT, Standings, make_standings
from rr_gym.evaluation.tournament.store import Store, TournamentError
from rr_gym.player_calls import close_players, make_named_player
from rr_gym.players import Player
from rr_gym.progress import Report
from rr_gym.registry import make_player
from rr_gym.render.pieces import labels
from rr_gym.rules.arena.arena import Arena, CourseLike
from rr_gym.rules.state.constants import MAX_ROBOTS

MAX_PLAYERS = 64
BYTES_OF_A_GAME = 1024  # the least memory that the deal and the outcome of a game take
_PATIENCE = 20.0  # seconds that an unfinished decision may take after the tournament was told to stop


class Tournament:
    """Games of many players against each other.

    `play` plays them, `result` returns the standings, even of an interrupted tournament.

    Args:
        players: Names, 2 to 64, all different.
        courses: One or more: courses, ids or paths. All get the same number of games.
        seats: The number of players at a table, 2 to 8.
        games: The number of games, rounded up so that every course and every line-up gets the same number
            (docs/tournaments.md).
        seed: The seed of the schedule, the games and the players.
        max_cycles: Turns after which a game is truncated.
        settings: Settings of the games by name (docs/rules/settings.md).
        folder: The folder to which games are written as they are played; None keeps them in memory.
        resume: Whether to resume the tournament in the folder, which must be the same one with the same players.
        workers: The number of processes that share the games; None for as many as there are cores, at most 8. The
            result does not depend on it.
        make: Creates a player from its name. Other processes call it too, so it must be importable there.
        salt: The salt of the games and the players, besides the seed: a whole number of 128 bits or up to 32
            hexadecimal digits; 0 for none. None takes the salt of the folder when resuming, and otherwise draws one if
            a player is external (`Player.outside`).
        ray: The address of a Ray cluster, whose machines play instead (docs/scaling.md); the result is the same.

    Raises:
        TournamentError: An argument is wrong, or the folder holds another tournament.
        MissingExtraError: The extra ``tournament`` is not installed.
        RoboRallyError: A player, course or setting does not exist.
    """

    def __init__(
        self,
        players: Sequence[str],
        *,
        courses: CourseLike | Sequence[CourseLike] = "risky_exchange",
        seats: int = 4,
        games: int = 1000,
        seed: int = 0,
        max_cycles: int = 100,
        settings: Mapping[str, Any] | None = None,
        folder: str | os.PathLike[str] | None = None,
        resume: bool = False,
        workers: int | None = None,
        make: Callable[[str], Player] = make_player,
        salt: int | str | None = None,
        ray: str | None = None,
    ) -> None:
        require("openskill", extra="tournament")
        names = _names(players)
        seats = whole_number("seats", seats, 2, MAX_ROBOTS, TournamentError)
        games = whole_number("games", games, 1, error=TournamentError)
        check_memory("games", games, BYTES_OF_A_GAME, TournamentError)
        seed = whole_number("seed", seed, 0, MAX_SEED, TournamentError)
        max_cycles = whole_number("max_cycles", max_cycles, 1, error=TournamentError)
        self.ray = ray
        self.workers = None if workers is None else whole_number("workers", workers, 1, MAX_WORKERS, TournamentError)
        path = Store.checked(folder, resume)
        arena = Arena(courses, settings)
        plain = plain_settings(settings)
        sources = names
        pool = self._pool = _made(sources, make)
        shown = [player.name if player.digest else name for name, player in zip(sources, pool, strict=True)]
        names = tuple(labels(shown))
        self.not_reproducible = tuple(name for name, player in zip(names, pool, strict=True) if not player.reproducible)
        salt = Store.choose_salt(salt, pool, path, resume)
        self.plan = TournamentPlan(
            names, make, arena.courses, plain, seed, max_cycles, path, salt, is_secret(salt, pool), sources
        )
        schedule = make_schedule(len(names), seats, len(arena.courses), games, seed)
        self.blocks = make_blocks(schedule)
        self.num_deals = len(schedule)
        self.num_games = self.num_deals * seats
        self.arguments = arguments_of(
            FORMAT, names, arena, self.num_games, seed, salt, max_cycles, plain,
            made=pool, seats=seats,
        )  # fmt: skip
        self._store = Store(path, self.arguments, resume) if path else None
        self._outcomes: dict[int, Outcome] = self._store.load(self.blocks) if self._store else {}

    @property
    def num_played(self) -> int:
        """How many games are finished, in complete blocks."""
        return sum(len(outcome["games"]) for outcome in self._outcomes.values())

    def hold(self) -> AbstractContextManager[None]:
        """Keep other processes from the folder, if there is one; `play` does it too.

        Raises:
            TournamentError: Another process holds it; the message says which.
        """
        return self._store.hold() if self._store else nullcontext()

    def play(self, report: Report | None = None) -> None:
        """Play the games that are left.

        Args:
            report: Called from time to time with the number of games played and of all games.

        Raises:
            RoboRallyError: A process was killed from outside, another one uses the folder, or it cannot be written.
            FailedPlayerError: The code of a player raised an error, or returned something other than orders.
        """
        check_report(report, TournamentError)

        def tell(over: int) -> None:
            if report:
                report(self.num_played + over, self.num_games)

        with self.hold(), self._store.keeping_salt(self._pool) if self._store else nullcontext():
            if self._store:  # another process may have played some in the meantime
                self._outcomes = self._store.load(self.blocks)
            left = [block for block in self.blocks if block.number not in self._outcomes]
            # Other machines cannot put games aside in the folder.
            make = partial(TournamentWorker, replace(self.plan, folder=None) if self.ray else self.plan)
            with closing(share(make, left, self.workers, tell, _PATIENCE, self.ray)) as played:
                for block, outcome in played:
                    self._outcomes[block.number] = outcome
                    if self._store:
                        self._store.add(outcome)

    def result(self) -> Standings:
        """Return the standings over all complete blocks. Raises TournamentError if there are none."""
        if not self._outcomes:
            raise TournamentError("no block of games is finished: nothing to report")
        outcomes = [self._outcomes[number] for number in sorted(self._outcomes)]
        return make_standings(self.arguments, outcomes, len(outcomes) == len(self.blocks), self.not_reproducible)


def _names(players: Sequence[str]) -> tuple[str, ...]:
    listed = isinstance(players, Sequence) and not isinstance(players, str)
    if not listed or not all(isinstance(name, str) for name in players):
        raise TournamentError(f"players: {short_repr(players)}: expected a list of names")
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise TournamentError(f"players: {len(players)} of them: expected 2 to {MAX_PLAYERS}")
    for name in players:
        if players.count(name) > 1:
            raise TournamentError(f"players: '{name}' occurs twice: expected different ones")
    return tuple(players)


def _made(names: Sequence[str], make: Callable[[str], Player]) -> list[Player]:
    """Create all players, which checks that this is possible, close them and return them."""
    pool = [make_named_player(make, name) for name in names]
    close_players(pool)
    return pool
