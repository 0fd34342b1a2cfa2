"""Parts that several environment interfaces share: opponents, rows of observations, alternating buffers, pictures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.observe.observations import Observation
from rr_gym.envs.core import Core
from rr_gym.envs.lineup import OpponentsSpec
from rr_gym.envs.resets import EnvError
from rr_gym.errors import did_you_mean, one_of, short_repr
from rr_gym.players import Player
from rr_gym.registry import Model, as_player
from rr_gym.rules.state.constants import MAX_ROBOTS

Array = np.ndarray[Any, Any]
Frame = str | Array
Opponents = str | Player | Model | OpponentsSpec

RENDER_MODES = ("ansi", "rgb_array")


def line_up(opponents: Opponents, num_robots: int | Sequence[int]) -> OpponentsSpec:
    """Return the opponents as a list or as a mapping of shares; repeat a single player for all seats but one.

    Models of Stable-Baselines3 become players, each of them one.
    """
    opponents = as_player(opponents)
    numbers = num_robots if isinstance(num_robots, list | tuple) else (num_robots,)
    possible = all(isinstance(number, int | np.integer) and number <= MAX_ROBOTS for number in numbers)
    if isinstance(opponents, str | Player) and possible:
        return (opponents,) * max([0, *(int(number) - 1 for number in numbers)])
    return cast(OpponentsSpec, opponents)  # `Lineup` raises the error for anything else


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
