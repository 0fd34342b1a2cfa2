"""The dtypes of observations: integers of the fewest bytes, the same values as float32, or float32 scaled for networks.

The argument `observation_dtype` of the environments chooses one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.observe.observations import Observation
from rr_gym.policies.scaling import SCALED
from rr_gym.policies.spaces import FACTS_OF_SPACE

Array = np.ndarray[Any, Any]

NATIVE, FLOAT32 = "native", "float32"
OBSERVATION_DTYPES = (NATIVE, FLOAT32, SCALED)


class ObservationBox(spaces.Box):
    """A box whose `repr` names the argument `observation_dtype`, which has decided on its dtype.

    Stable-Baselines3 prints the spaces of a model and of an environment if they differ, and so shows which argument to
    change. Copies and pickles are plain boxes, so that loading a saved space needs nothing but Gymnasium.
    """

    def __init__(self, low: Array, high: Array, observation_dtype: str) -> None:
        super().__init__(low, high, dtype=low.dtype.type)
        self._observation_dtype = observation_dtype

    def __repr__(self) -> str:
        """Return the bounds, the shape, the dtype, and the argument that decided on it."""
        bounds = f"{self.low.min(initial=0)}, {self.high.max(initial=0)}"
        return f"Box({bounds}, {self.shape}, {self.dtype}, observation_dtype={self._observation_dtype!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the box as a plain `Box`, which keeps the facts about the observation (`FACTS_OF_SPACE`)."""
        state = {name: value for name, value in vars(self).items() if name == FACTS_OF_SPACE}
        return spaces.Box, (self.low, self.high, self.shape, self.dtype.type), state


def typed_space(space: spaces.Space[Any], observation_dtype: str) -> spaces.Space[Any]:
    """Return a copy of a space, a box or a dict of boxes, that has the dtype named by one of `OBSERVATION_DTYPES`.

    The bounds are not scaled here: for ``"scaled"``, the given space must have the bounds of scaled values.
    """
    if isinstance(space, spaces.Dict):
        return spaces.Dict({name: typed_space(box, observation_dtype) for name, box in space.items()})
    assert isinstance(space, spaces.Box)
    low, high = (bound.astype(_dtype(bound, observation_dtype)) for bound in (space.low, space.high))
    return ObservationBox(low, high, observation_dtype)


def typed_buffer(native: Observation, observation_dtype: str) -> Observation:
    """Allocate an uninitialised buffer for observations that has the shapes of `native` and the requested dtype."""
    if isinstance(native, dict):
        return {name: typed_buffer(array, observation_dtype) for name, array in native.items()}
    return np.empty(native.shape, _dtype(native, observation_dtype))


def write_typed(native: Observation, out: Observation) -> None:
    """Copy observations into a buffer of another dtype."""
    if isinstance(native, dict):
        for name, array in native.items():
            write_typed(array, out[name])
    else:
        np.copyto(out, native)


def _dtype(array: Array, observation_dtype: str) -> Any:
    return array.dtype if observation_dtype == NATIVE else np.float32
