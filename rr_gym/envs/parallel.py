"""The game as a PettingZoo environment in which all robots give their orders at once: one step is one full turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from rr_gym.courses.course import Course
from rr_gym.encoding.actions import ActionError, action_layout, decode_actions, write_masks
from rr_gym.encoding.observations import FlatObserver, make_observer
from rr_gym.encoding.rewards import Rewards, reward_spec
from rr_gym.encoding.spaces import action_space
from rr_gym.errors import RoboRallyError
from rr_gym.jit import run
from rr_gym.rules.arena import arena_of
from rr_gym.rules.records import GameRecord, no_orders

Array = np.ndarray[Any, Any]

RENDER_MODES = ("ansi", "rgb_array")
INFO_KEYS = ("turn", "flags", "damage", "lives", "place", "illegal_choices", "ignored_actions")


class EnvError(RoboRallyError):
    """A wrong argument of an environment."""


class RoboRallyParallelEnv(ParallelEnv):
    """RoboRally for one game; all agents act at once.

    Args:
        course: The id of a built-in course or board, a path, or a `Course`.
        num_robots: 1 to 8, whatever the course was made for; robots without a start of their own share one (U27).
        max_cycles: Turns after which a game is broken off.
        observation: ``"flat"`` or ``"planes"``.
        action: ``"draw"`` or ``"slots"``.
        reward: ``"sparse"``, ``"shaped"``, or weights by term.
        gamma: Discount of the reward term `progress`: use the learner's.
        window: Odd width of the part of the board that is seen; by default 9 for flat, 15 for planes.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``.
        settings: Settings of the game by name (docs/rules/settings.md).

    Raises:
        RoboRallyError: An argument has a wrong value.
    """

    metadata = {"name": "roborally_v0", "render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (PettingZoo's form)

    def __init__(
        self,
        course: str | Course = "risky_exchange",
        num_robots: int = 4,
        max_cycles: int = 100,
        observation: str = "flat",
        action: str = "draw",
        reward: str | Mapping[str, Any] = "sparse",
        gamma: float = 0.99,
        window: int | None = None,
        render_mode: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(max_cycles, bool) or not isinstance(max_cycles, int | np.integer) or max_cycles < 1:
            raise EnvError(f"max_cycles: {max_cycles!r}: expected a whole number above 0")
        # PettingZoo's tools also ask for "human" where an environment does not offer it; nothing is drawn then.
        if render_mode not in (None, "human", *RENDER_MODES):
            raise EnvError(f"render_mode: {render_mode!r}: expected None | {' | '.join(RENDER_MODES)}")
        self.arena = arena_of(course, settings)
        self.max_cycles = int(max_cycles)
        self.render_mode = render_mode
        self.layout = action_layout(action, self.arena.settings)
        self._code = self.layout.code
        self._rewards = Rewards(self.arena, reward_spec(reward, gamma))
        self._games = self.arena.new_games(1, num_robots)
        self._observer = make_observer(observation, self.arena, num_robots, window)
        self._state_observer = FlatObserver(self.arena, num_robots)
        self._orders = no_orders(1, 8)
        self._memory = self._rewards.start(self._games)
        self._started = False
        self._seeds = np.random.default_rng()

        self.possible_agents = [f"robot_{i}" for i in range(num_robots)]
        self.agents: list[str] = []
        self._seats = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._action_spaces = {agent: action_space(self.layout) for agent in self.possible_agents}
        self._observation_spaces = {agent: self._new_observation_space() for agent in self.possible_agents}
        self.state_space = self._state_observer.joint_space()

    def _new_observation_space(self) -> spaces.Dict:
        mask = spaces.Box(0, 1, self.layout.shape, np.int8)
        return spaces.Dict({"observation": self._observer.space(), "action_mask": mask})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """`Dict` of `observation` and `action_mask`; always the same object for an agent."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """`FlatMaskMultiDiscrete`; always the same object for an agent."""
        return self._action_spaces[agent]

    @property
    def record(self) -> GameRecord:
        """The live state of the game, hidden cards included: for tools, not for agents."""
        return self._games[0]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
        """Begin an episode.

        Args:
            seed: Of this game. Without one the next episode of the last seed follows, or of a seed by chance.
            options: None are known; unknown ones are ignored.

        Returns:
            Observations and infos by agent.
        """
        if seed is None and self._started:
            self.arena.restart(self._games)
        else:
            seed = int(self._seeds.integers(2**63)) if seed is None else seed
            self._games = self.arena.new_games(1, len(self.possible_agents), seed=seed)
        self._started = True
        self._memory = self._rewards.start(self._games)
        self.agents = list(self.possible_agents)
        self._cycle = 0
        places = self.arena.placements(self._games)
        return self._observe(self.agents), self._infos(self.agents, np.zeros(len(self.agents), int), 0, places)

    def step(self, actions: Mapping[str, Any]) -> tuple[
        dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, int]]
    ]:  # fmt: skip
        """Play one turn.

        Args:
            actions: By agent, whole numbers of shape (components,). Choices that are not legal count as the default
                and are counted in the infos; so are actions of agents that are not in the game, which do nothing. An
                agent without an action gets every default, its cards by chance.

        Returns:
            Observations, rewards, terminations, truncations and infos of the agents that were in the game.

        Raises:
            ActionError: An action has a wrong shape or type; then nothing was played.
        """
        if not isinstance(actions, Mapping):
            raise ActionError(f"actions: {type(actions).__name__}: expected a mapping from agents to actions")
        if not self.agents:
            return {}, {}, {}, {}, {}
        illegal, ignored = self._give_orders(actions)
        self.arena.play(self._games, self._orders)
        self._cycle += 1
        game = self._games[0]
        over = bool(game["over"])
        truncated = not over and self._cycle >= self.max_cycles
        earned = np.zeros((1, len(self.possible_agents)))
        places = self._rewards.after_turn(self._games, self._memory, np.array([truncated]), earned)
        agents, seats = self.agents, self._seats
        out = game["robots"]["out"].tolist()
        terminations = {agent: over or bool(out[seats[agent]]) for agent in agents}
        truncations = {agent: truncated and not terminations[agent] for agent in agents}
        values = earned[0].tolist()
        rewards = {agent: values[seats[agent]] for agent in agents}
        self.agents = [agent for agent in agents if not (terminations[agent] or truncations[agent])]
        return self._observe(agents), rewards, terminations, truncations, self._infos(agents, illegal, ignored, places)

    def _give_orders(self, actions: Mapping[str, Any]) -> tuple[Array, int]:
        """Fill the orders: (illegal choices by seat, number of actions of agents that are not in the game)."""
        choices = np.zeros((1, len(self.possible_agents), len(self.layout.components)), np.int64)
        silent = []
        for agent in self.agents:
            action = actions.get(agent)
            if action is None:
                silent.append(self._seats[agent])
            else:
                choices[0, self._seats[agent]] = self._choices(agent, action)
        illegal = np.zeros(choices.shape[:2], np.int32)
        run(decode_actions, self._games, self.arena.tables, self._code, choices, self._orders, illegal)
        for seat in silent:
            self._orders[0, seat] = no_orders(1)[0]
            illegal[0, seat] = 0
        ignored = sum(agent not in self.agents and action is not None for agent, action in actions.items())
        return illegal[0], ignored

    def _choices(self, agent: str, action: Any) -> Array:
        try:
            choices = np.asarray(action)
        except ValueError:
            choices = np.empty(0)
        count = len(self.layout.components)
        if choices.shape != (count,) or choices.dtype.kind not in "iu":
            found = f"{choices.dtype} {choices.shape}"
            raise ActionError(f"action of {agent}: {found}: expected {count} whole numbers, shape ({count},)")
        return choices

    def _observe(self, agents: list[str]) -> dict[str, dict[str, Array]]:
        seen = self._observer.observe(self._games)[0]
        masks = np.empty((1, len(self.possible_agents), *self.layout.shape), np.int8)
        run(write_masks, self._games, self.arena.tables, self._code, masks.shape[1], masks)
        seats = self._seats
        return {a: {"observation": seen[seats[a]], "action_mask": masks[0, seats[a]]} for a in agents}

    def _infos(self, agents: list[str], illegal: Array, ignored: int, placements: Array) -> dict[str, dict[str, int]]:
        """Whole numbers under the same keys for every agent and step: `INFO_KEYS`."""
        robots = self._games[0]["robots"]
        turn = int(self._games[0]["turn"])
        flags, damage, lives = (robots[name].tolist() for name in ("flag", "damage", "lives"))
        places = placements[0].tolist()
        counts = illegal.tolist()
        infos = {}
        for agent in agents:
            i = self._seats[agent]
            infos[agent] = dict(
                zip(INFO_KEYS, (turn, flags[i], damage[i], lives[i], places[i], counts[i], ignored), strict=True)
            )
        return infos

    def state(self) -> Array:
        """The whole game for centralised training: the `flat` observations of all seats in a row, int16, one dimension.

        It shows every hand: no agent may see it while it acts.
        """
        return self._state_observer.observe(self._games).ravel()

    def render(self) -> str | Array | None:
        """The position as text or as a picture, (height, width, 3) uint8, by `render_mode`; None without one."""
        from rr_gym import render

        match self.render_mode:
            case "ansi":
                return str(render.ansi(self.record, self.arena.courses[0]))
            case "rgb_array":
                return np.asarray(render.rgb(self.record, self.arena.courses[0]))
        return None

    def close(self) -> None:
        """Nothing is held open."""
