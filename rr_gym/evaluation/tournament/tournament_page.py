"""The standings of a tournament as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from importlib.resources import files

from rr_gym.evaluation.statistics.intervals import Stat
from rr_gym.evaluation.tournament.exhibition import Watched
from rr_gym.evaluation.tournament.standings import (
    PlayerStanding,
    Standings,
    StandingsTable,
    remarks,
    summary,
)
from rr_gym.files import fill
from rr_gym.players.notes import MAX_FAULTS, loss_lines
from rr_gym.render.board.icon import ICON
from rr_gym.replay.page import short_names
from rr_gym.version import __version__

Names = Mapping[str, str]  # the names that pages show, by the names of the players

_BETTER, _WORSE = "37 99 235", "234 88 12"  # colours of shares above and below one half


def to_html(standings: Standings, watched: Sequence[Watched] = (), max_faults: float = MAX_FAULTS) -> str:
    """Return an HTML page with the standings, the cross table, a table for every course, and links to games.

    Args:
        standings: The standings to show.
        watched: Games that can be watched, with addresses relative to the place of the page.
        max_faults: See `Standings.rows`.
    """
    faulty = standings.faulty(max_faults)
    arguments, players = standings.arguments, [player.name for player in standings.total.players]
    names = dict(zip(players, short_names(players), strict=True))
    settings = "".join(f", {name}={value}" for name, value in arguments["settings"].items())
    several = standings.by_course if len(arguments["courses"]) > 1 else {}
    lines = [*loss_lines(standings.losses, max_faults), *remarks(standings)]
    parts = {
        "summary": escape(summary(standings)),
        "remarks": "".join(f"<p>{escape(line)}</p>" for line in lines),
        "standings": _standings(standings, standings.total, names, max_faults),
        "cross": _cross(standings.total.players, names, faulty),
        "courses": "".join(
            f"<h2>{escape(course)}: {table.games:,} games, {table.turns:.1f} turns each</h2>"
            f"{_standings(standings, table, names, max_faults, course)}"
            for course, table in several.items()
        ),
        "games": _games(watched),
        "icon": ICON,
        "made": escape(f"rr-gym {__version__}{settings}"),
    }
    page = files("rr_gym.evaluation.tournament").joinpath("tournament.html").read_text(encoding="utf-8")
    return fill(page, parts)


def _games(watched: Sequence[Watched]) -> str:
    if not watched:
        return ""
    items = "".join(f'<li><a href="{escape(game.href)}">{escape(game.title)}</a></li>' for game in watched)
    return f"<h2>Games to watch</h2>\n<p>Of the best players; they do not count.</p>\n<ul>{items}</ul>"


def _standings(standings: Standings, table: StandingsTable, names: Names, max_faults: float, course: str = "") -> str:
    """Return a table of the players with their ratings as bars; faulty players are not rated."""
    ends = [end for player in table.players for end in (player.rating.low, player.rating.high)]
    low, high = min(ends), max(ends)
    (_, _, rating, *heads), *cells = standings.rows(table, names, max_faults)
    rows = [[_head(""), '<th class="name">player</th>', _head(rating), _head(""), *map(_head, heads)]]
    for player, (number, name, rating, *rest) in zip(table.players, cells, strict=True):
        bar = "<td></td>" if rating == "-" else f'<td class="bar">{_bar(player.rating, low, high)}</td>'
        figures = [f"<td>{_with_interval(figure)}</td>" for figure in (rating, *rest)]
        rows.append([f"<td>{number}</td>", f'<td class="name">{escape(name)}</td>', figures[0], bar, *figures[1:]])
    return _table("", f"Standings on {course}" if course else "Standings", rows)


def _head(text: str) -> str:
    """Return the head cell of a column; an empty data cell if there is no text."""
    return f"<th>{text}</th>" if text else "<td></td>"


def _cross(players: Sequence[PlayerStanding], names: Names, faulty: Collection[str]) -> str:
    numbers = "".join(f'<th title="{escape(names[player.name])}">{n}</th>' for n, player in enumerate(players, start=1))
    rows = [[_head(""), _head(""), numbers]]
    for n, player in enumerate(players, start=1):
        cells = [
            "<td></td>" if {player.name, other.name} & {*faulty} else _cell(player, other, names) for other in players
        ]
        rows.append([f"<th>{n}</th>", f'<td class="name">{escape(names[player.name])}</td>', *cells])
    return _table("cross", "Who is placed before whom", rows)


def _cell(player: PlayerStanding, other: PlayerStanding, names: Names) -> str:
    stat = player.better.get(other.name)
    if stat is None:
        return "<td></td>"
    colour = _BETTER if stat.value > 0.5 else _WORSE
    title = escape(f"{names[player.name]} before {names[other.name]}: {stat.percent}")
    shade = f"background: rgb({colour} / {abs(stat.value - 0.5):.2f})"
    return f'<td style="{shade}" title="{title}">{100 * stat.value:.1f}</td>'


def _bar(rating: Stat, low: float, high: float) -> str:
    """Draw the interval, the value and the zero of a rating on an axis from `low` to `high`."""

    def at(value: float) -> float:
        return 100 * (value - low) / (high - low) if high > low else 50.0

    left, width = at(rating.low), at(rating.high) - at(rating.low)
    interval = f'<i style="left: {left:.2f}%; width: {width:.2f}%"></i>'
    return (
        f'<div class="axis"><u style="left: {at(0):.2f}%"></u>{interval}'
        f'<b style="left: {at(rating.value):.2f}%"></b></div>'
    )


def _with_interval(words: str) -> str:
    """Return the HTML of a figure with its interval, if it has one, in small letters."""
    value, bracket, interval = words.partition("(")
    return f"{value}<small>{bracket}{interval}</small>" if bracket else words


def _table(kind: str, label: str, rows: Sequence[Sequence[str]]) -> str:
    """Return the HTML of a table that can be scrolled with the keyboard where it is wider than the page."""
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<section aria-label="{escape(label)}" tabindex="0"><table class="{kind}">\n{body}\n</table></section>'
