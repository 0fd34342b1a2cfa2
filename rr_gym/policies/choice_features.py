"""A network that scores choices: the same weights for every choice, and for every other robot. Needs PyTorch.

Two layers turn the features of the position and of a choice into a vector, and one more turns this into the logit of
the choice. The value is computed from the position and from the vectors of all choices. `rr_gym.policies.choice_kernel`
computes the same without PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor, nn

from rr_gym.choices.columns import LEGAL, NUM_RELATIONS, RELATION_SCALES
from rr_gym.policies.choice_inputs import Encoded, encodings, sizes
from rr_gym.policies.features import ACTIVATIONS, Features, layer
from rr_gym.policies.inputs import LIMIT
from rr_gym.policies.spec import PolicySpec


class Encoding(nn.Module):
    """Turns columns of integers, (..., columns), into floats: all columns scaled, then categorical ones one-hot.

    With `scaled` the environment has already done so (`rr_gym.policies.scaling`).
    """

    scale: Tensor
    word_columns: Tensor
    word_values: Tensor

    def __init__(self, encoded: Encoded, scaled: bool = False) -> None:
        super().__init__()
        self.scaled, self.size = scaled, len(encoded[0]) + len(encoded[1])
        for name, array in zip(("scale", "word_columns", "word_values"), encoded, strict=True):
            self.register_buffer(name, torch.from_numpy(array), persistent=False)

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the encoded numbers, float32, (..., size)."""
        if self.scaled:
            return numbers[..., : self.size]
        numbers = numbers.float()
        chosen = numbers.index_select(-1, self.word_columns) == self.word_values
        return torch.cat([(numbers * self.scale).clamp_(-LIMIT, LIMIT), chosen.float()], dim=-1)


class ChoicesFeatures(Features):
    """The features of `choices`: the vector of the value, then that of every choice; those of illegal ones are 0."""

    relation_scales: Tensor

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        network, size = spec.network, sizes(spec)
        first, second = network.hidden
        assert network.value_hidden
        (value,) = network.value_hidden
        self.width, self.second = spec.mask_shape[-1], second
        super().__init__(value, self.width * second)
        encoded = encodings(spec)
        self.register_buffer("relation_scales", torch.from_numpy(RELATION_SCALES), persistent=False)
        self.game, self.robots, self.prospects, self.rows = (
            Encoding(encoded[name], scaled) for name in ("game", "robots", "prospects", "choices")
        )
        self.own = len(encoded["choices"][0])  # columns of a choice before its relations to others
        robot = size["robots"] + size["prospects"]
        self.other = layer(robot, network.embed, network)
        self.position = layer(size["game"] + robot + 2 * network.embed, network.features, network)
        self.choice = nn.Linear(size["choices"], first)
        self.context = nn.Linear(network.features, first, bias=False)
        self.activation = ACTIVATIONS[network.activation]()
        self.last = layer(first, second, network)
        self.value = layer(network.features + 2 * second, value, network)

    def forward(self, tables: Mapping[str, Tensor]) -> Tensor:
        """Return the feature vectors of a batch, (rows, size), from its tables."""
        robots = torch.cat([self.robots(tables["robots"]), self.prospects(tables["prospects"])], dim=-1)
        others = self.other(robots[:, 1:])
        if others.shape[1]:
            pooled = torch.cat([others.mean(1), others.amax(1)], dim=1)
        else:
            pooled = others.new_zeros(len(others), 2 * others.shape[2])
        position = self.position(torch.cat([self.game(tables["game"]), robots[:, 0], pooled], dim=1))
        choices = tables["choices"]
        legal = choices[..., LEGAL] > 0
        of, which = legal.nonzero(as_tuple=True)
        vectors = self._vectors(choices[of, which], self.context(position)[of])
        # The vectors of illegal choices are 0.
        padded = vectors.new_zeros(legal.numel(), self.second).index_copy(0, of * self.width + which, vectors)
        padded = padded.view(len(choices), self.width, self.second)
        mean = padded.sum(1) / legal.sum(1, keepdim=True).clamp(min=1)
        value = self.value(torch.cat([position, mean, padded.amax(1)], dim=1))
        return torch.cat([value, padded.flatten(1)], dim=1)

    def _vectors(self, choices: Tensor, context: Tensor) -> Tensor:
        """Return the vectors of legal choices, (choices, size), from their rows and from `context`, by position."""
        if self.rows.scaled:  # one-hot numbers come after the relations
            own, related, words = choices.tensor_split(
                (self.own, choices.shape[1] - (self.rows.size - self.own)), dim=1
            )
            numbers = torch.cat([own, words], dim=1)
            relations = related.unflatten(-1, (-1, NUM_RELATIONS)).sum(-2)  # type: ignore[no-untyped-call]
        else:
            numbers, related = self.rows(choices[:, : self.own]), choices[:, self.own :].float()
            relations = related.unflatten(-1, (-1, NUM_RELATIONS)).sum(-2)  # type: ignore[no-untyped-call]
            relations = relations * self.relation_scales
        rows = torch.cat([numbers, relations], dim=-1)
        return cast(Tensor, self.last(self.activation(self.choice(rows) + context)))


class Parts(nn.Module):
    """Splits the features into the vectors of choices for the policy and that of the value, without further layers."""

    def __init__(self, features: Features) -> None:
        super().__init__()
        self.latent_dim_vf, self.latent_dim_pi = features.joint, features.cards

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return the latent vectors of policy and value."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        """Return the input of the policy head, (rows, latent_dim_pi)."""
        return features[:, self.latent_dim_vf :]

    def forward_critic(self, features: Tensor) -> Tensor:
        """Return the input of the value head, (rows, latent_dim_vf)."""
        return features[:, : self.latent_dim_vf]


class ChoiceHead(nn.Module):
    """Computes logits, (rows, choices), by the same linear layer for the vector of each choice."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.score = nn.Linear(size, 1)

    def forward(self, latent: Tensor) -> Tensor:
        """Return the logits, (rows, choices), from the vectors of all choices."""
        vectors = latent.unflatten(1, (-1, self.score.in_features))  # type: ignore[no-untyped-call]
        return cast(Tensor, self.score(vectors).squeeze(-1))
