"""The game as a PettingZoo environment in which all robots act at once: a step is a turn, or one decision of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from rr_gym.courses.course import Course
from rr_gym.encoding.act.components import ActionError
from rr_gym.encoding.observe.observations import FlatObserver
from rr_gym.envs.core import Core, not_begun
from rr_gym.envs.rows import RENDER_MODES, check_options, check_render_mode, draw, one_row
from rr_gym.rules.state.records import Game

Array = np.ndarray[Any, Any]

# The keys of an info; its values are whole numbers
INFO_KEYS = ("turn", "flags", "damage", "lives", "place", "won", "finished", "illegal_choices", "ignored_actions")


class RoboRallyParallelEnv(ParallelEnv):  # type: ignore[misc]
    """RoboRally for one game; all agents act at once.

    Args:
        course: The id of a built-in course or board, a path, or a `Course`.
        num_robots: 1 to 8, whatever the course was designed for; robots without their own start share one (U27).
        max_cycles: Turns after which a game is truncated.
        observation: A name of `rr_gym.encoding.observe.observations.OBSERVATIONS`; with ``"cards"`` also those with
            ``"choices"``.
        action: ``"draw"`` or ``"slots"``: a step is a turn; ``"cards"``: a step is one decision of a turn.
        reward: ``"sparse"``, ``"shaped"``, or weights by term.
        gamma: Discount of the reward term `progress`: use the learner's.
        window: Odd width of the part of the board that is observed; by default 9 for flat, 15 for the others.
        decisions: Optional components of the action; None for all that the settings can use but the rare ones, "all"
            for these too, () for none.
        preview: With ``"cards"``: robots are observed where the cards chosen so far would bring them, see `Core`.
        lookahead: What observations with ``"choices"`` know, see `Core`.
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
        decisions: Sequence[str] | str | None = None,
        preview: bool = False,
        lookahead: str | None = None,
        render_mode: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        # PettingZoo's tools also ask for "human" if an environment does not offer it; nothing is drawn then.
        self.render_mode = render_mode if render_mode == "human" else check_render_mode(render_mode)
        self.core = Core(
            course, 1, num_robots, max_cycles=max_cycles, observation=observation, action=action, reward=reward,
            gamma=gamma, window=window, decisions=decisions, preview=preview, lookahead=lookahead,
            settings=settings,
        )  # fmt: skip
        self.layout = self.core.layout
        self._state_observer = FlatObserver(self.core.arena, num_robots)

        self.possible_agents = [f"robot_{i}" for i in range(num_robots)]
        self.agents: list[str] = []
        self._seats = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._action_spaces = {agent: self.core.single_action_space() for agent in self.possible_agents}
        self._observation_spaces = {agent: self._new_observation_space() for agent in self.possible_agents}
        self.state_space = self._state_observer.joint_space()

    @property
    def max_cycles(self) -> int:
        """Turns after which a game is truncated."""
        return self.core.max_cycles

    @max_cycles.setter
    def max_cycles(self, value: int) -> None:
        self.core.max_cycles = value  # PettingZoo's tests set it

    def _new_observation_space(self) -> spaces.Dict:
        mask = spaces.Box(0, 1, self.core.mask_shape, np.int8)
        return spaces.Dict({"observation": self.core.single_observation_space(), "action_mask": mask})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """`Dict` of `observation` and `action_mask`; always the same object for an agent."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """`FlatMaskMultiDiscrete`, or `Discrete` with ``"cards"``; always the same object for an agent."""
        return self._action_spaces[agent]

    @property
    def record(self) -> Game:
        """The live state of the game, including hidden cards: for tools, not for agents."""
        game: Game = self.core.games[0]
        return game

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
        """Start an episode.

        Args:
            seed: Of this game. Without one the next episode of the last seed follows, or of a random seed.
            options: Ignored.

        Returns:
            Observations and infos by agent.

        Raises:
            EnvError: The seed is not a whole number from 0 to 2**64 - 1, or the options are not a mapping by name.
        """
        check_options(options)
        self.core.reset(seed)
        self.agents = list(self.possible_agents)
        return self._observe(self.agents), self._infos(self.agents, 0)

    def step(self, actions: Mapping[str, Any]) -> tuple[
        dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, int]]
    ]:  # fmt: skip
        """Play one turn, or make one decision of it with ``action="cards"``.

        Args:
            actions: By agent, whole numbers of shape (components,); one whole number with ``"cards"``. Illegal choices
                are repaired and counted in the infos; so are actions of agents that are not in the game, which do
                nothing. An agent without an action gets all defaults, and random cards; with ``"cards"`` choice 0.

        Returns:
            Observations, rewards, terminations, truncations and infos of the agents that were in the game.

        Raises:
            ActionError: An action has a wrong shape or type; then nothing was played.
            EnvError: There was no reset.
        """
        if not isinstance(actions, Mapping):
            raise ActionError(f"actions: {type(actions).__name__}: expected a mapping from agents to actions")
        if not self.core.started:
            raise not_begun("step")
        if not self.agents:
            return {}, {}, {}, {}, {}
        choices, silent = self._choices_of_all(actions)
        ignored = sum(agent not in self.agents and action is not None for agent, action in actions.items())
        turn = self.core.step(choices, silent)
        agents, seats = self.agents, self._seats
        out = self.core.out().tolist()
        over, truncated = bool(turn.terminated[0]), bool(turn.truncated[0])
        terminations = {agent: over or bool(out[seats[agent]]) for agent in agents}
        truncations = {agent: truncated and not terminations[agent] for agent in agents}
        values = turn.rewards.tolist()
        rewards = {agent: values[seats[agent]] for agent in agents}
        self.agents = [agent for agent in agents if not (terminations[agent] or truncations[agent])]
        return self._observe(agents), rewards, terminations, truncations, self._infos(agents, ignored)

    def _choices_of_all(self, actions: Mapping[str, Any]) -> tuple[Array, Array]:
        """The actions of all seats, and which agents in the game gave none, bool."""
        shape = () if self.core.steps else (len(self.layout.components),)
        choices = np.zeros((len(self.possible_agents), *shape), np.int64)
        silent = np.zeros(len(self.possible_agents), np.bool_)
        for agent in self.agents:
            action = actions.get(agent)
            if action is not None:
                choices[self._seats[agent]] = self._choices(agent, action, shape)
            elif not self.core.steps:  # what it decided in earlier steps of a turn holds
                silent[self._seats[agent]] = True
        return choices, silent

    def _choices(self, agent: str, action: Any, shape: tuple[int, ...]) -> Array:
        try:
            choices = np.asarray(action)
        except ValueError:
            choices = np.empty(0)
        if choices.shape != shape or choices.dtype.kind not in "iu":
            found = f"{choices.dtype} {choices.shape}"
            expected = f"{shape[0]} whole numbers, shape ({shape[0]},)" if shape else "a whole number"
            raise ActionError(f"action of {agent}: {found}: expected {expected}")
        return choices

    def _observe(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        seen, masks = self.core.observe(), self.core.masks()
        seats = self._seats
        return {a: {"observation": one_row(seen, seats[a]), "action_mask": masks[seats[a]]} for a in agents}

    def _infos(self, agents: list[str], ignored: int) -> dict[str, dict[str, int]]:
        """Whole numbers under the same keys for every agent and step: `INFO_KEYS`."""
        facts = {name: values.tolist() for name, values in self.core.infos().items()}
        facts["ignored_actions"] = [ignored] * len(self.possible_agents)
        return {agent: {name: facts[name][self._seats[agent]] for name in INFO_KEYS} for agent in agents}

    def state(self) -> Array:
        """The whole game for centralised training: the `flat` observations of all seats in a row, int16, one dimension.

        It shows every hand: no agent may see it while acting.
        """
        return np.ravel(self._state_observer.observe(self.core.games))

    def render(self) -> str | Array | None:
        """The position as text or as a picture, (height, width, 3) uint8, by `render_mode`; None without one."""
        return draw(self.core, 0, self.render_mode) if self.render_mode in RENDER_MODES else None

    def close(self) -> None:
        """Close the opponents that were given by name."""
        self.core.close()
