"""What pages of results share: styles, tables, bars of ratings, and the matrix of who is placed before whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from importlib.resources import files

from rr_gym.evaluation.statistics.intervals import Stat
from rr_gym.evaluation.tournament.standings import PlayerStanding

Names = Mapping[str, str]  # the names that pages show, by the names of the players

_BETTER, _WORSE = "37 99 235", "234 88 12"  # colours of shares above and below one half


def styles() -> str:
    """Return the style sheet."""
    return files("rr_gym.evaluation.tournament").joinpath("results.css").read_text(encoding="utf-8")


def head_cell(text: str) -> str:
    """Return the head cell of a column; an empty data cell if there is no text."""
    return f"<th>{text}</th>" if text else "<td></td>"


def matrix(players: Sequence[PlayerStanding], names: Names, faulty: Collection[str] = ()) -> str:
    """Return the matrix: the share of their games in which the player of the row is placed before that of the column.

    Args:
        players: The players, in the order of rows and columns.
        names: See `Names`.
        faulty: Players whose cells stay empty, because they lost too many decisions.
    """
    numbers = "".join(f'<th title="{escape(names[player.name])}">{n}</th>' for n, player in enumerate(players, start=1))
    rows = [[head_cell(""), head_cell(""), numbers]]
    for n, player in enumerate(players, start=1):
        cells = [
            "<td></td>" if {player.name, other.name} & {*faulty} else _cell(player, other, names) for other in players
        ]
        rows.append([f"<th>{n}</th>", f'<td class="name">{escape(names[player.name])}</td>', *cells])
    return html_table("cross", "Who is placed before whom", rows)


def _cell(player: PlayerStanding, other: PlayerStanding, names: Names) -> str:
    stat = player.better.get(other.name)
    if stat is None:
        return "<td></td>"
    colour = _BETTER if stat.value > 0.5 else _WORSE
    title = escape(f"{names[player.name]} before {names[other.name]}: {stat.percent}")
    shade = f"background: rgb({colour} / {abs(stat.value - 0.5):.2f})"
    return f'<td style="{shade}" title="{title}">{100 * stat.value:.1f}</td>'


def rating_bar(rating: Stat, low: float, high: float, middle: float = 0) -> str:
    """Draw the interval and the value of a rating, and a mark in the middle, on an axis from `low` to `high`."""

    def at(value: float) -> float:
        return 100 * (value - low) / (high - low) if high > low else 50.0

    left, width = at(rating.low), at(rating.high) - at(rating.low)
    interval = f'<i style="left: {left:.2f}%; width: {width:.2f}%"></i>'
    return (
        f'<div class="axis"><u style="left: {at(middle):.2f}%"></u>{interval}'
        f'<b style="left: {at(rating.value):.2f}%"></b></div>'
    )


def with_interval(words: str) -> str:
    """Return the HTML of a figure with its interval, if it has one, in small letters."""
    value, bracket, interval = words.partition("(")
    return f"{value}<small>{bracket}{interval}</small>" if bracket else words


def html_table(kind: str, label: str, rows: Sequence[Sequence[str]]) -> str:
    """Return the HTML of a table that can be scrolled with the keyboard where it is wider than the page."""
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<section aria-label="{escape(label)}" tabindex="0"><table class="{kind}">\n{body}\n</table></section>'
