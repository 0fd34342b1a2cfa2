"""The features of `entities`: tables of robots, cards and flags, and convolutions over a window of the board."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from rr_gym.encoding.observe.entities import num_cards
from rr_gym.policies.features import Array, BoardConvolutions, Features, Numbers, layer
from rr_gym.policies.inputs import columns
from rr_gym.policies.scaling import table_categories
from rr_gym.policies.spec import PolicySpec
from rr_gym.policies.window_layers import WindowLayers
from rr_gym.rules.state.constants import HAND_SLOTS, MAX_FLAGS


class EntitiesFeatures(Features):
    """The features of `entities` and `entities+planes`, with the same weights, and of `entities+way`.

    Cards and flags are kept apart by place. Other robots share one layer and are pooled, so that there may be any
    number of them. Other robots, by facing, the next flag and devices are drawn into the window of the board.
    """

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        network = spec.network
        embed = network.embed
        super().__init__(network.features, HAND_SLOTS * embed if network.head == "pointer" else 0)
        tables = columns(spec.observation, spec.num_robots, spec.window, spec.elements)
        self.game, self.robots, self.card_numbers, self.flags = (
            Numbers(tables[name], table_categories(name, tables[name]), scaled)
            for name in ("game", "robots", "cards", "flags")
        )
        self.layers = WindowLayers(tables, self.robots, self.flags, spec.window, scaled)
        self.other = layer(self.robots.size, embed, network)
        self.card = layer(self.card_numbers.size, embed, network)
        self.board = BoardConvolutions(len(self.layers.names), spec.window, network)
        size = self.game.size + self.robots.size + MAX_FLAGS * self.flags.size
        size += (2 + num_cards(spec.elements)) * embed + self.board.size
        self.mix = layer(size, network.features, network)

    def set_boards(self, boards: Array) -> None:
        """Set the boards of the arena, `Observer.boards`: int8, (courses, 4, size, size, features)."""
        self.layers.set_boards(boards)

    def forward(self, tables: Mapping[str, Tensor]) -> Tensor:
        """Return the feature vectors of a batch, (rows, size), from its tables."""
        robots, flags = tables["robots"].float(), tables["flags"].float()
        cards = self.card(self.card_numbers(tables["cards"]))
        robot_numbers = self.robots(robots)
        others = self.other(robot_numbers[:, 1:])
        if others.shape[1]:
            pooled = torch.cat([others.mean(1), others.amax(1)], dim=1)
        else:
            pooled = others.new_zeros(len(others), 2 * others.shape[2])
        joint = self.mix(torch.cat([
            self.game(tables["game"]),
            robot_numbers[:, 0],
            pooled,
            cards.flatten(1),
            self.flags(flags).flatten(1),
            self.board(self.layers(tables, robots[:, 1:], flags)),
        ], dim=1))  # fmt: skip
        return torch.cat([joint, cards[:, :HAND_SLOTS].flatten(1)], dim=1) if self.cards else joint
