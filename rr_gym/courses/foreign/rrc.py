"""Read `.rrc` courses, a text format in which many community courses exist.

Lines are `key: value`. A board is a block of squares, which a later line places in a grid of boards. A square is a
letter for its element and four letters for its northern, eastern, southern and western side.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NoReturn

from rr_gym.courses.course import Course
from rr_gym.courses.foreign.squares import ARROWS, SIDES, ForeignBoard, ImportedCourse, Square, belt, opposite
from rr_gym.courses.text.reader import id_from
from rr_gym.errors import CourseError, printable, short_repr

ELEMENTS = {"f": "", "p": "X", "g": "R", "o": "L", "r": "w1", "h": "w2"}
BELTS = {"c": 1, "x": 2}
LASERS = {"l": "*1", "d": "*2", "t": "*3"}
PUSHERS = {"p": "135", "v": "24"}
_SQUARE = re.compile("(?:([fpgorh])|([cx])([nesw])([nesw]*))([bwldtpv]{4})")
_A_SQUARE = (
    "one of f p g o r h, or c or x with the side of the exit and the sides of the entries, then a letter of b w l d t "
    "p v for each of the four sides"
)
_MAX_SIZE = 99  # boards in a row, and squares in a row of a board


@dataclass
class _RrcBoard:
    """A board as the file describes it, before it is turned."""

    name: str
    rows: list[list[str]]
    starts: list[Square]  # start squares, of a dock only
    is_dock: bool
    line: int


@dataclass
class _RrcPlacement:
    """A board at a place in the grid of boards."""

    board: _RrcBoard
    cell: tuple[int, int] | None  # row and column; None for a dock below all others
    rotation: int
    line: int
    at: Square = (0, 0)
    starts: dict[int, Square] = field(default_factory=dict)  # squares of the turned board

    @property
    def size(self) -> tuple[int, int]:
        """Return the width and height of the turned board."""
        width, height = len(self.board.rows[0]), len(self.board.rows)
        return (height, width) if self.rotation % 2 else (width, height)


def read_rrc(text: str, filename: str) -> ImportedCourse:
    """Translate a course.

    Args:
        text: The contents of the file.
        filename: Its name, used in error messages and, if the course has no name, as its name.

    Raises:
        CourseError: A line does not follow the format (file, line, value, expected), or the course is not well formed.
    """
    return _RrcReader(filename, text.splitlines()).course()


class _RrcReader:
    """Reads the lines of a file, then builds the course."""

    def __init__(self, filename: str, lines: list[str]) -> None:
        self.filename, self.lines = filename, lines
        self.next = 0  # index of the next line
        self.name, self.players = filename.rpartition(".")[0], list(range(2, 9))
        self.last: _RrcBoard | None = None
        self.placed: list[_RrcPlacement] = []
        self.flags: list[tuple[int, list[int]]] = []  # each with the number of its line
        self.starts: list[tuple[int, list[int]]] = []
        self.notes: list[str] = []

    # -- lines --------------------------------------------------------------------------------------------------------

    def fail(self, line: int, value: object, expected: str) -> NoReturn:
        """Raise the error of a line, counted from 0."""
        raise CourseError(f"{self.filename}:{line + 1}: {short_repr(value)}: expected {expected}")

    def take(self, expected: str) -> str:
        """Return the next line, stripped; `expected` describes it in the error at the end of the file."""
        if self.next >= len(self.lines):
            self.fail(len(self.lines) - 1, "the end of the file", expected)
        self.next += 1
        return self.lines[self.next - 1].strip()

    def numbers(self, line: int, text: str, count: tuple[int, ...]) -> list[int]:
        """Return the whole numbers in a string, separated by blanks or commas; `count` holds how many there may be."""
        found = text.replace(",", " ").split()
        if len(found) not in count or not all(re.fullmatch("[0-9]{1,4}", word) for word in found):
            self.fail(line, text, f"{' or '.join(map(str, count))} whole numbers")
        return [int(word) for word in found]

    def groups(self, line: int, text: str, count: int) -> list[list[int]]:
        """Return groups of numbers: the groups are separated by blanks, their numbers by commas."""
        return [self.numbers(line, word, (count,)) for word in text.split()]

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read all lines."""
        while self.next < len(self.lines):
            line, text = self.next, self.take("")
            key, _, value = (part.strip() for part in text.partition(":"))
            match key.lower():
                case "":
                    pass
                case "name":
                    self.name = value or self.name
                case "players":
                    found = self.numbers(line, value, (1, 2))
                    self.players = [n for n in range(2, 9) if found[0] <= n <= found[-1]]
                    if not self.players:
                        self.fail(line, value, "numbers of players from 2 to 8")
                case "newboard" | "newsboard":
                    self.read_board(key.lower() == "newsboard", line)
                case "board" | "sboard":
                    self.place(line, key.lower() == "sboard", value)
                case "flags":
                    self.flags += [(line, found) for found in self.groups(line, value, 4)]
                case "start":
                    self.starts += [(line, found) for found in self.groups(line, value, 4)]
                case "rules":
                    if value:
                        self.notes.append(f"Left out: the special rules {short_repr(value)}.")
                case _:
                    self.notes.append(f"Left out: line {line + 1}, {short_repr(text)}, which has no known meaning.")

    def read_board(self, is_dock: bool, line: int) -> None:
        """Read the lines from the name of a board to `endboard`."""
        name = self.take("the name of a board")
        starts = [(c - 1, r - 1) for r, c in self.groups(self.next, self.take("starts"), 2)] if is_dock else []
        rows: list[list[str]] = []
        while (text := self.take("endboard")).lower() != "endboard":
            row = text.lower().split()
            if rows and len(row) != len(rows[0]):
                self.fail(self.next - 1, text, f"{len(rows[0])} squares, as in the row above")
            if not 0 < len(row) <= _MAX_SIZE:
                self.fail(self.next - 1, text, f"1 to {_MAX_SIZE} squares, or endboard")
            for word in row:
                if not _SQUARE.fullmatch(word):
                    self.fail(self.next - 1, word, _A_SQUARE)
            rows.append(row)
        if not rows:
            self.fail(line, name, "rows of squares before endboard")
        for x, y in starts:
            if not (0 <= x < len(rows[0]) and 0 <= y < len(rows)):
                self.fail(line + 2, f"{y + 1},{x + 1}", _a_square(len(rows[0]), len(rows)))
        self.last = _RrcBoard(name, rows, starts, is_dock, line)

    def place(self, line: int, is_dock: bool, text: str) -> None:
        """Place the board that was read last."""
        if self.last is None or self.last.is_dock != is_dock:
            block = "newsboard" if is_dock else "newboard"
            self.fail(line, self.lines[line].strip(), f"a board after {block} before it")
        found = self.numbers(line, text, (0, 3) if is_dock else (3,))
        rotation = found[2] if found else 0
        quarters = rotation if rotation < 4 else rotation // 90
        if rotation >= 4 and rotation not in (90, 180, 270):
            self.fail(line, rotation, "a rotation of 0 to 3 quarter turns, or of 90, 180 or 270 degrees")
        cell = (found[0], found[1]) if found else None
        if any(placed.cell == cell for placed in self.placed):
            self.fail(line, text, "a place of its own for each board")
        self.placed.append(_RrcPlacement(self.last, cell, quarters, line))

    # -- building -----------------------------------------------------------------------------------------------------

    def course(self) -> ImportedCourse:
        """Read the file and return its course."""
        self.read()
        if not self.placed:
            self.fail(0, self.lines[0] if self.lines else "", "boards, each with a line `board: ROW COLUMN ROTATION`")
        self.arrange()
        docks = [placed for placed in self.placed if placed.board.is_dock]
        if len(docks) > 1:
            self.fail(docks[1].line, self.lines[docks[1].line], "one dock")
        flags = [list(self.square(line, place)[1]) for line, place in self.flags]
        for number, (line, place) in enumerate(self.starts, 1):
            placed, (x, y) = self.square(line, place)
            placed.starts[number] = x - placed.at[0], y - placed.at[1]
        if docks and self.starts:
            self.notes.append("Left out: the line `start`, since robots start on the dock.")
        if any(placed.rotation for placed in self.placed):
            self.notes.append(
                "Inferred: boards are turned clockwise, and flags and starts are counted on the turned board."
            )
        value = self.value(docks, flags)
        made = Course.from_yaml(value, self.filename)
        if not made.starts:
            self.notes.append("There are no start squares, so it cannot be played: add `@1`, `@2`, ... to its boards.")
        return ImportedCourse(f"{value['id']}.yaml", made.to_yaml(), made, tuple(dict.fromkeys(self.notes)))

    def arrange(self) -> None:
        """Compute where the boards lie. Each row and column of the grid is as large as its largest board."""
        grid = [placed for placed in self.placed if placed.cell is not None]
        rows, columns = (sorted({placed.cell[k] for placed in grid if placed.cell}) for k in range(2))
        heights = [max(p.size[1] for p in grid if p.cell and p.cell[0] == row) for row in rows]
        widths = [max(p.size[0] for p in grid if p.cell and p.cell[1] == column) for column in columns]
        tops, lefts = [0, *accumulate(heights)], [0, *accumulate(widths)]
        for placed in self.placed:
            if placed.cell is None:
                placed.at = 0, tops[-1]
            else:
                placed.at = lefts[columns.index(placed.cell[1])], tops[rows.index(placed.cell[0])]

    def square(self, line: int, place: list[int]) -> tuple[_RrcPlacement, Square]:
        """Return the board and the square that four numbers name: row and column of each."""
        row, column, y, x = place
        for placed in self.placed:
            if placed.cell == (row, column):
                width, height = placed.size
                if not (1 <= x <= width and 1 <= y <= height):
                    self.fail(line, ",".join(map(str, place)), _a_square(width, height))
                return placed, (placed.at[0] + x - 1, placed.at[1] + y - 1)
        self.fail(line, ",".join(map(str, place)), "the row and column of a board that lies there, then a square on it")

    def value(self, docks: list[_RrcPlacement], flags: list[list[int]]) -> dict[str, Any]:
        """Return the course as a mapping, in the form of a course's YAML."""
        placements: list[dict[str, Any]] = []
        texts: dict[str, str] = {}
        for placed in self.placed:
            name = self.board_name(placed, texts)
            texts[name] = self.board_text(placed)
            placements.append({"board": name, "rotation": placed.rotation, "at": list(placed.at)})
        value: dict[str, Any] = {
            "id": id_from(self.name) or "course",
            "name": printable(self.name) or "course",
            "players": self.players,
            "boards": [entry for entry, placed in zip(placements, self.placed, strict=True) if placed not in docks],
            "flags": flags,
            "board_texts": texts,
        }
        if docks:
            value["dock"] = placements[self.placed.index(docks[0])]
        return value

    def board_name(self, placed: _RrcPlacement, taken: dict[str, str]) -> str:
        """Return a name for a board that no other board of the course has."""
        name = id_from(placed.board.name) or "board"
        return next(n for n in (name, *(f"{name}_{k}" for k in range(2, _MAX_SIZE))) if n not in taken)

    def board_text(self, placed: _RrcPlacement) -> str:
        """Return a board, not turned, in the format RRB1."""
        board = placed.board
        grid = ForeignBoard(len(board.rows[0]), len(board.rows))
        for y, row in enumerate(board.rows):
            for x, word in enumerate(row):
                self.translate(grid, (x, y), word)
        starts = dict(enumerate(board.starts, 1)) or {
            number: _unturned(square, placed) for number, square in placed.starts.items()
        }
        for number, square in starts.items():
            grid.put(square, f"@{number}")
        return grid.text()

    def translate(self, grid: ForeignBoard, square: Square, word: str) -> None:
        """Add the parts of one square to a grid."""
        found = _SQUARE.fullmatch(word)
        assert found is not None
        element, kind, exit_side, entries, on_sides = found.groups()
        if kind:
            grid.put(square, belt(BELTS[kind], exit_side, entries))
        elif ELEMENTS[element]:
            grid.put(square, ELEMENTS[element])
        for side, letter in zip(SIDES, on_sides, strict=True):
            if letter in PUSHERS:
                grid.put(square, f"P{ARROWS[opposite(side)]}{PUSHERS[letter]}")
                self.notes.append("Inferred: there is a wall behind each pusher.")
            if letter != "b":
                grid.mount(square, side, LASERS.get(letter, ""))


def _a_square(width: int, height: int) -> str:
    """Return what is expected in place of a square that does not lie on a board."""
    return f"a row from 1 to {height} and a column from 1 to {width}"


def _unturned(square: Square, placed: _RrcPlacement) -> Square:
    """Return where a square of a turned board lies on the board before turning."""
    (x, y), (width, _) = square, placed.size
    for _ in range(placed.rotation):
        x, y = y, width - 1 - x
        width = placed.size[1] if width == placed.size[0] else placed.size[0]
    return x, y
