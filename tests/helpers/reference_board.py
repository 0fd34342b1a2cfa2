"""Boards of the reference engine, with a parser of its own for the text format.

Squares are (x, y), directions 0 to 3 are n e s w.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Position = tuple[int, int]

SIDES = "nesw"
ARROWS = "^>v<"
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
ALL_PHASES = {1, 2, 3, 4, 5}


@dataclass
class Square:
    """The contents of one square. Pushers are (side they hang on, phases)."""

    pit: bool = False
    belt: int = 0  # 1 normal, 2 express
    belt_direction: int = 0
    turn_sides: set[int] = field(default_factory=set)
    gear: int = 0  # quarters clockwise
    pushers: list[tuple[int, set[int]]] = field(default_factory=list)
    crusher: set[int] = field(default_factory=set)
    wrenches: int = 0
    flag: int = 0


@dataclass
class Laser:
    """A laser mount: its square, the direction of its beams, and their number."""

    at: Position
    direction: int
    beams: int


def neighbour(at: Position, direction: int) -> Position:
    return at[0] + STEPS[direction][0], at[1] + STEPS[direction][1]


class Board:
    """A board of base elements, parsed from the text format."""

    def __init__(self, text: str) -> None:
        self.squares: dict[Position, Square] = {}
        self.walls: set[tuple[Position, int]] = set()  # each from both of its sides (R-E4.1)
        self.lasers: list[Laser] = []  # in the order in which they fire (U6)
        flags = {}
        for y, line in enumerate(text.splitlines()):
            for x, token in enumerate(line.split()):
                items, _, sides = token.partition("/")
                square = self.squares[x, y] = Square()
                for item in items.split("+"):
                    read_item(square, item)
                if square.flag:
                    flags[square.flag] = (x, y)
                for side in sorted(sides.split(","), key=lambda side: SIDES.find(side[:1])):
                    if side:
                        self.read_side((x, y), SIDES.index(side[0]), side[1:])
        self.flags = [flags[number] for number in sorted(flags)]
        self.size = max(max(at) for at in self.squares) + 1

    def read_side(self, at: Position, side: int, laser: str) -> None:
        """Add a wall, or a laser mount ``*N``, which hangs on a wall (R-E12.1)."""
        self.walls |= {(at, side), (neighbour(at, side), (side + 2) % 4)}
        if laser:
            self.lasers.append(Laser(at, (side + 2) % 4, int(laser[1:])))

    def ray(self, at: Position, direction: int) -> Iterator[Position]:
        """Yield the squares from `at` to a wall or the edge."""
        while at in self.squares:
            yield at
            if (at, direction) in self.walls:
                return
            at = neighbour(at, direction)

    def hole(self, at: Position) -> bool:
        """Tell whether a square is a pit or off the board, which act alike (R-E3.1)."""
        return at not in self.squares or self.squares[at].pit


def read_item(square: Square, item: str) -> None:
    """Parse one item of a token into a square."""
    phases = {int(digit) for digit in item[1:] if digit.isdigit()} or ALL_PHASES  # U18
    if item == "X":
        square.pit = True
    elif item in ("L", "R"):
        square.gear = 1 if item == "R" else -1
    elif item[0] in ARROWS:
        arrows, _, sides = item.partition(":")
        square.belt, square.belt_direction = len(arrows), ARROWS.index(item[0])
        square.turn_sides = {SIDES.index(side) for side in sides}
    elif item[0] == "P":
        square.pushers.append(((ARROWS.index(item[1]) + 2) % 4, phases))
    elif item[0] == "C":
        square.crusher = phases
    elif item[0] == "w":
        square.wrenches = int(item[1])
    elif item[0] == "#":
        square.flag = int(item[1])
    elif item != ".":
        raise ValueError(item)
