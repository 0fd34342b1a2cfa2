"""The game as a Gymnasium environment: one learner against opponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec

from rr_gym.encoding.observe.observations import Observation
from rr_gym.envs.core import Core, not_begun
from rr_gym.envs.human import FPS, HUMAN, Spectator, check_watchable, offered_metadata
from rr_gym.envs.lineup import Opponents
from rr_gym.envs.resets import OPTIONS, check_options
from rr_gym.envs.rows import RENDER_MODES, OneGame, check_arguments, check_render_mode, one_row
from rr_gym.envs.shares import SELF
from rr_gym.errors import EnvError, check_seed
from rr_gym.policies.scaling import SCALED
from rr_gym.rules.arena.arena import CourseLike

Array = np.ndarray[Any, Any]


class RoboRallyEnv(OneGame, gymnasium.Env[Observation, Any]):
    """RoboRally for one learner against opponents.

    An episode is terminated when the game is over or the learner's robot is eliminated.

    Args:
        course: The id of a built-in course, a path, or a `Course`.
        num_robots: 1 to 8, or a list, from which the number is drawn for every episode.
        opponents: The name of a player, the path of a policy or a `Player` that takes all other seats; or a list of
            these, one for each; or a mapping from them to shares, by which each seat is drawn for every episode.
        render_mode: None, ``"ansi"``, ``"rgb_array"``, or ``"human"``: draws after every reset and step, in the
            terminal, a notebook, or a page in the browser.
        observation_dtype: ``"scaled"`` for float32 of about -1 to 1, ``"native"`` for whole numbers, or ``"float32"``
            for the same as floats; see `Core`.
        options: Other arguments of `Core`: `seat`, `max_cycles`, `observation`, `action`, `reward`, `gamma`, `window`,
            `decisions`, `preview`, `lookahead`, `settings`.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """

    metadata = {"render_modes": [*RENDER_MODES, HUMAN], "render_fps": FPS}  # noqa: RUF012 (Gymnasium's form)

    def __init__(
        self,
        course: CourseLike | Sequence[CourseLike] = "risky_exchange",
        num_robots: int | Sequence[int] = 4,
        *,
        opponents: Opponents = "random",
        render_mode: str | None = None,
        observation_dtype: str = SCALED,
        **options: Any,
    ) -> None:
        check_arguments(options, type(self))
        self.render_mode = check_render_mode(render_mode, (*RENDER_MODES, HUMAN))
        if self.render_mode == HUMAN:
            check_watchable()
        self.metadata = offered_metadata(self.metadata)
        self.core = Core(course, 1, num_robots, opponents=opponents, observation_dtype=observation_dtype, **options)
        self._spectator = Spectator(self.core)
        if self.core.lineup.mixed and self.core.num_seats != 1:
            raise EnvError(
                f"opponents: '{SELF}': expected players only, since one seat learns here (the vector environment has "
                "a row for every learner)"
            )
        if self.core.num_seats != 1:
            raise EnvError(
                f"opponents: {self.core.num_robots - self.core.num_seats}: expected {self.core.num_robots - 1}, since "
                "one seat learns here "
                "(the vector environment has a row for every learner)"
            )
        self.observation_space = self.core.single_observation_space()
        self.action_space = self.core.single_action_space()
        self._playing = False

    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """Return the spec by which Gymnasium made the environment, with the number of steps after which it truncates.

        Registered ids have no step limit of their own: Gymnasium would wrap the environment in a `TimeLimit` that knows
        nothing of `max_cycles`, nor of turns that take several steps.
        """
        if self._spec is not None:
            self._spec.max_episode_steps = self.core.max_cycles * self.core.stages
        return self._spec

    @spec.setter
    def spec(self, value: EnvSpec | None) -> None:
        self._spec = copy(value)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: The seed of this game. None continues with the next episode of the last seed; the first reset draws a
                random seed.
            options: For this episode: `course`, the id of one of the courses that the environment was made with;
                `num_robots`, at most as many as it was made with; `settings` by name, if they change neither
                observations nor actions.

        Returns:
            The observation and the info: `action_mask` (int8, as `action_space.sample` takes it) and numbers, as
            scalars of NumPy.

        Raises:
            RoboRallyError: The seed is not a whole number from 0 to 2**64 - 1, or an option is unknown or wrong. In
                that case nothing has changed.
        """
        chosen = check_options(options, OPTIONS)
        seed = check_seed(seed, EnvError)
        self.core.reset(seed, chosen)
        super().reset(seed=seed)
        self._playing = True
        self._show()
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one turn, or make one decision with ``action="cards"``.

        Args:
            action: int, (components,), or one integer with ``"cards"``. Illegal choices are repaired and counted in the
                info.

        Raises:
            EnvError: There is no episode.
            ActionError: The action has the wrong shape or type; no turn was played.
        """
        if not self._playing:
            raise not_begun("step")
        turn = self.core.step(self.core.form.check_action(action)[None])
        terminated, truncated = bool(turn.terminated[0]), bool(turn.truncated[0])
        self._playing = not (terminated or truncated)
        self._show()
        return self._observe(), float(turn.rewards[0]), terminated, truncated, self._info()

    def set_state(self, state: Mapping[str, Array]) -> tuple[Observation, dict[str, Any]]:
        """Resume from a state of an environment that had the same arguments and options.

        The generator `np_random` is not a part of it, and rewards in the info are 0 until the next step.

        Returns:
            The observation and the info, as `reset` does.

        Raises:
            EnvError: The state does not fit. In that case nothing has changed.
        """
        self.core.set_state(state)
        self._playing = not self.core.ended[0]
        return self._observe(), self._info()

    def action_masks(self) -> Array:
        """Return the legal choices of all components, concatenated: bool, one dimension, as sb3-contrib expects."""
        return self.core.masks().view(np.bool_).ravel()

    def sample_actions(self) -> Any:
        """Return a random legal action, drawn by `np_random`: int64, (components,), or one number with ``"cards"``."""
        return self.core.sample_actions(self.np_random)[0]

    def _observe(self) -> Observation:
        return one_row(self.core.observe(), 0)

    def _info(self) -> dict[str, Any]:
        numbers = {name: values[0] for name, values in self.core.infos().items()}  # NumPy's, as TorchRL wants them
        return {"action_mask": self.core.masks()[0], **numbers}
