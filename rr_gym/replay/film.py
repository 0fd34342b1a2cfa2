"""A scenario as an animated GIF, which shows what a rule does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rr_gym.render.pieces import changes_of, pieces_of
from rr_gym.render.tokens import tokens_of
from rr_gym.render.words import Event, events_of
from rr_gym.replay.gif import draw
from rr_gym.replay.rerun import on_layout
from rr_gym.replay.scene import Frame, Scene, frames
from rr_gym.scenarios.load import Scenario
from rr_gym.scenarios.play import play_scenario
from rr_gym.scenarios.position import Position
from rr_gym.scenarios.script import read_script

LARGEST_CELL = 64  # pixels: boards of scenarios are small
PACE = 4  # times as long as in races: there is little to see, and every detail counts
MOST_LETTERS = 100  # characters of a scenario's name in the name of its file


class _SceneRecorder:
    """Keeps the scene before the first turn of a scenario, and the events of all its turns."""

    def __init__(self) -> None:
        self.scene: Scene | None = None
        self.events: list[Event] = []
        self._rooms: list[int] = []

    def __call__(self, position: Position, log: Any) -> None:
        game, course, settings = position.game, position.arena.courses[0], position.arena.settings[0]
        if self.scene is None:
            board = changes_of(game, course)
            self._rooms = list(board.rooms)
            tokens = tokens_of(game, course, settings.game)
            self.scene = Scene(pieces_of(game, course), asdict(settings), course, board, tokens)
        else:
            self.events += on_layout(events_of(log), course, self._rooms)


def film_of(scenario: Scenario) -> tuple[Scene, list[Frame], Sequence[str]]:
    """Play a scenario and return the scene before its first turn, the frames after it, and the names of its robots.

    Raises:
        RoboRallyError: The scenario expects an error, so there is nothing to see.
    """
    watcher = _SceneRecorder()
    result = play_scenario(scenario, watcher)
    if watcher.scene is None:
        found = "; ".join(map(str, result.differences)) or f"it expects an error: {scenario.error}"
        raise scenario.node.error(f"nothing is played: {found}")
    before = watcher.scene
    after = Scene(before.pieces, before.settings, before.course, before.changes, before.tokens)
    return before, frames(after, watcher.events), [robot.id for robot in read_script(scenario.node).robots]


def scenario_gif(scenario: Scenario) -> bytes:
    """Return an animated GIF of a scenario: its position, then everything that happens.

    Raises:
        MissingExtraError: pillow is not installed.
        RoboRallyError: The scenario expects an error, so there is nothing to see.
    """
    before, shown, names = film_of(scenario)
    return draw(before, shown, names, first_title="before", largest_cell=LARGEST_CELL, pace=PACE)


def file_name(scenario: Scenario) -> str:
    """Return the name of a file for the GIF of a scenario, made of the names of its file and of itself."""
    words = re.sub(r"[^a-z0-9]+", "_", scenario.name.lower()).strip("_")
    return f"{Path(scenario.file).stem}-{words[:MOST_LETTERS]}.gif"
