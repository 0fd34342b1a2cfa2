"""Read one token of the board format RRB1: its items and its sides.

docs/board-format.md describes the format. Element ids are those of docs/rules/elements.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from rr_gym.courses.text.hints import expected_letters, expected_part, expected_together
from rr_gym.courses.text.words import ARROWS, SIDE_LETTERS, Word, exclude_each_other, find_word
from rr_gym.errors import BoardError, short_repr

STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
ALL_PHASES = 31

NEEDS_FLOOR = frozenset(
    {"site", "checkpoint", "start", "teleporter", "portal", "repeater", "energizer", "antigrav", "mag_lock"}
)
PITS = frozenset({"pit", "black_hole", "turret"})


@dataclass(frozen=True, slots=True)
class SquarePart:
    """An item of a square or, if `side` is not -1, what is on one of its sides.

    Attributes:
        text: The item as written, or the kind of the side (empty for a wall).
        word: The word of the grammar that it matches.
        side: 0-3 for a side, -1 for an item.
        column: Its position in its line, from 1; 0 if it was not read from a file or string.
        direction: The direction of its first arrow (0-3: n, e, s, w), -1 without one.
        phases: Mask of its phases, bit p-1 for phase p; all if none are written.
        turns: For a belt: mask of the sides over which robots that are carried in are turned, bit s for side s.
        number: Its digit (wrenches, flag, start, beams, strength or speed), 0 without one.
        colour: The colour of a portal, gate or piston, otherwise "".
    """

    text: str
    word: Word = field(compare=False)
    side: int = -1
    column: int = field(default=0, compare=False)
    direction: int = field(default=-1, compare=False)
    phases: int = field(default=ALL_PHASES, compare=False)
    turns: int = field(default=0, compare=False)
    number: int = field(default=0, compare=False)
    colour: str = field(default="", compare=False)

    @property
    def kind(self) -> str:
        """Return its kind, by which the code that reads boards distinguishes parts."""
        return self.word.kind

    @property
    def element(self) -> str:
        """Return the id of the board element that it stands for."""
        return self.word.element


@dataclass(frozen=True, slots=True)
class Cell:
    """One square of a board: its items, its sides and the position of its token in the text."""

    items: tuple[SquarePart, ...]
    sides: tuple[SquarePart, ...] = ()
    token: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    @property
    def is_pit(self) -> bool:
        """Tell whether it is a pit in some phase."""
        return any(item.kind in PITS for item in self.items)


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A place in a board text, at which errors are reported."""

    filename: str
    line: int
    column: int
    token: str

    def fail(self, expected: str, column: int | None = None) -> NoReturn:
        """Raise the BoardError for this place."""
        column = self.column if column is None else column
        raise BoardError(f"{self.filename}:{self.line}:{column}: {short_repr(self.token)}: expected {expected}")


def side_mask(letters: str) -> int:
    """Return the mask of side letters, bit s for side s."""
    return sum(1 << SIDE_LETTERS.index(letter) for letter in set(letters))


def phase_mask(digits: str) -> int:
    """Return the mask of phase digits, bit p-1 for phase p; no digits mean all phases."""
    return sum(1 << (int(digit) - 1) for digit in digits) or ALL_PHASES


def read_cell(place: TextPlace) -> Cell:
    """Read one token of the grid.

    Raises:
        BoardError: It is not a token of the format; the error has file, line, column, token and what was expected.
    """
    head, slash, tail = place.token.partition("/")
    items: list[SquarePart] = []
    column = place.column
    for text in head.split("+"):
        item = _read_part(text, -1, column, place)
        _check_shares_square(item, items, place)
        items.append(item)
        column += len(text) + 1
    for bottomless in items:
        if bottomless.element in ("pit", "black_hole", "turret_gun"):
            for item in items:
                if item.kind in NEEDS_FLOOR:
                    place.fail(f"floor under '{item.text}', not '{bottomless.text}'", item.column)
    sides: list[SquarePart] = []
    for text in tail.split(",") if slash else []:
        letters = re.match("[nesw]*", text)[0]  # type: ignore[index]
        if not letters or len(set(letters)) < len(letters):
            place.fail(expected_letters(text, place.token), column)
        for letter in letters:
            side = SIDE_LETTERS.index(letter)
            part = _read_part(text[len(letters) :], side, column, place)
            for other in sides:
                if other.side == side and "light_barrier" not in (other.kind, part.kind):
                    place.fail(f"one description of side {letter}", column)
            sides.append(part)
        column += len(text) + 1
    return Cell(tuple(items), ordered_sides(sides), place.token, place.line, place.column)


def ordered_sides(sides: list[SquarePart]) -> tuple[SquarePart, ...]:
    """Return sides in the order n e s w without duplicates, so that different spellings of a square compare equal."""
    return tuple(dict.fromkeys(sorted(sides, key=lambda part: (part.side, part.text))))


def write_cell(items: tuple[SquarePart, ...], sides: tuple[SquarePart, ...]) -> str:
    """Return the token of a square; sides of the same kind are written together, such as ``/nek``."""
    letters: dict[str, str] = {}
    for part in sides:
        letters[part.text] = letters.get(part.text, "") + SIDE_LETTERS[part.side]
    token = "+".join(item.text for item in items)
    return token + "/" * bool(letters) + ",".join(sides + text for text, sides in letters.items())


def _read_part(text: str, side: int, column: int, place: TextPlace) -> SquarePart:
    """Read one item or, if `side` is not -1, one kind of side."""
    found = find_word(side >= 0, text)
    if found is None:
        place.fail(expected_part(text, side >= 0, place.token), column)
    word, groups = found
    arrow, turns = groups.get("arrow"), groups.get("turns") or ""
    direction = ARROWS.index(arrow) if arrow else -1
    if turns:
        along = side_mask(turns) & (0b0101 << (direction % 2))
        if along or len(set(turns)) < len(turns):
            place.fail("turn sides across the belt, each once", column)
        text = text.replace(turns, "".join(sorted(turns, key=SIDE_LETTERS.index)))
    if (ends := groups.get("ends")) and ends[0] == ends[1]:
        place.fail("two different ends of the flip belt", column)
    if (arrow2 := groups.get("arrow2")) and (ARROWS.index(arrow2) - direction) % 2 == 0:
        place.fail("a diagonal of two arrows at right angles", column)
    return SquarePart(
        text,
        word,
        side,
        column,
        direction,
        phase_mask(groups.get("phases") or ""),
        side_mask(turns),
        int(groups.get("number") or 0),
        groups.get("colour") or "",
    )


def _check_shares_square(item: SquarePart, others: list[SquarePart], place: TextPlace) -> None:
    """Raise a BoardError if an item cannot share a square with the others."""
    for other in others:
        if item.text == other.text or exclude_each_other(item.word, other.word):
            place.fail(expected_together(other.text, item.text), item.column)


_TURNED = str.maketrans(ARROWS, ARROWS[1:] + ARROWS[0])
_TURNED_SIDES = str.maketrans(SIDE_LETTERS, SIDE_LETTERS[1:] + SIDE_LETTERS[0])


def turn_cell(cell: Cell) -> Cell:
    """Return the square turned by 90 degrees clockwise; it keeps its position in the text."""
    items = []
    for item in cell.items:
        text = item.text.translate(_TURNED)
        if item.kind == "flip_belt":
            text = "g" + text[1:].translate(_TURNED_SIDES)
        elif ":" in text:
            belt, _, turns = text.partition(":")
            text = f"{belt}:{turns.translate(_TURNED_SIDES)}"
        items.append(_turned_part(item, text, -1))
    sides = [_turned_part(part, part.text, (part.side + 1) % 4) for part in cell.sides]
    ordered = ordered_sides(sides)
    return Cell(tuple(items), ordered, write_cell(tuple(items), ordered), cell.line, cell.column)


def _turned_part(part: SquarePart, text: str, side: int) -> SquarePart:
    """Return a turned part, read from its turned text; it keeps the column of the original."""
    return _read_part(text, side, part.column, TextPlace("", 0, part.column, text))
