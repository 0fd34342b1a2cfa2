"""Squares of a board of another program, collected part by part and written in the format RRB1."""

from __future__ import annotations

from dataclasses import dataclass, field

from rr_gym.courses.course import Course

Square = tuple[int, int]

SIDES = "nesw"
ARROWS = dict(zip(SIDES, "^>v<", strict=True))  # the arrow of a belt that leaves through each side


@dataclass
class ForeignBoard:
    """A board that is being translated.

    Attributes:
        width, height: Its size in squares.
        items: What lies on a square, as items of RRB1, by (x, y) from the north-west corner.
        sides: What is on the sides of squares, by square and side letter: "" for a wall, or a kind of side of RRB1.
    """

    width: int
    height: int
    items: dict[Square, list[str]] = field(default_factory=dict)
    sides: dict[Square, dict[str, str]] = field(default_factory=dict)

    def put(self, square: Square, item: str) -> None:
        """Add an item to a square."""
        self.items.setdefault(square, []).append(item)

    def mount(self, square: Square, side: str, kind: str = "") -> None:
        """Put an element on a side of a square; it replaces a plain wall."""
        found = self.sides.setdefault(square, {})
        found[side] = kind or found.get(side, "")

    def text(self) -> str:
        """Return the board in the format RRB1."""
        rows = [[self._token((x, y)) for x in range(self.width)] for y in range(self.height)]
        return "\n".join(" ".join(row) for row in rows) + "\n"

    def _token(self, square: Square) -> str:
        token = "+".join(self.items.get(square, ["."]))
        sides = self.sides.get(square, {})
        return f"{token}/{','.join(side + sides[side] for side in SIDES if side in sides)}" if sides else token


@dataclass(frozen=True)
class ImportedCourse:
    """A course that has been translated.

    Attributes:
        name: The file to write, such as ``quay_race.yaml`` or, for a board without flags and start squares,
            ``quay.rrb``.
        text: Its contents.
        course: The course that is read from them.
        notes: One sentence for each thing that was left out because it has no counterpart, or that was inferred.
    """

    name: str
    text: str
    course: Course
    notes: tuple[str, ...]


def opposite(side: str) -> str:
    """Return the side that faces a side of a square."""
    return SIDES[SIDES.index(side) ^ 2]


def belt(arrows: int, exit_side: str, entries: str) -> str:
    """Return a belt as an item of RRB1.

    Args:
        arrows: 1 for a conveyor, 2 for an express conveyor.
        exit_side: The side through which it leaves its square.
        entries: The sides through which belts lead onto it. A belt turns robots that come from its left or its right.
    """
    turning = "".join(side for side in SIDES if side in entries and side not in (exit_side, opposite(exit_side)))
    return ARROWS[exit_side] * arrows + (f":{turning}" if turning else "")
