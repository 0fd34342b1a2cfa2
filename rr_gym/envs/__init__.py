"""Interfaces of the environment for reinforcement-learning libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.envs.single import RoboRallyEnv
    from rr_gym.envs.vector import RoboRallyVectorEnv

_HOMES = {
    "rr_gym.envs.single": ("RoboRallyEnv",),
    "rr_gym.envs.vector": ("RoboRallyVectorEnv",),
}

__all__ = ["RoboRallyEnv", "RoboRallyVectorEnv"]

if not TYPE_CHECKING:  # or every name would pass for one
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
