"""A network that scores every card by the board as it looks from where the card would bring the robot.

The square and the facing after a card are read off the card alone: so many squares forward, so many quarter turns. What
walls, belts, pits and other robots then do to the robot, the network has to learn from what lies there. It knows no
rules beyond what is printed on the cards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from rr_gym.encoding.observe.entities import CARD_FEATURES
from rr_gym.encoding.observe.frame import SIDES
from rr_gym.encoding.observe.way import WAY
from rr_gym.policies.features import ACTIVATIONS, Array, Features, Numbers, layer
from rr_gym.policies.inputs import SQUARES, columns, place
from rr_gym.policies.scaling import NEXT_FLAG, table_categories
from rr_gym.policies.spec import PolicySpec
from rr_gym.policies.window_layers import WindowLayers
from rr_gym.rules.state.constants import HAND_SLOTS, MAX_FLAGS, NUM_REGISTERS

REACH = 2  # squares that a view shows in each direction
WIDTH = 2 * REACH + 1
# The views: (squares forward, quarter turns to the right) after no card, and after each type of card
VIEWS = ((0, 0), (0, 2), (0, -1), (0, 1), (-1, 0), (1, 0), (2, 0), (3, 0))
_OF_FACING = (0, 3, 1, 2)  # the views after 0 to 3 quarter turns to the right
_MOST, _LEAST = max(steps for steps, _ in VIEWS), min(steps for steps, _ in VIEWS)
_AHEAD, _BEHIND = _MOST + REACH, REACH - _LEAST  # squares of the strip before and behind the robot
_OF_STEPS = list(range(_MOST, _LEAST - 1, -1))  # a view that is not turned, by its place in the strip
_TURNED = [view for view, (_, turns) in enumerate(VIEWS) if turns]  # stand together after the first view
_FLAG_NUMBERS = 7
_HAND = 3  # sums over a hand are divided by this


class AfterstatesFeatures(Features):
    """The features of the kind `afterstates`: the vector of the value, then that of every choice.

    A view is the part of the window around the square that a card leads to, turned as the robot would then face. One
    layer with the same weights reads all views; the vector of a choice follows from the view after its card or facing,
    from the position, and from its number.
    """

    rotated: Tensor
    signs: Tensor
    squares: Tensor
    moves: Tensor

    def __init__(self, spec: PolicySpec, scaled: bool = False) -> None:
        network = spec.network
        first, second = network.hidden
        assert network.value_hidden
        (value,) = network.value_hidden
        self.width, self.second = spec.mask_shape[-1], second
        super().__init__(value, self.width * second)
        tables = columns(spec.observation, spec.num_robots, spec.window, spec.elements)
        self.game, self.robots, self.card_numbers, self.flags = (
            Numbers(tables[name], table_categories(name, tables[name]), scaled)
            for name in ("game", "robots", "cards", "flags")
        )
        self.game_at = [place(tables["game"], name) for name in (*NEXT_FLAG, "phase")]
        self.may_face = place(tables["robots"], "may_face") if "facing" in spec.decisions else None
        self.type_at = place(CARD_FEATURES, "type")
        part, self.padding = _strip(spec.window)
        self.here = min(_AHEAD, spec.window // 2), min(REACH, spec.window // 2)  # one's own square in that part
        self.layers = WindowLayers(tables, self.robots, self.flags, spec.window, scaled, part)
        self.belts = [i for i, name in enumerate(self.layers.names) if name.endswith("_turns")]
        self.way = self.layers.names.index(WAY) if WAY in self.layers.names else None
        names = [*self.layers.names, *(f"{self.layers.names[i]}_{side}" for i in self.belts for side in SIDES)]
        names += ["gain"] if self.way is not None else []
        self._index_turns(names)
        self.other = layer(self.robots.size, network.embed, network)
        size = self.game.size + self.robots.size + 2 * network.embed + MAX_FLAGS * self.flags.size
        size += self.card_numbers.size * (1 + NUM_REGISTERS)
        self.position = layer(size, network.features, network)
        self.view = nn.Linear(WIDTH * len(names) * WIDTH, first)
        self.flag = nn.Linear(_FLAG_NUMBERS + len(VIEWS), first, bias=False)
        self.slot = nn.Linear(self.card_numbers.size, first, bias=False)
        self.context = nn.Linear(network.features, first, bias=False)
        self.choice = nn.Parameter(torch.zeros(self.width, first))
        self.activation = ACTIVATIONS[network.activation]()
        self.last = layer(first, second, network)
        self.value = layer(network.features + first + 2 * second, value, network)

    def _index_turns(self, names: Sequence[str]) -> None:
        """Compute which weights of a view read which number of the squares around a robot that has not turned yet."""
        numbers = torch.arange(WIDTH * WIDTH).reshape(WIDTH, WIDTH)
        squares, rotated, signs = [], [], []
        for _, turns in VIEWS:
            # What lies where the robot looks after turning right comes from its right.
            squares.append(torch.rot90(numbers, turns).flatten().argsort())
            at, sign = turned(names, turns)
            rotated.append(torch.tensor(at).argsort())
            signs.append(torch.tensor(sign))
        self.register_buffer("squares", torch.stack(squares), persistent=False)
        self.register_buffer("rotated", torch.stack(rotated), persistent=False)
        self.register_buffer("signs", torch.stack(signs), persistent=False)
        moves = [(steps, (1, 0, -1, 0)[turns % 4], (0, 1, 0, -1)[turns % 4]) for steps, turns in VIEWS]
        self.register_buffer("moves", torch.tensor(moves).float().T.contiguous(), persistent=False)

    def set_boards(self, boards: Array) -> None:
        """Set the boards of the arena, `Observer.boards`: int8, (courses, 4, size, size, features)."""
        self.layers.set_boards(boards)

    def forward(self, tables: Mapping[str, Tensor]) -> Tensor:
        """Return the feature vectors of a batch, (rows, size), from its tables."""
        robots, flags, cards = tables["robots"].float(), tables["flags"].float(), tables["cards"]
        forward, right, phase = self.game.whole(tables["game"], self.game_at).unbind(-1)
        card_numbers, robot_numbers = self.card_numbers(cards), self.robots(robots)
        others = self.other(robot_numbers[:, 1:])
        if others.shape[1]:
            pooled = torch.cat([others.mean(1), others.amax(1)], dim=1)
        else:
            pooled = others.new_zeros(len(others), 2 * others.shape[2])
        position = self.position(torch.cat([
            self.game(tables["game"]), robot_numbers[:, 0], pooled, self.flags(flags).flatten(1),
            card_numbers[:, :HAND_SLOTS].sum(1) / _HAND,
            card_numbers[:, HAND_SLOTS : HAND_SLOTS + NUM_REGISTERS].flatten(1),
        ], dim=1))  # fmt: skip
        layers = self._more_layers(self.layers(tables, robots[:, 1:], flags))
        views = self._views(layers) + self.flag(self._to_flag(forward, right))
        types = self.card_numbers.whole(cards[:, :HAND_SLOTS], [self.type_at])[..., 0].long()
        face = torch.zeros_like(phase) if self.may_face is None else robots[:, 0, self.may_face]
        vectors = self._vectors(views, types, card_numbers[:, :HAND_SLOTS], face, phase, self.context(position))
        held = vectors[:, :HAND_SLOTS] * (types > 0)[..., None]
        mean = held.sum(1) / (types > 0).sum(1, keepdim=True).clamp(min=1)
        here = self.activation(views[:, 0])
        value = self.value(torch.cat([position, here, mean, held.amax(1)], dim=1))
        return torch.cat([value, vectors.flatten(1)], dim=1)

    def _vectors(
        self, views: Tensor, types: Tensor, slots: Tensor, face: Tensor, phase: Tensor, context: Tensor
    ) -> Tensor:
        """Return the vectors of all choices, (rows, choices, size).

        The view after a card counts where a card is chosen, that after a turn where a facing is.
        """
        first = views.shape[-1]
        cards = views.gather(1, types[..., None].expand(-1, -1, first)) + self.slot(slots)
        chooses_card = (1 - face) * (phase < NUM_REGISTERS)
        cards = cards * (chooses_card[:, None] * (types > 0))[..., None]
        faces = views[:, _OF_FACING] * face[:, None, None]
        sums = context[:, None] + self.choice
        sums = sums + functional.pad(cards, (0, 0, 0, self.width - HAND_SLOTS))
        sums = sums + functional.pad(faces, (0, 0, 0, self.width - len(SIDES)))
        return cast(Tensor, self.last(self.activation(sums)))

    def _more_layers(self, layers: Tensor) -> Tensor:
        """Append layers: the sides over which belts turn, and how much nearer to the flag a square is."""
        parts = [layers]
        for i in self.belts:
            bits = (layers[:, i] / self.layers.squares.scale[i]).round().long()
            parts.append(torch.stack([(bits >> side & 1).float() for side in range(len(SIDES))], dim=1))
        if self.way is not None:
            way = layers[:, self.way : self.way + 1]
            here = way[..., self.here[0], self.here[1], None, None]
            parts.append((2 * (here - way)).clamp(-1, 1))
        return torch.cat(parts, dim=1)

    def _views(self, layers: Tensor) -> Tensor:
        """Return the first layer of all views, (rows, views, size), from the strip."""
        strip = functional.pad(layers, self.padding).transpose(1, 2).flatten(2)  # (rows, squares ahead, numbers)
        straight = self.view(strip.unfold(1, WIDTH, 1).transpose(2, 3).flatten(2))
        around = strip[:, _MOST : _MOST + WIDTH].flatten(1)
        turned_views = functional.linear(around, self._turned_weights(), self.view.bias.repeat(len(_TURNED)))
        turned_views = turned_views.reshape(len(around), len(_TURNED), -1)
        places = [_OF_STEPS.index(steps) if not turns else 0 for steps, turns in VIEWS]
        return torch.cat([straight[:, places[:1]], turned_views, straight[:, places[1 + len(_TURNED) :]]], dim=1)

    def _turned_weights(self) -> Tensor:
        """Return the weights of the views that are turned, for what lies around a robot that has not turned.

        Turning the weights is the same as turning every row, and faster.
        """
        weight = self.view.weight.reshape(-1, WIDTH, self.view.in_features // WIDTH**2, WIDTH).transpose(1, 2)
        found = []
        for view in _TURNED:
            one = (weight * self.signs[view][:, None, None])[:, self.rotated[view]].flatten(2)
            one = one[..., self.squares[view]].reshape(*one.shape[:2], WIDTH, WIDTH)
            found.append(one.transpose(1, 2).flatten(1))
        return torch.cat(found)

    def _to_flag(self, forward: Tensor, right: Tensor) -> Tensor:
        """Return where the next flag is in every view, and which view it is: (rows, views, numbers)."""
        steps, cos, sin = self.moves
        ahead, aside = forward[:, None] - steps, right[:, None]
        forward_then, right_then = ahead * cos + aside * sin, aside * cos - ahead * sin
        far = forward_then.abs() + right_then.abs()
        before = (forward.abs() + right.abs())[:, None]
        numbers = torch.stack([
            (forward_then / SQUARES).clamp(-4, 4), (right_then / SQUARES).clamp(-4, 4), forward_then.sign(),
            right_then.sign(), 1 / (1 + far), (far / SQUARES).clamp(max=4), (before - far) / 3,
        ], dim=-1)  # fmt: skip
        which = torch.eye(len(VIEWS), device=far.device).expand(len(far), -1, -1)
        return torch.cat([numbers, which], dim=-1)


def _strip(window: int) -> tuple[tuple[slice, slice], tuple[int, int, int, int]]:
    """Return the part of a window that the views show, and how much it lacks of them: left, right, ahead, behind."""
    reach = window // 2
    ahead, behind, aside = min(_AHEAD, reach), min(_BEHIND, reach), min(REACH, reach)
    part = slice(reach - ahead, reach + behind + 1), slice(reach - aside, reach + aside + 1)
    return part, (REACH - aside, REACH - aside, _AHEAD - ahead, _BEHIND - behind)


def turned(names: Sequence[str], turns: int) -> tuple[list[int], list[float]]:
    """Return where the layers of a window stand after quarter turns to the right of the robot, and their signs.

    Layers named by all four sides are exchanged. Of those named by `forward` and `right` alone, which are the parts of
    a vector, one also changes its sign. All others stay.
    """
    places = {name: i for i, name in enumerate(names)}
    at, signs = list(range(len(names))), [1.0] * len(names)
    for name, i in places.items():
        stem, _, side = name.rpartition("_")
        if side not in SIDES or f"{stem}_right" not in places:
            continue
        source = SIDES[(SIDES.index(side) + turns) % len(SIDES)]
        if f"{stem}_{source}" not in places:
            source = SIDES[(SIDES.index(source) + 2) % len(SIDES)]
            signs[i] = -1.0
        at[i] = places[f"{stem}_{source}"]
    return at, signs
