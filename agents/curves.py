"""Draw learning curves: shares of games won, of one or more training runs, over the rows that they learned from."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

Curve = Sequence[Mapping[str, str]]  # lines of a `progress.csv`

ROWS = "time/total_timesteps"
# The columns that a picture shows, if a curve has them, and their labels
SHARES = {
    "eval/win": "won in evaluations",
    "league/ahead_of_greedy": "ahead of greedy",
    "league/ahead_of_racer": "ahead of racer",
    "rollout/won": "won while learning",
    "exploit/win": "won by responses",
}
_COLOURS = ("#1f6fb2", "#b2521f", "#2e8b57", "#8a5fb5", "#a8285f")
_LEFT, _TOP, _WIDTH, _HEIGHT = 50, 34, 520, 280  # position and size of the plot in pixels


def read_curve(path: Path) -> list[dict[str, str]]:
    """Read a `progress.csv`; return one dict for each line, with values by column."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def picture(curves: Sequence[Curve], title: str) -> str:
    """Draw learning curves as an SVG picture and return its text; curves of the same quantity have the same colour.

    Args:
        curves: The curves of one or more training runs with the same configuration.
        title: The title of the picture.
    """
    shown = [name for name in SHARES if any(line.get(name) for curve in curves for line in curve)]
    most = max((float(line[ROWS]) for curve in curves for line in curve), default=1.0)
    width, height = _LEFT + _WIDTH + 150, _TOP + _HEIGHT + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="13">{escape(title)}</text>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = _TOP + _HEIGHT * (1 - share)
        parts.append(f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share:g}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_TOP + _HEIGHT + 18}">0</text>')
    end = f'x="{_LEFT + _WIDTH}" y="{_TOP + _HEIGHT + 18}" text-anchor="end"'
    parts.append(f"<text {end}>{most / 1e6:.2g} million rows</text>")
    for k, name in enumerate(shown):
        colour, y = _COLOURS[k], _TOP + 14 + 18 * k
        parts.append(f'<rect x="{_LEFT + _WIDTH + 14}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT + _WIDTH + 30}" y="{y}">{escape(SHARES[name])}</text>')
        parts += [_line(curve, name, most, colour) for curve in curves]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(curve: Curve, name: str, most: float, colour: str) -> str:
    """Draw one column of one curve; return an SVG element."""
    points = [(float(line[ROWS]), float(line[name])) for line in curve if line.get(name)]
    drawn = " ".join(f"{_LEFT + _WIDTH * rows / most:.1f},{_TOP + _HEIGHT * (1 - share):.1f}" for rows, share in points)
    return f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-opacity="0.8"/>'
