"""Games on disk to look at: a replay and its page, which opens at the turn that cost a player the game."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rr_gym.analysis import analyse
from rr_gym.files import write_file
from rr_gym.players import PlannerPlayer
from rr_gym.replay import Replay, to_html
from rr_gym.replay.showing import has_browser


@dataclass(frozen=True, slots=True)
class GamePage:
    """The page of a game.

    Attributes:
        path: The file.
        turn: The turn at which it is to be opened, from 1.
    """

    path: Path
    turn: int

    @property
    def address(self) -> str:
        """Return the address that opens it at its turn."""
        return f"{self.path.resolve().as_uri()}#turn={self.turn}"


def decisive_turn(replay: Replay, seat: int) -> int:
    """Return the turn that cost a seat the game, from 1: where it gave most away, by the values of `planner`."""
    return analyse(replay, PlannerPlayer(), seats=[seat]).decisive(seat) if replay.num_robots > 1 else 1


def write_game(replay: Replay, path: Path, seat: int) -> GamePage:
    """Write the replay of a game and its page with the hands.

    Args:
        replay: The game.
        path: The file of the replay; the page is beside it, with the ending ``.html``.
        seat: The seat of the player who is to learn from it.

    Raises:
        ReplayError: The files cannot be written.
    """
    replay.save(path)
    page = write_file(path.with_suffix(".html"), to_html(replay, hands=True))
    return GamePage(page, decisive_turn(replay, seat))


def open_pages(pages: Iterable[GamePage]) -> None:
    """Open pages in the browser at their turns, if there is a browser."""
    if has_browser():
        for page in pages:
            webbrowser.open(page.address)
