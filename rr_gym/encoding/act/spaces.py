"""An action space like Gymnasium's `MultiDiscrete` that samples with a mask in one array."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import MultiDiscrete

from rr_gym.encoding.act.actions import ActionLayout


class FlatMaskMultiDiscrete(MultiDiscrete):
    """`MultiDiscrete` with equal components whose `sample` also takes an array of shape (components, choices)."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a random action.

        Args:
            mask: int8, (components, choices), 1 for legal; or what `MultiDiscrete` takes.
            probability: float64, (components, choices); or what `MultiDiscrete` takes.

        Returns:
            int64, (components,).
        """
        mask = tuple(mask) if isinstance(mask, np.ndarray) else mask
        probability = tuple(probability) if isinstance(probability, np.ndarray) else probability
        return super().sample(mask, probability)

    def __repr__(self) -> str:
        return f"FlatMaskMultiDiscrete({self.nvec})"


def action_space(layout: ActionLayout) -> FlatMaskMultiDiscrete:
    """Make a new space for actions of this layout."""
    return FlatMaskMultiDiscrete(np.full(len(layout.components), layout.width, np.int64))
