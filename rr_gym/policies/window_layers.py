"""The window of the board as layers of numbers, with everything that tables of `entities` say drawn in. No weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from rr_gym.encoding.observe.frame import SIDES
from rr_gym.encoding.observe.game_groups import DEVICES, OTHERS
from rr_gym.encoding.observe.way import WAY
from rr_gym.policies.features import Array, Numbers
from rr_gym.policies.inputs import LIMIT, Column, place
from rr_gym.policies.spec import PolicyError
from rr_gym.rules.state.constants import DEVICE_NAMES

_NUM_FACINGS = 4
_NUM_KINDS = len(DEVICE_NAMES) - 1
_NUM_OWNERS = OTHERS  # one's own robot, its mates, others


class WindowLayers(nn.Module):
    """Draws the window of `entities`, `entities+planes` or `entities+way`: squares, robots, flag, way and devices.

    Args:
        tables: The columns of the observation's tables.
        robots: How the table of robots is encoded.
        flags: How the table of flags is encoded.
        window: Odd width of the window.
        scaled: Whether the environment has scaled the observation already.
        part: The rows and the columns of the window that are drawn; all by default.

    Attributes:
        names: The names of the layers.
    """

    boards: Tensor | None
    reach: Tensor

    def __init__(
        self, tables: Mapping[str, Sequence[Column]], robots: Numbers, flags: Numbers, window: int, scaled: bool,
        part: tuple[slice, slice] = (slice(None), slice(None)),
    ) -> None:  # fmt: skip
        super().__init__()
        self._robots, self._flags, self.window, self.part = robots, flags, window, part
        squares = tables["planes"]
        self.squares = Numbers(squares, [], scaled)
        self.robot_at = [place(tables["robots"], name) for name in ("forward", "right", "facing", "present")]
        self.flag_at = [place(tables["flags"], name) for name in ("forward", "right", "next")]
        # The forward offsets of the rows of a window; the offsets to the right of its columns are their reverse.
        reach = window // 2
        self.register_buffer("reach", torch.arange(reach, -reach - 1, -1).float(), persistent=False)
        self.register_buffer("boards", None, persistent=False)
        self.names = [*(name for name, _, _ in squares), *(f"robot_{side}" for side in SIDES), "next_flag"]
        self.way = Numbers(tables[WAY], [], scaled) if WAY in tables else None
        if self.way:
            self.names.append(WAY)
        if "devices" in tables:
            # Drawn in from their table: planes have these features, boards do not.
            self.squares.scale[[place(squares, name) for name, _, _ in DEVICES]] = 0
            self.devices = Numbers(tables["devices"], [], scaled)
            self.device_at = [place(tables["devices"], name) for name in ("forward", "right", "kind", "owner")]
            self.names += [*DEVICE_NAMES[1:], *(f"device_owner_{k + 1}" for k in range(_NUM_OWNERS))]

    def set_boards(self, boards: Array) -> None:
        """Set the boards of the arena, `Observer.boards`: int8, (courses, 4, size, size, features)."""
        self.boards = torch.from_numpy(boards).to(self.reach.device)

    def forward(self, tables: Mapping[str, Tensor], others: Tensor, flags: Tensor) -> Tensor:
        """Return the layers of the window, float32, (rows, layers, window, window) or its part.

        Args:
            tables: The tables of the observation by name.
            others: Its other robots, (rows, robots - 1, columns).
            flags: Its flags, (rows, flags, columns).
        """
        squares = tables["planes"] if "planes" in tables else self._cut(tables["board"])
        squares = squares[:, *self.part]
        scale = (self.squares.scale > 0) if self.squares.scaled else self.squares.scale
        squares = (squares.float() * scale).clamp_(-LIMIT, LIMIT).permute(0, 3, 1, 2)
        forward, right, facing, present = self._robots.whole(others, self.robot_at).unbind(-1)
        facings = functional.one_hot(facing.long(), _NUM_FACINGS) * present[..., None]
        drawn = self._draw(forward, right, facings)
        forward, right, following = self._flags.whole(flags, self.flag_at).unbind(-1)
        layers = [squares, drawn, self._draw(forward, right, following[..., None])]
        if self.way:
            layers.append(self.way(tables[WAY][:, *self.part]).permute(0, 3, 1, 2))
        if "devices" in tables:
            forward, right, kind, owner = self.devices.whole(tables["devices"], self.device_at).unbind(-1)
            kinds = functional.one_hot(kind.long(), 1 + _NUM_KINDS)[..., 1:]
            owners = functional.one_hot(owner.long(), 1 + _NUM_OWNERS)[..., 1:]
            layers.append(self._draw(forward, right, torch.cat([kinds, owners], dim=-1).float()))
        return torch.cat(layers, dim=1)

    def _draw(self, forward: Tensor, right: Tensor, amounts: Tensor) -> Tensor:
        """Draw amounts, (rows, things, channels), at their places, (rows, things): (rows, channels, window, window)."""
        rows = (forward[..., None] == self.reach[self.part[0]]).float()
        across = (right[..., None] == -self.reach[self.part[1]]).float()
        return torch.einsum("ntc,nth,ntw->nchw", amounts, rows, across)

    def _cut(self, index: Tensor) -> Tensor:
        """Cut the windows of a batch out of the boards: (rows, window, window, features)."""
        if self.boards is None:
            raise PolicyError("the network has no boards: set_boards(core.observer.boards) gives it those of a game")
        course, facing, row, column = index.long()[..., None, None].unbind(1)
        span = torch.arange(self.window, device=index.device)
        return self.boards[course, facing, row + span[:, None], column + span]
