"""The games of a suite, in blocks that can be played one by one, in any order and in any process."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass

from rr_gym.asking import close_players
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.benchmark.suites import Row, Suite, course_of, seed_of
from rr_gym.evaluation.matches import Match
from rr_gym.evaluation.processes import Pause
from rr_gym.evaluation.statistics.scores import pace_scores, placement_scores
from rr_gym.players import Player
from rr_gym.registry import open_player

DEALS_AT_ONCE = 16  # even, so that equally many are played in either direction


class RowError(RoboRallyError):
    """A row that a player cannot play."""


@dataclass(frozen=True, slots=True)
class Block:
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
        faults: How often orders of the player could not be used, by fault.
        decisions: How many orders it was asked for, where it counts them.
    """

    score: tuple[float, ...]
    win: tuple[float, ...]
    finish: tuple[float, ...]
    faults: Mapping[str, int]
    decisions: int = 0


def blocks_of(suite: Suite) -> Iterator[Block]:
    """All blocks of a suite, course by course."""
    for row in suite.rows:
        for course in row.course_ids:
            for first in range(0, row.deals, DEALS_AT_ONCE):
                count = min(DEALS_AT_ONCE, row.deals - first)
                yield Block(row.name, course, first, count, count * row.seats)


class RowMatch(Match):
    """The games of a row on one of its courses; any part of them can be played separately."""

    def __init__(self, suite: str, row: Row, course: str, player: Player, salt: int) -> None:
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

    def part(self, first: int, count: int, report: Callable[[int], None]) -> BlockScores:
        """Play some deals.

        Args:
            first: The number of the first one.
            count: The number of deals.
            report: Called after every turn with the number of games of this part that are over.
        """
        player = self.players[0]
        faults, decisions = Counter(player.faults), player.decisions
        deals = self.arena.new_games(self.num_deals, len(self.players), seed=self.seed, salt=self.salt)
        some = slice(first, first + count)
        try:
            facts = self.play_deals(deals[some], self.ways_of_deals(self.num_deals)[some], report)
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
        return BlockScores(score, win, finish, dict(Counter(player.faults) - faults), player.decisions - decisions)


class Host:
    """Plays blocks of a suite with a player, one after the other; `salt` of the games is 0 for none."""

    def __init__(self, suite: Suite, player: Player, salt: int = 0) -> None:
        self.suite, self.player, self.salt = suite, player, salt
        self._rows = {row.name: row for row in suite.rows}
        self._match: tuple[str, str, RowMatch] | None = None

    @classmethod
    def named(cls, suite: Suite, player: str, salt: int = 0) -> Host:
        """A worker whose player is created here, silently: whoever sends a name has created that player too."""
        with redirect_stderr(io.StringIO()):
            return cls(suite, open_player(player), salt)

    def __call__(self, block: Block, pause: Pause = lambda over: False) -> BlockScores | None:
        """Play a block.

        Args:
            block: A block of the suite.
            pause: Called after every turn with the number of games over. If it returns true, the block is lost.

        Returns:
            The outcome, None if it was stopped.

        Raises:
            RowError: A player cannot play the row; the message names it.
        """

        def tell(over: int) -> None:
            if pause(over):
                raise _StoppedError

        try:
            if self._match is None or self._match[:2] != (block.row, block.course):
                match = RowMatch(self.suite.name, self._rows[block.row], block.course, self.player, self.salt)
                self._match = block.row, block.course, match
            return self._match[2].part(block.first, block.count, tell)
        except _StoppedError:
            return None
        except RoboRallyError as error:
            raise RowError(f"row {block.row}: {error}") from error

    def close(self) -> None:
        """Close the player; background players are closed after every block."""
        close_players([self.player])


class _StoppedError(Exception):
    """Stop playing a block."""
