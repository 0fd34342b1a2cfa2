"""The game as a PettingZoo environment in which all robots decide at once, full turns or single decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from rr_gym.encoding.act.components import ActionError
from rr_gym.encoding.observe.joint import StateObserver
from rr_gym.encoding.observe.observations import FlatObserver
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.envs.core import Core, not_begun
from rr_gym.envs.human import FPS, HUMAN, Spectator, check_watchable, offered_metadata
from rr_gym.envs.lineup import ROTATE, Opponents
from rr_gym.envs.resets import OPTIONS, check_options
from rr_gym.envs.rows import (
    RENDER_MODES,
    OneGame,
    check_arguments,
    check_render_mode,
    masked_space,
    one_row,
)
from rr_gym.envs.saving import check_arrays
from rr_gym.errors import EnvError, check_seed, did_you_mean, one_of, short_repr, truth_value, whole_number
from rr_gym.policies.scaling import NATIVE
from rr_gym.rules.arena.arena import CourseLike
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GameRecord

Array = np.ndarray[Any, Any]

MASKS = ("both", "observation", "info")  # where agents find their masks
STATES = ("flat", "entities")  # forms of the state


class RoboRallyParallelEnv(OneGame, ParallelEnv):  # type: ignore[misc]
    """RoboRally for one game; all agents act at once.

    Every seat is an agent, ``robot_0`` to ``robot_7``, unless players take some of them: then agent k is the learner k,
    and sits where the argument `seat` says.

    Args:
        course: The id of a built-in course, a path, or a `Course`; or a list of these, of which the first is
            played unless `reset` chooses another.
        num_robots: 1 to 8, even on courses designed for other numbers; robots without their own start share one (U27).
        max_cycles: Turns after which a game is truncated.
        observation: A name of `rr_gym.encoding.observe.observations.OBSERVATIONS`; with ``"cards"`` also those with
            ``"choices"``.
        action: ``"draw"`` or ``"slots"``: a step is a turn; ``"cards"``: a step is one decision of a turn.
        reward: ``"sparse"``, ``"shaped"``, or weights by term.
        gamma: Discount of the reward terms `progress` and `lead`: use the learner's.
        window: Odd width of the part of the board that is observed; by default 9 for flat, 15 for the others.
        decisions: Optional components of the action; None for all that the settings can use except the rare ones,
            "all" to include these, () for none.
        preview: With ``"cards"``: whether, between decisions, the robot is observed where the cards chosen so far
            would bring it if nobody else were on the board.
        lookahead: How far observations with ``"choices"`` look beyond each choice; see `Core`.
        opponents: Players in seats that are not agents: a list with one for each such seat, of names, policy folders,
            `Player` objects or models of Stable-Baselines3; a single one for all seats but one; or shares by player,
            with ``"self"`` for the learner; see `RoboRallyVectorEnv`. An agent whose seat has a player in an episode is
            not in the game then.
        seat: With opponents: ``"rotate"``, everybody moves one seat further with every episode; or the fixed seat of
            the first learner, next to whom the others sit.
        render_mode: None, ``"ansi"``, ``"rgb_array"``, or ``"human"``: draws after every reset and step, in the
            terminal, a notebook, or a page in the browser.
        settings: Settings of the game by name (docs/rules/settings.md).
        masks: Where masks are: in the ``"observation"``, which is a dict then, in the ``"info"``, or in ``"both"``.
        state: What `state` returns: ``"flat"``, the concatenated observations of all seats; or ``"entities"``, a dict
            with the map, and tables of all robots and their hands.
        observation_dtype: Of the numbers in observations, ``"native"`` or ``"float32"``; see `Core`; the state always
            has whole numbers.
        strict: Whether actions of agents that have left the game, and missing actions, raise errors. Otherwise
            they are tolerated and counted in the infos, as is usual with PettingZoo.
        unknown: Not allowed; the error suggests the nearest name of an argument.

    Raises:
        RoboRallyError: An argument has a wrong value.
    """

    metadata = {"name": "roborally_v0", "render_modes": [*RENDER_MODES, HUMAN], "render_fps": FPS}  # noqa: RUF012 (PettingZoo's form)

    def __init__(
        self,
        course: CourseLike | Sequence[CourseLike] = "risky_exchange",
        num_robots: int = 4,
        max_cycles: int = 100,
        observation: str = "flat",
        action: str = "draw",
        reward: str | Mapping[str, Any] = "sparse",
        gamma: float = 0.99,
        window: int | None = None,
        decisions: Sequence[str] | str | None = None,
        render_mode: str | None = None,
        settings: Mapping[str, Any] | None = None,
        *,
        opponents: Opponents = (),
        seat: int | str = ROTATE,
        preview: bool = False,
        lookahead: str | None = None,
        masks: str = "both",
        state: str = "flat",
        observation_dtype: str = NATIVE,
        strict: bool = False,
        **unknown: Any,
    ) -> None:
        check_arguments(unknown, type(self), more=())
        # PettingZoo's tools make an environment with "human" even where it is not offered: the first reset refuses it.
        self.render_mode = check_render_mode(render_mode, (*RENDER_MODES, HUMAN))
        self.metadata = offered_metadata(self.metadata)
        num_robots = whole_number("num_robots", num_robots, 1, MAX_ROBOTS, EnvError)
        self.core = Core(
            course, 1, num_robots, opponents=opponents, seat=seat,
            max_cycles=max_cycles, observation=observation, action=action, reward=reward,
            gamma=gamma, window=window, decisions=decisions, preview=preview, lookahead=lookahead,
            settings=settings, observation_dtype=observation_dtype,
        )  # fmt: skip
        self._spectator = Spectator(self.core)
        self.layout = self.core.layout
        self.masks = one_of("masks", masks, MASKS, EnvError)
        self.strict = truth_value("strict", strict, EnvError)
        observer = FlatObserver if one_of("state", state, STATES, EnvError) == "flat" else StateObserver
        self._state_observer = observer(self.core.arena, num_robots)

        self.possible_agents = [f"robot_{i}" for i in range(self.core.num_seats)]
        self.agents: list[str] = []
        self._rows = {agent: i for i, agent in enumerate(self.possible_agents)}
        self.np_random = np.random.default_rng()
        self._all_seats = all_seats(1, num_robots)
        self._silent = np.ones(self.core.num_seats, np.bool_)  # agents that have given no action in this turn
        self._action_spaces = {agent: self.core.single_action_space() for agent in self.possible_agents}
        new_space = Core.single_observation_space if self.masks == "info" else masked_space
        self._observation_spaces = {agent: new_space(self.core) for agent in self.possible_agents}
        joint = self._state_observer
        self.state_space = joint.joint_space() if isinstance(joint, FlatObserver) else joint.space()

    @property
    def max_cycles(self) -> int:
        """Return the number of turns after which a game is truncated."""
        return self.core.max_cycles

    @max_cycles.setter
    def max_cycles(self, value: int) -> None:
        self.core.max_cycles = whole_number("max_cycles", value, 1, error=EnvError)  # PettingZoo's tests set it

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, always the same object for an agent.

        It is a `Dict` of `observation` and `action_mask` or, with masks in infos, the space of the observation alone.

        Raises:
            EnvError: There is no such agent.
        """
        return self._observation_spaces[self.check_agent(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, always the same object for an agent.

        It is a `FlatMaskMultiDiscrete`, or a `Discrete` with ``"cards"``.

        Raises:
            EnvError: There is no such agent.
        """
        return self._action_spaces[self.check_agent(agent)]

    def check_agent(self, agent: Any) -> str:
        """Return the name of a possible agent, in the game or not; raise an EnvError for any other name."""
        return one_of("agent", agent, self.possible_agents, EnvError)

    def check_action(self, agent: str, action: Any) -> Array:
        """Return an agent's action as an integer array; raise an ActionError if its shape or type is wrong."""
        return self.core.form.check_action(action, f"action of {agent}")

    @property
    def record(self) -> GameRecord:
        """Return the live state of the game, including hidden cards: for tools, not for agents."""
        game: GameRecord = self.core.games[0]
        return game

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start an episode.

        Args:
            seed: The seed of this game. Without one the next episode of the last seed follows or, the first time, one
                of a random seed.
            options: For this episode: `num_robots`, at most as many as the environment was made with, which are the
                first agents; `settings` by name, if they change neither observations nor actions; `course`, the id of
                one of those that the environment was made with. Unknown options are ignored, as is usual with
                PettingZoo, but are errors with `strict`.

        Returns:
            Observations and infos by agent.

        Raises:
            RoboRallyError: The seed is not a whole number from 0 to 2**64 - 1, the options are not a mapping by name,
                or one is wrong. In that case nothing has changed.
        """
        if self.render_mode == HUMAN:
            check_watchable()
        chosen = check_options(options, OPTIONS, tolerant=not self.strict)
        self.core.reset(check_seed(seed, EnvError), chosen)
        if seed is not None:
            self.np_random = np.random.default_rng(seed)
        self.agents = [agent for agent, idle in zip(self.possible_agents, self.core.idle(), strict=True) if not idle]
        self._show()
        return self.look(self.agents, 0, np.zeros(len(self.possible_agents), np.bool_))

    def step(self, actions: Mapping[str, Any]) -> tuple[
        dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:  # fmt: skip
        """Play one turn, or make one decision with ``action="cards"``.

        Args:
            actions: By agent, int, (components,), or one integer with ``"cards"``. Illegal choices are repaired and
                counted in the infos. Actions of agents that have left the game do nothing and are counted too. An agent
                without an action gets all defaults and random cards; with ``"cards"`` it gets choice 0, and random
                cards only if it gives no action in the whole turn.

        Returns:
            Observations, rewards, terminations, truncations and infos of the agents that were in the game.

        Raises:
            ActionError: An action has a wrong shape or type, or names an unknown agent; or, with `strict`, an agent in
                the game has no action or one that has left it has one. In that case no turn was played.
            EnvError: `reset` has not been called.
        """
        if not isinstance(actions, Mapping):
            raise ActionError(f"actions: {type(actions).__name__}: expected a mapping from agents to actions")
        if not self.core.started:
            raise not_begun("step")
        if not self.agents:
            return {}, {}, {}, {}, {}
        choices, missing = self._choices_of_all(actions)
        ignored = [agent for agent, action in actions.items() if agent not in self.agents and action is not None]
        self._check_agents(ignored, missing)
        self._silent = missing if self.core.stage == 0 else self._silent & missing
        turn = self.core.step(choices, self._silent)
        self._show()
        agents, rows = self.agents, self._rows
        out = self.core.out().tolist()
        over, truncated = bool(turn.terminated[0]), bool(turn.truncated[0])
        terminations = {agent: over or bool(out[rows[agent]]) for agent in agents}
        truncations = {agent: truncated and not terminations[agent] for agent in agents}
        values = turn.rewards.tolist()
        rewards = {agent: values[rows[agent]] for agent in agents}
        self.agents = [agent for agent in agents if not (terminations[agent] or truncations[agent])]
        observations, infos = self.look(agents, len(ignored), missing)
        return observations, rewards, terminations, truncations, infos

    def _choices_of_all(self, actions: Mapping[str, Any]) -> tuple[Array, Array]:
        """Return the actions of all seats, int64, and which agents in the game gave none, bool, (seats,)."""
        choices = np.zeros((len(self.possible_agents), *self.core.form.action_shape), np.int64)
        missing = np.zeros(len(self.possible_agents), np.bool_)
        for agent in self.agents:
            action = actions.get(agent)
            if action is None:
                missing[self._rows[agent]] = True
            else:
                choices[self._rows[agent]] = self.check_action(agent, action)
        return choices, missing

    def _check_agents(self, ignored: Sequence[Any], missing: Array) -> None:
        """Raise an ActionError for actions of unknown agents.

        With `strict`, also raise one for actions of agents that have left the game and for missing actions.
        """
        wrong = [agent for agent in ignored if self.strict or agent not in self._rows]
        if wrong:
            hint = did_you_mean(wrong[0], self.agents) if wrong[0] not in self._rows else ""
            raise ActionError(
                f"actions: {short_repr(wrong[0])} is not in the game{f'; {hint}' if hint else ''}: "
                f"expected actions of {', '.join(self.agents)}"
            )
        if self.strict and missing.any():
            raise ActionError(f"actions: {self.possible_agents[int(missing.argmax())]}: missing, expected an action")

    def look(self, agents: Sequence[str], ignored: int, missing: Array) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the observations and infos of `agents`; infos have the same keys for every agent and in every step.

        Args:
            agents: Some possible agents.
            ignored: How many actions of the last step were ignored, for the infos.
            missing: Which agents gave none in it, bool, (agents,).
        """
        seen, masks, facts = self.core.observe(), self.core.masks(), self.core.infos()
        facts["ignored_actions"] = np.full(len(masks), ignored)
        facts["missing_actions"] = missing.astype(np.int32)
        numbers = {name: values.tolist() for name, values in facts.items()}
        observations, infos = {}, {}
        for agent in agents:
            row = self._rows[agent]
            mask = {"action_mask": masks[row]}
            own = one_row(seen, row)
            observations[agent] = own if self.masks == "info" else {"observation": own, **mask}
            infos[agent] = {name: values[row] for name, values in numbers.items()}
            if self.masks != "observation":
                infos[agent] |= mask
        return observations, infos

    def sample_actions(self) -> dict[str, Any]:
        """Return random legal actions of the agents in the game; the seed given to `reset` determines them too."""
        actions = self.core.sample_actions(self.np_random)
        return {agent: actions[self._rows[agent]] for agent in self.agents}

    def get_state(self) -> dict[str, Array]:
        """Return all that `set_state` needs to resume exactly from here, as plain arrays by name.

        Raises:
            EnvError: `reset` has not been called.
        """
        return self.core.get_state() | self._own_state()

    def _own_state(self) -> dict[str, Array]:
        """Return the arrays of a state that are not the core's, bool, (possible agents,) each."""
        return {"agents": np.isin(self.possible_agents, self.agents), "silent": self._silent.copy()}

    def set_state(self, state: Mapping[str, Array]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Resume from a state of an environment that had the same arguments and options.

        The generator of `sample_actions` is not a part of it, and rewards in infos are 0 until the next step.

        Returns:
            Observations and infos by agent, as `reset` does.

        Raises:
            EnvError: The state does not fit. In that case nothing has changed.
        """
        check_arrays(state, self._own_state())
        self.core.set_state(state)
        self.agents = [agent for agent in self.possible_agents if state["agents"][self._rows[agent]]]
        self._silent = state["silent"].copy()
        return self.look(self.agents, 0, np.zeros(len(self.possible_agents), np.bool_))

    def state(self) -> Any:
        """Return the whole game for centralised training, in the form chosen by the argument `state`.

        It shows every hand, and with ``"cards"`` all decisions so far: no agent may see it while acting.

        Returns:
            ``"flat"``: the `flat` observations of all seats, concatenated, int16, one dimension; zeros for seats
            without a robot. ``"entities"``: arrays by name (docs/environment.md).
        """
        steps, tables, joint = self.core.steps, self.core.arena.tables, self._state_observer
        shown, seats = self.core.games, self._all_seats
        if steps:  # a game for each seat, with the decisions so far where an agent has it
            shown, seats = np.repeat(shown, len(seats[0])), np.ascontiguousarray(seats.T)
            shown[self.core.seats[0]] = steps.games
        if not isinstance(joint, FlatObserver):
            return joint.observe(shown, tables)
        joint.tables = tables
        seen = joint.buffer(*seats.shape)
        joint.write_own(shown, seats, seen)
        seen = seen.reshape(self._all_seats.size, -1)
        seen[self.core.lineup.at_table :] = 0
        return np.ravel(seen)
