"""RLlib: many games as a multi-agent environment, networks that obey masks, and self-play (docs/scaling.md).

Needs the extra `rllib`.
"""

from __future__ import annotations

from rr_gym.errors import require

require("ray.rllib", extra="rllib")
require("torch", extra="rllib")

from rr_gym.rllib.config import ppo_config, self_play_config  # noqa: E402
from rr_gym.rllib.env import RoboRallyMultiAgentEnv, RoboRallyVectorMultiAgentEnv  # noqa: E402
from rr_gym.rllib.module import MaskedModule, policy_from_rllib  # noqa: E402
from rr_gym.rllib.runner import RoboRallyEnvRunner  # noqa: E402
from rr_gym.rllib.self_play import LEARNER, Seating, SelfPlay  # noqa: E402

__all__ = [
    "LEARNER",
    "MaskedModule",
    "RoboRallyEnvRunner",
    "RoboRallyMultiAgentEnv",
    "RoboRallyVectorMultiAgentEnv",
    "Seating",
    "SelfPlay",
    "policy_from_rllib",
    "ppo_config",
    "self_play_config",
]
