"""The result of a benchmark: figures of rows and of the suite, with intervals, and their output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rr_gym.errors import printable
from rr_gym.evaluation.benchmark.references import HIGH, LOW
from rr_gym.evaluation.benchmark.row_play import BlockScores, RowBlock
from rr_gym.evaluation.benchmark.suites import Suite, SuiteRow, seed_of
from rr_gym.evaluation.statistics.intervals import Stat
from rr_gym.evaluation.statistics.scores import bootstrap_stat, interquartile_mean, resampled_means
from rr_gym.players.notes import MAX_FAULTS, Losses, above, loss_lines, sandbox_lines
from rr_gym.salt import salt_text
from rr_gym.text_layout import columns
from rr_gym.version import __version__

Array = np.ndarray[Any, Any]

FORMAT = 1
RAW = ".3f"  # the format of raw scores in tables


@dataclass(frozen=True, slots=True)
class CourseScore:
    """A row on one of its courses.

    Attributes:
        games: The number of games played.
        raw: The mean of the games' scores, from 0 to 1.
        score: The score on the scale of the reference players, None without a reference.
    """

    games: int
    raw: Stat
    score: Stat | None


@dataclass(frozen=True, slots=True)
class RowScore:
    """A row: means over its courses.

    Attributes:
        name: The name of the row.
        group: The name of its group.
        seats: The number of robots at the table.
        games: The number of games played.
        raw: The mean of the games' scores, from 0 to 1.
        score: The score on the scale of the reference players, None without a reference.
        win: The share of games that a robot of the player won.
        finish: The share of games in which a robot of the player touched all flags.
        courses: The scores by the id of the course.
    """

    name: str
    group: str
    seats: int
    games: int
    raw: Stat
    score: Stat | None
    win: float
    finish: float
    courses: Mapping[str, CourseScore]


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """The result of a benchmark for a player.

    Attributes:
        suite: The suite's name.
        player: The player's name.
        notes: Why the score cannot be compared with others of the suite; empty if it can.
        reproducible: Whether the player decides the same on any machine.
        faults: The number of its unusable orders, by fault.
        decisions: How many orders it was asked for, if the player counts them.
        score: The interquartile mean of the scores of all rows and courses, None without reference.
        rows: The rows of which games were played.
        salt: The salt of the games, 32 hexadecimal digits; None without one, as for the reference.
        sandbox: The kind of sandbox of the player (docs/arena.md); empty if it is not a program.
    """

    suite: str
    player: str
    notes: tuple[str, ...]
    reproducible: bool
    faults: Mapping[str, int]
    decisions: int
    score: Stat | None
    rows: tuple[RowScore, ...]
    salt: str | None = None
    sandbox: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json.dump`, with the attributes' names as keys; intervals are value, low and high."""
        return {"format": FORMAT, "rr_gym": __version__, "confidence": 0.95, **asdict(self)}

    @property
    def losses(self) -> tuple[Losses, ...]:
        """The losses of the player, empty if it lost no decision."""
        return (Losses(self.player, self.decisions, self.faults),) if self.faults else ()

    def faulty(self, max_faults: float = MAX_FAULTS) -> bool:
        """Tell whether the player lost more than this share of its decisions; it has no score then."""
        return bool(above(self.losses, max_faults))

    def text(self, max_faults: float = MAX_FAULTS) -> str:
        """Return a table of a few lines for people to read.

        Args:
            max_faults: If the player lost more than this share of its decisions, scores and shares are not shown.
        """
        title = f"{self.player} on suite {self.suite}, {sum(row.games for row in self.rows):,} games"
        faulty = self.faulty(max_faults)
        cells = [["row", "games", "raw score", "score", "won", "all flags"]]
        for row in self.rows:
            won = "-" if row.seats == 1 else f"{100 * row.win:.1f} %"
            figures = ["-"] * 4 if faulty else [row.raw.words(RAW), scaled(row.score), won, f"{100 * row.finish:.1f} %"]
            cells.append([row.name, f"{row.games:,}", *figures])
        end = [f"score {scaled(self.score)}; {LOW} is 0, {HIGH} is 100"] if self.score and not faulty else []
        if self.salt:
            end.append(f"played with salt {self.salt}: other deals than for the reference and unsalted players")
        end += [f"not comparable: {note}" for note in self.notes]
        if not self.reproducible:
            end.append(f"{self.player} is not reproducible: the same games may give other results")
        end += sandbox_lines({self.player: self.sandbox} if self.sandbox else {})
        return "\n".join([title, *loss_lines(self.losses, max_faults), "", *columns(cells), "", *end])


def scaled(stat: Stat | None) -> str:
    """Format a score with its interval; "-" without a score."""
    return "-" if stat is None else stat.words("z.1f")


def markdown(results: Sequence[BenchmarkResult], max_faults: float = MAX_FAULTS) -> str:
    """Return the scores of players on one suite side by side as a Markdown table; without a reference, raw scores.

    Args:
        results: The result of each player.
        max_faults: A player that lost more than this share of its decisions has no scores.
    """

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    names = dict.fromkeys(row.name for result in results for row in result.rows)
    lines = [line(["row", *(as_code(result.player) for result in results)]), line(["---", *["---:"] * len(results)])]
    for name in names:
        rows = [next((row for row in result.rows if row.name == name), None) for result in results]
        cells = ["-" if result.faulty(max_faults) else _cell(row) for result, row in zip(results, rows, strict=True)]
        lines.append(line([name, *cells]))
    scores = ["-" if result.faulty(max_faults) else scaled(result.score) for result in results]
    return "\n".join([*lines, line(["**all**", *(f"**{score}**" for score in scores)])])


def as_code(text: str) -> str:
    """Quote any text as code for a cell of a Markdown table."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{printable(text)}{pad}{fence}".replace("|", "\\|")


def _cell(row: RowScore | None) -> str:
    if row is None:
        return "-"
    return scaled(row.score) if row.score else row.raw.words(RAW)


@dataclass(frozen=True, slots=True)
class _Figure:
    """A mean with its resamples, raw and, if there is a reference, on its scale."""

    value: float
    resamples: Array

    @property
    def stat(self) -> Stat:
        return bootstrap_stat(self.value, self.resamples)

    @classmethod
    def mean(cls, figures: Sequence[_Figure]) -> _Figure:
        return cls(float(np.mean([f.value for f in figures])), np.mean([f.resamples for f in figures], axis=0))

    def scaled(self, ends: tuple[float, float]) -> _Figure:
        low, high = ends
        return _Figure(100 * (self.value - low) / (high - low), 100 * (self.resamples - low) / (high - low))


@dataclass(frozen=True, slots=True)
class _Stratum:
    """The deals of a row on a course."""

    games: int
    raw: _Figure
    score: _Figure | None
    win: float
    finish: float


def benchmark_result(
    suite: Suite,
    player: str,
    blocks: Mapping[RowBlock, BlockScores],
    notes: Sequence[str],
    reproducible: bool,
    salt: int = 0,
    sandbox: str = "",
) -> BenchmarkResult:
    """Compute the scores of the played blocks.

    Args:
        suite: The suite or the part of it that was requested.
        player: The player's name.
        blocks: The outcomes of the played blocks, in the order of the suite; at least one.
        notes: Why scores cannot be compared.
        reproducible: Whether the player decides the same on any machine.
        salt: The salt of the games, 0 for none.
        sandbox: The kind of sandbox of the player; empty if it is not a program.
    """
    parts: dict[tuple[str, str], list[tuple[RowBlock, BlockScores]]] = {}
    faults: Counter[str] = Counter()
    for block, scores in blocks.items():
        parts.setdefault((block.row, block.course), []).append((block, scores))
        faults.update(scores.faults)
    strata = {key: _stratum(suite, *key, some) for key, some in parts.items()}
    played = [row for row in suite.rows if any(name == row.name for name, _ in strata)]
    rows = tuple(_row_score(row, {c: s for (name, c), s in strata.items() if name == row.name}) for row in played)
    return BenchmarkResult(
        suite=suite.name,
        player=player,
        notes=tuple(notes),
        reproducible=reproducible,
        faults=dict(sorted(faults.items())),
        decisions=sum(scores.decisions for scores in blocks.values()),
        score=_total([stratum.score for stratum in strata.values()]),
        rows=rows,
        salt=salt_text(salt),
        sandbox=sandbox,
    )


def _total(figures: Sequence[_Figure | None]) -> Stat | None:
    """Return the interquartile mean of figures with its bootstrap interval, None if a figure is missing."""
    known = [figure for figure in figures if figure is not None]
    if len(known) < len(figures):
        return None
    value = interquartile_mean(np.array([figure.value for figure in known]))
    return bootstrap_stat(float(value), interquartile_mean(np.stack([figure.resamples for figure in known], axis=1)))


def _stratum(suite: Suite, row: str, course: str, blocks: Sequence[tuple[RowBlock, BlockScores]]) -> _Stratum:
    def values(name: str) -> list[float]:
        return [value for _, scores in blocks for value in getattr(scores, name)]

    scores = values("score")
    raw = _Figure(float(np.mean(scores)), resampled_means(scores, seed_of(suite.name, row, course)))
    ends = suite.reference.scores.get(row, {}).get(course) if suite.reference else None
    return _Stratum(
        games=sum(block.games for block, _ in blocks),
        raw=raw,
        score=raw.scaled(ends) if ends else None,
        win=float(np.mean(values("win"))),
        finish=float(np.mean(values("finish"))),
    )


def _row_score(row: SuiteRow, strata: Mapping[str, _Stratum]) -> RowScore:
    scores = [stratum.score for stratum in strata.values() if stratum.score]
    return RowScore(
        name=row.name,
        group=row.group,
        seats=row.seats,
        games=sum(stratum.games for stratum in strata.values()),
        raw=_Figure.mean([stratum.raw for stratum in strata.values()]).stat,
        score=_Figure.mean(scores).stat if len(scores) == len(strata) else None,
        win=float(np.mean([stratum.win for stratum in strata.values()])),
        finish=float(np.mean([stratum.finish for stratum in strata.values()])),
        courses={
            course: CourseScore(stratum.games, stratum.raw.stat, stratum.score.stat if stratum.score else None)
            for course, stratum in strata.items()
        },
    )
