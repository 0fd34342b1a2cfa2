"""A ladder of the players of the package, as pages to look at."""

from __future__ import annotations

from pathlib import Path

from rr_gym.arena import new_season, play_matches, read_log
from rr_gym.arena.pages import write_pages
from rr_gym.arena.rules_digest import rules_version

PLAYERS = ("random", "greedy", "racer", "planner:200", "rookie", "veteran", "champion")
MATCHES = 120
SALT = 1  # known to everybody: nothing is to be won here
HEIGHT = 900  # of the ladder within a page, in pixels


def make(folder: Path, kept: Path, quick: bool) -> str:
    """Play the matches, write the pages, and return the text of the page that shows the ladder.

    Args:
        folder: The folder for the pages of the ladder.
        kept: The folder where arenas are kept, so that matches are played once for each version of the rules.
        quick: Whether only six matches are played, of two players.
    """
    players, matches = (PLAYERS[:2], 6) if quick else (PLAYERS, MATCHES)
    arena = kept / f"{rules_version().digest[:16]}-{matches}"
    if not arena.exists():
        new_season(arena, ["duels"] if quick else ["duels", "fours"], players, salt=SALT)
    if missing := matches - len(read_log(arena).matches):
        play_matches(arena, missing, salt=SALT)
    write_pages(arena, folder)
    return "\n".join([
        "# A ladder", "",
        "Players of the package in an [arena](../docs/arena.md): ratings over time, who is placed before whom, and",
        "games that each of them lost. This is what a host publishes who lets bots compete.", "",
        f'<iframe class="replay" src="../ladder/index.html" loading="lazy" height="{HEIGHT}" '
        'title="A ladder"></iframe>',
        "", '<p><a href="../ladder/index.html">On a page of its own</a></p>', "",
    ])  # fmt: skip
