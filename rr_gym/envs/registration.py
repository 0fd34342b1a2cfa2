"""Puts the environments into PettingZoo's registry, where the installed PettingZoo has one."""

from __future__ import annotations

from functools import cache

import pettingzoo

PARALLEL_ID = "rr_gym/roborally-v0"


@cache
def register_environments() -> None:
    """Make ``pettingzoo.make("parallel", "rr_gym/roborally-v0")`` work, and the same for ``"aec"``."""
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("parallel", PARALLEL_ID, entry_point="rr_gym.roborally_v0:parallel_env")
        pettingzoo.register("aec", PARALLEL_ID, entry_point="rr_gym.roborally_v0:env")
