"""Read courses from their YAML, checking every field; errors name the field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from rr_gym.courses.text.board import PARAMS, Board, Square, parse_board
from rr_gym.courses.text.deployment import deployment
from rr_gym.courses.text.grammar import STEPS
from rr_gym.courses.text.layout import MAX_FLAGS, Layout, PlacedSquare, Placement
from rr_gym.courses.text.special_rules import HOW_TO_OMIT_FLAGS, expected_rule, needs_flags
from rr_gym.errors import CourseError, printable, short_repr
from rr_gym.yaml12 import Path

DETAILS: dict[str, tuple[str, ...]] = {
    "page": (),
    "category": ("beginner", "expert", "team"),
    "difficulty": ("easy", "mid", "hard", "expert", "team"),
    "length": ("short", "medium", "long"),
}
KEYS = (
    "id", "name", *DETAILS, "players", "size", "boards", "dock", "flags", "rules", "params", "board_texts",
)  # fmt: skip
_MAX_AT = 9999

FindBoard = Callable[[str], Board | None]
L = TypeVar("L", bound=Layout)


def read_course(
    make: Callable[..., L], value: Any, filename: str, lines: Mapping[Path, int], find_board: FindBoard, path: Path = ()
) -> L:
    """Build the course that a mapping describes.

    Args:
        make: The class to build, which takes the fields of `Layout`: `Course` or `Layout`.
        value: The course as YAML has read it.
        filename: Name used in error messages.
        lines: Line numbers of the YAML nodes, by their path in the file.
        find_board: Returns the board of a name that `board_texts` does not define, or None.
        path: Path of this course in the file.

    Raises:
        CourseError: A field is missing, unknown or wrong.
        BoardError: A board text does not follow the format.
    """
    return make(**_CourseReader(value, filename, lines, path, find_board).course())


def bare_course(make: Callable[..., L], text: str, name: str, filename: str) -> L:
    """Build a course from a single board; `make` is as in `read_course`."""
    board = parse_board(text, filename)
    placement = Placement(name, board, 0, (0, 0))
    return make(
        id=id_from(name) or "board",
        name=printable(name),
        placements=(placement,),
        flags=tuple(board.numbered("checkpoint").values()),
        starts=board.numbered("start"),
        params=dict(board.params),
        size=(board.width, board.height),
    )


def id_from(name: str) -> str:
    """Convert a name to an id: lower case, with `_` for other characters; "" if nothing is left."""
    return re.sub("[^a-z0-9_]+", "_", name.lower()).strip("_")


def _id_hint(value: Any) -> str:
    """Return a suggestion to append to the error about a value that is not a valid id, or ""."""
    if isinstance(value, bool | int | float):
        read = "truth value" if isinstance(value, bool) else "number"
        return f", in quotation marks, since YAML reads a {read} here"
    name = id_from(value) if isinstance(value, str) else ""
    return f", such as '{name}'" if name else ""


def _is_int(value: Any, low: int, high: int) -> bool:
    """Tell whether a value is a whole number from `low` to `high`, both included."""
    return type(value) is int and low <= value <= high


def _is_square(value: Any) -> bool:
    """Tell whether a value is a pair [x, y] of whole numbers, 0 or more."""
    return isinstance(value, list) and len(value) == 2 and all(_is_int(n, 0, _MAX_AT) for n in value)


@dataclass
class _CourseReader:
    """Checks the fields of one course; each field has a method that returns its value or raises a CourseError."""

    value: Any
    filename: str
    lines: Mapping[Path, int]
    path: Path
    find_board: FindBoard

    def fail(self, field: Path, expected: str) -> NoReturn:
        """Raise the CourseError of a field, with the nearest line that is known and the offending value."""
        where, value = (*self.path, *field), self.value
        for key in field:
            value = value[key] if isinstance(value, list) or key in value else None
        while where and where not in self.lines:
            where = where[:-1]
        place = f"{self.filename}:{self.lines[where]}" if where in self.lines else self.filename
        course_id = self.value.get("id") if isinstance(self.value, dict) else None
        called = course_id if isinstance(course_id, str) else short_repr(course_id)
        course = f"course {called}: " if course_id is not None else ""
        name = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in field).lstrip(".") or "course"
        raise CourseError(f"{place}: {course}{name}: {short_repr(value)}: expected {expected}")

    def get(self, key: str, default: Any) -> Any:
        """Return the value of a key, or the default if it is missing or null."""
        value = self.value.get(key)
        return default if value is None else value

    def own_params(self) -> dict[Any, Any]:
        """Return the settings that the course itself lists, unchecked."""
        value = self.get("params", {})
        if not isinstance(value, dict):
            self.fail(("params",), "a map of settings")
        return value

    def course(self) -> dict[str, Any]:
        """Check all fields and return them as keyword arguments of `Layout`."""
        if not isinstance(self.value, dict):
            self.fail((), "a map with the keys id and boards")
        for key in self.value:
            if key not in KEYS:
                self.fail((key,), "one of the keys " + ", ".join(KEYS))
        course_id = self.value.get("id")
        if not isinstance(course_id, str) or not re.fullmatch("[a-z0-9_]+", course_id):
            self.fail(("id",), f"a name made of a-z 0-9 _{_id_hint(course_id)}")
        name = self.get("name", course_id)
        if not isinstance(name, str) or not name or not name.isprintable():
            self.fail(("name",), "text on one line")
        placements = self.placements()
        floor = self.floor(placements)
        size = self.size(floor)
        rules = self.rules()
        names = [rule["rule"] for rule in rules]
        flags = self.flags(placements, floor, names)
        return {
            "id": course_id,
            "name": name,
            "placements": tuple(placements),
            "flags": flags,
            "starts": self.starts(placements, floor, flags if "capture_the_flag" in names else None),
            "start_facing": next((p.rotation for p in placements if p.is_dock), None),
            "players": self.players(),
            "rules": rules,
            "params": self.params(placements),
            "size": size,
            "details": self.details(),
        }

    def details(self) -> dict[str, Any]:
        """Return those of page, category, difficulty and length that are given."""
        found = {key: self.value[key] for key in DETAILS if self.value.get(key) is not None}
        for key, value in found.items():
            if key == "page" and not _is_int(value, 1, _MAX_AT):
                self.fail((key,), "a page number")
            if DETAILS[key] and value not in DETAILS[key]:
                self.fail((key,), "one of " + ", ".join(DETAILS[key]))
        return found

    def players(self) -> tuple[int, ...]:
        """Return the numbers of players that the course is made for."""
        players = self.get("players", list(range(2, 9)))
        ok = isinstance(players, list) and players and all(_is_int(n, 2, 8) for n in players)
        if not ok or players != sorted(set(players)):
            self.fail(("players",), "an ascending list of numbers from 2 to 8")
        return tuple(players)

    def rules(self) -> list[dict[str, Any]]:
        """Return the special rules with their settings."""
        rules = self.get("rules", [])
        if not isinstance(rules, list):
            self.fail(("rules",), "a list of special rules")
        for i, rule in enumerate(rules):
            if expected := expected_rule(rule):
                self.fail(("rules", i), expected)
            if rule["rule"] in [other["rule"] for other in rules[:i]]:
                self.fail(("rules", i), "each special rule once")
        return [dict(rule) for rule in rules]

    def placements(self) -> list[Placement]:
        """Return the placed boards, with the dock last if there is one."""
        boards = self.value.get("boards")
        if not isinstance(boards, list) or not boards:
            self.fail(("boards",), "a list of placements {board: name, at: [x, y]}")
        texts = self.get("board_texts", {})
        if not isinstance(texts, dict):
            self.fail(("board_texts",), "a map of board texts by the boards' names")
        known: dict[str, Board] = {}
        for name, text in texts.items():
            if not isinstance(name, str) or not name.isprintable() or not isinstance(text, str):
                self.fail(("board_texts", name), "a board in the format RRB1")
            known[name] = parse_board(text, f"{self.filename} board_texts.{name}")
        placements = [self.placement(("boards", i), known) for i in range(len(boards))]
        if self.value.get("dock") is not None:
            placements.append(self.placement(("dock",), known))
        return placements

    def placement(self, field: Path, known: dict[str, Board]) -> Placement:
        """Return the placement of one board or of the dock. Its board is added to `known`, the boards found so far."""
        value = self.value
        for key in field:
            value = value[key]
        if not isinstance(value, dict) or not {"board", "at"} <= set(value):
            self.fail(field, "a placement {board: name, at: [x, y]}, with rotation: 0-3 if the board is turned")
        for key in value:
            if key not in ("board", "rotation", "at", "level"):
                self.fail((*field, key), "the keys board, at, rotation if turned and level if raised")
        name, rotation, at, level = value["board"], value.get("rotation", 0), value["at"], value.get("level", 0)
        if not _is_int(rotation, 0, 3):
            self.fail((*field, "rotation"), "a number of clockwise quarter turns from 0 to 3")
        if not _is_square(at):
            self.fail((*field, "at"), "the north-west corner [x, y]")
        if not _is_int(level, -9, 9):
            self.fail((*field, "level"), "a whole number from -9 to 9")
        board = known.get(name) or self.find_board(name) if isinstance(name, str) else None
        if board is None:
            self.fail((*field, "board"), "the name of a board")
        known[name] = board
        return Placement(name, board, rotation, (at[0], at[1]), level, field == ("dock",))

    def floor(self, placements: list[Placement]) -> dict[Square, PlacedSquare]:
        """Return the covered squares, after checking that boards do not overlap and are connected."""
        floor: dict[Square, PlacedSquare] = {}
        for i, placement in enumerate(placements):
            here = dict(placement.squares())
            field: Path = ("dock",) if placement.is_dock else ("boards", i)
            if overlap := next((square for square in here if square in floor), None):
                where = f"{overlap[0]},{overlap[1]} is covered by {floor[overlap].placement.name}"
                self.fail(field, f"a place of its own, {where}")
            if placement.is_dock:
                self.check_dock(placement, here, floor)
            floor |= here
        reached = todo = {min(floor)}
        while todo:
            todo = {(x + dx, y + dy) for x, y in todo for dx, dy in STEPS} & floor.keys() - reached
            reached = reached | todo
        if apart := floor.keys() - reached:
            x, y = min(apart)
            self.fail(("boards",), f"boards that are connected, {x},{y} is not")
        return floor

    def check_dock(self, dock: Placement, here: dict[Square, PlacedSquare], floor: Mapping[Square, Any]) -> None:
        """Check that the dock's front lies along a board, and that it has starts on solid floor."""
        dx, dy = STEPS[dock.rotation]
        for (x, y), square in here.items():
            if square.origin[1] == 0 and (x + dx, y + dy) not in floor:
                front = "the dock's front (its north edge before turning) along a board"
                self.fail(("dock",), f"{front}, {x},{y} has none before it")
        starts = dock.numbered("start")
        if not starts:
            self.fail(("dock", "board"), "a board with start squares")
        for number, start in starts.items():
            if here[start].cell.is_pit:
                self.fail(("dock", "board"), f"solid floor under start {number}")

    def size(self, floor: Mapping[Square, Any]) -> tuple[int, int]:
        """Return width and height, after checking that the layout begins at 0,0 and that `size`, if given, agrees."""
        xs, ys = [x for x, _ in floor], [y for _, y in floor]
        if (min(xs), min(ys)) != (0, 0):
            self.fail(("boards",), f"a layout that starts at 0,0, not at {min(xs)},{min(ys)}")
        size = max(xs) + 1, max(ys) + 1
        if self.get("size", list(size)) != list(size):
            self.fail(("size",), f"[{size[0]}, {size[1]}], which the boards cover")
        return size

    def flags(
        self, placements: list[Placement], floor: dict[Square, PlacedSquare], rules: list[str]
    ) -> tuple[Square, ...]:
        """Return the flags that the course lists or, if it lists none, those on its boards."""
        flags = self.value.get("flags")
        if flags is None:
            found = self.merged(placements, "checkpoint", "flags")
            if found and "team_elimination" in rules:
                self.fail(("rules",), "no flags on the boards with team_elimination, or flags: []")
            return tuple(found.values())
        if not isinstance(flags, list) or len(flags) > MAX_FLAGS:
            self.fail(("flags",), f"a list of at most {MAX_FLAGS} squares [x, y]")
        if flags and "team_elimination" in rules:
            self.fail(("flags",), "no flags with the special rule team_elimination")
        if not flags and needs_flags(rules, self.own_params()):
            self.fail(("flags",), f"at least one square [x, y], or a game without flags: {HOW_TO_OMIT_FLAGS}")
        for i, flag in enumerate(flags):
            if not _is_square(flag):
                self.fail(("flags", i), "a square [x, y]")
            if flag in flags[:i]:
                self.fail(("flags", i), "a square of its own")
            if tuple(flag) not in floor:
                self.fail(("flags", i), "a square on a board")
            if floor[tuple(flag)].cell.is_pit:
                self.fail(("flags", i), "a square that is not a pit")
        return tuple((x, y) for x, y in flags)

    def starts(
        self, placements: list[Placement], floor: dict[Square, PlacedSquare], team_flags: tuple[Square, ...] | None
    ) -> dict[int, Square]:
        """Return the start squares by number.

        With a dock, only the dock's starts count (U27). If there are no starts in capture the flag, they are chosen
        near the teams' flags.
        """
        docks = [p for p in placements if p.is_dock]
        starts: dict[int, Square] | None = self.merged(docks or placements, "start", "boards")
        if not starts and team_flags is not None:
            starts = deployment(floor, team_flags)
        if starts is None:
            self.fail(("flags",), "two flags on two boards with room for four robots each, for capture_the_flag")
        return starts

    def merged(self, placements: list[Placement], kind: str, field: str) -> dict[int, Square]:
        """Return the numbered squares of all boards, after checking that no number occurs twice."""
        merged: dict[int, Square] = {}
        for placement in placements:
            for number, (x, y) in placement.numbered(kind).items():
                if number in merged:
                    where = f"{merged[number][0]},{merged[number][1]} and {x},{y}"
                    self.fail((field,), f"{kind} {number} on one board only, not at {where}")
                merged[number] = (x, y)
        return merged

    def params(self, placements: list[Placement]) -> dict[str, Any]:
        """Return the settings of the course, and those of its boards that it does not set itself (U37)."""
        own = self.own_params()
        merged: dict[str, Any] = {}
        for key, value in own.items():
            if not isinstance(key, str) or isinstance(value, (dict, list)):
                self.fail(("params", key), "a setting with a word or a number")
            merged[key] = str(value) if key in PARAMS else value
            if key in PARAMS and merged[key] not in PARAMS[key]:
                self.fail(("params", key), "one of " + ", ".join(PARAMS[key]))
        stated: dict[str, tuple[str, str]] = {}
        for placement in placements:
            for key, text in placement.board.params.items():
                other, name = stated.setdefault(key, (text, placement.name))
                if other != text and key not in merged:
                    clash = f"{name} has {other}, {placement.name} has {text}"
                    self.fail(("boards",), f"boards that agree on {key}: {clash}")
        return merged | {key: text for key, (text, _) in stated.items() if key not in merged}
