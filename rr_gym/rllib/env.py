"""Games as RLlib's multi-agent environments: a batch of them on one core, and a single one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.env.vector.vector_multi_agent_env import VectorMultiAgentEnv

from rr_gym.encoding.act.components import ActionError
from rr_gym.envs.core import Core
from rr_gym.envs.lineup import Opponents
from rr_gym.envs.resets import OPTIONS, check_options
from rr_gym.envs.rows import check_arguments, masked_space, one_row
from rr_gym.errors import EnvError, did_you_mean, short_repr, whole_number
from rr_gym.rules.arena.arena import CourseLike

Array = np.ndarray[Any, Any]
ByAgent = dict[str, Any]
Spaces = dict[str, spaces.Space[Any]]

# Facts in the last info of an agent; its earlier infos are empty
LAST_FACTS = ("place", "won", "finished", "flags")
ALL = "__all__"  # RLlib's word for the whole game


class RoboRallyVectorMultiAgentEnv(VectorMultiAgentEnv):  # type: ignore[misc]
    """A batch of games, each of which is an RLlib episode with the agents `robot_0`, `robot_1`, ...

    Agents are the robots that learn: all of them, or those that `opponents` do not play. An observation is a dict with
    `observation` and `action_mask`. An eliminated robot's episode ends at once, the others' together with the game. As
    RLlib expects, the step after the end of a game starts its next episode and ignores actions.

    Args:
        num_envs: Number of games.
        course: The id of a built-in course, a path, a `Course`, or a list of these, assigned to games in rotation.
        num_robots: Robots of a game, 1 to 8, or a list from which the number is drawn for every game and episode.
        opponents: Players of the seats that do not learn; see `rr_gym.envs.vector.RoboRallyVectorEnv`.
        options: Further arguments of `Core`: `seat`, `max_cycles`, `observation`, `action`, `reward`, `gamma`,
            `window`, `decisions`, `preview`, `lookahead`, `settings`, `observation_dtype`.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """

    metadata = {"render_modes": [], "autoreset_mode": "next_step"}  # noqa: RUF012 (Gymnasium's form)

    def __init__(
        self,
        num_envs: int = 1,
        course: CourseLike | Sequence[CourseLike] = "risky_exchange",
        num_robots: int | Sequence[int] = 4,
        *,
        opponents: Opponents = (),
        **options: Any,
    ) -> None:
        super().__init__()
        check_arguments(options, type(self))
        whole_number("num_envs", num_envs, 1, error=EnvError)
        self.core = Core(course, num_envs, num_robots, opponents=opponents, **options)
        self.num_envs = num_envs
        self.possible_agents = [f"robot_{k}" for k in range(self.core.num_seats)]
        self._numbers = {agent: k for k, agent in enumerate(self.possible_agents)}
        agents = self.possible_agents
        self.single_observation_spaces: Spaces = {agent: masked_space(self.core) for agent in agents}
        self.single_action_spaces: Spaces = {agent: self.core.single_action_space() for agent in agents}
        self.single_observation_space = spaces.Dict(self.single_observation_spaces)
        self.single_action_space = spaces.Dict(self.single_action_spaces)
        self.envs = [_Game(self)] * num_envs

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[list[ByAgent], list[ByAgent]]:
        """Begin all games and return observations and infos, game by game.

        See `rr_gym.envs.vector.RoboRallyVectorEnv.reset`.
        """
        self.core.reset(seed, check_options(options, OPTIONS))
        self._over = np.zeros(self.num_envs, np.bool_)
        self._alive = self._playing()
        return self._look(self._alive), [{agent: {} for agent in agents} for agents in self._named(self._alive)]

    def step(self, actions: Sequence[Mapping[str, Any]]) -> tuple[list[ByAgent], ...]:
        """Play one turn of every game or, where a step is one decision, make one decision.

        Args:
            actions: For each game the actions by agent: int, (components,), or one integer with ``"cards"``. An agent
                without an action takes choice 0 everywhere.

        Returns:
            Observations, rewards, terminations, truncations and infos, game by game.

        Raises:
            ActionError: An action has a wrong shape or names an unknown agent; no game has advanced.
        """
        core, begun, alive = self.core, self._over, self._alive
        turn = core.step(self._choices(actions))
        core.restart(begun)
        out = core.out().reshape(self.num_envs, -1)
        terminated, truncated = (
            values.reshape(self.num_envs, -1)[:, 0] for values in (turn.terminated, turn.truncated)
        )
        self._over = terminated | truncated
        self._alive = self._playing()
        reported = np.where(begun[:, None], self._alive, alive)
        ends = (out | self._over[:, None]) & ~begun[:, None]
        rewards = turn.rewards.reshape(self.num_envs, -1).tolist()
        facts = core.infos() if (ends & reported).any() else {}
        last = {name: facts[name].reshape(self.num_envs, -1).tolist() for name in LAST_FACTS if facts}
        results: tuple[list[ByAgent], ...] = ([], [], [], [])
        for game, agents in enumerate(self._named(reported)):
            over, cut = bool(terminated[game]), bool(truncated[game])
            gone = {agent: not begun[game] and (over or bool(out[game, k])) for agent, k in agents.items()}
            results[0].append({agent: 0.0 if begun[game] else rewards[game][k] for agent, k in agents.items()})
            results[1].append({**gone, ALL: over})
            results[2].append({**{agent: cut and not gone[agent] for agent in agents}, ALL: cut})
            results[3].append({
                agent: {name: last[name][game][k] for name in last} if ends[game, k] else {}
                for agent, k in agents.items()
            })  # fmt: skip
        return self._look(reported), *results

    def _choices(self, actions: Sequence[Mapping[str, Any]]) -> Array:
        """Return the actions of all rows as an array, int64, (rows, components) or (rows,); missing actions are 0."""
        shape = self.core.form.action_shape
        choices = np.zeros((self.num_envs, len(self.possible_agents), *shape), np.int64)
        for game, given in enumerate(actions):
            if self._over[game]:
                continue
            for agent, action in given.items():
                if agent not in self._numbers:
                    hint = did_you_mean(agent, self._numbers) or f"expected {', '.join(self._numbers)}"
                    raise ActionError(f"actions: there is no agent {short_repr(agent)}: {hint}")
                choices[game, self._numbers[agent]] = self.core.form.check_action(action, f"action of {agent}")
        return choices.reshape(-1, *shape)

    def _playing(self) -> Array:
        """Return which agents act next: bool, (games, agents)."""
        return self.core.active().reshape(self.num_envs, -1)

    def _named(self, wanted: Array) -> list[dict[str, int]]:
        """Return for each game the agents selected by `wanted`, bool, (games, agents), as a map from name to index."""
        return [{self.possible_agents[k]: int(k) for k in np.flatnonzero(row)} for row in wanted]

    def _look(self, wanted: Array) -> list[ByAgent]:
        """Return copies of the observations of the agents selected by `wanted`, bool, (games, agents), game by game."""
        seen, masks, count = self.core.observe(), self.core.masks(), len(self.possible_agents)
        return [
            {
                agent: {"observation": one_row(seen, game * count + k), "action_mask": masks[game * count + k]}
                for agent, k in agents.items()
            }
            for game, agents in enumerate(self._named(wanted))
        ]

    def close_extras(self, **kwargs: Any) -> None:
        """Close the opponents that were given by name."""
        self.core.close()


class _Game:
    """The view of one game of a batch that RLlib asks for: its agents and their spaces."""

    def __init__(self, games: RoboRallyVectorMultiAgentEnv) -> None:
        self.possible_agents = games.possible_agents
        self.get_observation_space = games.single_observation_spaces.__getitem__
        self.get_action_space = games.single_action_spaces.__getitem__

    @property
    def unwrapped(self) -> _Game:
        """Return the game itself, since no wrapper is around it."""
        return self


class RoboRallyMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]
    """One game as RLlib's `MultiAgentEnv`; `RoboRallyEnvRunner` plays many at once.

    Args:
        config: RLlib's `env_config`: the arguments of `RoboRallyVectorMultiAgentEnv` except `num_envs`.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self._games = games = RoboRallyVectorMultiAgentEnv(1, **dict(config or {}))
        self.core = games.core
        self.possible_agents = list(games.possible_agents)
        self.agents = self.possible_agents  # RLlib's checks expect all agents, even eliminated ones
        super().__init__()
        self.observation_spaces, self.action_spaces = games.single_observation_spaces, games.single_action_spaces

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[ByAgent, ByAgent]:
        """Begin an episode; return observations and infos by agent."""
        (seen,), (infos,) = self._games.reset(seed=seed, options=options)
        return seen, infos

    def step(self, action_dict: Mapping[str, Any]) -> tuple[ByAgent, ...]:
        """Play a turn or make one decision; return the five results of RLlib's `step`, each by agent."""
        return tuple(one for (one,) in self._games.step([action_dict]))

    def close(self) -> None:
        """Close the opponents that were given by name."""
        self._games.close()
