"""The PettingZoo environment `roborally_v0`: `parallel_env` for simultaneous orders, `env` for agents in turn.

Seats are agents `robot_0` to `robot_7`. One step plays a full turn from everybody's orders and deals the next hands, or
with ``action="cards"`` every agent makes one decision. See docs/environment.md.
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.env import AECEnv

from rr_gym.envs.parallel import RoboRallyParallelEnv
from rr_gym.envs.registration import register_environments
from rr_gym.envs.turns import RoboRallyAECEnv

__all__ = ["env", "parallel_env", "raw_env"]


parallel_env = RoboRallyParallelEnv


def raw_env(**kwargs: Any) -> AECEnv[Any, Any, Any]:
    """Create the environment in which agents act one by one; the turn is played after the last agent has acted.

    It takes the arguments of `parallel_env`.
    """
    return RoboRallyAECEnv(parallel_env(**kwargs))


def env(**kwargs: Any) -> AECEnv[Any, Any, Any]:
    """Create the environment of `raw_env`, which already includes the wrapper that guards the order of calls."""
    return raw_env(**kwargs)


register_environments()
