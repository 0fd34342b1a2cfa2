"""Ratings and payoffs of a league as tables in CSV and as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape

from rr_gym.files import write_file

from .folder import RunError, RunFolder
from .payoffs import Payoffs

_LEFT, _TOP, _WIDTH, _HEIGHT = 60, 40, 420, 320  # position and size of the plot of ratings
_GAP, _CELL = 150, 22  # between the plot and the matrix, and the side of a cell of the matrix


def write_tables(folder: RunFolder, payoffs: Payoffs, kept: Sequence[str]) -> None:
    """Write `ratings.csv`, `payoffs.csv` and `league.svg` into the league's folder.

    Args:
        folder: The run folder.
        payoffs: The results of all games between members of the league.
        kept: The names of the players in the matrix of the picture.
    """
    ratings = payoffs.rate()
    rated = [(name, *payoffs.taken.get(name, ("", "")), f"{rating:.6g}") for name, rating in ratings.items()]
    scores = [(*pair, f"{score:.6g}", games) for pair, (score, games) in payoffs.scores.items()]
    files = {
        "ratings.csv": _table([("player", "update", "rows", "rating"), *rated]),
        "payoffs.csv": _table([("player", "opponent", "score", "games"), *scores]),
        "league.svg": picture(payoffs, ratings, kept),
    }
    for name, content in files.items():
        write_file(folder.league / name, content, RunError)


def _table(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def picture(payoffs: Payoffs, ratings: dict[str, float], kept: Sequence[str]) -> str:
    """Draw a league as an SVG picture and return its text.

    It has the snapshots' ratings over rows, with those of named players as lines, and the payoff matrix.
    """
    names = [name for name in kept if name in ratings]
    left = _LEFT + _WIDTH + _GAP
    width, height = left + _CELL * len(names) + 20, max(_TOP + _HEIGHT + 50, _TOP + _CELL * len(names) + 110)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
        'font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *_curve(payoffs, ratings),
        *_matrix(payoffs, names, left),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>'


def _curve(payoffs: Payoffs, ratings: dict[str, float]) -> list[str]:
    """Draw the ratings of all players over the rows learned from; return elements of SVG."""
    low, high = min(ratings.values()), max(ratings.values())
    spread, most = max(high - low, 1.0), max(1, *(rows for _, rows in payoffs.taken.values()))

    def at(rows: float, rating: float) -> tuple[float, float]:
        return _LEFT + _WIDTH * rows / most, _TOP + _HEIGHT * (1 - (rating - low) / spread)

    parts = [
        _text(_LEFT, _TOP - 16, "rating over rows (400 points: ten times as strong)", 'font-size="13"'),
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>',
        _text(_LEFT, _TOP + _HEIGHT + 16, "0"),
        _text(_LEFT + _WIDTH, _TOP + _HEIGHT + 16, f"{most:,} rows", 'text-anchor="end"'),
    ]
    for value in (low, low + spread):
        parts.append(_text(_LEFT - 6, at(0, value)[1] + 4, f"{value:.0f}", 'text-anchor="end"'))
    points = [at(rows, ratings[name]) for name, (_, rows) in payoffs.taken.items()]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f6fb2" stroke-width="2"/>')
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1f6fb2"/>' for x, y in points]
    for name, rating in ratings.items():
        if name not in payoffs.taken:
            y = at(0, rating)[1]
            ends = f'x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y:.1f}" y2="{y:.1f}"'
            parts.append(f'<line {ends} stroke="#b2521f" stroke-dasharray="5 4"/>')
            parts.append(_text(_LEFT + _WIDTH + 4, y + 4, name))
    return parts


def _matrix(payoffs: Payoffs, names: Sequence[str], left: int) -> list[str]:
    """Draw the payoff matrix; return elements of SVG.

    A cell is red where the player of the row loses to the player of the column, and green where it wins.
    """
    parts = [_text(left - 90, _TOP - 16, "payoffs: rows against columns, %", 'font-size="13"')]
    for i, name in enumerate(names):
        y, x = _TOP + _CELL * i, left + _CELL * i
        parts.append(_text(left - 6, y + 15, name[-16:], 'text-anchor="end"'))
        below = _TOP + _CELL * len(names) + 6
        turned = f'transform="rotate(60 {x + 8} {below})"'
        parts.append(_text(x + 8, below, name[-16:], turned))
        for j, other in enumerate(names):
            score = payoffs.score(name, other)
            if score is not None:
                cell = f'x="{left + _CELL * j}" y="{y}" width="{_CELL}" height="{_CELL}"'
                parts.append(f'<rect {cell} fill="hsl({120 * score:.0f} 60% 75%)"/>')
                middle = left + _CELL * (j + 0.5)
                parts.append(_text(middle, y + 15, f"{100 * score:.0f}", 'text-anchor="middle" font-size="10"'))
    return parts
