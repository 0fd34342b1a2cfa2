"""The games of a suite, in blocks that can be played one by one, in any order and in any process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.benchmark.suites import Suite, SuiteRow, course_of, seed_of
from rr_gym.evaluation.block_worker import BlockWorker
from rr_gym.evaluation.deals import DealBatch, Deals
from rr_gym.evaluation.matches import Match
from rr_gym.evaluation.statistics.scores import pace_scores, placement_scores
from rr_gym.player_calls import close_players
from rr_gym.players import Player
from rr_gym.players.notes import PlayerNotes
from rr_gym.registry import open_player
from rr_gym.runner import TurnCallback

DEALS_AT_ONCE = 16  # even, so that as many are played in one direction as in the other


class RowError(RoboRallyError):
    """A row that a player cannot play."""


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Deals `first` to `first + count - 1` of a row on one of its courses; `games` in all."""

    row: str
    course: str
    first: int
    count: int
    games: int


@dataclass(frozen=True, slots=True)
class BlockScores:
    """The outcome of a block, for each deal: means over its rotations and over the player's robots.

    Attributes:
        score: The raw scores, 0 to 1.
        win: The shares of games won.
        finish: The shares of games in which all flags were touched.
        faults: The number of unusable orders of the player, by fault.
        decisions: How many orders it was asked for, if the player counts them.
    """

    score: tuple[float, ...]
    win: tuple[float, ...]
    finish: tuple[float, ...]
    faults: Mapping[str, int]
    decisions: int = 0


def blocks_of(suite: Suite) -> Iterator[RowBlock]:
    """Yield all blocks of a suite, row by row and course by course."""
    for row in suite.rows:
        for course in row.course_ids:
            for first in range(0, row.deals, DEALS_AT_ONCE):
                count = min(DEALS_AT_ONCE, row.deals - first)
                yield RowBlock(row.name, course, first, count, count * row.seats)


class RowMatch(Match):
    """The games of a row on one of its courses; any part of them can be played separately."""

    def __init__(self, suite: str, row: SuiteRow, course: str, player: Player, salt: int) -> None:
        super().__init__(
            player,
            [player] * (row.copies - 1) + list(row.others),
            course=course_of(row.courses[row.course_ids.index(course)]),
            games=row.deals * row.seats,
            seed=seed_of(suite, row.name, course),
            max_cycles=row.max_cycles,
            settings=row.settings,
            salt=salt,
        )
        self._copies = row.copies
        self._deals = Deals(self.plan, self.arena, self.players)

    def part(self, first: int, count: int, report: TurnCallback) -> BlockScores:
        """Play some deals.

        Args:
            first: The number of the first one.
            count: The number of deals.
            report: Called after every turn with the number of games of this part that are over.
        """
        notes = PlayerNotes(self.players[:1])
        try:
            facts, _ = self._deals.play(DealBatch(0, first, count), report)
        finally:
            close_players(self.players)
        if len(self.players) > 1:
            games = placement_scores(facts["place"], self._copies)
        else:
            num_flags = int(self.arena.tables["course"]["num_flags"][0])
            flags, done = facts["flags"][..., 0], facts["finish"][..., 0]
            games = pace_scores(flags, done, facts["turns"], num_flags, self.max_cycles)
        won, finished = (facts[name][..., : self._copies].mean(-1) for name in ("win", "finish"))
        score, win, finish = (tuple(values.mean(1).tolist()) for values in (games, won, finished))
        decisions, faults = notes.counts()[0]
        return BlockScores(score, win, finish, faults, decisions)


class BenchmarkWorker(BlockWorker[RowBlock, BlockScores]):
    """Plays blocks of a suite.

    Args:
        suite: The suite.
        player: A player, or the name of one that has been created before.
        salt: The salt of the games, 0 for none.
        sandbox: The kind of sandbox of a program; empty for the strongest that works.
    """

    def __init__(self, suite: Suite, player: Player | str, salt: int = 0, sandbox: str = "") -> None:
        super().__init__([player], partial(open_player, sandbox=sandbox or None))
        self.suite, self.salt = suite, salt
        self._rows = {row.name: row for row in suite.rows}
        self._match: tuple[str, str, RowMatch] | None = None

    def play(self, block: RowBlock, tell: TurnCallback) -> BlockScores:
        """Play a block. Raises RowError if a player cannot play the row; the message names it."""
        try:
            if self._match is None or self._match[:2] != (block.row, block.course):
                match = RowMatch(self.suite.name, self._rows[block.row], block.course, self.players[0], self.salt)
                self._match = block.row, block.course, match
            return self._match[2].part(block.first, block.count, tell)
        except RoboRallyError as error:
            raise RowError(f"row {block.row}: {error}") from error
