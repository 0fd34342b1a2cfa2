"""Puts the environments into the registries of Gymnasium and PettingZoo."""

from __future__ import annotations

import sys
from functools import cache

PARALLEL_ID = "rr_gym/roborally-v0"
GYMNASIUM_IDS = {  # robots by id; all except one are random players
    "rr_gym/RoboRally-v0": 4,
    "rr_gym/RoboRallyDuel-v0": 2,
    "rr_gym/RoboRallySolo-v0": 1,
}


def register_environments() -> None:
    """Register with each of the two libraries that is already imported; existing registrations stay as they are."""
    if "gymnasium" in sys.modules:
        register_gymnasium()
    if "pettingzoo" in sys.modules:
        register_pettingzoo()


@cache
def register_gymnasium() -> None:
    """Make ``gymnasium.make`` and ``gymnasium.make_vec`` know the ids of `GYMNASIUM_IDS`."""
    import gymnasium

    for name, robots in GYMNASIUM_IDS.items():
        gymnasium.register(
            name,
            entry_point="rr_gym.envs.single:RoboRallyEnv",
            vector_entry_point="rr_gym.envs.vector:RoboRallyVectorEnv",
            kwargs={"num_robots": robots, "opponents": "random"},
        )


@cache
def register_pettingzoo() -> None:
    """Make ``pettingzoo.make("parallel", "rr_gym/roborally-v0")`` work, and the same for ``"aec"``."""
    import pettingzoo

    if hasattr(pettingzoo, "register"):  # from PettingZoo 1.27
        pettingzoo.register("parallel", PARALLEL_ID, entry_point="rr_gym.roborally_v0:parallel_env")
        pettingzoo.register("aec", PARALLEL_ID, entry_point="rr_gym.roborally_v0:env")
