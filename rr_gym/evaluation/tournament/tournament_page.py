"""The standings of a tournament as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from rr_gym.evaluation.tournament.exhibition import Watched
from rr_gym.evaluation.tournament.result_pages import (
    Names,
    head_cell,
    html_table,
    matrix,
    rating_bar,
    styles,
    with_interval,
)
from rr_gym.evaluation.tournament.standings import (
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
        "cross": matrix(standings.total.players, names, faulty),
        "courses": "".join(
            f"<h2>{escape(course)}: {table.games:,} games, {table.turns:.1f} turns each</h2>"
            f"{_standings(standings, table, names, max_faults, course)}"
            for course, table in several.items()
        ),
        "games": _games(watched),
        "icon": ICON,
        "styles": styles(),
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
    rows = [[head_cell(""), '<th class="name">player</th>', head_cell(rating), head_cell(""), *map(head_cell, heads)]]
    for player, (number, name, rating, *rest) in zip(table.players, cells, strict=True):
        bar = "<td></td>" if rating == "-" else f'<td class="bar">{rating_bar(player.rating, low, high)}</td>'
        figures = [f"<td>{with_interval(figure)}</td>" for figure in (rating, *rest)]
        rows.append([f"<td>{number}</td>", f'<td class="name">{escape(name)}</td>', figures[0], bar, *figures[1:]])
    return html_table("", f"Standings on {course}" if course else "Standings", rows)
