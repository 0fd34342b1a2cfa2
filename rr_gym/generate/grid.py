"""A board under construction, which can be written in the format RRB1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rr_gym.courses.text.grammar import STEPS
from rr_gym.courses.text.words import ARROWS, SIDE_LETTERS
from rr_gym.text_layout import columns

Square = tuple[int, int]
Side = tuple[Square, int]

# Kinds of squares that carry robots, as stored in `Grid.belts`. A square turns robots that are carried in from a
# neighbouring square of the same family.
NORMAL, EXPRESS, GOLD, CURRENT, RIVER = range(1, 6)
_WORDS = {NORMAL: "{0}", EXPRESS: "{0}{0}", GOLD: "{0}{0}{0}", CURRENT: "c{0}", RIVER: "m{0}"}
_FAMILIES = {NORMAL: "belt", EXPRESS: "belt", GOLD: "belt", RIVER: "river"}


def opposite(direction: int) -> int:
    """Return the opposite direction."""
    return (direction + 2) % 4


class Grid:
    """A board under construction: what is on each of its squares and sides.

    Attributes:
        width: The number of squares from west to east.
        height: The number of squares from north to south.
        items: What is on squares besides belts, as items of the format RRB1.
        belts: The direction and the kind (`NORMAL`, ...) of belts, currents and rivers, by square.
        sides: What is on the sides of squares, as kinds of side of the format RRB1.
        levels: The levels of squares that are not on level 0.
        groups: The groups, which cover several squares, as lines of the format RRB1.
        grouped: The squares of all groups except rooms.
        indivisible: Sets of squares that belong together: a room covers either all squares of a set or none.
        in_rooms: The squares of all rotating rooms.
        reserved: Sides that must stay free.
    """

    def __init__(self, width: int, height: int) -> None:
        """Create an empty board."""
        self.width = width
        self.height = height
        self.items: dict[Square, list[str]] = {}
        self.belts: dict[Square, tuple[int, int]] = {}
        self.sides: dict[Side, str] = {}
        self.levels: dict[Square, int] = {}
        self.groups: list[str] = []
        self.grouped: set[Square] = set()
        self.indivisible: list[frozenset[Square]] = []
        self.in_rooms: frozenset[Square] = frozenset()
        self.reserved: set[Side] = set()

    def squares(self) -> Iterator[Square]:
        """Return an iterator over all squares, row by row."""
        return ((x, y) for y in range(self.height) for x in range(self.width))

    def free(self) -> list[Square]:
        """Return the squares with nothing on them."""
        return [square for square in self.squares() if square not in self.items and square not in self.belts]

    def is_start(self, square: Square) -> bool:
        """Tell whether a robot starts on a square."""
        return any(item[0] == "@" for item in self.items.get(square, ()))

    def is_flag(self, square: Square) -> bool:
        """Tell whether a flag lies on a square."""
        return any(item[0] == "#" for item in self.items.get(square, ()))

    def beyond(self, square: Square, direction: int) -> Square | None:
        """Return the neighbour in a direction; None if it would be off the board."""
        x, y = square[0] + STEPS[direction][0], square[1] + STEPS[direction][1]
        return (x, y) if 0 <= x < self.width and 0 <= y < self.height else None

    def level(self, square: Square) -> int:
        """Return the level of a square's floor."""
        return self.levels.get(square, 0)

    def downstream(self, square: Square, direction: int) -> Square | None:
        """Return the neighbour that a belt can carry to; None if it would be off the board or higher."""
        other = self.beyond(square, direction)
        return None if other is None or self.level(other) > self.level(square) else other

    def is_walled(self, square: Square, side: int) -> bool:
        """Tell whether a side of a square is occupied, on either of its faces."""
        other = self.beyond(square, side)
        return (square, side) in self.sides or (other is not None and (other, opposite(side)) in self.sides)

    def is_reserved(self, square: Square, side: int) -> bool:
        """Tell whether a side of a square is reserved, on either of its faces."""
        other = self.beyond(square, side)
        return (square, side) in self.reserved or (other is not None and (other, opposite(side)) in self.reserved)

    def belt_crosses(self, square: Square, side: int) -> bool:
        """Tell whether a belt carries over a side, out of the square or into it."""
        other = self.beyond(square, side)
        if self.belts.get(square, (-1, 0))[0] == side:
            return True
        return other is not None and self.belts.get(other, (-1, 0))[0] == opposite(side)

    def turn_sides(self, square: Square) -> list[int]:
        """Return the sides over which neighbours carry robots in that the belt on this square has to turn."""
        direction, kind = self.belts[square]
        family = _FAMILIES.get(kind)
        turning = []
        for side in range(4):
            other = self.beyond(square, side)
            if other is None or other not in self.belts or family is None:
                continue
            feeder, feeding = self.belts[other]
            feeds = feeder == opposite(side) and _FAMILIES.get(feeding) == family
            if feeds and side not in (direction, opposite(direction)):
                turning.append(side)
        return turning

    def add_group(self, lines: str, squares: Iterable[Square]) -> None:
        """Add a group that is not a room."""
        self.groups.append(lines)
        self.grouped.update(squares)
        self.indivisible.append(frozenset(squares))

    def token(self, square: Square) -> str:
        """Return the token of a square in the format RRB1."""
        items = list(self.items.get(square, ()))
        if square in self.belts:
            direction, kind = self.belts[square]
            turns = "".join(SIDE_LETTERS[side] for side in self.turn_sides(square))
            items.insert(0, _WORDS[kind].format(ARROWS[direction]) + (f":{turns}" if turns else ""))
        sides = [SIDE_LETTERS[side] + self.sides[square, side] for side in range(4) if (square, side) in self.sides]
        return "+".join(items or ["."]) + ("/" + ",".join(sides) if sides else "")

    def text(self, name: str) -> str:
        """Return the whole board in the format RRB1."""
        lines = columns([[self.token((x, y)) for x in range(self.width)] for y in range(self.height)], " ")
        if self.levels:
            lines.append("levels:")
            lines += ["".join(str(self.level((x, y))) for x in range(self.width)) for y in range(self.height)]
        if self.groups:
            lines += ["groups:", *self.groups]
        return "\n".join([f"name: {name}", f"size: {self.width}x{self.height}", "grid:", *lines]) + "\n"
