"""A policy that acts: observations and masks in, choices out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.errors import require
from rr_gym.policies.spec import PolicySpec

if TYPE_CHECKING:
    from rr_gym.policies.networks import PolicyNetwork

Array = np.ndarray[Any, Any]


class Policy:
    """A spec with its network.

    Args:
        spec: What it sees and decides.
        network: With weights; None for random ones.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """

    def __init__(self, spec: PolicySpec, network: PolicyNetwork | None = None) -> None:
        self._torch = require("torch", extra="train")
        from rr_gym.policies.networks import make_network

        self.spec = spec
        self.network = make_network(spec) if network is None else network

    def evaluate(self, observations: Any) -> tuple[Array, Array]:
        """Logits and values.

        Args:
            observations: An array (rows, ...), or a dict of such arrays, as an observer writes them.

        Returns:
            Logits, float32 (rows, *mask_shape), and values, float32 (rows,).
        """
        torch = self._torch
        named = isinstance(observations, dict)
        with torch.inference_mode():
            tensors = (
                {name: torch.from_numpy(array) for name, array in observations.items()}
                if named
                else torch.from_numpy(observations)
            )
            logits, values = self.network(tensors)
        return logits.numpy().reshape(-1, *self.spec.mask_shape), values.numpy()

    def act(self, observations: Any, masks: Array, uniforms: Array | None = None) -> Array:
        """Choices.

        Args:
            observations: As for `evaluate`.
            masks: (rows, *mask_shape), nonzero for legal; no row is all zero.
            uniforms: float64 in [0, 1), (rows,) or (rows, components): choices are sampled with these instead of
                taking the most probable one.

        Returns:
            int64, (rows, components), or (rows,) for a policy of the mode ``"cards"``.
        """
        logits, _ = self.evaluate(observations)
        legal = np.where(masks != 0, logits.astype(np.float64), -np.inf)
        if uniforms is None:
            return np.asarray(legal.argmax(axis=-1))
        weights = np.exp(legal - legal.max(axis=-1, keepdims=True)).cumsum(axis=-1)
        drawn = weights > uniforms[..., None] * weights[..., -1:]
        return np.asarray(drawn.argmax(axis=-1))
