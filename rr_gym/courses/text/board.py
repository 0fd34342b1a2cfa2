"""Read and write boards in the text format RRB1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.text.grammar import STEPS, Cell, SquarePart, TextPlace, read_cell, turn_cell
from rr_gym.courses.text.words import SIDE_LETTERS
from rr_gym.errors import did_you_mean

PARAMS = {
    "flip_state": ("0", "1", "random"),
    "lava_mode": ("list", "page4", "page8"),
    "ice_mode": ("careful", "chart"),
    "crumble_leaves_pit": ("0", "1"),
    "jack_damage": ("0", "1"),
    "portal_card_only": ("0", "1"),
    "checkpoint_pass_over": ("0", "1"),
}
GROUP_ELEMENTS = {element.group: element.id for element in ELEMENTS if element.group}
_SECTIONS = ("grid", "levels", "groups", "params")
_GROUP_FORMS = (
    "platform at X,Y with rows of C N E S W, bigear at X,Y WxH, trapdoor at X,Y WxH cap K, "
    "room at X,Y N, or ring X,Y X,Y X,Y ..."
)
_MAX_DIGITS = 6

Square = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Group:
    """An element that covers several squares.

    Attributes:
        kind: platform, bigear, trapdoor, room or ring.
        squares: Its squares (x, y), row by row; those of a ring in the order in which it carries.
        letters: For a platform, the area (C N E S W) of each square; otherwise "".
        capacity: For a trapdoor, the number of robots that it carries; otherwise 0.
        line: The number of its line in the text, from 1.
    """

    kind: str
    squares: tuple[Square, ...]
    letters: str = ""
    capacity: int = 0
    line: int = field(default=0, compare=False)

    @property
    def corner(self) -> Square:
        """Return the north-west corner of the rectangle around its squares."""
        return min(x for x, _ in self.squares), min(y for _, y in self.squares)

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height of the rectangle around its squares."""
        (x, y), xs, ys = self.corner, [s[0] for s in self.squares], [s[1] for s in self.squares]
        return max(xs) - x + 1, max(ys) - y + 1


@dataclass(frozen=True, slots=True)
class Board:
    """A board as described in the text format. Equality ignores the positions in the text.

    Attributes:
        name: The name in the header, or "".
        width: Number of squares from west to east.
        height: Number of squares from north to south.
        cells: ``cells[y][x]``.
        levels: ``levels[y][x]``, the floor levels.
        groups: Elements that cover several squares.
        params: Settings of the board, with their values as written.
    """

    name: str
    width: int
    height: int
    cells: tuple[tuple[Cell, ...], ...]
    levels: tuple[tuple[int, ...], ...]
    groups: tuple[Group, ...] = ()
    params: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, square: Square) -> bool:
        return 0 <= square[0] < self.width and 0 <= square[1] < self.height

    def squares(self) -> Iterator[tuple[int, int, Cell]]:
        """Yield all squares as (x, y, cell), row by row."""
        for y, row in enumerate(self.cells):
            for x, cell in enumerate(row):
                yield x, y, cell

    def numbered(self, kind: str) -> dict[int, Square]:
        """Return the squares of all items of a kind, "checkpoint" or "start", by item number in ascending order."""
        found = {item.number: (x, y) for x, y, cell in self.squares() for item in cell.items if item.kind == kind}
        return dict(sorted(found.items()))

    def turned(self) -> Board:
        """Return the board turned clockwise by 90 degrees; its cells keep their positions in the text."""
        groups = []
        for group in self.groups:
            squares = [(self.height - 1 - y, x) for x, y in group.squares]
            letters = group.letters.translate(str.maketrans("NESW", "ESWN"))
            if group.kind != "ring":
                order = sorted(range(len(squares)), key=lambda i: squares[i][::-1])
                squares, letters = [squares[i] for i in order], "".join(letters[i : i + 1] for i in order)
            groups.append(replace(group, squares=tuple(squares), letters=letters))
        return replace(
            self,
            width=self.height,
            height=self.width,
            cells=tuple(tuple(map(turn_cell, column)) for column in zip(*self.cells[::-1], strict=True)),
            levels=tuple(zip(*self.levels[::-1], strict=True)),
            groups=tuple(groups),
        )


def parse_board(text: str, filename: str = "board") -> Board:
    """Read a board.

    Args:
        text: The board in the format RRB1 (docs/board-format.md).
        filename: Name used in error messages.

    Raises:
        BoardError: The text does not follow the format. The error names file, line and column of the first mistake, the
            offending token, and what was expected.
    """
    reader = _BoardReader(filename)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):  # skip a byte order mark
        reader.read(number, line.rstrip("\r"))
    return reader.board()


class _BoardReader:
    """Reads a board line by line and raises at the first mistake."""

    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.name = ""
        self.size: tuple[int, int, int] | None = None  # width, height, line
        self.section: str | None = None
        self.section_lines: dict[str, int] = {}
        self.cells: list[tuple[Cell, ...]] = []
        self.levels: list[tuple[int, ...]] = []
        self.groups: list[Group] = []
        self.params: dict[str, str] = {}
        self.platform: tuple[int, int] | None = None  # where the next row of the platform that is being read starts

    def place(self, line: int, column: int, token: str) -> TextPlace:
        """Return a place in the text, for error messages."""
        return TextPlace(self.filename, line, column, token)

    @property
    def width(self) -> int:
        """Return the number of squares in a row of the grid; at least one row must have been read."""
        return len(self.cells[0])

    def read(self, number: int, raw: str) -> None:
        """Read one line: a heading, or an entry of the header or of the open section."""
        body = re.sub(r"(^|(?<=\s));.*", "", raw).rstrip()
        if not body.strip():
            return
        if column := next((i for i, letter in enumerate(raw, 1) if not (" " <= letter <= "~" or letter == "\t")), 0):
            self.place(number, column, raw.strip()).fail("ASCII text")
        place = self.place(number, len(body) - len(body.lstrip()) + 1, body.strip())
        key = re.match(r"\s*([a-z_]+):(\s|$)", body)
        value = body[key.end() :].strip() if key else ""
        if key and not value:
            self.open_section(key[1], place)
        elif key and self.section is None:
            self.read_header(key[1], self.place(number, key.end() + 1, value), place)
        elif self.section in (None, "grid"):
            self.read_row(number, body)
        elif self.section == "levels":
            self.read_levels(place)
        elif self.section == "groups":
            self.read_group(raw[0] in " \t", place)
        else:
            self.read_param(place)

    def open_section(self, section: str, place: TextPlace) -> None:
        """Begin the section of a heading such as ``levels:``."""
        if section not in _SECTIONS:
            place.fail("grid:, levels:, groups: or params:")
        if section in self.section_lines or (section == "grid") == bool(self.cells):
            place.fail("each section at most once, after the grid")
        self.section = section
        self.section_lines[section] = place.line

    def read_header(self, key: str, value: TextPlace, place: TextPlace) -> None:
        """Read ``name:`` or ``size:``."""
        if key == "name":
            self.name = value.token
        elif key == "size":
            size = re.fullmatch(rf"([1-9]\d{{0,{_MAX_DIGITS - 1}}})x([1-9]\d{{0,{_MAX_DIGITS - 1}}})", value.token)
            if not size:
                value.fail("a size such as 12x12")
            self.size = int(size[1]), int(size[2]), place.line
        else:
            place.fail("the header name: or size:, or the grid")

    def read_row(self, number: int, body: str) -> None:
        """Read a row of the grid; it must have the width of the header's size or, without one, of the first row."""
        if self.section is None:
            self.section = "grid"
            self.section_lines["grid"] = number
        places = [self.place(number, m.start() + 1, m[0]) for m in re.finditer(r"\S+", body)]
        row = tuple(map(read_cell, places))
        width = self.size[0] if self.size else self.width if self.cells else len(row)
        if len(row) != width:
            last = places[width] if len(row) > width else places[-1]
            last.fail(f"{width} tokens in the row, not {len(row)}")
        self.cells.append(row)

    def read_levels(self, place: TextPlace) -> None:
        """Read a row of floor levels, one digit per square."""
        digits, height = place.token, len(self.cells)
        if not re.fullmatch(r"\d+", digits) or len(digits) != self.width or len(self.levels) == height:
            place.fail(f"{height} lines of {self.width} digits")
        self.levels.append(tuple(map(int, digits)))

    def read_param(self, place: TextPlace) -> None:
        """Read a setting of the board, ``name = value``."""
        param = re.fullmatch(r"(\w+)\s*=\s*(\w+)", place.token)
        name, value = (param[1], param[2]) if param else (place.token, "")
        if name not in PARAMS or not value:
            hint = did_you_mean(name, PARAMS)
            place.fail(f"NAME = VALUE, with one of the names {', '.join(PARAMS)}{hint and '; ' + hint}")
        if value not in PARAMS[name]:
            place.fail(f"{name} = {' | '.join(PARAMS[name])}")
        if name in self.params:
            place.fail(f"{name} at most once")
        self.params[name] = value

    def read_group(self, indented: bool, place: TextPlace) -> None:
        """Read a line of the groups; indented lines are rows of the platform above them."""
        number = rf"(\d{{1,{_MAX_DIGITS}}})"
        at = f"{number},{number}"
        text = place.token
        letters = text.split()
        if m := re.fullmatch(f"(bigear|trapdoor) at {at} {number}x{number}(?: cap ([1-9]\\d{{0,5}}))?", text):
            if (m[1] == "trapdoor") == (m[6] is not None):
                self.add_area(m[1], (int(m[2]), int(m[3])), (int(m[4]), int(m[5])), place, int(m[6] or 0))
                return
        elif m := re.fullmatch(f"room at {at} {number}", text):
            self.add_area("room", (int(m[1]), int(m[2])), (int(m[3]), int(m[3])), place)
            return
        elif m := re.fullmatch(f"platform at {at}", text):
            self.groups.append(Group("platform", (), line=place.line))
            self.platform = int(m[1]), int(m[2])
            return
        elif re.fullmatch(rf"ring(\s+{at}){{3,}}", text):
            self.add_ring([(int(x), int(y)) for x, y in re.findall(at, text)], place)
            return
        elif self.platform and indented and all(letter in tuple("CNESW") for letter in letters):
            self.add_platform_row("".join(letters), place)
            return
        place.fail(_GROUP_FORMS)

    def require_on_board(self, squares: list[Square], place: TextPlace) -> None:
        """Raise a BoardError if any of the squares is not on the board."""
        for x, y in squares:
            if x >= self.width or y >= len(self.cells):
                place.fail(f"squares on the board; {x},{y} is outside {self.width}x{len(self.cells)}", 1)

    def add_area(self, kind: str, corner: Square, size: tuple[int, int], place: TextPlace, capacity: int = 0) -> None:
        """Add a group that covers a rectangle."""
        (x, y), (width, height) = corner, size
        if width * height < (1 if kind == "room" else 2) or (kind == "bigear" and max(width, height) % 2):
            place.fail("two or more squares (one or more for a room); the longer side of a big gear must be even")
        self.require_on_board([(x, y), (x + width - 1, y + height - 1)], place)
        squares = tuple((x + i, y + j) for j in range(height) for i in range(width))
        self.groups.append(Group(kind, squares, capacity=capacity, line=place.line))
        self.platform = None

    def add_ring(self, ring: list[Square], place: TextPlace) -> None:
        """Add a ring of squares, in the order in which it carries."""
        self.require_on_board(ring, place)
        touching = all(max(abs(a - c), abs(b - d)) == 1 for (a, b), (c, d) in pairwise([*ring, ring[0]]))
        if len(set(ring)) < len(ring) or not touching:
            place.fail("a closed ring of different, touching squares")
        self.groups.append(Group("ring", tuple(ring), line=place.line))
        self.platform = None

    def add_platform_row(self, letters: str, place: TextPlace) -> None:
        """Add a row of areas to the last platform."""
        group, (x, y) = self.groups[-1], self.platform or (0, 0)
        width = group.size[0] if group.squares else len(letters)
        if len(letters) != width:
            place.fail(f"{width} letters as in the row above")
        row = [(x + i, y) for i in range(width)]
        self.require_on_board(row, place)
        self.groups[-1] = replace(group, squares=(*group.squares, *row), letters=group.letters + letters)
        self.platform = x, y + 1

    def board(self) -> Board:
        """Return the board once all lines are read, after checking it as a whole."""
        if not self.cells:
            self.place(1, 1, "").fail("a grid")
        width, height = self.width, len(self.cells)
        if self.size and height != self.size[1]:
            self.place(self.size[2], 1, "size").fail(f"{self.size[1]} rows; the grid has {height}")
        if "levels" in self.section_lines and len(self.levels) != height:
            place = self.place(self.section_lines["levels"], 1, "levels:")
            place.fail(f"{height} lines of digits, not {len(self.levels)}")
        levels = tuple(self.levels) or ((0,) * width,) * height
        board = Board(self.name, width, height, tuple(self.cells), levels, tuple(self.groups), self.params)
        self.check_groups()
        self.check_climbs(board)
        self.check_numbers(board)
        return board

    def check_groups(self) -> None:
        """Check that groups do not overlap, except that a room may contain whole groups."""
        taken: dict[Square, Group] = {}
        for group in self.groups:
            place = self.place(group.line, 1, group.kind)
            if not group.squares:
                place.fail("rows of the letters C N E S W")
            for square in group.squares if group.kind != "room" else ():
                if other := taken.get(square):
                    x, y = square
                    place.fail(f"squares in no other group; {x},{y} is part of the {other.kind} in line {other.line}")
                taken[square] = group
            for room in (g for g in self.groups if g.kind == "room" and g is not group):
                shared = set(room.squares) & set(group.squares)
                if shared and (group.kind == "room" or len(shared) < len(group.squares)):
                    place.fail(f"a group wholly inside or outside the room in line {room.line}")

    def check_climbs(self, board: Board) -> None:
        """Check that ramps lead to higher ground, and elevators to ground one level higher.

        A ramp must also have its foot and its top in the same room, or both outside all rooms.
        """
        rooms = [frozenset(group.squares) for group in board.groups if group.kind == "room"]
        for x, y, cell in board.squares():
            place = self.place(cell.line, cell.column, cell.token)
            beyond = [(x + dx, y + dy) for dx, dy in STEPS]
            rise = [board.levels[b][a] - board.levels[y][x] if (a, b) in board else 0 for a, b in beyond]
            for part in (part for part in cell.sides if part.kind == "ramp"):
                if rise[part.side] < 1:
                    letter = SIDE_LETTERS[part.side]
                    place.fail(f"the square behind side {letter} higher than the foot of the ramp", part.column)
                towards = any(item.kind == "belt" and item.direction == part.side for item in cell.items)
                if part.element == "fast_ramp" and not towards:
                    place.fail("a belt towards the fast ramp", part.column)
                if any(((x, y) in room) != (beyond[part.side] in room) for room in rooms):
                    place.fail("foot and top of the ramp in the same room, or both outside all rooms", part.column)
            for item in cell.items:
                if item.kind == "elevator" and 1 not in rise:
                    place.fail("ground one level higher beside the elevator", item.column)

    def check_numbers(self, board: Board) -> None:
        """Check that portals and gates have twins, and that checkpoints and starts are numbered without gaps."""
        uses: dict[str, dict[str | int, list[tuple[Cell, SquarePart]]]]
        uses = {"portal": {}, "gate": {}, "checkpoint": {}, "start": {}}
        for _, _, cell in board.squares():
            for part in (*cell.items, *cell.sides):
                if part.kind in uses:
                    uses[part.kind].setdefault(part.colour or part.number, []).append((cell, part))
        for kind, found in uses.items():
            for key, parts in sorted(found.items(), key=lambda entry: entry[0]):
                cell, part = parts[-1]
                place, count = self.place(cell.line, part.column, cell.token), len(parts)
                if kind in ("portal", "gate"):
                    if count < 2:
                        place.fail(f"a twin for every {kind} colour; '{key}' occurs once")
                    if kind == "gate" and count > 2:
                        place.fail(f"two gates of every colour; '{key}' occurs {count} times")
                elif count > 1:
                    place.fail(f"each {kind} number once; {key} occurs {'twice' if count == 2 else f'{count} times'}")
                elif part.number > 1 and part.number - 1 not in found:
                    place.fail(f"{kind} numbers 1, 2, ... without gaps; {part.number - 1} is missing")
