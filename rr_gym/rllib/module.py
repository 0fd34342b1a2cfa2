"""`RaceNetwork` as RLlib's module: illegal choices get no probability."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchMultiCategorical
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from rr_gym.networks import RaceNetwork
from rr_gym.policies import Policy

ILLEGAL = -1e9  # leaves no probability, yet stays finite in differences of logits


class MaskedModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """`RaceNetwork` as PPO's module.

    Actions are `Discrete` (``"cards"``) or `MultiDiscrete` (``"draw"``, ``"slots"``). Observations are dicts with
    `observation` and `action_mask`. The model configuration holds `network` and `boards`, as for
    `RaceNetwork.from_spaces`.
    """

    def setup(self) -> None:
        """Build the network; RLlib calls this."""
        given = self.model_config  # to which RLlib adds settings of networks of its own
        self.network = RaceNetwork.from_spaces(
            self.observation_space["observation"], self.action_space, given["boards"], given["network"]
        )
        if isinstance(self.action_space, spaces.MultiDiscrete):
            lengths = self.action_space.nvec.tolist()
            self.action_dist_cls = TorchMultiCategorical.get_partial_dist_cls(input_lens=lengths)

    def _evaluate(self, batch: dict[str, Any]) -> tuple[Tensor, Tensor]:
        """Return the masked logits, (rows, choices), and the values, (rows,)."""
        seen = batch[Columns.OBS]
        logits, values = self.network(seen["observation"])
        return logits.masked_fill(seen["action_mask"].flatten(1) == 0, ILLEGAL), values

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        logits, _values = self._evaluate(batch)
        return {Columns.ACTION_DIST_INPUTS: logits}

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        logits, values = self._evaluate(batch)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: values}  # handed on to `compute_values`

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """Return the values of a batch, (rows,); `embeddings`, if given, already holds them."""
        return self._evaluate(batch)[1] if embeddings is None else embeddings


def policy_from_rllib(module: Any, **training: Any) -> Policy:
    """Copy the weights of a module into a policy, which `rr_gym.policies.save_policy` can save.

    Args:
        module: A `MaskedModule`, such as ``algorithm.get_module("learner")``.
        training: Facts about the training to store with the policy, of types that JSON has.
    """
    policy: Policy = module.unwrapped().network.policy(**training)
    return policy
