"""The PettingZoo environment in which agents act one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils.conversions import parallel_to_aec_wrapper
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from rr_gym.encoding.act.components import ActionError
from rr_gym.envs.core import not_begun
from rr_gym.envs.parallel import RoboRallyParallelEnv
from rr_gym.envs.resets import EnvError, check_options
from rr_gym.errors import check_seed, short_repr


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
        """Start an episode, see `RoboRallyParallelEnv.reset`."""
        check_seed(seed, EnvError)
        check_options(options, tolerant=True)
        super().reset(seed=seed, options=options)

    def step(self, action: Any) -> None:
        """Take the action of the current agent.

        Raises:
            ActionError: The action has a wrong shape or type, or is not None though the agent has left the game. In
                that case nothing has changed, and another action may be given.
            EnvError: There was no reset.
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

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of the current agent.

        Raises:
            EnvError: There was no reset.
        """
        self._begun("last")
        seen: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return seen

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent.

        Raises:
            EnvError: There was no reset, or there is no such agent.
        """
        self._begun("observe")
        self._together.check_agent(agent)
        return super().observe(agent)

    def state(self) -> Any:
        """Return the state of the game, see `RoboRallyParallelEnv.state`; raise an EnvError before the first reset."""
        self._begun("state")
        return super().state()

    def render(self) -> Any:
        """Draw the position, see `RoboRallyParallelEnv.render`; raise an EnvError before the first reset."""
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
