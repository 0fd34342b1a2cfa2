"""Boards, courses and scenarios turned by quarters and mirrored, as plain data (docs/scenario-format.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import Any

from rr_gym import yaml12
from rr_gym.courses import Course
from rr_gym.courses.text.board import Board, Group, parse_board
from rr_gym.courses.text.board_format import format_board
from rr_gym.courses.text.grammar import Cell, TextPlace, read_cell
from rr_gym.courses.text.words import SIDE_LETTERS
from rr_gym.errors import BoardError
from rr_gym.rules.state.cards import card_name, parse_card
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, DIRECTION_NAMES, ROTATE_LEFT, ROTATE_RIGHT

Data = dict[str, Any]

EAST_WEST = str.maketrans("<>", "><")
EAST_WEST_SIDES = str.maketrans("ew", "we")
EAST_WEST_AREAS = str.maketrans("EW", "WE")
LEFT_RIGHT = str.maketrans("LR", "RL")
ROTATIONS = range(7, 43)  # cards: left and right in turn, from left 7 to right 42
OTHER_SIDE = {"left": "right", "right": "left"}


def mirrored_card(card: int) -> int:
    """Exchange left and right rotations, each for the card just below, so that the order of priorities stays.

    Only the lowest rotation becomes the highest.
    """
    return ROTATIONS[(card - ROTATIONS.start - 1) % len(ROTATIONS)] if card in ROTATIONS else card


@dataclass(frozen=True)
class Symmetry:
    """Mirrors a plane of `width` x `height` squares (east for west) if asked to, then turns it clockwise."""

    width: int
    height: int
    turns: int = 0
    mirrored: bool = False

    def square(self, square: Any) -> Any:
        x, y = square
        width, height = self.width, self.height
        if self.mirrored:
            x = width - 1 - x
        for _ in range(self.turns % 4):
            x, y, width, height = height - 1 - y, x, height, width
        return [x, y]

    def direction(self, name: str) -> str:
        number = DIRECTION_NAMES.index(name)
        return DIRECTION_NAMES[((-number if self.mirrored else number) + self.turns) % 4]

    def card(self, name: Any) -> Any:
        """Return the image of a card, given with or without its priority; other values stay as they are."""
        if not self.mirrored or not isinstance(name, str) or name == "none":
            return name
        kind, card = parse_card(name)
        if card:
            return card_name(mirrored_card(card))
        return CARD_TYPE_NAMES[{ROTATE_LEFT: ROTATE_RIGHT, ROTATE_RIGHT: ROTATE_LEFT}.get(kind, kind)]

    def side(self, name: Any) -> Any:
        """Return the image of a side of a robot."""
        return OTHER_SIDE.get(name, name) if self.mirrored else name

    def board(self, board: Board) -> Board:
        if self.mirrored:
            board = mirrored_board(board)
        for _ in range(self.turns % 4):
            board = board.turned()
        return board

    def course(self, course: Course) -> str:
        """Return the text of the course's image."""
        value = yaml12.load(course.to_yaml())
        places = {placement.at: placement.turned for placement in course.placements}
        for entry in (*value["boards"], *([value["dock"]] if value.get("dock") else ())):
            (x, y), board = entry["at"], places[tuple(entry["at"])]
            ends = [self.square((x, y)), self.square((x + board.width - 1, y + board.height - 1))]
            entry["at"] = [min(axis) for axis in zip(*ends, strict=True)]
            entry["rotation"] = ((-entry["rotation"] if self.mirrored else entry["rotation"]) + self.turns) % 4
        if self.turns % 2:
            value["size"].reverse()
        if value.get("flags"):
            value["flags"] = [self.square(flag) for flag in value["flags"]]
        if self.mirrored:
            texts = value["board_texts"]
            value["board_texts"] = {key: format_board(mirrored_board(parse_board(texts[key]))) for key in texts}
        return yaml12.dump(value)

    def robot(self, fields: Data) -> Data:
        """Return the image of the state of a robot, or of what is expected of it."""
        return {name: self._field(name, value) for name, value in fields.items()}

    def _field(self, name: str, value: Any) -> Any:
        match name:
            case "at" | "archive" | "target":
                return self.square(value) if isinstance(value, list) else value
            case "facing" | "on_ramp":
                return self.direction(value) if value in DIRECTION_NAMES else value
            case "registers" | "program":
                return value and [self.card(card) for card in value]
            case "locked":
                return {key: self.card(card) for key, card in value.items()} if isinstance(value, dict) else value
        return value

    def state(self, entries: Data) -> Data:
        changed: dict[str, Callable[[Any], Any]] = {
            "turrets": lambda guns: {self._key(key): self.direction(facing) for key, facing in guns.items()},
            "turret_cards": lambda cards: [self.card(card) for card in cards] if isinstance(cards, list) else cards,
            "crumbled": lambda squares: sorted(map(self.square, squares)),
            "rooms": lambda rooms: [-turns % 4 if self.mirrored else turns for turns in rooms],
        }
        return {name: changed[name](value) if name in changed and value else value for name, value in entries.items()}

    def _key(self, key: str) -> str:
        x, y = self.square(map(int, key.split(",")))
        return f"{x},{y}"

    def orders(self, entries: Data, at_reentry: Symmetry) -> Data:
        """Return the image of a robot's orders. The square beside an archive is chosen when the turn is over."""
        return {
            name: (at_reentry if name == "square" else self)._order(name, value) for name, value in entries.items()
        }

    def _order(self, name: str, value: Any) -> Any:
        match name:
            case "facing":
                return self.direction(value) if value in DIRECTION_NAMES else value
            case "second" | "buzz_program" | "turret" | "shield" if isinstance(value, list):
                return [self._order(name, entry) for entry in value]
            case "second" | "buzz_program" | "flywheel" | "copter" | "reset_card":
                return self.card(value)
            case "conditional" if isinstance(value, dict):
                return {**value, "card": self.card(value.get("card"))}
            case "turret" | "shield" | "reflector":
                return self.side(value)
            case "square" if isinstance(value, int):
                # Counted clockwise from the north, in the ring of 8 squares or, from 8 on, in that of 16.
                ring = 8 if value < 8 else 16
                return ((-value if self.mirrored else value) + self.turns * ring // 4) % ring
        return value


def mirrored_board(board: Board) -> Board:
    """Exchange east and west of a board, and with them left and right."""
    return replace(
        board,
        cells=tuple(tuple(map(_mirrored_cell, reversed(row))) for row in board.cells),
        levels=tuple(row[::-1] for row in board.levels),
        groups=tuple(_mirrored_group(group, board.width) for group in board.groups),
    )


def _mirrored_cell(cell: Cell) -> Cell:
    items = []
    for item in cell.items:
        text = item.text.translate(EAST_WEST)
        if item.kind == "gear":
            text = text.translate(LEFT_RIGHT)
        elif item.kind == "flip_belt":
            text = "g" + text[1:].translate(EAST_WEST_SIDES)
        elif item.kind in ("belt", "stream"):
            belt, colon, turns = text.partition(":")
            text = belt + colon + turns.translate(EAST_WEST_SIDES)
        items.append(text)
    sides = [SIDE_LETTERS[-part.side % 4] + part.text for part in cell.sides]
    return read_cell(TextPlace("mirrored", 0, 0, "+".join(items) + "/" * bool(sides) + ",".join(sides)))


def _mirrored_group(group: Group, width: int) -> Group:
    squares = [(width - 1 - x, y) for x, y in group.squares]
    order = list(range(len(squares)))
    if group.kind != "ring":
        order.sort(key=lambda k: squares[k][::-1])
    letters = group.letters.translate(EAST_WEST_AREAS)
    return replace(
        group,
        squares=tuple(squares[k] for k in order),
        letters="".join(letters[k : k + 1] for k in order),
    )


def board_in_room(board: Board, size: int, quarters: int) -> Board | None:
    """Return a board on which the north-west `size` x `size` squares are a rotating room.

    It shows the given board when that room has turned `quarters` times. Squares of the room that the given board lacks
    become pits, which destroy robots as the edge of the board does. None is returned if no such room can be, because it
    would be too small, or tear a ramp, a group or another room apart.
    """
    width, height = max(board.width, size), max(board.height, size)
    pit = read_cell(TextPlace("room", 0, 0, "X"))
    board = replace(
        board,
        width=width,
        height=height,
        cells=_padded(board.cells, width, height, pit),
        levels=_padded(board.levels, width, height, 0),
    )
    inside = {(x, y) for x in range(size) for y in range(size)}
    within = tuple(group for group in board.groups if inside.issuperset(group.squares))
    around = tuple(group for group in board.groups if inside.isdisjoint(group.squares))
    if size < 2 or len(within) + len(around) < len(board.groups) or any(group.kind == "room" for group in within):
        return None
    room = Board(
        "", size, size, tuple(row[:size] for row in board.cells[:size]),
        tuple(row[:size] for row in board.levels[:size]), within,
    )  # fmt: skip
    for _ in range(-quarters % 4):
        room = room.turned()
    whole = replace(
        board,
        cells=tuple(map(add, room.cells, (row[size:] for row in board.cells))) + board.cells[size:],
        levels=tuple(map(add, room.levels, (row[size:] for row in board.levels))) + board.levels[size:],
        groups=(*around, *room.groups, Group("room", tuple(sorted(inside, key=lambda square: square[::-1])))),
    )
    try:
        return parse_board(format_board(whole))
    except BoardError:  # a ramp is torn
        return None


def _padded(rows: Sequence[tuple[Any, ...]], width: int, height: int, filling: Any) -> tuple[tuple[Any, ...], ...]:
    padded = [(*row, *(filling,) * (width - len(row))) for row in rows]
    return (*padded, *((filling,) * width,) * (height - len(rows)))
