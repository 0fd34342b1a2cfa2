"""The player benchmark: a suite played block by block, and its scores (docs/player-benchmark.md)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from functools import partial

from rr_gym.errors import RoboRallyError, check_report, short_repr, whole_number
from rr_gym.evaluation.benchmark.benchmark_log import BlockLog, block_keys
from rr_gym.evaluation.benchmark.benchmark_report import BenchmarkResult, benchmark_result
from rr_gym.evaluation.benchmark.fingerprints import changes_since, fingerprint_of
from rr_gym.evaluation.benchmark.references import HIGH, LOW, Reference
from rr_gym.evaluation.benchmark.row_play import BenchmarkWorker, BlockScores, RowBlock, blocks_of
from rr_gym.evaluation.benchmark.suites import LATEST, Suite, load_suite
from rr_gym.evaluation.executor import share
from rr_gym.evaluation.processes import MAX_WORKERS
from rr_gym.players import Player
from rr_gym.progress import Report
from rr_gym.registry import as_player, make_player, open_player
from rr_gym.salt import read_salt, salt_text

_PATIENCE = 1.0  # seconds for unfinished work when everything is to stop; its block is lost anyway


class BenchmarkError(RoboRallyError):
    """A benchmark that cannot be played."""


class Benchmark:
    """A benchmark of a player on a suite. `play` plays it; `result` returns the scores, even after an interruption.

    Args:
        player: A `Player`, or a string that names one: a registered name, a policy folder, a model, or a program.
        suite: The name of a built-in suite, or a `Suite`.
        rows: Names of rows or groups; none for all. Scores of some rows cannot be compared with those of all.
        games: At most this many games in each row; None for all. Scores of fewer games cannot be compared either.
        salt: The salt of the games, a whole number of 128 bits or up to 32 hexadecimal digits; 0 for none, as for the
            reference. None takes the salt of the player's blocks in the log; without such blocks, it draws one if a
            player is external (`Player.outside`).
        sandbox: The kind of sandbox of a program (docs/arena.md); None for the strongest that works here.

    Attributes:
        whole: The whole suite.
        suite: The part of the suite that is played.
        fingerprint: Digests of everything that the scores depend on, in its current state.
        salt: The salt of the games, 0 for none; None until it is chosen.
        outdated: Blocks of this player in the log that could not be used because something had changed.

    Raises:
        RoboRallyError: There is no such player, suite or row, or a number or the salt is wrong.
    """

    def __init__(
        self,
        player: Player | str,
        suite: Suite | str = LATEST,
        *,
        rows: Iterable[str] = (),
        games: int | None = None,
        salt: int | str | None = None,
        sandbox: str | None = None,
    ) -> None:
        self.whole = suite if isinstance(suite, Suite) else load_suite(suite)
        if games is not None:
            whole_number("games", games, 1, error=BenchmarkError)
        self.suite = self.whole.chosen(rows, games)
        player = as_player(player)
        if not isinstance(player, str | Player):
            raise BenchmarkError(f"player {short_repr(player)}: expected a name, or a Player")
        self._typed = isinstance(player, str)
        self.player = open_player(player, sandbox) if isinstance(player, str) else player
        self.name = player if isinstance(player, str) and not self.player.digest else self.player.name
        self._source = player if isinstance(player, str) else self.name
        self.salt = None if salt is None else read_salt("salt", salt, BenchmarkError)
        self.outdated = 0
        self.fingerprint = fingerprint_of(self.suite)
        self._scores: dict[RowBlock, BlockScores] = {}

    @property
    def num_games(self) -> int:
        """The number of games in all rows."""
        return sum(row.num_games for row in self.suite.rows)

    @property
    def num_played(self) -> int:
        """The number of games played."""
        return sum(block.games for block in self._scores)

    def play(
        self, report: Report | None = None, *, workers: int | None = 1, log: str | os.PathLike[str] | None = None,
        ray: str | None = None,
    ) -> None:  # fmt: skip
        """Play the games that are not played yet.

        Args:
            report: Called from time to time with the number of games played and the number of all games.
            workers: The number of processes that play in parallel, None for as many as there are processors; the result
                does not depend on it.
            log: A file for the played blocks; those already in it are not played again.
            ray: The address of a Ray cluster, whose machines play instead (docs/scaling.md).

        Raises:
            RoboRallyError: The player cannot play a row, the file cannot be read or written, or it has blocks with
                another salt.
        """
        check_report(report, BenchmarkError)
        if workers is not None:
            whole_number("workers", workers, 1, MAX_WORKERS, BenchmarkError)
        here = workers == 1 and ray is None
        if not here and not self._typed:
            raise BenchmarkError(f"workers: {workers}: expected 1 for a player that is not created from its name")

        def tell(over: int) -> None:
            if report:
                report(self.num_played + over, self.num_games)

        with self._log(log) as kept:
            self.outdated = kept.outdated
            self.salt = kept.choose_salt(self.salt, self._players())
            make = partial(
                BenchmarkWorker, self.suite, self.player if here else self._source, self.salt, self.player.sandbox
            )
            blocks = list(blocks_of(self.suite))
            self._scores |= {block: kept.blocks[block] for block in blocks if block in kept.blocks}
            left = [block for block in blocks if block not in self._scores]
            with (
                kept.keeping_salt([self.player]),
                closing(share(make, left, workers, tell, _PATIENCE, ray)) as played,
            ):
                for block, scores in played:
                    self._scores[block] = scores
                    kept.add(block, scores)

    def keep(self, log: str | os.PathLike[str]) -> None:
        """Write the blocks that were played to a file, for `play` to resume. Raises RoboRallyError."""
        with self._log(log) as kept:
            kept.salt = self.salt
            for block, scores in self._scores.items():
                kept.add(block, scores)

    def _log(self, path: str | os.PathLike[str] | None) -> BlockLog:
        keys = block_keys(self.name, self.suite, self.fingerprint, self.player.digest)
        return BlockLog(path, self.name, keys, self.player.sandbox)

    def result(self) -> BenchmarkResult:
        """Return the scores of all finished blocks. Raises BenchmarkError if there are none."""
        if not self._scores:
            raise BenchmarkError("no block of deals is finished: nothing to report")
        scores = {block: self._scores[block] for block in blocks_of(self.suite) if block in self._scores}
        return benchmark_result(
            self.suite, self.name, scores, self._notes(),
            reproducible=self.player.reproducible, salt=self.salt or 0, sandbox=self.player.sandbox,
        )  # fmt: skip

    def _players(self) -> list[Player]:
        """Return the benchmarked player, followed by new background players."""
        others = sorted({name for row in self.suite.rows for name in row.others})
        return [self.player, *(make_player(name) for name in others)]

    def _notes(self) -> list[str]:
        """Explain why the scores cannot be compared with those of the whole suite; empty if they can."""
        notes = changes_since(self.whole.reference, self.fingerprint)
        chosen = {row.name: row for row in self.suite.rows}
        if len(chosen) < len(self.whole.rows):
            notes.append(f"{len(chosen)} of {len(self.whole.rows)} rows only")
        if any(chosen[row.name].games < row.games for row in self.whole.rows if row.name in chosen):
            notes.append("fewer games than the suite has")
        if self.num_played < self.num_games:
            notes.append(f"not finished: {self.num_played:,} of {self.num_games:,} games")
        return notes


def measure_reference(low: Benchmark, high: Benchmark) -> Reference:
    """Compute the reference of a suite from the benchmarks of its two reference players.

    Raises:
        BenchmarkError: The two players did not both finish the same whole suite, `HIGH` does not beat `LOW` on every
            course, or there is a salt.
    """
    for benchmark, name in ((low, LOW), (high, HIGH)):
        if benchmark.salt:
            raise BenchmarkError(f"reference: salt {salt_text(benchmark.salt)}: expected no salt")
        whole = benchmark.whole.rows == benchmark.suite.rows and benchmark.num_played == benchmark.num_games
        if benchmark.name != name or benchmark.suite.rows != low.suite.rows or not whole:
            raise BenchmarkError(f"reference: {benchmark.name}: expected the whole suite, played by {name}")
    scores: dict[str, dict[str, tuple[float, float]]] = {}
    for worse, better in zip(low.result().rows, high.result().rows, strict=True):
        for course in worse.courses:
            ends = worse.courses[course].raw.value, better.courses[course].raw.value
            if ends[0] >= ends[1]:
                raise BenchmarkError(
                    f"reference: row {worse.name}, {course}: {ends}: expected {high.name} to be better"
                )
            scores.setdefault(worse.name, {})[course] = ends
    return Reference(low.suite.name, low.fingerprint.rows, low.fingerprint.players, scores)
