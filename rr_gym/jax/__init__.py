"""Environments for JAX: reset, step and observe within `jax.jit`, `jax.vmap` and `jax.lax.scan`, on processors.

Games are played by the compiled rules, which XLA calls by its foreign function interface; nothing returns to Python.
The package needs the extra `jax`. docs/jax.md explains it.
"""

from __future__ import annotations

from rr_gym.errors import require

require("jax", extra="jax")

from rr_gym.jax.environment import Environment as Environment  # noqa: E402  # JAX is there from here on
from rr_gym.jax.environment import State as State  # noqa: E402
from rr_gym.jax.environment import TimeStep as TimeStep  # noqa: E402
from rr_gym.jax.environment import make as make  # noqa: E402
from rr_gym.jax.seeds import seeds_of as seeds_of  # noqa: E402

__all__ = ["Environment", "State", "TimeStep", "make", "seeds_of"]
