"""Draw courses as text for terminals."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import TextIO

from rr_gym.courses.course import Course
from rr_gym.courses.text.board import GROUP_ELEMENTS, Group, Square
from rr_gym.courses.text.grammar import STEPS, SquarePart
from rr_gym.courses.text.layout import PlacedSquare, Placement
from rr_gym.courses.text.words import SIDE_LETTERS
from rr_gym.render.board.ground_glyphs import phases
from rr_gym.render.board.signs import group_sign, item_sign, side_sign

CELL = 3  # letters inside a square
_LINES = {False: ("-", "|", "+"), True: ("━", "┃", "·")}
_LEDGES = {False: (".", ":"), True: ("┈", "┊")}
# Items whose directions do not fit into a sign
_IN_NOTES = frozenset({"rotating_belt", "jack", "flip_belt"})
_COLOURS = {
    "pit": "31", "conveyor": "33", "express_conveyor": "36", "gear": "32", "repair_site": "35",
    "checkpoint": "1;91", "start": "1;97", "mark": "1;7", "wall": "33", "laser": "91",
}  # fmt: skip


def draw(
    course: Course,
    unicode: bool = True,
    colour: bool = False,
    marks: Mapping[Square, str] | None = None,
    up: Collection[Square] = (),
    tints: Mapping[Square, str] | None = None,
) -> str:
    """Draw a course: squares with the walls between them, then a list of details that need more room.

    Args:
        course: The course.
        unicode: Use arrows and lines; plain ASCII otherwise.
        colour: Use the colours of terminals (ANSI escapes).
        marks: Words of at most three letters to show on squares (x, y) instead of what lies there, such as robots.
        up: Squares whose piston or elevator is up.
        tints: The colours of marks, as parameters of ANSI escape codes; by default the same for all.

    Returns:
        Lines of equal layout: a square is three letters wide and one line high, digits in walls are laser beams,
        dotted lines are ledges; floor levels follow their row where there are any.
    """
    sketch = Sketch(course, unicode, colour, marks or {}, up, tints or {})
    width, height = course.size
    lines = []
    for y in range(height + 1):
        lines.append("".join(sketch.corner(x, y) + sketch.edge(x, y, 0) * (x < width) for x in range(width + 1)))
        if y < height:
            row = "".join(sketch.edge(x, y, 3) + sketch.square(x, y) * (x < width) for x in range(width + 1))
            lines.append(row + sketch.levels(y))
    return "\n".join(line.rstrip() for line in (*lines, *sketch.notes())) + "\n"


def can_show_unicode(stream: TextIO | None = None) -> bool:
    """Tell whether a stream (standard output by default) can print more than ASCII."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "ascii"  # without a console there is no output at all
    return encoding.lower().replace("-", "") in ("utf8", "utf16", "utf32", "gb18030")


class Sketch:
    """The parts of a drawing; the arguments are those of `draw`."""

    def __init__(
        self,
        course: Course,
        unicode: bool,
        colour: bool,
        marks: Mapping[Square, str],
        up: Collection[Square],
        tints: Mapping[Square, str],
    ) -> None:
        self.course, self.unicode, self.colour, self.marks, self.up = course, unicode, colour, marks, up
        self.tints = tints
        self.across, self.upright, self.dot = _LINES[unicode]
        self.flags = {square: number for number, square in enumerate(course.flags, 1)}
        self.starts = {square: number for number, square in course.starts.items()}
        self.groups: dict[Square, str] = {}
        self.gear_walls: set[tuple[Square, int]] = set()  # on the north (0) or west (3) side of a square
        for placement, group in course.groups():
            dx, dy = placement.at
            for x, y in group.squares:
                if group.kind != "room" or (x + dx, y + dy) not in self.groups:
                    self.groups[x + dx, y + dy] = group_sign(group, (x, y), unicode)
            if group.kind == "bigear":
                self.gear_walls |= _middle(group, placement)

    def paint(self, text: str, kind: str, square: Square | None = None) -> str:
        """Colour a string by its kind, or, if it is a mark, in its square's tint; without `colour`, leave it plain."""
        tint = self.tints.get(square, "") if square and kind == "mark" else ""
        return f"\x1b[{tint or _COLOURS.get(kind, '94')}m{text}\x1b[0m" if self.colour else text

    def corner(self, x: int, y: int) -> str:
        """Return the dot at the north-west corner of a square, or a space if no square of the course touches it."""
        around = ((x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y))
        return self.dot if any(square in self.course.squares for square in around) else " "

    def edge(self, x: int, y: int, side: int) -> str:
        """Return the coloured text of a square's north (0) or west (3) side.

        Either of the two squares there may define it.
        """
        text, kind = self.line(x, y, side)
        return self.paint(text, kind) if text.strip() else text

    def line(self, x: int, y: int, side: int) -> tuple[str, str]:
        """Return the text of a square's north (0) or west (3) side without colour, and the kind of side.

        The kind determines the colour.
        """
        dx, dy = STEPS[side]
        found: list[SquarePart] = []
        for square, facing in (((x, y), side), ((x + dx, y + dy), (side + 2) % 4)):
            if placed := self.course.squares.get(square):
                found += [part for part in placed.cell.sides if part.side == facing]
        line = self.across * CELL if side == 0 else self.upright
        if not found:
            return line if ((x, y), side) in self.gear_walls else self.ledge((x, y), (x + dx, y + dy), side), "wall"
        strongest = max(found, key=lambda part: (part.kind == "laser", part.element != "wall"))
        letter = side_sign(strongest)
        if letter:
            text = line[:1] + letter + line[2:] if side == 0 else letter
            return text, "laser" if strongest.kind == "laser" else "other"
        return line, "wall"

    def ledge(self, one: Square, other: Square, side: int) -> str:
        """Return a dotted line if the two squares have different levels, otherwise a gap of the same length."""
        squares = self.course.squares
        across, upright = _LEDGES[self.unicode]
        if one in squares and other in squares and squares[one].level != squares[other].level:
            return across * CELL if side == 0 else upright
        return " " * (CELL if side == 0 else 1)

    def square(self, x: int, y: int) -> str:
        """Return a square in three letters, coloured; spaces if the course has no such square."""
        placed = self.course.squares.get((x, y))
        if placed is None:
            return " " * CELL
        text, kind = self.sign((x, y), placed)
        return self.paint(text[:CELL].center(CELL), kind, (x, y))

    def sign(self, square: Square, placed: PlacedSquare) -> tuple[str, str]:
        """Return the letters of a square, and the kind that determines their colour."""
        if square in self.marks:
            return self.marks[square], "mark"
        ground = [item for item in placed.cell.items if item.kind not in ("floor", "start", "checkpoint")]
        if number := self.flags.get(square):
            return f"#{number}" + (self.short(square, ground[0])[:1] if ground else ""), "checkpoint"
        if number := self.starts.get(square):
            return f"@{number}", "start"
        if not ground and square in self.groups:
            return self.groups[square], "group"
        if not ground:
            return ("·" if self.unicode else "."), "floor"
        return "".join(self.short(square, item) for item in ground), ground[0].element

    def short(self, square: Square, item: SquarePart) -> str:
        """Return an item in its letters, with the state of pistons, elevators and waterfalls."""
        falls = item.kind == "stream" and self.course.falls(square, item.direction)
        return item_sign(item, self.unicode, square in self.up, falls)

    def levels(self, y: int) -> str:
        """Return the floor levels of a row, "" if the whole course is on one level."""
        squares = self.course.squares
        if len({placed.level for placed in squares.values()}) < 2:
            return ""
        row = [(x, y) in squares and str(squares[x, y].level) for x in range(self.course.size[0])]
        return "  " + "".join(level or "." for level in row)

    def notes(self) -> list[str]:
        """Return a line for each square whose elements have phases or do not fit into a sign, and for each group."""
        lines = []
        for (x, y), placed in self.course.squares.items():
            items = [item for item in placed.cell.items if item.kind not in ("floor", "start", "checkpoint")]
            sides = [side for side in placed.cell.sides if side.element not in ("wall", "board_laser")]
            timed = [part for part in (*items, *sides) if phases(part)]
            has_directions = any(item.kind in _IN_NOTES for item in items)
            if len(items) > 1 or sides or timed or has_directions or (items and (x, y) in self.flags):
                words = [self.words(part) for part in (*items, *sides)]
                lines.append(f"({x},{y}) " + ", ".join(words))
        for placement, group in self.course.groups():
            (x, y), (width, height) = group.corner, group.size
            place = f"({x + placement.at[0]},{y + placement.at[1]}) {width}x{height}"
            lines.append(f"{place} {GROUP_ELEMENTS[group.kind]}")
        return lines

    def words(self, part: SquarePart) -> str:
        """Return an item or side in words, with its directions and phases."""
        side = f" on side {SIDE_LETTERS[part.side]}" if part.side >= 0 else ""
        towards = f" to {SIDE_LETTERS[part.direction]}" if part.direction >= 0 else ""
        times = f" in {', '.join(phases(part))}" if phases(part) else ""
        directions = f" {part.text}" if part.kind in _IN_NOTES else ""
        return part.element + towards + directions + side + times


def _middle(gear: Group, placement: Placement) -> set[tuple[Square, int]]:
    """Return the edges of the wall through the middle of a big gear.

    Each is a square and its north (0) or west (3) side.
    """
    (width, height), x, y = gear.size, gear.corner[0] + placement.at[0], gear.corner[1] + placement.at[1]
    if width >= height:
        return {((x + width // 2, y + j), 3) for j in range(height)}
    return {((x + i, y + height // 2), 0) for i in range(width)}
