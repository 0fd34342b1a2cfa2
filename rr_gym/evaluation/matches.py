"""Matches: many games of a player under test against others, and the figures of all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

import numpy as np

from rr_gym.errors import MAX_SEED, check_memory, check_report, short_repr, truth_value, whole_number
from rr_gym.evaluation.deals import DealBatch, DealPlan
from rr_gym.evaluation.executor import in_order, share
from rr_gym.evaluation.lost_games import LostGame
from rr_gym.evaluation.match_log import EvaluationError, MatchLog
from rr_gym.evaluation.match_worker import MatchWorker, PlayedBatch
from rr_gym.evaluation.processes import MAX_WORKERS
from rr_gym.evaluation.report import FORMAT, Evaluation, TableResult, facts_of, table_result
from rr_gym.evaluation.results_folder import arguments_of, plain_settings
from rr_gym.evaluation.sequential import SequentialTest, read_test
from rr_gym.files import check_path
from rr_gym.player_calls import close_players
from rr_gym.players import Player
from rr_gym.players.notes import PlayerNotes
from rr_gym.progress import Report
from rr_gym.registry import Model, as_player, make_player
from rr_gym.render.pieces import labels
from rr_gym.replay import Replay
from rr_gym.rules.arena.arena import Arena, CourseLike
from rr_gym.rules.state.constants import MAX_ROBOTS, UNLIMITED
from rr_gym.rules.state.settings import lives_for
from rr_gym.salt import salt_text

Array = np.ndarray[Any, Any]
PlayerLike = Player | str | os.PathLike[str] | Model

GAMES = 1000
BATCH = 128
BYTES_OF_A_GAME = 64  # the least memory that its facts take
MAX_WATCHED = 100
_PATIENCE = 20.0  # seconds that an unfinished decision may take after the match was told to stop


def _name(player: Any) -> str:
    if isinstance(player, Player):
        return player.name
    if isinstance(player, str | os.PathLike):
        return str(os.fspath(player))
    raise EvaluationError(f"player {short_repr(player)}: expected a registered name, the path of a policy, or a Player")


class Match:
    """Games of a player under test against others; see `evaluate` for the arguments.

    `play` plays, `result` returns the figures, even of an interrupted match: complete deals count.

    Args:
        folder: The folder to which deals are written as they are played; None keeps them in memory.
        resume: Whether to resume the match in the folder, which must be the same with the same players.
        watch: How many games that the player under test does not win are kept to be watched, the first ones.
        make: Creates a player from its name. Other processes call it too, so it must be importable there.

    Attributes:
        players: The line-up, the player under test first.
        names: The names of the players, all different.
        salt: The salt of the games, 0 without one.
        arena: The courses with their settings.
        num_deals: The number of deals.
        num_games: The number of games, which are all deals in all rotations.
    """

    def __init__(
        self,
        player: PlayerLike,
        against: Sequence[PlayerLike] = (),
        *,
        course: CourseLike | Sequence[CourseLike] = "risky_exchange",
        games: int = GAMES,
        seed: int = 0,
        max_cycles: int = 100,
        settings: Mapping[str, Any] | None = None,
        batch: int = BATCH,
        salt: int | str | None = None,
        adjusted: bool = False,
        until: Mapping[str, float] | None = None,
        folder: str | os.PathLike[str] | None = None,
        resume: bool = False,
        workers: int = 1,
        watch: int = 0,
        make: Callable[[str], Player] = make_player,
    ) -> None:
        if isinstance(against, str | os.PathLike | Player) or not isinstance(against, Sequence):
            raise EvaluationError(f"against: {short_repr(against)}: expected a list of players")
        if len(against) >= MAX_ROBOTS:
            raise EvaluationError(f"against: {len(against)} players: expected at most {MAX_ROBOTS - 1}")
        self.seed = whole_number("seed", seed, 0, MAX_SEED, EvaluationError)
        self.max_cycles = whole_number("max_cycles", max_cycles, 1, error=EvaluationError)
        games = whole_number("games", games, 1, error=EvaluationError)
        check_memory("games", games, BYTES_OF_A_GAME, EvaluationError)
        self.workers = whole_number("workers", workers, 1, MAX_WORKERS, EvaluationError)
        watch = whole_number("watch", watch, 0, MAX_WATCHED, EvaluationError)
        lineup = [as_player(one) for one in (player, *against)]
        self._sources = [p if isinstance(p, Player) else _name(p) for p in lineup]
        self._make = make
        self.players = tuple(p if isinstance(p, Player) else make(p) for p in self._sources)
        for one in self._sources:
            if self.workers > 1 and isinstance(one, Player):
                raise EvaluationError(f"workers: {workers}: {_name(one)}: expected names, which each process can open")
        # A submission is called what its manifest calls it.
        rows = zip(self._sources, self.players, strict=True)
        names = self._typed = [p.name if isinstance(one, Player) or p.digest else one for one, p in rows]
        path = MatchLog.checked(folder, resume)
        self.salt = MatchLog.choose_salt(salt, self.players, path, resume)
        self.names = tuple(labels(names))
        self.arena = Arena(course, settings)
        self.settings = plain_settings(settings)
        self.adjusted = truth_value("adjusted", adjusted, EvaluationError)
        self.plan = DealPlan.of(
            len(self.players), len(self.arena.courses), games, whole_number("batch", batch, 1, error=EvaluationError),
            seed=self.seed, salt=self.salt, max_cycles=self.max_cycles, adjusted=self.adjusted, watch=watch,
        )  # fmt: skip
        self.num_deals, self.num_games = self.plan.num_deals, self.plan.num_deals * self.plan.seats
        if self.adjusted and not against:
            raise EvaluationError("adjusted: True: expected other players: alone there are no games won by luck")
        self._until = None if until is None else read_test(until)
        self._log = MatchLog(path, self._arguments(), resume) if path else None
        self._begin()

    def _arguments(self) -> dict[str, Any]:
        """Return the arguments of the match, as its folder holds them."""
        return arguments_of(
            FORMAT, self._typed, self.arena, self.num_games, self.seed, self.salt, self.max_cycles, self.settings,
            made=self.players,
            **({"adjusted": True} if self.adjusted else {}),
        )  # fmt: skip

    def _begin(self) -> None:
        """Begin with the deals in the folder, or with none."""
        num_players = len({id(player) for player in self.players})
        self._facts, counts = self._log.load(self._shapes(), num_players) if self._log else ([], None)
        self._notes = PlayerNotes(self.players, counts, self.names)
        self._lost: list[LostGame] = []
        self._test = None
        if self._until:
            self._test = SequentialTest(*self._until, self.plan.even, self.plan.seats, self.num_games, self.adjusted)
            for facts in self._facts:
                self._test.add(facts)

    @property
    def decided(self) -> bool:
        """Whether the sequential test is decided, so that no further games are played."""
        return self._test is not None and self._test.decided

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every fact of one deal."""
        seats = range(len(self.players))
        facts = facts_of(self.arena, self.arena.new_games(1, len(seats)), seats)
        shapes = {name: (len(seats), *values.shape[1:]) for name, values in facts.items()}
        return shapes | ({"luck": (len(seats), len(seats))} if self.adjusted else {})

    def keep(self, folder: str | os.PathLike[str]) -> None:
        """Write the deals played so far to an empty folder, to be resumed. Raises EvaluationError."""
        log = MatchLog(check_path("folder", folder, EvaluationError), self._arguments(), False)
        for facts in self._facts:
            log.add(facts, self._notes.counts())

    def play(self, report: Report | None = None) -> None:
        """Play all deals; those in the folder are not played again.

        Args:
            report: Called after every turn of a batch with the number of games played and of all games.

        Raises:
            RoboRallyError: Another process plays in the folder, or it cannot be written.
        """
        check_report(report, EvaluationError)
        with ExitStack() as stack:
            if self._log:
                stack.enter_context(self._log.hold())
                stack.enter_context(self._log.keeping_salt(self.players))
            self._begin()
            try:
                self._play(report)
            finally:
                close_players(self.players)

    def _play(self, report: Report | None) -> None:
        if self.decided:
            return
        with closing(self._played(list(self.plan.batches(self.num_played)), report)) as played:
            for batch in in_order(played):
                self._add(batch)
                if self.decided:
                    return

    def _played(self, batches: Sequence[DealBatch], report: Report | None) -> Generator[tuple[int, PlayedBatch]]:
        """Yield batches with their numbers as they are finished."""
        others = 0  # games of finished batches that wait for earlier ones

        def tell(over: int) -> None:
            if report:
                report(self.num_played * self.plan.seats + others + over, self.num_games)

        # Processes make players of their own.
        players = self.players if self.workers == 1 else self._sources
        make = partial(MatchWorker, self.plan, self.arena, players, self._make)
        with closing(share(make, batches, self.workers, tell, _PATIENCE)) as shared:
            for batch, played in shared:
                before = self.num_played
                yield batch.number, played
                others += (batch.count - (self.num_played - before)) * self.plan.seats

    def _add(self, played: PlayedBatch) -> None:
        """Count a batch; only now, so that an interruption leaves none half played."""
        if self.workers > 1:
            self._notes.add(played.counts, played.last)
        facts = dict(played.facts)
        if self._log:
            self._log.add(facts, self._notes.counts())
        self._facts.append(facts)
        self._lost += played.lost[: self.plan.watch - len(self._lost)]
        if self._test:
            self._test.add(facts)

    def lost_games(self) -> Iterator[tuple[LostGame, Replay]]:
        """Yield the games of this run that are kept to be watched, with their replays."""
        for game in self._lost:
            yield game, game.replay(self.arena, self.names)

    @property
    def num_played(self) -> int:
        """How many deals have been played in all rotations."""
        return sum(len(facts["turns"]) for facts in self._facts)

    def result(self) -> Evaluation:
        """Return the figures of the finished deals. Raises EvaluationError if there are none."""
        if not self._facts:
            raise EvaluationError("no deal was played in all rotations: nothing to report")
        used = self._test.deals_used if self._test and self._test.decided else self.num_played
        facts = {name: np.concatenate([f[name] for f in self._facts])[:used] for name in self._facts[0]}
        courses = labels([course.id for course in self.arena.courses])
        everywhere = range(len(courses))
        by_course = [self._table({name: f[k :: len(courses)] for name, f in facts.items()}, [k]) for k in everywhere]
        return Evaluation(
            lineup=self.names,
            seed=self.seed,
            max_cycles=self.max_cycles,
            settings=self.settings,
            complete=self.decided or self.num_played == self.num_deals,
            total=self._table(facts, everywhere),
            by_course=dict(zip(courses, by_course, strict=True)),
            notes=tuple(self._notes.lines()),
            salt=salt_text(self.salt),
            losses=self._notes.losses(),
            sandboxes=self._notes.sandboxes(),
            test=self._test.verdict if self._test else None,
        )

    def _table(self, facts: dict[str, Array], courses: Iterable[int]) -> TableResult:
        """Return the figures of deals on some of the courses."""
        num_flags = max(int(self.arena.tables["course"]["num_flags"][k]) for k in courses)
        lives = [
            lives_for(self.arena.settings[k], len(self.players), len(self.arena.courses[k].placements)) for k in courses
        ]
        most = None if UNLIMITED in lives else max(lives)
        return table_result(facts, self.names, num_flags, most, self.max_cycles)


def evaluate(
    player: PlayerLike,
    against: Sequence[PlayerLike] = (),
    *,
    course: CourseLike | Sequence[CourseLike] = "risky_exchange",
    games: int = GAMES,
    seed: int = 0,
    max_cycles: int = 100,
    settings: Mapping[str, Any] | None = None,
    batch: int = BATCH,
    salt: int | str | None = None,
    adjusted: bool = False,
    until: Mapping[str, float] | None = None,
    workers: int = 1,
    report: Report | None = None,
) -> Evaluation:
    """Play many games with a player, against others or alone, and measure how all of them did.

    A deal is the randomness of a game: where robots start, the cards, everything that is drawn. Every deal is played
    once with the line-up in each rotation around the table, so that everybody gets every seat with the same deal. With
    three or more players, every second deal reverses the line-up.

    Args:
        player: The player under test: a registered name, the path of a policy folder, a `Player`, or a model of
            Stable-Baselines3.
        against: The other players at the table, 0 to 7, each given in the same way.
        course: A course, its id or path, or several: deal d is played on course d modulo their number.
        games: The number of games, rounded up so that every course has the same number of deals in each direction, in
            all rotations.
        seed: The seed of the deals and the players, 0 or more.
        max_cycles: Turns after which a game is truncated.
        settings: Settings of the game by name (docs/rules/settings.md).
        batch: The largest number of deals played at a time, to which batches grow. It affects memory, speed, and how
            much an interruption loses.
        salt: 128 bits in addition to the seed, a whole number or up to 32 hexadecimal digits; 0 for none. None draws
            one if a player is external (`Player.outside`), such as a program, so that it cannot know the hands.
        adjusted: Whether to measure how lucky the players were with what the games drew, and to report the shares of
            games won without that luck, too (`rr_gym.evaluation.luck`). Games take longer.
        until: A figure of the player under test, win or finish, and the value against which it is tested: playing
            stops as soon as it is known to be above or below the value. None plays all games.
        workers: The number of processes that share the batches; with several, players are given by their names. The
            figures do not depend on it.
        report: Called after every turn of a batch with the number of games played and the number of all games.

    Returns:
        The figures. They are the same for the same arguments, whatever the batch, for players that decide as `Player`
        demands. They include a salt that was drawn.

    Raises:
        RoboRallyError: A player, course or setting does not exist, or a number is wrong.
    """
    match = Match(
        player, against,
        course=course, games=games, seed=seed, max_cycles=max_cycles, settings=settings, batch=batch,
        salt=salt, adjusted=adjusted, until=until, workers=workers,
    )  # fmt: skip
    match.play(report)
    return match.result()
