"""Show a game or a replay with one call: in a notebook, or on a page in a browser."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.files import write_file
from rr_gym.game import Game
from rr_gym.render.pieces import changes_of, pieces_of
from rr_gym.render.tokens import tokens_of
from rr_gym.replay.notebook import HEIGHT, NotebookPage
from rr_gym.replay.page import to_html
from rr_gym.replay.replay import Replay
from rr_gym.replay.rerun import result_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GameRecord
from rr_gym.version import __version__


def position(arena: Arena, games: np.ndarray[Any, Any], players: tuple[str, ...] = ()) -> Replay:
    """Return the current position of a game as a replay without turns.

    Args:
        arena: The arena of the game.
        games: Shape (1,), dtype `GAME`: the game.
        players: The names of players by seat; robots without a name are called "robot".
    """
    record: GameRecord = games[0]
    course, settings = arena.courses[int(record["course"])], arena.settings[int(record["course"])]
    names = (*players, *["robot"] * (int(record["num_robots"]) - len(players)))
    return Replay(
        course=course,
        settings=asdict(settings),
        seed=None,
        index=int(record["index"]),
        episode=int(record["episode"]),
        players=names,
        start=tuple(pieces_of(record, course)),
        board=changes_of(record, course),
        tokens=tokens_of(record, course, settings.game),
        turns=(),
        **result_of(arena, games),
        package=__version__,
    )


def show(what: Game | Replay, *, height: int = HEIGHT) -> NotebookPage | Path:
    """Show the current position of a game, or a replay: in the cell of a notebook, otherwise on a page in the browser.

    Args:
        what: The game or the replay; for a replay with its seed the hands are shown too.
        height: The height of the frame in a notebook, in pixels.

    Returns:
        In a notebook, the object that the cell draws; otherwise the file of the page.

    Raises:
        RoboRallyError: `what` is neither a game nor a replay, or there is neither a notebook nor a browser.
    """
    if in_notebook():
        return NotebookPage(page_of(what), height)
    return open_page(page_of(what), "rr_gym.show")


def page_of(what: Any) -> str:
    """Return the page of a game or a replay in HTML. Raises RoboRallyError for anything else."""
    if isinstance(what, Replay):
        return to_html(what, hands=True)
    if isinstance(what, Game):
        return to_html(position(what.arena, what.games))
    raise RoboRallyError(f"show: {type(what).__name__}: expected a Game or a Replay")


def in_notebook() -> bool:
    """Tell whether the program runs in a notebook, which draws the values of cells."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and shell.has_trait("kernel")


def has_browser() -> bool:
    """Tell whether a browser can be opened: one is installed, and on Linux there is a display for it."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return "BROWSER" in os.environ
    with suppress(webbrowser.Error):
        return bool(webbrowser.get())
    return False


def open_page(page: str, where: str) -> Path:
    """Write a page into a new temporary folder, open it in the browser, and return the path of the file.

    The file stays when the program ends: the browser may not have read it yet, and people reload it.

    Args:
        page: The page.
        where: The caller, for the message of the error.

    Raises:
        RoboRallyError: There is no browser.
    """
    if not has_browser():
        raise RoboRallyError(
            f"{where}: there is no browser to open here: expected a display, or the environment variable BROWSER; "
            "Replay.save and rr-gym replay FILE write a page that can be watched elsewhere"
        )
    path = write_file(Path(tempfile.mkdtemp(prefix="rr_gym_")) / "page.html", page)
    webbrowser.open(path.resolve().as_uri())
    return path
