"""Matches: every deal is played once for every rotation of the line-up around the table.

With three or more players, rotations alone would not be fair: a player that follows another in the line-up would sit in
a later seat in most games. So every second deal reverses the line-up.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from rr_gym.errors import MAX_SEED, check_memory, check_report, short_repr, truth_value, whole_number
from rr_gym.evaluation.luck import LuckBatch
from rr_gym.evaluation.match_log import EvaluationError, MatchLog
from rr_gym.evaluation.report import FORMAT, Evaluation, TableResult, facts_of, table_result
from rr_gym.evaluation.results_folder import arguments_of, plain_settings
from rr_gym.evaluation.sequential import SequentialTest, read_test
from rr_gym.files import check_path
from rr_gym.player_calls import close_players
from rr_gym.players import Player
from rr_gym.players.notes import PlayerNotes
from rr_gym.players.protocol import reset_players
from rr_gym.progress import Report
from rr_gym.registry import Model, as_player, make_player
from rr_gym.render.pieces import labels
from rr_gym.rules.arena.arena import Arena, CourseLike
from rr_gym.rules.state.constants import MAX_ROBOTS, UNLIMITED
from rr_gym.rules.state.records import take_games
from rr_gym.rules.state.settings import lives_for
from rr_gym.runner import Batch, Seats, play_out
from rr_gym.salt import salt_text

Array = np.ndarray[Any, Any]
PlayerLike = Player | str | os.PathLike[str] | Model

GAMES = 1000
BATCH = 128
BYTES_OF_A_GAME = 64  # the least memory that its facts take
GAMES_AT_ONCE = 4096  # games in memory: deal d is episode d // GAMES_AT_ONCE of game d % GAMES_AT_ONCE


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
    ) -> None:
        if isinstance(against, str | os.PathLike | Player) or not isinstance(against, Sequence):
            raise EvaluationError(f"against: {short_repr(against)}: expected a list of players")
        if len(against) >= MAX_ROBOTS:
            raise EvaluationError(f"against: {len(against)} players: expected at most {MAX_ROBOTS - 1}")
        self.seed = whole_number("seed", seed, 0, MAX_SEED, EvaluationError)
        self.max_cycles = whole_number("max_cycles", max_cycles, 1, error=EvaluationError)
        games = whole_number("games", games, 1, error=EvaluationError)
        check_memory("games", games, BYTES_OF_A_GAME, EvaluationError)
        lineup = [as_player(one) for one in (player, *against)]
        names = self._typed = [_name(p) for p in lineup]
        self.players = tuple(p if isinstance(p, Player) else make_player(_name(p)) for p in lineup)
        path = MatchLog.checked(folder, resume)
        self.salt = MatchLog.choose_salt(salt, self.players, path, resume)
        self.names = tuple(labels(names))
        self.arena = Arena(course, settings)
        self.settings = plain_settings(settings)
        seats, courses = len(self.players), len(self.arena.courses)
        self._directions = (1, -1) if seats > 2 else (1,)
        # Equally many deals on every course, in either direction, and games in every seat.
        even = courses * len(self._directions)
        self.num_deals = -(-games // (seats * even)) * even
        self.num_games = self.num_deals * seats
        self._batch = -(-whole_number("batch", batch, 1, error=EvaluationError) // even) * even
        self._block = max(1, GAMES_AT_ONCE // even) * even
        self.adjusted = truth_value("adjusted", adjusted, EvaluationError)
        if self.adjusted and seats == 1:
            raise EvaluationError("adjusted: True: expected other players: alone there are no games won by luck")
        self._round = even
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
        self._test = None
        if self._until:
            self._test = SequentialTest(*self._until, self._round, len(self.players), self.num_games, self.adjusted)
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
        courses, seats, played = len(self.arena.courses), len(self.players), self.num_played

        def tell(over: int) -> None:
            if report:
                report(self.num_played * seats + over, self.num_games)

        for block in range(0, self.num_deals, self._block):
            size = min(self._block, self.num_deals - block)
            if block == 0:
                index = np.arange(size) % courses
                deals = self.arena.new_games(size, seats, seed=self.seed, course_index=index, salt=self.salt)
                directions = self.directions_of_deals(size)
            else:
                self.arena.restart(deals)
            for first in range(max(0, played - block), size, self._batch):
                if self.decided:
                    return
                batch = slice(first, min(first + self._batch, size))
                facts = self.play_deals(deals[batch], directions[batch], tell)
                # These deals count only now, so that an interruption leaves none half played.
                if self._log:
                    self._log.add(facts, self._notes.counts())
                self._facts.append(facts)
                if self._test:
                    self._test.add(facts)

    def directions_of_deals(self, count: int) -> Array:
        """Return the direction of the line-up in the first deals: int64, (count,), 1 or -1."""
        return np.array(self._directions)[np.arange(count) // len(self.arena.courses) % len(self._directions)]

    def play_deals(self, deals: Array, directions: Array, report: Callable[[int], None]) -> dict[str, Array]:
        """Play some deals in all rotations. The players stay open.

        Args:
            deals: (deals,), dtype `GAME`, new games of `arena`; not modified.
            directions: int64, (deals,): the direction of the line-up in each deal, from `directions_of_deals`.
            report: Called after every turn with the number of games of these deals that are over.

        Returns:
            The outcome, by fact as in `facts_of`: (deals, rotations, ...).
        """
        facts: dict[str, Array] = {}
        places, before = np.arange(len(self.players)), 0

        def tell(over: int) -> None:
            report(before + over)

        for one in self._directions:
            some = directions == one
            rotations = []
            for first in places:
                seats = ((first + one * places) % len(places)).tolist()
                rotations.append(self._play_batch(take_games(deals, some), seats, tell))
                before += int(some.sum())
            for name in rotations[0]:
                values = np.stack([rotation[name] for rotation in rotations], 1)
                facts.setdefault(name, np.empty((len(deals), *values.shape[1:])))[some] = values
        return facts

    def _play_batch(self, games: Array, seats: list[int], report: Callable[[int], None]) -> dict[str, Array]:
        """Play games with the players in these seats, and return their outcome by fact: (games, ...)."""
        reset_players(self.players, self.seed, self.salt)
        luck = LuckBatch(self.arena, games, self.max_cycles, self.players, seats, self.seed) if self.adjusted else None
        batch = luck or Batch(self.arena, games, self.max_cycles)
        seating = np.tile(np.argsort(seats), (len(games), 1))
        table = Seats(batch, self.players, seating)
        play_out(batch, table.ask, report)
        facts = facts_of(self.arena, batch.ended, seats, table.forfeits[:, seats])
        return facts | {"luck": luck.luck} if luck else facts

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
        games: The number of games, rounded up so that every course has equally many deals in either direction, in all
            rotations.
        seed: The seed of the deals and the players, 0 or more.
        max_cycles: Turns after which a game is truncated.
        settings: Settings of the game by name (docs/rules/settings.md).
        batch: The number of deals played at a time. It affects memory, speed, and how much an interruption loses.
        salt: 128 bits in addition to the seed, a whole number or up to 32 hexadecimal digits; 0 for none. None draws
            one if a player is external (`Player.outside`), such as a program, so that it cannot know the hands.
        adjusted: Whether to measure how lucky the players were with what the games drew, and to report the shares of
            games won without that luck, too (`rr_gym.evaluation.luck`). Games take longer.
        until: A figure of the player under test, win or finish, and the value against which it is tested: playing
            stops as soon as it is known to be above or below the value. None plays all games.
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
        salt=salt, adjusted=adjusted, until=until,
    )  # fmt: skip
    match.play(report)
    return match.result()
