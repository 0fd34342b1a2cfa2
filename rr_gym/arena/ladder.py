"""The ladder: ratings of all entries at each table and in total, on a scale that anchors hold in place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
import numpy as np

from rr_gym.arena.lines import MatchLine, Scale
from rr_gym.arena.log import ArenaLog
from rr_gym.evaluation.statistics.intervals import Stat
from rr_gym.evaluation.statistics.ratings import ELO, Rankings, rating_stats
from rr_gym.evaluation.tournament.standings import PlayedGames, StandingsTable
from rr_gym.players.notes import MAX_FAULTS
from rr_gym.text_layout import columns
from rr_gym.version import __version__

Array = np.ndarray[Any, Any]

FORMAT = 1
LADDER = "ladder.json"  # in the folder of the arena
SAMPLES = 200  # of the bootstrap


@dataclass(frozen=True, slots=True)
class LadderRow:
    """An entry in total.

    Attributes:
        name: The entry.
        rating: The mean of its ratings at the tables at which it has played.
        tables: At how many tables it has played; only totals of equally many can be compared.
        matches: How many matches it has played.
        anchor: Whether it is an anchor.
        retired: Whether it plays no more.
        lost: The share of its decisions that were lost.
        seconds: How long it took for a decision, on average.
    """

    name: str
    rating: Stat
    tables: int
    matches: int
    anchor: bool
    retired: bool
    lost: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Ladder:
    """The figures of an arena after some of its lines.

    Attributes:
        head: The hash of the last of these lines.
        lines: How many there are.
        matches: How many matches were played.
        scale: What ratings mean.
        total: Who has played at the most tables first, the best of them first.
        tables: The figures at each table at which games were played, by name.
    """

    head: str
    lines: int
    matches: int
    scale: Scale
    total: tuple[LadderRow, ...]
    tables: Mapping[str, StandingsTable]

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json.dump`; intervals are value, low and high, numbers have four decimals."""
        data = {"format": FORMAT, "rr_gym": __version__, "confidence": 0.95, **asdict(self)}
        rounded: dict[str, Any] = _rounded(data | {"scale": msgspec.to_builtins(self.scale)})
        return rounded

    def file_text(self) -> str:
        """Return the contents of `LADDER`."""
        return json.dumps(self.to_json(), indent=1, allow_nan=False) + "\n"

    def text(self) -> str:
        """Return the ladder for people."""
        names = list(self.tables)
        ratings = {name: {p.name: p.rating for p in table.players} for name, table in self.tables.items()}
        rows = [["", "entry", "rating", *names, "lost", "s a decision", "matches"]]
        for number, row in enumerate(self.total, 1):
            found = [f"{ratings[name][row.name].value:.0f}" if row.name in ratings[name] else "-" for name in names]
            mark = "*" if row.lost > MAX_FAULTS else ""
            rows.append([
                str(number), row.name + (" (retired)" if row.retired else ""), row.rating.words(".0f"), *found,
                f"{100 * row.lost:.1f} %{mark}", f"{row.seconds:.3f}", f"{row.matches:,}",
            ])  # fmt: skip
        games = sum(table.games for table in self.tables.values())
        lines = [f"{self.matches:,} matches, {games:,} games; {scale_words(self.scale)}", "", *columns(rows), ""]
        if any(row.lost > MAX_FAULTS for row in self.total):
            lines.append(f"* more than {100 * MAX_FAULTS:g} % of its decisions were lost: its rating says little")
        for name, table in self.tables.items():
            if table.unfinished:
                lines.append(f"{name}: {100 * table.unfinished:.1f} % of the games were truncated")
        return "\n".join([*lines, f"head of the chain, line {self.lines:,}: {self.head}"])


def _rounded(data: Any) -> Any:
    """Round all numbers in plain data, so that they are the same on every machine."""
    if isinstance(data, dict):
        return {name: _rounded(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_rounded(value) for value in data]
    return round(data, 4) if isinstance(data, float) else data


def scale_words(scale: Scale) -> str:
    """Say what ratings mean."""
    return (
        f"the mean of {', '.join(scale.anchors)} is {scale.mean:.0f} at every table" if scale.anchors else
        f"without anchors the mean of all is {scale.mean:.0f}: ratings of other arenas mean something else"
    )  # fmt: skip


def make_ladder(log: ArenaLog) -> Ladder:
    """Compute the ladder of a log; `log.until(n)` is the log after n lines, for ratings over time."""
    matches = list(log.matches.values())
    tables: dict[str, StandingsTable] = {}
    values: dict[str, list[float]] = {}
    samples: dict[str, list[Array]] = {}
    for number, name in enumerate(log.tables):
        played = [match for match in matches if match.table == name]
        names = [entry for entry in log.entries if any(entry in match.lineup for match in played)]
        if len(names) < 2:
            continue
        rated, resampled = _ratings(names, played, log.arena.scale, number)
        tables[name] = PlayedGames(names, list(_games(played))).table(0, rating_stats(rated, resampled))
        for place, entry in enumerate(names):
            values.setdefault(entry, []).append(float(rated[place]))
            samples.setdefault(entry, []).append(resampled[:, place])
    total = [_row(log, name, rated, samples[name], matches) for name, rated in values.items()]
    total.sort(key=lambda row: (-row.tables, -row.rating.value))
    return Ladder(log.head, len(log.lines), len(matches), log.arena.scale, tuple(total), tables)


def _ratings(names: Sequence[str], played: Sequence[MatchLine], scale: Scale, seed: int) -> tuple[Array, Array]:
    """Return the ratings of entries at a table, (entries,), and those of resamples, (samples, entries)."""
    place = {name: number for number, name in enumerate(names)}
    games = [(match.match, game) for match in played for game in match.games]
    deals = [(deal, [place[name] for name in game.players], game.places) for deal, game in games]
    rankings = Rankings(len(names), deals)
    logs = rankings.strengths()
    resampled = rankings.resampled(logs, seed, SAMPLES)
    held = [place[name] for name in scale.anchors if name in place] or list(range(len(names)))

    def on_scale(logs: Array) -> Array:
        ratings: Array = scale.mean + ELO * (logs - logs[..., held].mean(-1, keepdims=True))
        return ratings

    return on_scale(logs), on_scale(resampled)


def _games(played: Iterable[MatchLine]) -> Iterable[dict[str, Any]]:
    """Yield games as `PlayedGames` takes them."""
    for match in played:
        for game in match.games:
            yield {
                "deal": match.match, "course": match.course.id, "players": game.players, "places": game.places,
                "winners": game.winners, "turns": game.turns, "over": game.over,
            }  # fmt: skip


def _row(
    log: ArenaLog, name: str, ratings: Sequence[float], samples: Sequence[Array], matches: Iterable[MatchLine]
) -> LadderRow:
    played = [match for match in matches if name in match.lineup]
    decisions = sum(match.decisions[name] for match in played)
    lost = sum(sum(match.faults.get(name, {}).values()) for match in played)
    (rating,) = rating_stats(np.array([np.mean(ratings)]), np.mean(samples, axis=0)[:, None])
    return LadderRow(
        name=name,
        rating=rating,
        tables=len(ratings),
        matches=len(played),
        anchor=log.entries[name].anchor,
        retired=name in log.retired,
        lost=round(lost / decisions, 4) if decisions else 0.0,
        seconds=round(sum(match.seconds[name] for match in played) / decisions, 4) if decisions else 0.0,
    )
