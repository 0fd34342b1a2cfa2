"""Read boards of RoboRuckus: JSON files with lists of elements, whose y coordinates count from the south."""

from __future__ import annotations

from typing import Any, NoReturn

import msgspec

from rr_gym.courses.course import Course
from rr_gym.courses.foreign.squares import ForeignBoard, ImportedCourse, Square, belt, opposite
from rr_gym.courses.text.reader import id_from
from rr_gym.errors import CourseError, short_repr

DIRECTIONS = {"X": "e", "Y": "n", "NEG_X": "w", "NEG_Y": "s"}
TURNTABLES = {"left": "L", "right": "R"}
KEYS = ("name", "size", "wrenches", "pits", "turntables", "lasers", "conveyors", "expressConveyors", "walls", "flags")
_MAX = 99  # squares in a row


def read_roboruckus(text: str, filename: str) -> ImportedCourse:
    """Translate a board.

    Args:
        text: The contents of the file.
        filename: Its name, used in error messages.

    Raises:
        CourseError: It is not JSON, or a field is missing or wrong (file, field, value, expected).
    """
    try:
        value = msgspec.json.decode(text.encode())
    except msgspec.DecodeError as error:
        raise CourseError(f"{filename}: {error}: expected JSON") from None
    return _RoboRuckusReader(filename, value).board()


class _RoboRuckusReader:
    """Checks the fields of a board and translates its elements one by one."""

    def __init__(self, filename: str, value: Any) -> None:
        self.filename, self.value = filename, value
        self.notes: list[str] = []

    def fail(self, field: str, value: object, expected: str) -> NoReturn:
        """Raise the error of a field."""
        raise CourseError(f"{self.filename}: {field}: {short_repr(value)}: expected {expected}")

    def board(self) -> ImportedCourse:
        """Return the board as a course."""
        if not isinstance(self.value, dict) or not isinstance(name := self.value.get("name"), str):
            self.fail("board", self.value, f"an object with a name and the fields {', '.join(KEYS[1:])}")
        last_x, last_y = self.pair("size", self.value.get("size"))
        grid = self.grid = ForeignBoard(last_x + 1, last_y + 1)
        self.singles("wrenches", "w1")
        self.singles("pits", "X")
        for number, square in enumerate(self.squares("flags"), 1):
            grid.put(square, f"#{number}")
        for field, entry in self.entries("turntables"):
            grid.put(self.square(field, entry, "location"), self.word(field, entry, "dir", TURNTABLES))
        for name_of_belts, arrows in (("conveyors", 1), ("expressConveyors", 2)):
            for field, entry in self.entries(name_of_belts):
                leaves = self.word(field, entry, "exit", DIRECTIONS)
                item = belt(arrows, leaves, self.word(field, entry, "entrance", DIRECTIONS))
                grid.put(self.square(field, entry, "location"), item)
        for number, pair in enumerate(self.list_of("walls")):
            self.wall(f"walls[{number}]", pair)
        for field, entry in self.entries("lasers"):
            beams = entry.get("strength")
            if beams not in (1, 2, 3):
                self.fail(f"{field}.strength", beams, "1, 2 or 3")
            side = opposite(self.word(field, entry, "facing", DIRECTIONS))
            grid.mount(self.square(field, entry, "start"), side, f"*{beams}")
        for key in self.value:
            if key not in KEYS:
                self.notes.append(f"Left out: the field {short_repr(key)}, which has no known meaning.")
        return self.finished(name)

    def finished(self, name: str) -> ImportedCourse:
        """Return the grid as a file."""
        title = id_from(name) or "board"
        text = self.grid.text()
        made = Course.from_board(text, title, self.filename)
        missing = " and ".join(f"{what} ({how})" for what, how, there in (
            ("flags", "`#1`", made.flags), ("start squares", "`@1`, `@2`, ...", made.starts)) if not there)  # fmt: skip
        if missing:
            self.notes.append(f"RoboRuckus chooses {missing} for each game: add them to the board to play on it.")
        return ImportedCourse(f"{title}.rrb", text, made, tuple(self.notes))

    # -- fields -------------------------------------------------------------------------------------------------------

    def list_of(self, key: str) -> list[Any]:
        """Return the list in a field, empty if it is missing."""
        value = self.value.get(key)
        if value is not None and not isinstance(value, list):
            self.fail(key, value, "a list")
        return value or []

    def entries(self, key: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the objects of a list, each with its place in the file for error messages."""
        found = [(f"{key}[{k}]", entry) for k, entry in enumerate(self.list_of(key))]
        for field, entry in found:
            if not isinstance(entry, dict):
                self.fail(field, entry, "an object")
        return found

    def squares(self, key: str) -> list[Square]:
        """Return the squares of a list."""
        return [self.on_board(f"{key}[{k}]", entry) for k, entry in enumerate(self.list_of(key))]

    def singles(self, key: str, item: str) -> None:
        """Put the same item on each square of a list."""
        for square in self.squares(key):
            self.grid.put(square, item)

    def square(self, field: str, entry: dict[str, Any], key: str) -> Square:
        """Return the square in a field of an object."""
        return self.on_board(f"{field}.{key}", entry.get(key))

    def on_board(self, field: str, value: Any) -> Square:
        """Return a square of the board, converted to count from the north-west corner."""
        x, y = self.pair(field, value)
        if x >= self.grid.width or y >= self.grid.height:
            self.fail(field, value, f"[x, y] up to [{self.grid.width - 1}, {self.grid.height - 1}]")
        return x, self.grid.height - 1 - y

    def pair(self, field: str, value: Any) -> tuple[int, int]:
        """Return a checked pair of whole numbers that are not negative."""
        if not isinstance(value, list) or len(value) != 2 or not all(type(n) is int and 0 <= n < _MAX for n in value):
            self.fail(field, value, f"[x, y], whole numbers from 0 to {_MAX - 1}")
        return value[0], value[1]

    def word(self, field: str, entry: dict[str, Any], key: str, known: dict[str, str]) -> str:
        """Return the translation of a word in a field of an object."""
        value = entry.get(key)
        if not isinstance(value, str) or value not in known:
            self.fail(f"{field}.{key}", value, f"one of {', '.join(known)}")
        return known[value]

    def wall(self, field: str, value: Any) -> None:
        """Put a wall between two neighbouring squares, one of which may lie beyond the edge of the board."""
        expected = "two neighbouring squares [x, y]"
        if not isinstance(value, list) or len(value) != 2:
            self.fail(field, value, expected)
        if not all(isinstance(end, list) and len(end) == 2 and all(type(n) is int for n in end) for end in value):
            self.fail(field, value, expected)
        (x, y), (other_x, other_y) = value
        sides = {(0, 1): "n", (1, 0): "e", (0, -1): "s", (-1, 0): "w"}
        side = sides.get((other_x - x, other_y - y))
        if side is None:
            self.fail(field, value, expected)
        self.grid.mount(self.on_board(f"{field}[0]", [x, y]), side)
