"""The networks of this package as plain PyTorch modules, for loops and libraries of any kind.

`RaceNetwork` is what ``MaskablePPO("RaceNetwork", env)`` trains (`rr_gym.sb3`), and imports no learning library itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rr_gym.errors import require
from rr_gym.policies.policy import Policy
from rr_gym.policies.spaces import is_scaled, spec_of_environment, spec_of_space
from rr_gym.policies.spec import PolicySpec

require("torch", extra="train")

import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.distributions import Categorical  # noqa: E402

from rr_gym.policies.networks import PolicyNetwork  # noqa: E402

Array = np.ndarray[Any, Any]

__all__ = ["RaceNetwork", "as_tensors", "masked"]


def as_tensors(observation: Any, device: Any = None) -> Any:
    """Return an observation, an array or a mapping of arrays, as tensors of the same types, on a device."""
    if isinstance(observation, Mapping):
        return {name: as_tensors(array, device) for name, array in observation.items()}
    return torch.as_tensor(observation, device=device)


def masked(logits: Tensor, mask: Any) -> Tensor:
    """Return logits in which those of illegal choices are so low that their probability is 0.

    Args:
        logits: float32, (rows, ...).
        mask: True or nonzero for legal choices: a tensor or an array with as many numbers as the logits. No row of it
            is all zero.
    """
    legal = torch.as_tensor(mask, device=logits.device).reshape(logits.shape) != 0
    return logits.masked_fill(~legal, torch.finfo(logits.dtype).min)


class RaceNetwork(PolicyNetwork):
    """The network of this package for an environment's observation, with a policy and a value.

    Example:
        network = RaceNetwork(env)
        logits, values = network(observation)
        action, log_prob, entropy, value = network.action_and_value(observation, mask)

    Args:
        env: An environment of this package, with any number of wrappers of Gymnasium around it.
        network: Sizes and kind, as in `NetworkSpec`; the kind follows from the observation.

    Attributes:
        spec: What the network observes and decides.

    Raises:
        PolicyError: There is no network for the observation, or a size is wrong.
    """

    def __init__(self, env: Any, network: Mapping[str, Any] | None = None) -> None:
        spec, space, boards = spec_of_environment(env, network)
        self._build(spec, space, boards)

    @classmethod
    def from_spaces(
        cls, observation_space: Any, action_space: Any, boards: Array | None = None,
        network: Mapping[str, Any] | None = None,
    ) -> RaceNetwork:  # fmt: skip
        """Make a network from the spaces of one agent, for workers without an environment.

        Args:
            observation_space: The space of an environment of this package, or a copy of it with its description.
            action_space: The space of its actions.
            boards: `core.observer.boards`; only for the observation `entities` in whole numbers.
            network: As for the class.

        Raises:
            PolicyError: As for the class, or the spaces are not those of an environment of this package.
        """
        spec = spec_of_space(observation_space, action_space, network)
        made = cls.__new__(cls)
        made._build(spec, observation_space, boards)
        return made

    def _build(self, spec: PolicySpec, space: Any, boards: Array | None) -> None:
        super().__init__(spec, is_scaled(spec, space))
        self.spec = spec
        if boards is not None:
            self.set_boards(boards)
        # As Stable-Baselines3 does, so that the policy is nearly uniform at first.
        gains = {self.features: 2**0.5, self.trunks: 2**0.5, self.action_net: 0.01, self.value_net: 1.0}
        for part, gain in gains.items():
            for module in part.modules():
                if isinstance(module, nn.Linear | nn.Conv2d):
                    nn.init.orthogonal_(module.weight, gain)
                    if module.bias is not None:
                        nn.init.zeros_(module.bias)

    def distribution(self, observation: Any, mask: Any) -> tuple[Categorical, Tensor]:
        """Return the distribution of legal choices, (rows,) or (rows, components), and the values, (rows,).

        Args:
            observation: Tensors or arrays (rows, ...), or a mapping of them by name.
            mask: The legal choices, tensor or array of any shape with the rows first.
        """
        logits, values = self(as_tensors(observation, self.device))
        return Categorical(logits=masked(logits, mask).reshape(-1, *self.spec.mask_shape)), values

    def action_and_value(
        self, observation: Any, mask: Any, action: Any = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return actions, their log-probabilities, the entropies of the distributions, and the values.

        Args:
            observation: As for `distribution`.
            mask: As for `distribution`.
            action: The actions to rate, (rows,) or (rows, components); None to sample them.
        """
        choices, values = self.distribution(observation, mask)
        action = choices.sample() if action is None else torch.as_tensor(action, device=values.device)  # type: ignore[no-untyped-call]
        log_prob, entropy = choices.log_prob(action), choices.entropy()  # type: ignore[no-untyped-call]
        if log_prob.ndim > 1:  # the components of an action are independent
            log_prob, entropy = log_prob.sum(1), entropy.sum(1)
        return action, log_prob, entropy, values

    @property
    def device(self) -> torch.device:
        """Return the device of the weights."""
        return self.value_net.weight.device

    def policy(self, **training: Any) -> Policy:
        """Return a copy of the network as a policy, which `save_policy` writes and `PolicyPlayer` plays.

        Args:
            training: Facts about the training, in types that JSON has, such as ``steps=1_000_000``.
        """
        spec = PolicySpec.from_json({**self.spec.to_json(), "training": training})
        policy = Policy(spec)
        policy.network.load_state_dict(self.state_dict())
        return policy
