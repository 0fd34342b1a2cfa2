"""Turns observations into one feature vector, by kind of network: the part that policy and value share.

A vector holds the joint features of the whole observation, followed, for a pointer head, by an embedding of every card
in the hand, slot by slot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from rr_gym.encoding.observe.planes import FIRST_SCALAR, NUM_PLANES, extra_place_planes
from rr_gym.policies.inputs import LIMIT, Column, columns, place, scales, words
from rr_gym.policies.scaling import DIRECTION, NEXT_FLAG, card_words, flat_categories, planes_categories
from rr_gym.policies.spec import NetworkSpec, PolicyError, PolicySpec
from rr_gym.rules.state.constants import HAND_SLOTS

Array = np.ndarray[Any, Any]

ACTIVATIONS: dict[str, type[nn.Module]] = {
    "tanh": nn.Tanh, "relu": nn.ReLU, "elu": nn.ELU, "gelu": nn.GELU, "silu": nn.SiLU, "leaky_relu": nn.LeakyReLU,
}  # fmt: skip


def layer(inputs: int, outputs: int, network: NetworkSpec) -> nn.Sequential:
    """Make a linear layer followed by the network's activation."""
    return nn.Sequential(nn.Linear(inputs, outputs), ACTIVATIONS[network.activation]())


class Numbers(nn.Module):
    """Turns columns of integers, (..., columns), into floats: all columns scaled, then categorical ones one-hot.

    Args:
        listed: The columns.
        wanted: Names of the categorical ones.
        scaled: Whether the environment has already done so (`rr_gym.policies.scaling`).
    """

    scale: Tensor
    word_columns: Tensor
    word_values: Tensor

    def __init__(self, listed: Sequence[Column], wanted: Sequence[str], scaled: bool = False) -> None:
        super().__init__()
        self.scaled = scaled
        at, values = words(listed, wanted)
        self.register_buffer("scale", torch.from_numpy(scales(listed)), persistent=False)
        self.register_buffer("word_columns", torch.tensor(at, dtype=torch.long), persistent=False)
        self.register_buffer("word_values", torch.tensor(values, dtype=torch.float32), persistent=False)
        self.size = len(listed) + len(at)

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the encoded numbers, float32, (..., size)."""
        if self.scaled:
            return numbers[..., : self.size]
        numbers = numbers.float()
        scaled = (numbers * self.scale).clamp_(-LIMIT, LIMIT)
        chosen = numbers.index_select(-1, self.word_columns) == self.word_values
        return torch.cat([scaled, chosen.float()], dim=-1)

    def whole(self, numbers: Tensor, at: Sequence[int] | Tensor) -> Tensor:
        """Return columns as whole numbers in float32, (..., len(at)).

        Scaled ones are what they were before, unless scaling cut them at `LIMIT`.
        """
        picked = numbers[..., at].float()
        return (picked / self.scale[at]).round() if self.scaled else picked


class BoardConvolutions(nn.Module):
    """Convolutions over planes (rows, channels, window, window), flattened into one vector."""

    def __init__(self, planes: int, window: int, network: NetworkSpec) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for i, channels in enumerate(network.channels):
            stride = 1 if i == 0 else 2
            layers += [nn.Conv2d(planes, channels, 3, stride, padding=1), ACTIVATIONS[network.activation]()]
            planes, window = channels, math.ceil(window / stride)
        self.layers = nn.Sequential(*layers, nn.Flatten())
        self.size = planes * window * window

    def forward(self, planes: Tensor) -> Tensor:
        """Return the features of planes, (rows, size)."""
        return cast(Tensor, self.layers(planes))


class Features(nn.Module):
    """The base class of features, which subclasses compute: the joint vector and the cards.

    Subclasses take a spec, and whether the environment has scaled the observation already (`rr_gym.policies.scaling`):
    then they compute the same from it, with the same weights.

    Attributes:
        joint: Size of the joint features.
        cards: Size of all card embeddings after them; 0 without a pointer head.
    """

    def __init__(self, joint: int, cards: int = 0) -> None:
        super().__init__()
        self.joint = joint
        self.cards = cards

    @property
    def size(self) -> int:
        """Return the size of the whole vector."""
        return self.joint + self.cards

    def set_boards(self, boards: Array) -> None:
        """Set the boards that windows are cut from; features that need none ignore them."""


class MlpFeatures(Features):
    """The features of `mlp`: the raw numbers."""

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        if scaled:
            raise PolicyError("network: kind: 'mlp': expected 'scaled_mlp' with observation_dtype='scaled'")
        listed = columns(spec.observation, spec.num_robots, spec.window, spec.elements)[""]
        super().__init__(len(listed) * (1 if spec.observation == "flat" else spec.window**2))

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the flattened observation, float32, (rows, size)."""
        return numbers.float().flatten(1)


class HandCards(nn.Module):
    """Embeds the cards of a hand, (rows, slots, embed), from their columns in a row of numbers."""

    places: Tensor

    def __init__(self, listed: Sequence[Column], card: str, network: NetworkSpec) -> None:
        super().__init__()
        pairs = [
            [place(listed, name) for name in names]
            for names in zip(card_words("type"), card_words(card), strict=True)
        ]
        self.register_buffer("places", torch.tensor(pairs), persistent=False)
        self.numbers = Numbers([listed[i] for i in pairs[0]], ["hand_0_type"])
        self.layer = layer(self.numbers.size, network.embed, network)

    def forward(self, numbers: Tensor, of: Numbers) -> Tensor:
        """Return the embeddings, (rows, slots, embed), from rows of numbers, which are `of` columns."""
        return cast(Tensor, self.layer(self.numbers(of.whole(numbers, self.places))))


class FlatNumbers(nn.Module):
    """The numbers of `flat` scaled, its categories one-hot, and the direction of the next flag."""

    def __init__(self, spec: PolicySpec, scaled: bool) -> None:
        super().__init__()
        self.listed = columns("flat", spec.num_robots, spec.window, spec.elements)[""]
        self.numbers = Numbers(self.listed, flat_categories(self.listed, spec.num_robots), scaled)
        self.flag = [place(self.listed, name) for name in NEXT_FLAG]
        self.size = self.numbers.size + len(DIRECTION)

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the numbers for the first layer, float32, (rows, size)."""
        numbers = numbers.float()
        if self.numbers.scaled:
            return numbers
        flag = numbers[:, self.flag]
        nearness = 1 / (1 + flag.abs().sum(1, keepdim=True))
        return torch.cat([self.numbers(numbers), flag.sign(), nearness], dim=1)


class ScaledMlpFeatures(Features):
    """The features of `scaled_mlp`: the numbers of `flat`, scaled."""

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        row = FlatNumbers(spec, scaled)
        super().__init__(row.size)
        self.row = row

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the scaled numbers, float32, (rows, size)."""
        return cast(Tensor, self.row(numbers))


class FlatFeatures(Features):
    """The features of `flat`: all numbers scaled, categories one-hot, one layer."""

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        network = spec.network
        super().__init__(network.features, HAND_SLOTS * network.embed if network.head == "pointer" else 0)
        self.row = FlatNumbers(spec, scaled)
        self.mix = layer(self.row.size, network.features, network)
        self.hand = HandCards(self.row.listed, "priority", network) if self.cards else None

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the feature vectors, (rows, size), from rows of numbers."""
        joint: Tensor = self.mix(self.row(numbers))
        if self.hand is None:
            return joint
        return torch.cat([joint, self.hand(numbers, self.row.numbers).flatten(1)], dim=1)


class PlanesFeatures(Features):
    """The features of `planes`: convolutions over the planes that vary by square; the others are a row of numbers."""

    places: Tensor
    scalars: Tensor

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        network = spec.network
        super().__init__(network.features, HAND_SLOTS * network.embed if network.head == "pointer" else 0)
        listed = columns("planes", spec.num_robots, spec.window, spec.elements)[""]
        last = NUM_PLANES + len(extra_place_planes(spec.elements))
        places = [*range(FIRST_SCALAR), *range(NUM_PLANES, last)]
        scalars = [*range(FIRST_SCALAR, NUM_PLANES), *range(last, len(listed))]
        self.register_buffer("places", torch.tensor(places), persistent=False)
        self.register_buffer("scalars", torch.tensor(scalars), persistent=False)
        rows = [listed[i] for i in scalars]
        self.squares = Numbers([listed[i] for i in places], [], scaled)
        self.numbers = Numbers(rows, planes_categories(rows), scaled)
        self.columns = len(listed)  # one-hot numbers come after them in scaled planes
        self.board = BoardConvolutions(len(places), spec.window, network)
        self.mix = layer(self.board.size + self.numbers.size, network.features, network)
        self.hand = HandCards(rows, "card", network) if self.cards else None

    def forward(self, planes: Tensor) -> Tensor:
        """Return the feature vectors, (rows, size), from planes."""
        squares = planes[:, self.places].float()
        numbers = planes[:, self.scalars, 0, 0].float()
        if self.numbers.scaled:
            numbers = torch.cat([numbers, planes[:, self.columns :, 0, 0]], dim=1)
        else:
            squares = (squares * self.squares.scale[:, None, None]).clamp_(-LIMIT, LIMIT)
        joint = self.mix(torch.cat([self.board(squares), self.numbers(numbers)], dim=1))
        return joint if self.hand is None else torch.cat([joint, self.hand(numbers, self.numbers).flatten(1)], dim=1)
