"""The parts that interfaces share: opponents, rows of observations, alternating buffers, pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rr_gym.envs.core import Core, EnvError, Observation
from rr_gym.envs.lineup import Lined
from rr_gym.errors import shown
from rr_gym.players import Player

Array = np.ndarray[Any, Any]
Frame = str | Array
Opponents = str | Player | Lined

RENDER_MODES = ("ansi", "rgb_array")


def line_up(opponents: Opponents, num_robots: int) -> Lined:
    """The opponents one by one, or their shares: a single name or player stands for all seats but one."""
    if isinstance(opponents, str | Player) and isinstance(num_robots, int | np.integer):
        return (opponents,) * max(0, int(num_robots) - 1)
    return opponents  # the lineup says what is wrong with anything else


def check_render_mode(render_mode: Any) -> str | None:
    """The mode if it exists, otherwise an EnvError."""
    if render_mode not in (None, *RENDER_MODES):
        raise EnvError(f"render_mode: {shown(render_mode)}: expected None | {' | '.join(RENDER_MODES)}")
    return str(render_mode) if render_mode else None


def check_options(options: Any) -> dict[str, Any] | None:
    """The options of a reset if they are a mapping by name, otherwise an EnvError."""
    if options is not None and not isinstance(options, Mapping):
        raise EnvError(f"options: {options!r}: expected None, or a mapping of options by name")
    return None if options is None else dict(options)


def draw(core: Core, game: int, render_mode: str) -> Frame:
    """The position of one game as text or as a picture, (height, width, 3) uint8."""
    from rr_gym import render

    record = core.games[game]
    course = core.arena.courses[record["course"]]
    return str(render.ansi(record, course)) if render_mode == "ansi" else np.asarray(render.rgb(record, course))


def one_row(observation: Observation, row: int) -> Observation:
    """The observation of one row: a view."""
    if isinstance(observation, dict):
        return {name: array[row] for name, array in observation.items()}
    return observation[row]


class Viewer:
    """The observations of all rows of a core.

    Args:
        core: The core that is observed.
        copy: A new observation each time; otherwise two buffers alternate, and an observation is overwritten by the one
            after the next.
    """

    def __init__(self, core: Core, copy: bool) -> None:
        self._core = core
        self._copy = copy
        self._next: Observation = None
        self._last: Observation = None

    def look(self) -> Observation:
        """What all rows observe now."""
        if self._copy:
            return self._core.observe()
        self._next, self._last = self._last, self._core.observe(out=self._next)
        return self._last
