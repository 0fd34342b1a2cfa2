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

from rr_gym.encoding.observe.planes import FIRST_SCALAR, NUM_PLANES, more_places
from rr_gym.policies.inputs import LIMIT, Column, columns, place, scales, words
from rr_gym.policies.spec import NetworkSpec, PolicySpec
from rr_gym.rules.state.constants import HAND_SLOTS, NUM_REGISTERS

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
    """

    scale: Tensor
    word_columns: Tensor
    word_values: Tensor

    def __init__(self, listed: Sequence[Column], wanted: Sequence[str]) -> None:
        super().__init__()
        at, values = words(listed, wanted)
        self.register_buffer("scale", torch.from_numpy(scales(listed)), persistent=False)
        self.register_buffer("word_columns", torch.tensor(at, dtype=torch.long), persistent=False)
        self.register_buffer("word_values", torch.tensor(values, dtype=torch.float32), persistent=False)
        self.size = len(listed) + len(at)

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the encoded numbers, float32, (..., size)."""
        numbers = numbers.float()
        scaled = (numbers * self.scale).clamp_(-LIMIT, LIMIT)
        chosen = numbers.index_select(-1, self.word_columns) == self.word_values
        return torch.cat([scaled, chosen.float()], dim=-1)


class Board(nn.Module):
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

    def __init__(self, spec: PolicySpec) -> None:
        listed = columns(spec.observation, spec.num_robots, spec.window, spec.elements)[""]
        super().__init__(len(listed) * (1 if spec.observation == "flat" else spec.window**2))

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the flattened observation, float32, (rows, size)."""
        return numbers.float().flatten(1)


def decision_words(listed: Sequence[Column]) -> list[str]:
    """Return the names of the columns that tell which decision is asked for; none if the observation lacks them."""
    return [name for name, _, _ in listed if name in ("decision", "decision_register")]


def _card_words(last: str) -> list[str]:
    return [f"hand_{slot}_{last}" for slot in range(HAND_SLOTS)]


class HandCards(nn.Module):
    """Embeds the cards of a hand, (rows, slots, embed), from their columns in a row of numbers."""

    places: Tensor

    def __init__(self, listed: Sequence[Column], card: str, network: NetworkSpec) -> None:
        super().__init__()
        pairs = [
            [place(listed, name) for name in names]
            for names in zip(_card_words("type"), _card_words(card), strict=True)
        ]
        self.register_buffer("places", torch.tensor(pairs), persistent=False)
        self.numbers = Numbers([listed[i] for i in pairs[0]], ["hand_0_type"])
        self.layer = layer(self.numbers.size, network.embed, network)

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the embeddings, (rows, slots, embed), from rows of numbers."""
        return cast(Tensor, self.layer(self.numbers(numbers[:, self.places])))


class FlatFeatures(Features):
    """The features of `flat`: all numbers scaled, categories one-hot, one layer."""

    def __init__(self, spec: PolicySpec) -> None:
        network = spec.network
        super().__init__(network.features, HAND_SLOTS * network.embed if network.head == "pointer" else 0)
        listed = columns("flat", spec.num_robots, spec.window, spec.elements)[""]
        self.numbers = Numbers(listed, [
            *_card_words("type"),
            *(f"robot_0_locked_{r + 1}_type" for r in range(NUM_REGISTERS)),
            *(f"robot_{k}_facing" for k in range(1, spec.num_robots)),
            "robot_0_flag",
            "phase",
            *decision_words(listed),
        ])  # fmt: skip
        self.ahead, self.aside = (place(listed, f"next_flag_{side}") for side in ("forward", "right"))
        self.mix = layer(self.numbers.size + 3, network.features, network)
        self.hand = HandCards(listed, "priority", network) if self.cards else None

    def forward(self, numbers: Tensor) -> Tensor:
        """Return the feature vectors, (rows, size), from rows of numbers."""
        numbers = numbers.float()
        flag = numbers[:, [self.ahead, self.aside]]
        nearness = 1 / (1 + flag.abs().sum(1, keepdim=True))
        joint = self.mix(torch.cat([self.numbers(numbers), flag.sign(), nearness], dim=1))
        return joint if self.hand is None else torch.cat([joint, self.hand(numbers).flatten(1)], dim=1)


class PlanesFeatures(Features):
    """The features of `planes`: convolutions over the planes that vary by square; the others are a row of numbers."""

    places: Tensor
    scalars: Tensor

    def __init__(self, spec: PolicySpec) -> None:
        network = spec.network
        super().__init__(network.features, HAND_SLOTS * network.embed if network.head == "pointer" else 0)
        listed = columns("planes", spec.num_robots, spec.window, spec.elements)[""]
        last = NUM_PLANES + len(more_places(spec.elements))
        places = [*range(FIRST_SCALAR), *range(NUM_PLANES, last)]
        scalars = [*range(FIRST_SCALAR, NUM_PLANES), *range(last, len(listed))]
        self.register_buffer("places", torch.tensor(places), persistent=False)
        self.register_buffer("scalars", torch.tensor(scalars), persistent=False)
        rows = [listed[i] for i in scalars]
        self.squares = Numbers([listed[i] for i in places], [])
        words = [name for name, _, _ in rows if name.endswith("_type")]
        self.numbers = Numbers(rows, [*words, *decision_words(rows)])
        self.board = Board(len(places), spec.window, network)
        self.mix = layer(self.board.size + self.numbers.size, network.features, network)
        self.hand = HandCards(rows, "card", network) if self.cards else None

    def forward(self, planes: Tensor) -> Tensor:
        """Return the feature vectors, (rows, size), from planes."""
        squares = planes[:, self.places].float()
        squares = (squares * self.squares.scale[:, None, None]).clamp_(-LIMIT, LIMIT)
        numbers = planes[:, self.scalars, 0, 0].float()
        joint = self.mix(torch.cat([self.board(squares), self.numbers(numbers)], dim=1))
        return joint if self.hand is None else torch.cat([joint, self.hand(numbers).flatten(1)], dim=1)
