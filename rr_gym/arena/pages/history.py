"""Ratings over time, and their charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rr_gym.arena.ladder import Ladder, make_ladder
from rr_gym.arena.lines import MatchLine
from rr_gym.arena.log import ArenaLog
from rr_gym.evaluation.statistics.intervals import Stat

MOST_POINTS = 30  # of a chart
WIDTH, HEIGHT = 1000, 360  # of the drawing; pages scale it
LEFT, RIGHT, TOP, BOTTOM = 52, 170, 12, 30  # margins of the drawing, for labels
LABEL = 15  # the least distance of two labels
COLOURS = ("#1d4ed8", "#c2410c", "#15803d", "#7e22ce", "#be123c", "#0e7490", "#a16207", "#4d7c0f", "#9d174d", "#1e3a8a")
GREY = "#8a94a3"  # of anchors


@dataclass(frozen=True, slots=True)
class History:
    """The total ratings of all entries after some numbers of matches.

    Attributes:
        matches: The numbers of matches, in ascending order.
        ratings: For each entry its rating after each of them; None before it had one.
        anchors: Which entries are anchors.
    """

    matches: tuple[int, ...]
    ratings: Mapping[str, tuple[Stat | None, ...]]
    anchors: frozenset[str]


def points_of(log: ArenaLog) -> list[int]:
    """Return after how many lines of a log ratings are shown: at most `MOST_POINTS`, the last one after all lines."""
    ends = [number for number, line in enumerate(log.lines, 1) if isinstance(line, MatchLine)]
    count = min(MOST_POINTS, len(ends))
    return [*(ends[round(len(ends) * (k + 1) / count) - 1] for k in range(count - 1)), len(log.lines)]


def ladders_at(log: ArenaLog, points: Sequence[int], report: Callable[[int], None] = lambda done: None) -> list[Ladder]:
    """Compute the ladders after some numbers of lines.

    Args:
        log: The log of the arena.
        points: The numbers of lines, in ascending order.
        report: Called with the number of ladders computed.
    """
    ladders: list[Ladder] = []
    for point in points:
        report(len(ladders))
        ladders.append(make_ladder(log.until(point)))
    return ladders


def history_of(log: ArenaLog, ladders: Sequence[Ladder]) -> History:
    """Return the ratings of the entries of a log in its ladders over time."""
    found = [{row.name: row.rating for row in ladder.total} for ladder in ladders]
    ratings = {name: tuple(one.get(name) for one in found) for name in log.entries}
    anchors = frozenset(name for name, entry in log.entries.items() if entry.anchor)
    return History(tuple(ladder.matches for ladder in ladders), ratings, anchors)


def chart(history: History, names: Sequence[str], with_intervals: bool = False) -> str:
    """Return an SVG drawing of ratings over matches: anchors in grey, the others in colours, labelled at their ends.

    Args:
        history: The ratings.
        names: The entries to draw.
        with_intervals: Whether 95 % intervals are shaded.
    """
    lines = {name: history.ratings[name] for name in names if any(history.ratings[name])}
    known = [stat for line in lines.values() for stat in line if stat]
    if len(history.matches) < 2 or not known:
        return ""
    low = min(stat.low if with_intervals else stat.value for stat in known) - 10
    high = max(stat.high if with_intervals else stat.value for stat in known) + 10
    last = history.matches[-1]

    def x(matches: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * matches / last

    def y(rating: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - rating) / (high - low)

    parts = [*_axes(low, high, last, x, y)]
    colours = iter(COLOURS * len(lines))
    ends: list[tuple[float, str, str]] = []
    for name, stats in lines.items():
        colour = GREY if name in history.anchors and not with_intervals else next(colours)
        points = [(x(n), stat) for n, stat in zip(history.matches, stats, strict=True) if stat]
        if with_intervals:
            band = [(at, y(stat.low)) for at, stat in points] + [(at, y(stat.high)) for at, stat in reversed(points)]
            parts.append(f'<polygon points="{_points(band)}" fill="{colour}" fill-opacity=".15"/>')
        path = _points([(at, y(stat.value)) for at, stat in points])
        dashes = ' stroke-dasharray="5 4"' if name in history.anchors else ""
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}>'
            f"<title>{escape(name)}</title></polyline>"
        )
        ends.append((y(points[-1][1].value), name, colour))
    for place, name, colour in _spread(ends):
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{place + 4:.1f}" fill="{colour}">{escape(name)}</text>')
    label = escape(f"Ratings over matches of {', '.join(lines)}")
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _axes(
    low: float, high: float, last: int, x: Callable[[int], float], y: Callable[[float], float]
) -> list[str]:
    """Return the grid: a line for each rating of a round number, and the numbers of matches below."""
    step = next(step for step in (25, 50, 100, 200, 400, 800, 1600, 3200) if (high - low) / step <= 8)
    parts = []
    for rating in range(int(low // step + 1) * step, int(high) + 1, step):
        at = f"{y(rating):.1f}"
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(rating) + 4:.1f}" text-anchor="end" class="soft">{rating}</text>')
    for share in (0, 0.5, 1):
        matches = round(last * share)
        words = f"{matches:,} matches" if share == 1 else f"{matches:,}"
        where = f'x="{x(matches):.1f}" y="{HEIGHT - 8}" text-anchor="{"end" if share == 1 else "middle"}"'
        parts.append(f'<text {where} class="soft">{words}</text>')
    return parts


def _spread(labels: list[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """Move labels down where they would lie on each other, and all of them up where the last leave the drawing."""
    moved: list[tuple[float, str, str]] = []
    for place, name, colour in sorted(labels):
        moved.append((max(place, moved[-1][0] + LABEL) if moved else place, name, colour))
    excess = max(0.0, moved[-1][0] - (HEIGHT - BOTTOM)) if moved else 0.0
    return [(place - excess, name, colour) for place, name, colour in moved]


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
