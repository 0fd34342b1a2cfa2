"""The features of `entities`: tables of robots, cards and flags, and convolutions over a window of the board."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from rr_gym.encoding.observe.entities import num_cards
from rr_gym.encoding.observe.game_groups import DEVICES, OTHERS
from rr_gym.encoding.observe.way import WAY
from rr_gym.policies.features import Array, BoardConvolutions, Features, Numbers, layer
from rr_gym.policies.inputs import LIMIT, columns, place
from rr_gym.policies.scaling import table_categories
from rr_gym.policies.spec import PolicyError, PolicySpec
from rr_gym.rules.state.constants import DEVICE_NAMES, HAND_SLOTS, MAX_FLAGS

_NUM_FACINGS = 4
_NUM_KINDS = len(DEVICE_NAMES) - 1
_NUM_OWNERS = OTHERS  # one's own robot, its mates, others


class EntitiesFeatures(Features):
    """The features of `entities` and `entities+planes`, with the same weights, and of `entities+way`.

    Cards and flags are kept apart by place. Other robots share one layer and are pooled, so that there may be any
    number of them. Other robots, by facing, the next flag and devices are drawn into the window of the board.
    """

    boards: Tensor | None
    reach: Tensor

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        network = spec.network
        embed = network.embed
        super().__init__(network.features, HAND_SLOTS * embed if network.head == "pointer" else 0)
        tables = columns(spec.observation, spec.num_robots, spec.window, spec.elements)
        self.game, self.robots, self.card_numbers, self.flags, self.squares = (
            Numbers(tables[name], table_categories(name, tables[name]), scaled)
            for name in ("game", "robots", "cards", "flags", "planes")
        )
        self.robot_at = [place(tables["robots"], name) for name in ("forward", "right", "facing", "present")]
        self.flag_at = [place(tables["flags"], name) for name in ("forward", "right", "next")]
        self.window = spec.window
        # The forward offsets of the rows of a window; the offsets to the right of its columns are their reverse.
        reach = spec.window // 2
        self.register_buffer("reach", torch.arange(reach, -reach - 1, -1).float(), persistent=False)
        self.register_buffer("boards", None, persistent=False)
        self.other = layer(self.robots.size, embed, network)
        self.card = layer(self.card_numbers.size, embed, network)
        drawn = _NUM_FACINGS + 1
        self.way = Numbers(tables[WAY], [], scaled) if WAY in tables else None
        if self.way:
            drawn += self.way.size
        if "devices" in tables:
            # Drawn in from their table: planes have these features, boards do not.
            self.squares.scale[[place(tables["planes"], name) for name, _, _ in DEVICES]] = 0
            self.devices = Numbers(tables["devices"], [], scaled)
            self.device_at = [place(tables["devices"], name) for name in ("forward", "right", "kind", "owner")]
            drawn += _NUM_KINDS + _NUM_OWNERS
        self.board = BoardConvolutions(len(tables["planes"]) + drawn, spec.window, network)
        size = self.game.size + self.robots.size + MAX_FLAGS * self.flags.size
        size += (2 + num_cards(spec.elements)) * embed + self.board.size
        self.mix = layer(size, network.features, network)

    def set_boards(self, boards: Array) -> None:
        """Set the boards of the arena, `Observer.boards`: int8, (courses, 4, size, size, features)."""
        self.boards = torch.from_numpy(boards).to(self.reach.device)

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
            self.board(self._planes(tables, robots[:, 1:], flags)),
        ], dim=1))  # fmt: skip
        return torch.cat([joint, cards[:, :HAND_SLOTS].flatten(1)], dim=1) if self.cards else joint

    def _planes(self, tables: Mapping[str, Tensor], others: Tensor, flags: Tensor) -> Tensor:
        """Return the planes of the window, float32, (rows, channels, window, window)."""
        squares = tables["planes"] if "planes" in tables else self._cut(tables["board"])
        scale = (self.squares.scale > 0) if self.squares.scaled else self.squares.scale
        squares = (squares.float() * scale).clamp_(-LIMIT, LIMIT).permute(0, 3, 1, 2)
        forward, right, facing, present = self.robots.whole(others, self.robot_at).unbind(-1)
        facings = functional.one_hot(facing.long(), _NUM_FACINGS) * present[..., None]
        drawn = self._draw(forward, right, facings)
        forward, right, following = self.flags.whole(flags, self.flag_at).unbind(-1)
        layers = [squares, drawn, self._draw(forward, right, following[..., None])]
        if self.way:
            layers.append(self.way(tables[WAY]).permute(0, 3, 1, 2))
        if "devices" in tables:
            forward, right, kind, owner = self.devices.whole(tables["devices"], self.device_at).unbind(-1)
            kinds = functional.one_hot(kind.long(), 1 + _NUM_KINDS)[..., 1:]
            owners = functional.one_hot(owner.long(), 1 + _NUM_OWNERS)[..., 1:]
            layers.append(self._draw(forward, right, torch.cat([kinds, owners], dim=-1).float()))
        return torch.cat(layers, dim=1)

    def _draw(self, forward: Tensor, right: Tensor, amounts: Tensor) -> Tensor:
        """Draw amounts, (rows, things, channels), at their places, (rows, things): (rows, channels, window, window)."""
        rows = (forward[..., None] == self.reach).float()
        across = (right[..., None] == -self.reach).float()
        return torch.einsum("ntc,nth,ntw->nchw", amounts, rows, across)

    def _cut(self, index: Tensor) -> Tensor:
        """Cut the windows of a batch out of the boards: (rows, window, window, features)."""
        if self.boards is None:
            raise PolicyError("the network has no boards: set_boards(core.observer.boards) gives it those of a game")
        course, facing, row, column = index.long()[..., None, None].unbind(1)
        span = torch.arange(self.window, device=index.device)
        return self.boards[course, facing, row + span[:, None], column + span]
