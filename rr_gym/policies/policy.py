"""A policy that acts: observations and masks in, choices out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.errors import require
from rr_gym.policies.spaces import Width
from rr_gym.policies.spec import PolicySpec

if TYPE_CHECKING:
    from rr_gym.policies.networks import PolicyNetwork

Array = np.ndarray[Any, Any]


def _new_network(spec: PolicySpec) -> PolicyNetwork:
    require("torch", extra="train")
    from rr_gym.policies.networks import make_network

    return make_network(spec)


class Policy:
    """A specification with its network.

    Args:
        spec: What the policy observes and decides.
        network: A network with weights; None for random ones.
        weights: For the kind `choices`, weights by name, float32, in place of a network. PyTorch is then not needed
            until `network` is read.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """

    def __init__(
        self, spec: PolicySpec, network: PolicyNetwork | None = None, weights: Mapping[str, Array] | None = None
    ) -> None:
        self.spec = spec
        self._weights = weights
        self._network = network
        if network is None and weights is None:
            self._network = _new_network(spec)

    @property
    def network(self) -> PolicyNetwork:
        """Return the PyTorch network, which is built on first use if only weights were given."""
        if self._network is None:
            torch = require("torch", extra="train")
            assert self._weights is not None
            self._network = _new_network(self.spec)
            self._network.load_state_dict({name: torch.from_numpy(w.copy()) for name, w in self._weights.items()})
        return self._network

    def weights(self) -> Mapping[str, Array]:
        """Return the weights by name, float32."""
        if self._network is None:
            assert self._weights is not None
            return self._weights
        return {name: tensor.detach().cpu().numpy() for name, tensor in self._network.state_dict().items()}

    def evaluate(self, observations: Any) -> tuple[Array, Array]:
        """Return logits and values.

        Args:
            observations: An array (rows, ...), or a dict of such arrays, as an observer writes them.

        Returns:
            Logits, float32, (rows, *mask_shape), and values, float32, (rows,).

        Raises:
            PolicyError: The observations are scaled, while policies read whole numbers.
        """
        if self._network is None:
            self._width.check(observations, scaled=False)
            return self._evaluate_without_torch(observations)
        torch = require("torch", extra="train")
        named = isinstance(observations, dict)
        with torch.inference_mode():
            tensors = (
                {name: torch.from_numpy(array) for name, array in observations.items()}
                if named
                else torch.from_numpy(observations)
            )
            logits, values = self.network(tensors)
        return logits.numpy().reshape(-1, *self.spec.mask_shape), values.numpy()

    @cached_property
    def _width(self) -> Width:
        return Width(self.spec)

    def _evaluate_without_torch(self, tables: Mapping[str, Array]) -> tuple[Array, Array]:
        from rr_gym.policies.choice_kernel import choice_network, evaluate_rows, make_network_scratch

        names = ("game", "robots", "choices", "prospects")
        game, robots, choices, prospects = (np.ascontiguousarray(tables[name]) for name in names)
        network, scratch = choice_network(self.spec, self.weights()), make_network_scratch(self.spec, choices.shape[1])
        logits, values = np.empty(choices.shape[:2], np.float32), np.empty(len(choices), np.float32)
        evaluate_rows(network, scratch, game, robots, choices, prospects, logits, values)
        return logits, values

    def act(self, observations: Any, masks: Array, uniforms: Array | None = None) -> Array:
        """Return the most probable legal choices, or sampled ones.

        Args:
            observations: As for `evaluate`.
            masks: (rows, *mask_shape), nonzero for legal; no row is all zero.
            uniforms: float64 in [0, 1), (rows,) or (rows, components): random numbers to sample choices by; None for
                the most probable ones.

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
