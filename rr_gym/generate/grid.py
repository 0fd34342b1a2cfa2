"""A board in the making, and its text."""

from __future__ import annotations

from collections.abc import Iterator

from rr_gym.courses.grammar import ARROWS, SIDE_LETTERS, STEPS

Square = tuple[int, int]
Side = tuple[Square, int]


def opposite(direction: int) -> int:
    return (direction + 2) % 4


class Grid:
    """What lies where.

    Attributes:
        width: Squares to the east.
        height: Squares to the south.
        items: What a square holds besides a belt, as items of the board format.
        belts: Direction and speed (1 normal, 2 express) of belts.
        sides: What stands on the sides of squares, as kinds of the board format.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.items: dict[Square, list[str]] = {}
        self.belts: dict[Square, tuple[int, int]] = {}
        self.sides: dict[Side, str] = {}

    def squares(self) -> Iterator[Square]:
        """All squares, row by row."""
        return ((x, y) for y in range(self.height) for x in range(self.width))

    def free(self) -> list[Square]:
        """The squares with nothing on them."""
        return [square for square in self.squares() if square not in self.items and square not in self.belts]

    def beyond(self, square: Square, direction: int) -> Square | None:
        """The neighbour in a direction; None off the board."""
        x, y = square[0] + STEPS[direction][0], square[1] + STEPS[direction][1]
        return (x, y) if 0 <= x < self.width and 0 <= y < self.height else None

    def is_walled(self, square: Square, side: int) -> bool:
        """Something stands on this side of the square, or on the neighbour's side of the same edge."""
        other = self.beyond(square, side)
        return (square, side) in self.sides or (other is not None and (other, opposite(side)) in self.sides)

    def belt_crosses(self, square: Square, side: int) -> bool:
        """A belt carries over this side, out of the square or into it."""
        other = self.beyond(square, side)
        if self.belts.get(square, (-1, 0))[0] == side:
            return True
        return other is not None and self.belts.get(other, (-1, 0))[0] == opposite(side)

    def turn_sides(self, square: Square) -> list[int]:
        """The sides over which a neighbouring belt brings riders that this belt has to turn."""
        direction = self.belts[square][0]
        turning = []
        for side in range(4):
            other = self.beyond(square, side)
            feeds = other is not None and self.belts.get(other, (-1, 0))[0] == opposite(side)
            if feeds and side not in (direction, opposite(direction)):
                turning.append(side)
        return turning

    def token(self, square: Square) -> str:
        """The square in the board format."""
        items = list(self.items.get(square, ()))
        if square in self.belts:
            direction, speed = self.belts[square]
            turns = "".join(SIDE_LETTERS[side] for side in self.turn_sides(square))
            items.insert(0, ARROWS[direction] * speed + (f":{turns}" if turns else ""))
        sides = [SIDE_LETTERS[side] + self.sides[square, side] for side in range(4) if (square, side) in self.sides]
        return "+".join(items or ["."]) + ("/" + ",".join(sides) if sides else "")

    def text(self, name: str) -> str:
        """The board in the board format."""
        rows = [[self.token((x, y)) for x in range(self.width)] for y in range(self.height)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [" ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([f"name: {name}", f"size: {self.width}x{self.height}", "grid:", *lines]) + "\n"
