"""Interfaces of the environment for reinforcement-learning libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.envs.single import RoboRallyEnv as RoboRallyEnv
    from rr_gym.envs.vector import RoboRallyVectorEnv as RoboRallyVectorEnv
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
