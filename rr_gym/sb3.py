"""Many games as a vector environment of Stable-Baselines3: a row for every learner, action masks for sb3-contrib.

Importing this module also registers the network of this package as a policy: ``MaskablePPO("RaceNetwork", env)``, and
and the same goes for PPO and A2C. The module needs the extra `train`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from rr_gym.encoding.observe.observations import Observation
from rr_gym.envs.core import Core
from rr_gym.envs.lineup import Opponents
from rr_gym.envs.resets import OPTIONS, check_options
from rr_gym.envs.rows import CoreInterface, Frame, Viewer, check_arguments, check_render_mode, draw, one_row
from rr_gym.envs.saving import check_arrays
from rr_gym.errors import EnvError, check_seed, require, short_repr, whole_number
from rr_gym.policies.scaling import SCALED
from rr_gym.rules.arena.arena import CourseLike

require("stable_baselines3", extra="train")

from stable_baselines3.common.callbacks import BaseCallback  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import VecEnv  # noqa: E402

RACE_NETWORK = "RaceNetwork"  # the name of this package's network among the policies of Stable-Baselines3


def _register_policies() -> None:
    """Register `RACE_NETWORK` as a policy of MaskablePPO, A2C and PPO, if sb3-contrib is installed."""
    if find_spec("sb3_contrib") is None:
        return
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import A2C, PPO

    from rr_gym.policies.sb3_adapter import MaskableNetworkPolicy, NetworkPolicy

    MaskablePPO.policy_aliases[RACE_NETWORK] = MaskableNetworkPolicy
    for algorithm in (A2C, PPO):
        algorithm.policy_aliases[RACE_NETWORK] = NetworkPolicy


_register_policies()

Array = np.ndarray[Any, Any]
Indices = int | Iterable[int] | None

OF_ROWS = ("action_masks", "sample_actions", "render")  # methods that return one value for each row
EPISODE_FACTS = ("won", "finished", "place", "flags")


def make_vec_env(
    course: CourseLike | Sequence[CourseLike] = "risky_exchange",
    num_games: int = 64,
    num_robots: int | Sequence[int] = 4,
    *,
    opponents: Opponents = (),
    seed: int | None = None,
    render_mode: str | None = None,
    observation_dtype: str = SCALED,
    **options: Any,
) -> RoboRallyVecEnv:
    """Create a vector environment of many games for `MaskablePPO` and other algorithms of Stable-Baselines3.

    Args:
        course: The id of a built-in course, a path, a `Course`, or a list of these, which games take in turn.
        num_games: The number of games that are played at the same time.
        num_robots: The number of robots in a game, 1 to 8; or a list of numbers, of which one is drawn for every game
            and episode.
        opponents: The players of the seats that do not learn, in one of three forms. A list, of names, paths of
            policies or players, has one player per seat. A single player plays all seats but one. A mapping from
            players to shares draws, for every episode, who plays each seat but one; if it contains ``"self"``, which
            is the learner, every seat is a row. Without opponents every seat is a row too.
        seed: The seed of the first reset, from 0 to 2**64 - 1.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``.
        observation_dtype: ``"scaled"`` for numbers of about -1 to 1 with categories one-hot. ``"native"`` for the
            integers that games are observed in, which take less memory, and ``"float32"`` for the same values as
            floats. A wrapper that scales observations itself, such as `VecNormalize`, needs floats: Stable-Baselines3
            stores what it returns in the dtype of the space, where integers would turn .3 into 0.
        options: Further arguments of `Core`: `seat`, `max_cycles`, `observation`, `action`, `reward`, `gamma`,
            `window`, `decisions`, `preview`, `lookahead`, `settings`.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """
    check_arguments(options, make_vec_env)
    seed = check_seed(seed, EnvError)
    core = Core(course, num_games, num_robots, opponents=opponents, observation_dtype=observation_dtype, **options)
    env = RoboRallyVecEnv(core, render_mode)
    if seed is not None:
        env.seed(seed)
    return env


class RaceFigures(BaseCallback):
    """Logs how races end, beside the returns and lengths that Stable-Baselines3 logs: `EPISODE_FACTS` as means.

    They are called ``rollout/won`` and so on. A share of games won says little without flags and finished games, since
    a robot that outlives the others wins too.

    Args:
        episodes: The number of most recent episodes over which the means are taken.

    Raises:
        EnvError: `episodes` is not a whole number of at least 1.
    """

    def __init__(self, episodes: int = 256) -> None:
        super().__init__()
        self._last: deque[list[float]] = deque(maxlen=whole_number("episodes", episodes, 1, error=EnvError))

    def _on_step(self) -> bool:
        ended = (info for info in self.locals["infos"] if "episode" in info)
        self._last.extend([float(info[name]) for name in EPISODE_FACTS] for info in ended)
        return True

    def _on_rollout_end(self) -> None:
        for name, values in zip(EPISODE_FACTS, zip(*self._last, strict=True), strict=False):  # none before the first
            self.logger.record(f"rollout/{name}", sum(values) / len(values))


class RoboRallyVecEnv(CoreInterface, VecEnv):
    """A vector environment of a batch of games, with one row for each learner of each game.

    Row number = game * learners per game + number of the learner. Games that end are restarted in the same step. All
    rows of a game end together; the row of a robot that is eliminated earlier gets no more reward, and its only legal
    choice is 0.

    The info of a row is empty except in the step in which its episode ends. Then it contains `terminal_observation`,
    `TimeLimit.truncated`, `episode` (`r` sum of rewards, `l` steps, `t` seconds since the environment was created),
    `EPISODE_FACTS`, and the sum of every term of the reward. With a mix of opponents it also contains `against`: for
    each player, the share of its robots that are placed behind the row's robot, where ties count half. A row whose seat
    was played by an opponent, or had no robot, has only the first two entries.

    Observations are written to two buffers in turn, so an observation is overwritten by the second step after it.

    Args:
        core: The games.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``.
    """

    def __init__(self, core: Core, render_mode: str | None = None) -> None:
        self.core = core
        self.render_mode = check_render_mode(render_mode)
        self._viewer = Viewer(core, copy=False)
        self._actions: Any = None
        self._returns = np.zeros(core.num_rows)
        self._lengths = np.zeros(core.num_rows, np.int64)
        self._terms = {name: np.zeros(core.num_rows) for name in core.terms()}  # summed over the episode
        self._made = time.time()
        self.np_random = np.random.default_rng()
        super().__init__(core.num_rows, core.single_observation_space(), core.single_action_space())

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next reset, from 0 to 2**64 - 1; None draws one. Raises EnvError for any other value."""
        return super().seed(check_seed(seed, EnvError))

    def set_options(self, options: Any = None) -> None:
        """Set the options of the next reset, by name, for all games. Raises EnvError if they are not a mapping."""
        if options is not None and not isinstance(options, Mapping):
            raise EnvError(
                f"options: {short_repr(options)}: expected None, or a mapping of options by name, for all games"
            )
        super().set_options(None if options is None else dict(options))

    def reset(self) -> Observation:
        """Restart all games, with the seed given to `seed` since the last reset, or else with their next episodes.

        Options given to `set_options` since the last reset hold until the next reset; they are those of
        `RoboRallyVectorEnv.reset`.
        """
        seed = self._seeds[0]
        self.core.reset(seed, check_options(self._options[0], OPTIONS))
        if seed is not None:
            self.np_random = np.random.default_rng(seed)
        self._reset_seeds()
        self._reset_options()
        for sums in self._sums().values():
            sums[:] = 0
        return self.observe()

    def observe(self) -> Observation:
        """Return the current observations of all rows, for example after `set_state`."""
        return self._viewer.look()

    def step_async(self, actions: Array) -> None:
        """Keep the actions for `step_wait`: whole numbers, shape (rows, components) or (rows,)."""
        self._actions = actions

    def step_wait(self) -> tuple[Observation, Array, Array, list[dict[str, Any]]]:
        """Play one turn of every game, or make one decision in it, and return observations, rewards, dones and infos.

        Raises:
            ActionError: The actions have a wrong shape or type; then nothing was played.
        """
        turn = self.core.step(self._actions)
        self._returns += turn.rewards
        self._lengths += 1
        for name, values in self.core.terms().items():
            self._terms[name] += values
        done = turn.terminated | turn.truncated
        infos: list[dict[str, Any]] = [{}] * self.num_envs  # rows without information share one empty dict
        if done.any():
            self._finish(done, turn.truncated, infos)
        return self.observe(), turn.rewards.astype(np.float32), done, infos

    def _finish(self, done: Array, truncated: Array, infos: list[dict[str, Any]]) -> None:
        """Fill the infos of the rows that are done, and begin the next episode of each of their games."""
        games = done.reshape(self.core.num_games, -1)[:, 0]
        rows = np.flatnonzero(done)
        seen = self.core.observe(games=np.flatnonzero(games))
        facts = self.core.infos()
        columns = {name: facts[name][rows].tolist() for name in EPISODE_FACTS}
        columns |= {name: sums[rows].tolist() for name, sums in self._terms.items()}
        # An eliminated robot gets no more reward, so for its row the end of the game is not a truncation.
        returns, lengths, cut = (
            values[rows].tolist() for values in (self._returns, self._lengths, truncated & ~self.core.out())
        )
        idle = self.core.idle()
        seconds = round(time.time() - self._made, 6)
        for i, row in enumerate(rows.tolist()):
            infos[row] = {"terminal_observation": one_row(seen, i), "TimeLimit.truncated": cut[i]}
            if idle[row]:
                continue
            infos[row] |= {
                "episode": {"r": returns[i], "l": lengths[i], "t": seconds},
                **{name: column[i] for name, column in columns.items()},
            }
            if self.core.lineup.mixed:
                infos[row]["against"] = self.core.against(int(row))
        for sums in self._sums().values():
            sums[rows] = 0
        self.core.restart(games)

    def action_masks(self) -> Array:
        """Return the legal choices of every row, concatenated over components: shape (rows, choices), bool."""
        return self.core.masks().view(np.bool_).reshape(self.num_envs, -1)

    def sample_actions(self) -> Array:
        """Draw random legal actions of all rows: shape (rows, components) or (rows,), int64.

        The generator is seeded by a reset with a seed.
        """
        return self.core.sample_actions(self.np_random)

    def has_attr(self, attr_name: str) -> bool:
        """Tell whether rows have an attribute of this name."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute for each given row: a method in `OF_ROWS` bound to its row, else what all rows share.

        Raises:
            AttributeError: There is no such attribute.
            IndexError: There is no such row.
        """
        shared, rows = getattr(self, attr_name), self._rows(indices)
        if attr_name in OF_ROWS:
            return [partial(self._method_of_row, attr_name, row) for row in rows]
        return [shared] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute, which all rows share. Raises EnvError if `indices` names only some rows."""
        self._check_all(attr_name, self._rows(indices))
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method once, and return its result for each of the given rows.

        Methods in `OF_ROWS` have a result for each row; of any other method, all rows share the result.

        Returns:
            The results in the order of `indices`. Those of `action_masks` are views of one array.

        Raises:
            AttributeError: There is no such method.
            IndexError: There is no such row.
            EnvError: `indices` names only some rows, and the method is not in `OF_ROWS`.
        """
        method, rows = getattr(self, method_name), self._rows(indices)
        if method_name == "render":
            frames = {game: self._frame(game) for game in {row // self.core.num_seats for row in rows}}
            return [frames[row // self.core.num_seats] for row in rows]
        if method_name not in OF_ROWS:
            self._check_all(method_name, rows)
        value = method(*method_args, **method_kwargs)
        return [value[row] for row in rows] if method_name in OF_ROWS else [value] * len(rows)

    def _method_of_row(self, name: str, row: int, *args: Any, **kwargs: Any) -> Any:
        return self.env_method(name, *args, indices=row, **kwargs)[0]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Return True for `Monitor`, since the infos describe episodes as it would, and False for any other wrapper."""
        return [wrapper_class is Monitor] * len(self._rows(indices))

    def _rows(self, indices: Indices) -> list[int]:
        """Return the row numbers of indices, which may count from the end; None means all rows. Raises IndexError."""
        everywhere = range(self.num_envs)
        if indices is None:
            return list(everywhere)
        return [everywhere[row] for row in ([indices] if isinstance(indices, int | np.integer) else indices)]

    def _check_all(self, name: str, rows: list[int]) -> None:
        if len({*rows}) != self.num_envs:
            raise EnvError(
                f"indices: {short_repr(rows)}: expected None, or all of the {self.num_envs} rows, which share '{name}'"
            )

    def get_images(self) -> Sequence[Array | None]:
        """Return one picture for each game, or one None for each if the render mode is not ``"rgb_array"``."""
        pictures = self.render_mode == "rgb_array"
        return [self._frame(game) if pictures else None for game in range(self.core.num_games)]  # type: ignore[misc]

    def _frame(self, game: int) -> Frame | None:
        return draw(self.core, game, self.render_mode) if self.render_mode else None

    def get_state(self) -> dict[str, Array]:
        """Return everything that `set_state` needs to resume exactly from here, as plain arrays."""
        return self.core.get_state() | {name: array.copy() for name, array in self._sums().items()}

    def close(self) -> None:
        """Close the opponents that were given by name."""
        self.core.close()

    def _sums(self) -> dict[str, Array]:
        """Return the sums over the current episodes of all rows, by the names that they have in saved states."""
        return {"returns": self._returns, "lengths": self._lengths, **self._terms}

    def set_state(self, state: Mapping[str, Array]) -> None:
        """Resume from a state of an environment that had the same arguments; call `observe` for the observations.

        Raises:
            EnvError: The state does not fit.
        """
        if isinstance(state, Mapping):  # states of earlier versions lack the sums of terms
            state = {name: np.zeros_like(sums) for name, sums in self._terms.items()} | dict(state)
        check_arrays(state, self._sums())
        self.core.set_state(state)
        for name, array in self._sums().items():
            array[:] = state[name]
