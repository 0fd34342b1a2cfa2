"""The PettingZoo environment in which agents act one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo.utils.agent_selector import AgentSelector
from pettingzoo.utils.conversions import parallel_to_aec_wrapper
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from rr_gym.encoding.act.components import ActionError
from rr_gym.envs.core import not_begun
from rr_gym.envs.lineup import Opponents
from rr_gym.envs.parallel import RoboRallyParallelEnv
from rr_gym.envs.resets import check_options
from rr_gym.envs.saving import check_arrays
from rr_gym.errors import EnvError, check_seed, short_repr

Array = np.ndarray[Any, Any]


class RoboRallyAECEnv(OrderEnforcingWrapper[str, Any, Any]):  # type: ignore[misc]
    """RoboRally with agents that act one by one; their decisions take effect after the last of them.

    The class extends PettingZoo's `OrderEnforcingWrapper`, with the errors of this package.

    Args:
        env: The same game with all agents acting at once.
    """

    def __init__(self, env: RoboRallyParallelEnv) -> None:
        super().__init__(parallel_to_aec_wrapper(env))
        self._together = env

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode; see `RoboRallyParallelEnv.reset`."""
        check_seed(seed, EnvError)
        check_options(options, tolerant=True)
        super().reset(seed=seed, options=options)

    def step(self, action: Any) -> None:
        """Take the action of the current agent.

        Raises:
            ActionError: The action has a wrong shape or type, or is not None though the agent has left the game. In
                that case nothing has changed, and another action may be given.
            EnvError: `reset` has not been called.
        """
        self._begun("step")
        agent = self.agent_selection
        if self.terminations.get(agent) or self.truncations.get(agent):
            if action is not None:
                raise ActionError(
                    f"action of {agent}: {short_repr(action)}: expected None: the agent has left the game"
                )
        elif action is not None and self.agents:
            self._together.check_action(agent, action)
        super().step(action)

    def set_opponents(self, opponents: Opponents) -> None:
        """Replace the opponents from the next turn on; see `Core.set_opponents`. Raises RoboRallyError."""
        self._together.set_opponents(opponents)

    def get_state(self) -> dict[str, Array]:
        """Return all that `set_state` needs to resume exactly from here, as plain arrays by name.

        Raises:
            EnvError: `reset` has not been called.
        """
        self._begun("get_state")
        return self._together.get_state() | self._own_state()

    def _own_state(self) -> dict[str, Array]:
        """Return the arrays of a state that the game itself does not have, (possible agents, ...) each."""
        turns, form = self.env, self._together.core.form
        agents = self._together.possible_agents
        begun = self._has_reset
        state = {
            f"turns_{name}": np.zeros((len(agents), *shape), kind)
            for name, (shape, kind) in {
                "listed": ((), np.bool_), "terminated": ((), np.bool_), "truncated": ((), np.bool_),
                "acted": ((), np.bool_), "given": ((), np.bool_), "actions": (form.action_shape, np.int64),
                "rewards": ((), np.float64), "earned": ((), np.float64),
            }.items()
        }  # fmt: skip
        live = self._together.agents
        current = turns.agent_selection if begun else ""
        at = turns._skip_agent_selection if self._waits_for_the_dead() else current
        for row, agent in enumerate(agents):
            if not begun or agent not in turns.agents:
                continue
            state["turns_listed"][row] = True
            state["turns_terminated"][row] = turns.terminations[agent]
            state["turns_truncated"][row] = turns.truncations[agent]
            state["turns_rewards"][row] = turns.rewards[agent]
            state["turns_earned"][row] = turns._cumulative_rewards[agent]
            if agent in live and live.index(agent) < live.index(str(at)):
                state["turns_acted"][row] = True
                action = turns._actions[agent]
                state["turns_given"][row] = action is not None
                state["turns_actions"][row] = 0 if action is None else action
        return state

    def _waits_for_the_dead(self) -> bool:
        """Tell whether the current agent has left the game."""
        turns = self.env
        agent = turns.agent_selection if self._has_reset else None
        return bool(turns.terminations.get(agent) or turns.truncations.get(agent)) if agent is not None else False

    def set_state(self, state: Mapping[str, Array]) -> None:
        """Resume from a state of an environment that had the same arguments and options.

        The generator of `sample_actions` is not a part of it, and terms of rewards in infos are 0 until the next turn.

        Raises:
            EnvError: The state does not fit. In that case nothing has changed.
        """
        check_arrays(state, self._together._own_state() | self._own_state())
        if (state["agents"] & ~state["turns_listed"]).any():
            raise EnvError("state: turns_listed: expected True for all agents that are in the game")
        self._together.set_state(state)
        own = {name.removeprefix("turns_"): array for name, array in state.items() if name.startswith("turns_")}
        turns, agents, live = self.env, self._together.possible_agents, self._together.agents
        listed = [agent for row, agent in enumerate(agents) if own["listed"][row]]
        rows = {agent: agents.index(agent) for agent in listed}
        turns._observations, turns.infos = self._together.look(listed, 0, np.zeros(len(agents), np.bool_))
        turns.agents = [*live, *(agent for agent in listed if agent not in live)]
        turns._live_agents = live[:]
        turns.terminations = {agent: bool(own["terminated"][row]) for agent, row in rows.items()}
        turns.truncations = {agent: bool(own["truncated"][row]) for agent, row in rows.items()}
        turns.rewards = {agent: float(own["rewards"][row]) for agent, row in rows.items()}
        turns._cumulative_rewards = {agent: float(own["earned"][row]) for agent, row in rows.items()}
        turns._actions = dict.fromkeys(listed)
        turns._skip_agent_selection = None
        turns.agent_selection = (turns.agents or agents)[0]
        if live:
            turns._agent_selector = AgentSelector(live[:])
            turns.agent_selection = turns._agent_selector.reset()
        for agent in live:
            row = rows[agent]
            if own["acted"][row]:
                action = own["actions"][row]
                turns._actions[agent] = (action.copy() if action.ndim else int(action)) if own["given"][row] else None
                turns.agent_selection = turns._agent_selector.next()
        turns._deads_step_first()
        self._has_reset = self._has_updated = True

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the current agent.

        Raises:
            EnvError: `reset` has not been called.
        """
        self._begun("last")
        seen: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return seen

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent.

        Raises:
            EnvError: `reset` has not been called, or there is no such agent.
        """
        self._begun("observe")
        self._together.check_agent(agent)
        return super().observe(agent)

    def state(self) -> Any:
        """Return the state of the game; see `RoboRallyParallelEnv.state`; raise an EnvError before the first reset."""
        self._begun("state")
        return super().state()

    def render(self) -> Any:
        """Draw the position; see `RoboRallyParallelEnv.render`; raise an EnvError before the first reset."""
        self._begun("render")
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Iterate over the agents in turn; raise an EnvError before the first reset."""
        self._begun("agent_iter")
        return super().agent_iter(max_iter)

    def _begun(self, name: str) -> None:
        if not self._has_reset:
            raise not_begun(name)

    def __str__(self) -> str:
        return str(self.env)
