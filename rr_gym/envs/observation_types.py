"""The dtypes of observations: integers of the fewest bytes, the same values as float32, or float32 scaled for networks.

The argument `observation_dtype` of the environments chooses one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.policies.spaces import FACTS_OF_SPACE

Array = np.ndarray[Any, Any]


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


def named_space(space: spaces.Space[Any], observation_dtype: str) -> spaces.Space[Any]:
    """Return a copy of a space, a box or a dict of boxes, that names the argument which has decided on its dtype."""
    if isinstance(space, spaces.Dict):
        return spaces.Dict({name: named_space(box, observation_dtype) for name, box in space.items()})
    assert isinstance(space, spaces.Box)
    return ObservationBox(space.low, space.high, observation_dtype)
