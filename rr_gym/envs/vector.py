"""Many games as one Gymnasium vector environment: a row for every learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from rr_gym.encoding.observe.observations import Observation
from rr_gym.envs.core import Core
from rr_gym.envs.lineup import Lineup, Opponents
from rr_gym.envs.resets import OPTIONS, check_options, check_seeds
from rr_gym.envs.rows import (
    RENDER_MODES,
    CoreInterface,
    Frame,
    Viewer,
    check_arguments,
    check_render_mode,
    draw,
    one_row,
)
from rr_gym.errors import EnvError, check_memory, short_repr, truth_value, whole_number
from rr_gym.policies.scaling import SCALED
from rr_gym.rules.arena.arena import CourseLike
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME

Array = np.ndarray[Any, Any]


class RoboRallyVectorEnv(CoreInterface, VectorEnv[Observation, Array, Array]):
    """A batch of games with a row for each learner: row = game * learners per game + index of the learner.

    All rows of a game end in the same step, and all of them as terminated or all as truncated. A robot that is
    eliminated earlier keeps its row until then: the row gets no further reward, choice 0 is its only legal one, and
    `active` is False in its info.

    Args:
        num_envs: The number of rows, that is, games times learners per game.
        course: The id of a built-in course, a path, a `Course`, or a list of these, which games take in turn.
        num_robots: The number of robots in a game, 1 to 8; or a list of numbers, of which one is drawn for every game
            and episode.
        opponents: The players of the seats that do not learn, in one of three forms. A list of names, paths of
            policies or players has one player per seat. A single one plays all seats but one. A mapping from players
            to shares draws the player of each seat but one for every episode; with the player ``"self"``, which is the
            learner, every seat is a row, and a row is not `active` in the episodes in which another player has its
            seat. Without opponents every seat is a row too.
        autoreset_mode: How finished games are reset: ``AutoresetMode.SAME_STEP``, ``NEXT_STEP`` or ``DISABLED``, or its
            value as a string.
        copy: Whether every observation is a new array. With False two buffers alternate: an observation is overwritten
            two steps later.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``.
        observation_dtype: ``"scaled"`` for float32 values of about -1 to 1, ``"native"`` for whole numbers, or
            ``"float32"`` for the same whole numbers as floats; see `Core`.
        options: Further arguments of `Core`: `seat`, `max_cycles`, `observation`, `action`, `reward`, `gamma`,
            `window`, `decisions`, `preview`, `lookahead`, `settings`.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """

    metadata = {  # noqa: RUF012 (Gymnasium's form)
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        course: CourseLike | Sequence[CourseLike] = "risky_exchange",
        num_robots: int | Sequence[int] = 4,
        *,
        opponents: Opponents = (),
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        observation_dtype: str = SCALED,
        **options: Any,
    ) -> None:
        check_arguments(options, type(self))
        self.num_envs = whole_number("num_envs", num_envs, 1, error=EnvError)
        check_memory("num_envs", self.num_envs, GAME.itemsize // MAX_ROBOTS, EnvError)
        self.render_mode = check_render_mode(render_mode)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        learners = Lineup(num_robots, opponents).num_learners
        if self.num_envs % learners:
            raise EnvError(
                f"num_envs: {num_envs}: expected a multiple of {learners}, since every game has {learners} learners, "
                "each with its own row"
            )
        games = self.num_envs // learners
        self.core = core = Core(
            course, games, num_robots, opponents=opponents, observation_dtype=observation_dtype, **options
        )
        self.single_observation_space = core.single_observation_space()
        self.single_action_space = core.single_action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._viewer = Viewer(core, truth_value("copy", copy, EnvError))
        self._over = np.zeros(core.num_games, np.bool_)
        self._everywhere = np.ones(self.num_envs, np.bool_)
        self._everywhere.flags.writeable = False  # every info shares it

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start episodes in all games, or in some.

        Args:
            seed: The seed of all games: episode k of game i depends only on (seed, i, k). Or a list with a seed for
                each game, where None draws a random one. Without a seed, games go on to the next episodes of the last
                seed; the first reset draws a random seed.
            options: Options by name, which apply until the next reset of all games. `course` is the id of one of the
                courses that the environment was made with, or a list with one id for each game. `num_robots` is at
                most the number that the environment was made with; the row of a seat without a robot is like that of
                an eliminated robot. `settings` is a mapping of settings by name, none of which may change observations
                or actions. `reset_mask`, a bool array (num_envs,), restarts only the games whose rows are True; with a
                `course` as well, these move to that course.

        Returns:
            The observations and infos of all rows.

        Raises:
            RoboRallyError: A mask has the wrong shape or type, splits a game, is all False, or comes with a seed,
                settings or a number of robots; a seed is not a whole number from 0 to 2**64 - 1; an option is unknown
                or wrong. In that case nothing has changed.
        """
        chosen = check_options(options, (*OPTIONS, "reset_mask"))
        mask = chosen.pop("reset_mask", None)
        seeds = check_seeds(seed, self.core.num_games)
        if mask is None:
            self.core.reset(seeds, chosen)
            super().reset(seed=None if seeds is None else int(np.ravel(seeds)[0]))
            self._over[:] = False
        else:
            games = self._games_of(mask, seeds)
            whole = [name for name in chosen if name != "course"]
            if whole:
                raise EnvError(f"options: {whole[0]}: expected no reset_mask: it is for all games")
            self.core.restart(games, self.core.resets.courses(chosen["course"]) if "course" in chosen else None)
            self._over[games] = False
        return self._viewer.look(), self._labelled(self._rows())

    def _games_of(self, mask: Any, seed: int | Array | None) -> Array:
        """Return which games a reset mask selects, bool, (games,); raise an EnvError if the mask is not valid."""
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            found = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
            raise EnvError(f"reset_mask: {found}: expected an array of dtype bool and shape ({self.num_envs},)")
        if not mask.any():
            raise EnvError("reset_mask: all False: expected at least one row that is True")
        if not self.core.started or seed is not None:
            raise EnvError("reset_mask: expected no seed, and one reset() of all games before it")
        by_game = mask.reshape(self.core.num_games, -1)
        split = np.flatnonzero(by_game.any(axis=1) & ~by_game.all(axis=1))
        if split.size:
            game, learners = int(split[0]), self.core.num_seats
            raise EnvError(
                f"reset_mask: game {game} is split: expected the same for its rows "
                f"{game * learners} to {game * learners + learners - 1}"
            )
        return by_game[:, 0].copy()

    def step(self, actions: Any) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        """Play one turn of every game or, with ``action="cards"``, make one decision.

        Args:
            actions: int, (num_envs, components), or (num_envs,) with ``"cards"``. Illegal choices are repaired and
                counted in the infos.

        Returns:
            Observations, rewards (float64), terminations and truncations (bool) of shape (num_envs,), and infos: arrays
            by name, each with its mask ``_name``.

        Raises:
            EnvError: `reset` has not been called; or a game is over, and the mode ``DISABLED`` does not reset it.
            ActionError: The actions have the wrong shape or type; then no game has advanced.
        """
        mode, idle = self.autoreset_mode, self._over
        if mode == AutoresetMode.DISABLED and idle.any():
            game = int(idle.argmax())
            raise EnvError(f"step: game {game} is over: expected reset() with a reset_mask of its rows first")
        turn = self.core.step(actions)
        done = turn.terminated | turn.truncated
        self._over = done.reshape(self.core.num_games, -1)[:, 0]
        final: dict[str, Any] = {}
        if mode == AutoresetMode.NEXT_STEP:
            self.core.restart(idle)
        elif mode == AutoresetMode.SAME_STEP and self._over.any():
            final = self._final(done)
            self.core.restart(self._over)
        infos = final | self._labelled(self._rows())
        return self._viewer.look(), turn.rewards, turn.terminated, turn.truncated, infos

    def _rows(self) -> dict[str, Array]:
        """Return the infos of all rows, an array (num_envs, ...) for each name."""
        core = self.core
        return {"action_mask": core.masks().view(np.bool_), "active": core.active(), **core.infos()}

    def _labelled(self, rows: dict[str, Array]) -> dict[str, Array]:
        return rows | {f"_{name}": self._everywhere for name in rows}

    def _final(self, done: Array) -> dict[str, Any]:
        """Return `final_obs` and `final_info` of the rows that are done, as Gymnasium's vector environments do."""
        seen = self.core.observe(games=np.flatnonzero(self._over))
        final_obs = np.full(self.num_envs, None, object)
        for i, row in enumerate(np.flatnonzero(done)):
            final_obs[row] = one_row(seen, i)
        final_info: dict[str, Array] = {}
        for name, values in self._rows().items():
            values[~done] = 0
            final_info[name] = values
            final_info[f"_{name}"] = done.copy()
        return {
            "final_obs": final_obs,
            "_final_obs": done.copy(),
            "final_info": final_info,
            "_final_info": done.copy(),
        }

    def set_state(self, state: Mapping[str, Array]) -> tuple[Observation, dict[str, Any]]:
        """Resume from a state of an environment that had the same arguments and options.

        The generator `np_random` is not a part of it, and rewards in the infos are 0 until the next step.

        Returns:
            The observations and infos of all rows, as `reset` does.

        Raises:
            EnvError: The state does not fit. In that case nothing has changed.
        """
        self.core.set_state(state)
        self._over = self.core.ended.copy()
        return self._viewer.look(), self._labelled(self._rows())

    def action_masks(self) -> Array:
        """Return the legal choices of every row, concatenated over components: bool, (num_envs, choices)."""
        return self.core.masks().view(np.bool_).reshape(self.num_envs, -1)

    def sample_actions(self) -> Array:
        """Draw random legal actions with the generator `np_random`: int64, (num_envs, components) or (num_envs,)."""
        return self.core.sample_actions(self.np_random)

    def render(self) -> tuple[Frame, ...] | None:
        """Return the text or image of each row's game; see `RoboRallyEnv.render`; None without a render mode."""
        if self.render_mode is None:
            return None
        frames = [draw(self.core, game, self.render_mode) for game in range(self.core.num_games)]
        return tuple(frame for frame in frames for _ in range(self.core.num_seats))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the opponents that were given by name."""
        if hasattr(self, "core"):  # Gymnasium before 1.3 also closes environments whose __init__ has failed
            self.core.close()


def _autoreset_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = " | ".join(f"AutoresetMode.{m.name}" for m in AutoresetMode)
        raise EnvError(f"autoreset_mode: {short_repr(mode)}: expected {known}") from None
