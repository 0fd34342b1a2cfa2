"""The networks of policies: features, a trunk each for policy and value, logits and a value. Needs PyTorch."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from rr_gym.policies.afterstates import AfterstatesFeatures
from rr_gym.policies.choice_features import ChoiceHead, ChoicesFeatures, Parts
from rr_gym.policies.entities import EntitiesFeatures
from rr_gym.policies.features import (
    Features,
    FlatFeatures,
    MlpFeatures,
    PlanesFeatures,
    ScaledMlpFeatures,
    layer,
)
from rr_gym.policies.spaces import Width
from rr_gym.policies.spec import SCORING_KINDS, NetworkSpec, PolicyError, PolicySpec
from rr_gym.rules.state.constants import HAND_SLOTS

Array = np.ndarray[Any, Any]

MAX_PARAMETERS = 50_000_000

_FEATURES: dict[str, type[Features]] = {
    "flat": FlatFeatures, "planes": PlanesFeatures, "entities": EntitiesFeatures, "mlp": MlpFeatures,
    "scaled_mlp": ScaledMlpFeatures, "choices": ChoicesFeatures, "afterstates": AfterstatesFeatures,
}  # fmt: skip


def make_features(spec: PolicySpec, scaled: bool = False) -> Features:
    """Make the features module of a policy, by the kind of its network.

    Args:
        spec: What the policy observes.
        scaled: Whether observations are scaled already (``observation_dtype="scaled"``). The weights are the same.
    """
    return _FEATURES[spec.network.kind](spec, scaled)  # type: ignore[arg-type]


class Trunks(nn.Module):
    """Separate layers for policy and value. Card embeddings bypass the layers of the policy."""

    def __init__(self, joint: int, cards: int, network: NetworkSpec) -> None:
        super().__init__()
        hidden = network.hidden
        value_hidden = hidden if network.value_hidden is None else network.value_hidden
        self.joint = joint
        self.policy_net = _trunk(joint, hidden, network)
        self.value_net = _trunk(joint, value_hidden, network)
        self.latent_dim_pi = (hidden[-1] if hidden else joint) + cards
        self.latent_dim_vf = value_hidden[-1] if value_hidden else joint

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return the latent vectors of policy and value."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        """Return the input of the policy head, (rows, latent_dim_pi)."""
        latent = self.policy_net(features[:, : self.joint])
        return torch.cat([latent, features[:, self.joint :]], dim=1) if features.shape[1] > self.joint else latent

    def forward_critic(self, features: Tensor) -> Tensor:
        """Return the input of the value head, (rows, latent_dim_vf)."""
        return cast(Tensor, self.value_net(features[:, : self.joint]))


def _trunk(inputs: int, hidden: tuple[int, ...], network: NetworkSpec) -> nn.Sequential:
    sizes = (inputs, *hidden)
    return nn.Sequential(*(m for a, b in zip(sizes, hidden, strict=False) for m in layer(a, b, network)))


def make_trunks(spec: PolicySpec, features: Features) -> Trunks | Parts:
    """Make the layers between the features and the heads of policy and value."""
    if spec.network.kind in SCORING_KINDS:
        return Parts(features)
    return Trunks(features.joint, features.cards, spec.network)


class PointerHead(nn.Module):
    """Computes logits, (rows, components * choices): a linear layer, plus a match of the card in slot c with choice c.

    Choices beyond the slots of the hand come from the linear layer alone.
    """

    def __init__(self, latent: int, embed: int, components: int, width: int = HAND_SLOTS) -> None:
        super().__init__()
        self.shape = components, embed
        self.latent = latent - HAND_SLOTS * embed
        self.linear = nn.Linear(self.latent, components * width)
        self.beyond = width - HAND_SLOTS
        self.query = nn.Linear(self.latent, components * embed)

    def forward(self, latent: Tensor) -> Tensor:
        """Return the logits from the policy's latent vector."""
        joint, cards = latent[:, : self.latent], latent[:, self.latent :]
        components, embed = self.shape
        query = self.query(joint).unflatten(1, (components, embed))
        fit = query @ cards.unflatten(1, (HAND_SLOTS, embed)).transpose(1, 2) / embed**0.5  # type: ignore[no-untyped-call]
        plain: Tensor = self.linear(joint)
        return plain + nn.functional.pad(fit, (0, self.beyond)).flatten(1)


def make_head(spec: PolicySpec, latent: int) -> nn.Module:
    """Make the layer from the policy's latent vector to logits, (rows, size of the mask)."""
    if spec.network.kind in SCORING_KINDS:
        return ChoiceHead(spec.network.hidden[-1])
    *components, width = spec.mask_shape
    count = components[0] if components else 1
    if spec.network.head == "pointer":
        return PointerHead(latent, spec.network.embed, count, width)
    return nn.Linear(latent, count * width)


class PolicyNetwork(nn.Module):
    """A whole network, independent of any learning library.

    Args:
        spec: The specification of the policy: observation, decisions and sizes.
        scaled: Whether observations are scaled already (``observation_dtype="scaled"``). The weights are the same.
    """

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        super().__init__()
        self.scaled, self._width = scaled, Width(spec)
        self.features = make_features(spec, scaled)
        self.trunks = make_trunks(spec, self.features)
        self.action_net = make_head(spec, self.trunks.latent_dim_pi)
        self.value_net = nn.Linear(self.trunks.latent_dim_vf, 1)

    def set_boards(self, boards: Array) -> None:
        """Set the boards of the environment (`Observer.boards`) for a network that reads `entities`."""
        self.features.set_boards(boards)

    def forward(self, observation: Any) -> tuple[Tensor, Tensor]:
        """Return logits and values of a batch of observations.

        Args:
            observation: A tensor (rows, ...) of any type of number, or a dict of such tensors.

        Returns:
            Logits, float32, (rows, size of the mask), and values, float32, (rows,).

        Raises:
            PolicyError: The observations are scaled and should not be, or the reverse.
        """
        self._width.check(observation, self.scaled)
        policy, value = self.trunks(self.features(observation))
        return self.action_net(policy), self.value_net(value).squeeze(1)


def make_network(spec: PolicySpec, scaled: bool = False) -> PolicyNetwork:
    """Make a network with random weights; the state of PyTorch's generator is preserved.

    Raises:
        PolicyError: The network would have more than `MAX_PARAMETERS` weights.
    """
    with torch.device("meta"):
        size = sum(p.numel() for p in PolicyNetwork(spec).parameters())
    if size > MAX_PARAMETERS:
        raise PolicyError(f"network: {size:,} weights: expected at most {MAX_PARAMETERS:,}")
    with torch.random.fork_rng(devices=[]):
        return PolicyNetwork(spec, scaled)
