"""The render mode ``"human"``: draws the game of an environment for people who watch it."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from rr_gym.envs.core import Core
from rr_gym.errors import EnvError
from rr_gym.files import write_file
from rr_gym.render.board.sketch import can_show_unicode

HUMAN = "human"
FPS = 2  # positions a second
_CLEAR = "\x1b[H\x1b[2J"
_RELOADED = '<meta http-equiv="refresh" content="1">'  # the page of a running game


def has_terminal() -> bool:
    """Tell whether the standard output is a terminal."""
    return sys.stdout.isatty()


def places() -> tuple[str, ...]:
    """Return where a person could watch a game, best first, of ``terminal``, ``notebook`` and ``browser``."""
    from rr_gym.replay.showing import has_browser, in_notebook

    found = {"notebook": in_notebook(), "terminal": has_terminal(), "browser": has_browser()}
    return tuple(place for place, there in found.items() if there)


def check_watchable() -> None:
    """Raise an EnvError if there is no place where a person could watch a game."""
    if not places():
        raise EnvError(
            "render_mode: 'human': expected None | ansi | rgb_array here, where there is neither a terminal nor a "
            "notebook nor a browser to draw in"
        )


def offered_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of an environment, without the mode ``"human"`` if no person could watch it."""
    modes = [mode for mode in metadata["render_modes"] if mode != HUMAN or places()]
    return {**metadata, "render_modes": modes}


class Spectator:
    """Draws the first game of a core: in the terminal, in the cell of a notebook, or on a page in the browser.

    Args:
        core: The core of the environment.
    """

    def __init__(self, core: Core) -> None:
        self.core = core
        self._place = ""
        self._cell: Any = None
        self._path: Path | None = None
        self._drawn = 0.0

    def draw(self) -> None:
        """Draw the position, after a pause where needed to show at most `FPS` positions per second.

        Raises:
            EnvError: There is no place where a person could watch.
        """
        if not self._place:
            check_watchable()
            self._place = places()[0]
        time.sleep(max(0.0, self._drawn + 1 / FPS - time.monotonic()))
        {"terminal": self._on_terminal, "notebook": self._in_cell, "browser": self._on_page}[self._place]()
        self._drawn = time.monotonic()

    def _on_terminal(self) -> None:
        from rr_gym import render

        draw = partial(render.ansi, *self._game(), unicode=can_show_unicode(), colour=True)
        text = draw()
        if text.count("\n") >= shutil.get_terminal_size().lines:
            text = draw(compact=True)
        print(f"{_CLEAR}{text}", end="", flush=True)

    def _in_cell(self) -> None:
        from rr_gym import render

        ipython: Any = import_module("IPython.display")
        picture = ipython.SVG(render.svg(*self._game(), cell=36))
        if self._cell is None:
            self._cell = ipython.display(picture, display_id=True)
        else:
            self._cell.update(picture)

    def _on_page(self) -> None:
        from rr_gym.replay.page import to_html
        from rr_gym.replay.showing import open_page, position

        page = to_html(position(self.core.arena, self.core.games[:1])).replace("<head>", f"<head>\n{_RELOADED}", 1)
        if self._path is None:
            self._path = open_page(page, "render_mode: 'human'")
        else:
            write_file(self._path, page)

    def _game(self) -> tuple[Any, Any]:
        record = self.core.games[0]
        return record, self.core.arena.courses[int(record["course"])]
