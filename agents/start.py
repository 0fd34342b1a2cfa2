"""Start a training run from a policy: load its weights, and optionally add a pull towards it to the loss.

The losses of PPO in Stable-Baselines3 are fixed, so the pull is added to them in the policy
(`rr_gym.policies.sb3_adapter`).
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch import Tensor

from rr_gym.choices.columns import LOOKAHEADS
from rr_gym.errors import short_repr
from rr_gym.policies import Policy, PolicySpec, load_policy
from rr_gym.policies.spec import CHOICES, PolicyError, policy_facts
from rr_gym.policies.transfer import transfer
from rr_gym.registry import policy_folder

from .config import ConfigError, TrainConfig
from .environment import network_of

ILLEGAL = -1e9  # a logit with probability 0
_ALWAYS_EQUAL = ("observation", "action", "preview", "network")  # fields of the spec
_ADAPTABLE = ("lookahead", "decisions", "elements")  # may differ for networks that score choices (`transfer`)
_SIZES = ("window", "num_robots")  # do not affect networks that score choices


def load_start(config: TrainConfig, core: Any, name: str | os.PathLike[str]) -> Policy:
    """Load the policy that a training run starts from.

    A policy that scores choices (`choices` observations) may have been trained with fewer facts than the training
    observes.

    Args:
        config: The configuration of the training.
        core: The core of its environment.
        name: The name of a policy that ships with the package, or the folder of a policy.

    Raises:
        ConfigError: There is no such policy, or it has other observations, decisions or another network; the message
            names the key.
    """
    try:
        policy = load_policy(policy_folder(name))
    except PolicyError as error:
        raise ConfigError(f"training.start: {error}") from error
    wanted = PolicySpec.from_json({**policy_facts(core), "network": network_of(config)})
    scores = wanted.observation == policy.spec.observation == CHOICES
    found, expected = policy.spec.to_json(), wanted.to_json()
    same = _ALWAYS_EQUAL if scores else (*_ALWAYS_EQUAL, *_ADAPTABLE, *_SIZES)
    if scores and knows_more(policy.spec, wanted):
        same = (*same, "lookahead")
    for key in same:
        if found[key] != expected[key]:
            raise ConfigError(
                f"training.start: {name}: {key}: {short_repr(found[key])}: expected {short_repr(expected[key])}, as in "
                "this configuration"
            )
    return transfer(policy, wanted) if scores else policy


def knows_more(policy: PolicySpec, other: PolicySpec) -> bool:
    """Tell whether a policy that scores choices observes facts that another such policy does not."""
    assert policy.lookahead
    assert other.lookahead
    return LOOKAHEADS.index(policy.lookahead) > LOOKAHEADS.index(other.lookahead)


class Pull:
    """An additional loss: the divergence of the policy from the one that it started from.

    A network policy adds it to the loss of every mini-batch (`added_loss`).

    Args:
        policy: The policy that the training started from.
        weight: The weight of the divergence in the loss.
        boards: The boards of the environment (`Observer.boards`), for networks that cut windows out of them.
    """

    def __init__(self, policy: Policy, weight: float, boards: Any) -> None:
        self.weight = weight
        self.shape = policy.spec.mask_shape
        self._network = policy.network
        self._network.set_boards(boards)
        for parameter in self._network.parameters():
            parameter.requires_grad_(False)
        self._found: list[float] = []  # mean divergences of mini-batches

    def __call__(self, observation: Any, logits: Tensor, masks: Any) -> Tensor:
        """Return the weighted mean divergence in a mini-batch, and keep it for `mean_since_last_call`."""
        divergence = self.divergence(observation, logits, masks).mean()
        self._found.append(divergence.item())
        return self.weight * divergence

    def mean_since_last_call(self) -> float:
        """Return the mean divergence of the mini-batches since the last call of this method."""
        mean = sum(self._found) / max(1, len(self._found))
        self._found.clear()
        return mean

    def divergence(self, observation: Any, logits: Tensor, masks: Any) -> Tensor:
        """Return the KL divergence from the starting policy, summed over the components of an action: (rows,)."""
        with torch.no_grad():
            before, _ = self._network(observation)
        both = [values.reshape(-1, *self.shape) for values in (logits, before)]
        if masks is not None:
            legal = torch.as_tensor(masks, dtype=torch.bool, device=logits.device).reshape(both[0].shape)
            both = [torch.where(legal, values, torch.full_like(values, ILLEGAL)) for values in both]
        now, then = (torch.log_softmax(values, dim=-1) for values in both)
        return (now.exp() * (now - then)).sum(-1).reshape(len(logits), -1).sum(-1)
