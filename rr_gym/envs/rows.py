"""Parts that several environment interfaces share: rows of observations, alternating buffers, pictures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.observe.observations import Observation
from rr_gym.envs.core import Core
from rr_gym.envs.human import HUMAN, Spectator
from rr_gym.envs.lineup import Opponents
from rr_gym.errors import EnvError, did_you_mean, one_of, short_repr

Array = np.ndarray[Any, Any]
Frame = str | Array

RENDER_MODES = ("ansi", "rgb_array")


def check_render_mode(render_mode: Any, modes: Sequence[str] = RENDER_MODES) -> str | None:
    """Return the mode if it is None or one of `modes`; otherwise raise an EnvError."""
    return None if render_mode is None else one_of("render_mode", render_mode, modes, EnvError)


def draw(core: Core, game: int, render_mode: str) -> Frame:
    """Return the position of one game as an image, uint8, (height, width, 3), or as text.

    The text is ASCII if the standard output cannot show Unicode.
    """
    from rr_gym import render
    from rr_gym.render.board.sketch import can_show_unicode

    record = core.games[game]
    course = core.arena.courses[record["course"]]
    if render_mode == "ansi":
        return str(render.ansi(record, course, unicode=can_show_unicode()))
    return np.asarray(render.rgb(record, course))


def one_row(observation: Observation, row: int) -> Observation:
    """Return the observation of one row, as a view."""
    if isinstance(observation, dict):
        return {name: array[row] for name, array in observation.items()}
    return observation[row]


def masked_space(core: Core) -> spaces.Dict:
    """Make a new space for the observation of one row together with its action mask."""
    mask = spaces.Box(0, 1, core.mask_shape, np.int8)
    return spaces.Dict({"observation": core.single_observation_space(), "action_mask": mask})


# Arguments that all interfaces pass on to `Core`.
MORE_ARGUMENTS = tuple(inspect.signature(Core).parameters)[4:]


def check_arguments(given: Iterable[str], interface: Callable[..., Any], more: Sequence[str] = MORE_ARGUMENTS) -> None:
    """Raise an EnvError for an argument that is neither one of the interface's own nor listed in `more`."""
    for name in given:
        if name not in more:
            own = [p.name for p in inspect.signature(interface).parameters.values() if p.kind != p.VAR_KEYWORD]
            known = [*own, *more]
            hint = did_you_mean(name, known)
            what = f"there is no argument {short_repr(name)}{f'; {hint}' if hint else ''}"
            raise EnvError(f"{what}: expected {', '.join(known)}")


class CoreInterface:
    """What all interfaces of a core have in common."""

    core: Core

    def set_opponents(self, opponents: Opponents) -> None:
        """Replace the opponents from the next turn on; see `Core.set_opponents`. Raises RoboRallyError."""
        self.core.set_opponents(opponents)

    def get_state(self) -> dict[str, Array]:
        """Return all that `set_state` needs to resume exactly from here, as plain arrays by name.

        Raises:
            EnvError: `reset` has not been called.
        """
        return self.core.get_state()


class OneGame(CoreInterface):
    """What interfaces of a single game have in common: a person can watch it."""

    render_mode: str | None
    _spectator: Spectator

    def render(self) -> Frame | None:
        """Return the position as text or image, uint8, (height, width, 3), by `render_mode`; None for other modes."""
        return draw(self.core, 0, self.render_mode) if self.render_mode in RENDER_MODES else None

    def _show(self) -> None:
        if self.render_mode == HUMAN:
            self._spectator.draw()

    def close(self) -> None:
        """Close the opponents that were given by name."""
        self.core.close()


class Viewer:
    """Observes all rows of a core.

    Args:
        core: The core to observe.
        copy: Whether every observation is a new array. Otherwise two buffers alternate, and an observation is
            overwritten by the second one after it.
    """

    def __init__(self, core: Core, copy: bool) -> None:
        self._core = core
        self._copy = copy
        self._next: Observation = None
        self._last: Observation = None

    def look(self) -> Observation:
        """Return the current observations of all rows."""
        if self._copy:
            return self._core.observe()
        self._next, self._last = self._last, self._core.observe(out=self._next)
        return self._last
