"""The page of a ladder and the pages of its entries."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from rr_gym.arena.errors import LadderError
from rr_gym.arena.ladder import Ladder, LadderRow, scale_words
from rr_gym.arena.log import ArenaLog, read_log
from rr_gym.arena.pages.history import History, chart, history_of, ladders_at, points_of
from rr_gym.arena.pages.lost_games import LadderLoss, latest_lost, write_lost_games
from rr_gym.evaluation.tournament.result_pages import head_cell, html_table, matrix, rating_bar, styles, with_interval
from rr_gym.files import fill, write_file
from rr_gym.players.notes import MAX_FAULTS
from rr_gym.render.board.icon import ICON
from rr_gym.version import __version__

INDEX = "index.html"
GAMES_OF_EACH = 3  # lost games of each entry that can be watched

def write_pages(
    folder: Path,
    to: Path,
    games: int = GAMES_OF_EACH,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Write the page of the ladder, a page for each entry, and its latest lost games, and return the first one.

    Args:
        folder: The folder of the arena.
        to: The folder of the pages. Pages that are there are replaced, but for games, which do not change.
        games: How many lost games of each entry can be watched.
        report: Called with the number of steps done and the number of all: ratings at one time, or one lost game.

    Raises:
        RoboRallyError: There is no arena, or a page cannot be written.
    """
    log = read_log(folder)
    chosen = latest_lost(log, games)
    points = points_of(log)
    steps = len(points) + len(chosen)
    ladders = ladders_at(log, points, lambda done: report(done, steps))
    ladder, history = ladders[-1], history_of(log, ladders)
    lost = write_lost_games(folder, chosen, to, lambda done: report(len(points) + done, steps))
    for entry in log.entries:
        write_file(to / entry_page(entry), _entry(log, ladder, history, entry, lost.get(entry, [])), LadderError)
    return write_file(to / INDEX, _index(log, ladder, history), LadderError)


def entry_page(entry: str) -> str:
    """Return the name of the file of an entry's page, a different one for each entry."""
    return f"entry-{re.sub(r'[^A-Za-z0-9._+-]', _file_character, entry)}.html"


def _file_character(found: re.Match[str]) -> str:
    """Return what stands in the names of files for a character that some systems do not allow, or for a space."""
    return {" ": "@", ":": "="}.get(found[0]) or f"~{ord(found[0]):x}~"


def _link(entry: str) -> str:
    """Return a link to the page of an entry."""
    return f'<a href="{quote(entry_page(entry), safe="@=")}">{escape(entry)}</a>'


def _index(log: ArenaLog, ladder: Ladder, history: History) -> str:
    games = sum(table.games for table in ladder.tables.values())
    seasons = f"{len(log.seasons)} season{'s' * (len(log.seasons) != 1)}"
    facts = f"{ladder.matches:,} matches, {games:,} games, {seasons}"
    sections = [
        f"<p>{escape(facts)}</p>", _total(ladder.total, ladder.scale.mean), f"<p>{escape(_legend(ladder))}</p>",
        "<h2>Ratings over time</h2>", chart(history, [row.name for row in ladder.total]),
    ]  # fmt: skip
    for name, table in ladder.tables.items():
        names = {player.name: player.name for player in table.players}
        words = f"{name}: {table.games:,} games, {table.turns:.1f} turns each"
        sections += [f"<h2>{escape(words)}</h2>", matrix(table.players, names)]
    sections += ["<h2>Seasons</h2>", _seasons(log), "<h2>Do not trust this page</h2>", _proof(ladder)]
    return _page("RoboRally arena", "Arena", sections)


def _legend(ladder: Ladder) -> str:
    return (
        f"Ratings are of a Plackett-Luce fit of all places; {scale_words(ladder.scale)}, and 400 points are a strength "
        "ten times as large. The total is the mean over tables. Bars and brackets are 95 % intervals. Anchors are "
        "players of the package, which do not change."
    )


def _total(rows: Sequence[LadderRow], middle: float) -> str:
    ends = [end for row in rows for end in (row.rating.low, row.rating.high)]
    heads = ["", "", "rating", "", "tables", "matches", "lost decisions", "seconds a decision"]
    cells = [[*map(head_cell, heads)]]
    cells[0][1] = '<th class="name">entry</th>'
    for number, row in enumerate(rows, 1):
        kind = " <small>anchor</small>" if row.anchor else " <small>retired</small>" if row.retired else ""
        name = f'<td class="name">{_link(row.name)}{kind}</td>'
        lost = f"{100 * row.lost:.1f} %" + (" (too many)" if row.lost > MAX_FAULTS else "")
        rating = f"<td>{with_interval(row.rating.words('.0f'))}</td>"
        bar = f'<td class="bar">{rating_bar(row.rating, min(ends), max(ends), middle)}</td>'
        figures = [str(row.tables), f"{row.matches:,}", lost, f"{row.seconds:.3f}"]
        cells.append([f"<td>{number}</td>", name, rating, bar, *(f"<td>{figure}</td>" for figure in figures)])
    return html_table("", "Ladder", cells)


def _seasons(log: ArenaLog) -> str:
    rows = [[*map(head_cell, ["season", "rules", "SHA-256 of its salt", "its salt"])]]
    for season in log.seasons:
        closed = log.closed.get(season.season)
        rules = f"{season.rules.package}, state {season.rules.state}, {season.rules.digest[:12]}"
        salt = f"<code>{closed.salt}</code>" if closed else "published when it is over"
        digest = f"<code>{season.salt_sha256}</code>"
        rows.append([f'<td class="fact">{cell}</td>' for cell in (str(season.season), escape(rules), digest, salt)])
    return html_table("", "Seasons", rows)


def _proof(ladder: Ladder) -> str:
    command = f"rr-gym arena verify DIR --head {ladder.head}"
    return (
        "<p>Every match is a line in a log in which each line contains the SHA-256 of the one before it. Whoever has "
        "the folder of the arena can play all of its matches again by the rules, without any bot, and compute this "
        f"table again:</p><pre><code>{escape(command)}</code></pre>"
    )


def _entry(log: ArenaLog, ladder: Ladder, history: History, name: str, lost: Sequence[LadderLoss]) -> str:
    entry = log.entries[name]
    facts = {
        "author": entry.author,
        "licence": entry.licence,
        "entered in season": str(entry.season),
        "robots at the table": "{} to {}".format(*entry.seats),
        "SHA-256 of its archive": entry.digest,
        "retired": log.retired[name].why if name in log.retired else "",
        "": "an anchor: a player of the package" if entry.anchor else "",
    }
    told = [
        f'<tr><th>{escape(key)}</th><td class="fact">{escape(value)}</td></tr>' for key, value in facts.items() if value
    ]
    sections = [
        f'<p><a href="{INDEX}">The ladder</a></p>', f"<section><table>{''.join(told)}</table></section>",
        "<h2>Tables</h2>", _tables(ladder, name), "<h2>Rating over time</h2>", chart(history, [name], True),
        *_opponents(ladder, name), *_faults(log, name), *_lost_games(lost),
    ]  # fmt: skip
    return _page(f"{name} in the arena", name, sections)


def _tables(ladder: Ladder, name: str) -> str:
    rows = [[*map(head_cell, ["table", "rating", "won", "place", "games"])]]
    for title, table in ladder.tables.items():
        for place, player in enumerate(table.players, 1):
            if player.name == name:
                rating = f"{player.rating.words('.0f')}, {place} of {len(table.players)}"
                figures = [rating, player.win.percent, player.place.words(".2f"), f"{player.games:,}"]
                rows.append([f"<td>{escape(title)}</td>", *(f"<td>{with_interval(figure)}</td>" for figure in figures)])
    return html_table("", "Tables", rows) if len(rows) > 1 else "<p>No match was played yet.</p>"


def _opponents(ladder: Ladder, name: str) -> list[str]:
    better: Mapping[str, Mapping[str, str]] = {
        title: {other: stat.percent for other, stat in player.better.items()}
        for title, table in ladder.tables.items()
        for player in table.players
        if player.name == name
    }
    others = [row.name for row in ladder.total if any(row.name in found for found in better.values())]
    if not others:
        return []
    rows = [[head_cell(""), *map(head_cell, better)]]
    for other in others:
        link = f'<td class="name">{_link(other)}</td>'
        rows.append([link, *(f"<td>{with_interval(found.get(other, ''))}</td>" for found in better.values())])
    return ["<h2>How often it is placed before</h2>", html_table("", "Opponents", rows)]


def _faults(log: ArenaLog, name: str) -> list[str]:
    lost: dict[str, int] = {}
    for match in log.matches.values():
        for kind, count in match.faults.get(name, {}).items():
            lost[kind] = lost.get(kind, 0) + count
    if not lost:
        return []
    words = ", ".join(f"{count:,} {kind}" for kind, count in sorted(lost.items()))
    return ["<h2>Lost decisions</h2>", f"<p>{escape(words)}: default orders were played for them.</p>"]


def _lost_games(lost: Sequence[LadderLoss]) -> list[str]:
    if not lost:
        return []
    items = []
    for game in lost:
        others = [player for seat, player in enumerate(game.game.players) if seat != game.seat]
        place = f"place {game.game.places[game.seat]} of {len(game.game.players)}"
        words = f"match {game.match.match}, {game.match.course.id}, against {', '.join(others)}: {place}{game.forfeit}"
        items.append(f'<li><a href="{game.page}">{escape(words)}, from turn {game.turn}</a></li>')
    told = "<p>Each opens at the turn that cost it the game.</p>"
    return ["<h2>Games that it lost</h2>", told, f"<ul>{''.join(items)}</ul>"]


def _page(title: str, heading: str, sections: Sequence[str]) -> str:
    template = files("rr_gym.arena.pages").joinpath("arena.html").read_text(encoding="utf-8")
    parts = {
        "title": escape(title), "heading": escape(heading), "icon": ICON, "styles": styles(),
        "body": "\n".join(section for section in sections if section), "made": escape(f"rr-gym {__version__}"),
    }  # fmt: skip
    return fill(template, parts)
