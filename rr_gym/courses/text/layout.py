"""Layouts: boards placed and turned, with flags, starts and special rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rr_gym import yaml12
from rr_gym.courses.text.board import Board, Group, Square
from rr_gym.courses.text.board_format import format_board
from rr_gym.courses.text.grammar import STEPS, Cell, SquarePart

MAX_FLAGS = 8


@dataclass(frozen=True)
class Placement:
    """A board in a layout.

    Attributes:
        name: The name of the board.
        board: The board as it is written.
        rotation: Clockwise quarter turns.
        at: North-west corner of the turned board.
        level: Added to the board's floor levels (U38).
        is_dock: Whether it is the docking bay.
    """

    name: str
    board: Board
    rotation: int
    at: Square
    level: int = 0
    is_dock: bool = False

    @cached_property
    def turned(self) -> Board:
        """Return the board as it is placed in the layout, turned by `rotation`."""
        board = self.board
        for _ in range(self.rotation):
            board = board.turned()
        return board

    def squares(self) -> Iterator[tuple[Square, PlacedSquare]]:
        """Yield the squares that the board covers in the layout, row by row of the turned board."""
        for x, y, cell in self.turned.squares():
            origin, width, height = (x, y), self.turned.width, self.turned.height
            for _ in range(self.rotation):
                origin, width, height = (origin[1], width - 1 - origin[0]), height, width
            level = self.turned.levels[y][x] + self.level
            yield (self.at[0] + x, self.at[1] + y), PlacedSquare(cell, level, self, origin)

    def numbered(self, kind: str) -> dict[int, Square]:
        """Return the layout's squares with this board's items of a kind, "checkpoint" or "start", by their number."""
        dx, dy = self.at
        return {number: (x + dx, y + dy) for number, (x, y) in self.turned.numbered(kind).items()}


@dataclass(frozen=True, slots=True)
class PlacedSquare:
    """A square of a layout.

    Attributes:
        cell: Items and sides, turned with the board.
        level: Floor level.
        placement: The board that covers it.
        origin: Its coordinates (x, y) on the board as it is written.
    """

    cell: Cell
    level: int
    placement: Placement = field(compare=False)
    origin: Square

    @property
    def where(self) -> str:
        """Return its place for messages, such as ``exchange.rrb 4,2``."""
        return f"{self.placement.name}.rrb {self.origin[0]},{self.origin[1]}"


@dataclass(frozen=True)
class Layout:
    """The contents of a course, as the code for texts and tables uses them. Users work with its subclass `Course`.

    Attributes:
        id: Short name, made of the characters a-z 0-9 _.
        name: Full name.
        placements: Boards, the dock last.
        flags: Squares (x, y) of flag 1, 2, ...
        starts: Start squares by number. With a dock, only the dock's starts count (U27).
        start_facing: Direction that robots face at the start if there is a dock; None without a dock (U28).
        players: Numbers of players that the course is made for.
        rules: Special rules, each ``{"rule": name, setting: value}``.
        params: Settings by name; the course's own take precedence over those of its boards (U37).
        size: Width and height of the layout; squares that no board covers are off the board.
        details: page, category, difficulty and length, where known.
    """

    id: str
    name: str
    placements: tuple[Placement, ...]
    flags: tuple[Square, ...] = ()
    starts: Mapping[int, Square] = field(default_factory=dict)
    start_facing: int | None = None
    players: tuple[int, ...] = tuple(range(2, 9))
    rules: list[dict[str, Any]] = field(default_factory=list)
    params: Mapping[str, Any] = field(default_factory=dict)
    size: tuple[int, int] = (0, 0)
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_yaml(self) -> str:
        """Return the course with all its boards as one YAML text; `Course.from_yaml` builds an equal course from it."""
        boards = [p for p in self.placements if not p.is_dock]
        dock = [p for p in self.placements if p.is_dock]
        value: dict[str, Any] = {"id": self.id, "name": self.name, **self.details}
        value |= {"players": list(self.players), "size": list(self.size)}
        value |= {"boards": [_placement_value(p) for p in boards]}
        if dock:
            value["dock"] = _placement_value(dock[0])
        if self.flags != self.board_flags or self.has_rule("team_elimination"):
            value["flags"] = [list(flag) for flag in self.flags]
        value["rules"] = [dict(rule) for rule in self.rules]
        value["params"] = dict(self.params)
        value["board_texts"] = {p.name: format_board(p.board) for p in self.placements}
        return yaml12.dump(value)

    def has_rule(self, name: str) -> bool:
        """Tell whether the course has this special rule."""
        return any(rule["rule"] == name for rule in self.rules)

    @property
    def board_flags(self) -> tuple[Square, ...]:
        """Return the flags `#n` of its boards in order; they are ignored if the course lists its own flags (U38)."""
        return tuple(s for p in self.placements for s in p.numbered("checkpoint").values())

    @cached_property
    def squares(self) -> dict[Square, PlacedSquare]:
        """Return the covered squares of the layout by (x, y), row by row."""
        placed = [entry for placement in self.placements for entry in placement.squares()]
        return dict(sorted(placed, key=lambda entry: entry[0][::-1]))

    def by_number(self) -> Iterator[tuple[int, PlacedSquare]]:
        """Yield the covered squares with their numbers, y * width + x, row by row."""
        for (x, y), placed in self.squares.items():
            yield y * self.size[0] + x, placed

    def items(self) -> Iterator[tuple[int, PlacedSquare, SquarePart]]:
        """Yield all items, row by row, each as (number of its square, the square, the item)."""
        for number, placed in self.by_number():
            for item in placed.cell.items:
                yield number, placed, item

    def sides(self) -> Iterator[tuple[int, PlacedSquare, SquarePart]]:
        """Yield all described sides in the same form as `items`, those of one square in the order n, e, s, w."""
        for number, placed in self.by_number():
            for part in placed.cell.sides:
                yield number, placed, part

    def groups(self) -> Iterator[tuple[Placement, Group]]:
        """Yield the elements of several squares, board by board; each is turned with its board, which comes with it."""
        for placement in self.placements:
            for group in placement.turned.groups:
                yield placement, group

    def beyond(self, square: Square, direction: int) -> PlacedSquare | None:
        """Return the neighbour of a square in a direction; None if no board covers it."""
        dx, dy = STEPS[direction]
        return self.squares.get((square[0] + dx, square[1] + dy))

    def falls(self, square: Square, direction: int) -> bool:
        """Tell whether the neighbour of a square in a direction lies lower."""
        beyond = self.beyond(square, direction)
        return beyond is not None and beyond.level < self.squares[square].level


def _placement_value(placement: Placement) -> dict[str, Any]:
    """Return a placement in the form that it has in YAML."""
    value = {"board": placement.name, "rotation": placement.rotation, "at": list(placement.at)}
    return value | ({"level": placement.level} if placement.level else {})
