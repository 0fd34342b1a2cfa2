"""Track what changes on a course during a game, and build the course in its current state for pictures and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from rr_gym.courses.course import Course
from rr_gym.courses.tables.turning_boards import can_turn
from rr_gym.courses.text.board import Board, Group, Square
from rr_gym.courses.text.grammar import Cell, SquarePart, TextPlace, read_cell, write_cell
from rr_gym.courses.text.layout import Placement
from rr_gym.courses.text.words import ARROWS, ITEMS

T = TypeVar("T")

_PIT = next(word for word in ITEMS if word.element == "pit")
_FLIPPED_GEARS = {"Lf": "Rf", "Rf": "Lf"}


@dataclass(frozen=True, slots=True)
class Changes:
    """How the current state of a course in a game differs from its printed state.

    Attributes:
        rooms: Quarter turns clockwise of the rotating rooms, in the order of the boards and their groups, followed by
            those of the boards that can turn (R-G3.11); trailing zeros are left out.
        flip: State of flip belts and gears, 0 or 1.
        piston_up: Colour of the pistons that are up: 0 a, 1 b, -1 none.
        crumbled: Crumbly squares that are pits now, as indices of `Changeable.crumbly`.
        guns: Facings of the turret guns, row by row, each relative to its room or board; () while all are as printed.
        risen: The last phase in which elevators moved; 0 before the first.
        flags: Square numbers (y * width + x) of the flags; () while all are where the course has them.
    """

    rooms: tuple[int, ...] = ()
    flip: int = 0
    piston_up: int = -1
    crumbled: tuple[int, ...] = ()
    guns: tuple[int, ...] = ()
    risen: int = 0
    flags: tuple[int, ...] = ()


AS_PRINTED = Changes()


@dataclass(frozen=True, slots=True)
class Changeable:
    """What can change on a course; squares are listed row by row."""

    rooms: int
    turning: int  # boards that turn in some games
    flips: bool
    pistons: bool
    crumbly: tuple[Square, ...]
    guns: tuple[Square, ...]
    elevators: frozenset[int]
    ramps: tuple[Square, ...]

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, course: Course) -> Changeable:
        """Search the squares of a course for everything that can change; results are cached."""
        items = [(square, item) for square, placed in course.squares.items() for item in placed.cell.items]
        sides = ((square, side) for square, placed in course.squares.items() for side in placed.cell.sides)
        return cls(
            rooms=sum(1 for _ in _rooms(course)),
            turning=sum(map(can_turn, course.placements)),
            flips=any(item.element in ("flip_belt", "flip_gear") for _, item in items),
            pistons=any(item.kind == "piston" for _, item in items),
            crumbly=tuple(square for square, item in items if item.kind == "crumbly"),
            guns=tuple(square for square, item in items if item.kind == "turret"),
            elevators=frozenset(item.phases for _, item in items if item.kind == "elevator"),
            ramps=tuple(square for square, side in sides if side.kind == "ramp"),
        )

    def only(self, changes: Changes) -> Changes:
        """Drop changes to what this course does not have, so that states that look equal also compare equal."""
        risen = changes.risen
        return Changes(
            rooms=_without_trailing_zeros(changes.rooms[: self.rooms + self.turning]),
            flip=changes.flip if self.flips else 0,
            piston_up=changes.piston_up if self.pistons else -1,
            crumbled=tuple(number for number in changes.crumbled if number < len(self.crumbly)),
            guns=changes.guns[: len(self.guns)],
            risen=risen if risen and any(phases >> risen - 1 & 1 for phases in self.elevators) else 0,
            flags=changes.flags,
        )


def _without_trailing_zeros(rooms: tuple[int, ...]) -> tuple[int, ...]:
    """Return quarter turns without their trailing zeros."""
    return rooms[: max((n for n, turns in enumerate(rooms, 1) if turns), default=0)]


def _rooms(course: Course) -> Iterator[tuple[Placement, Group]]:
    """Return the rotating rooms in the order of `Changes.rooms`, each with the board that it is on."""
    return ((placement, group) for placement, group in course.groups() if group.kind == "room")


def _turning(course: Course) -> Iterator[tuple[Square, int]]:
    """Yield the north-west corner and side length of each room or board of `Changes.rooms`, in the same order."""
    for placement, group in _rooms(course):
        (x, y), (left, top) = group.corner, placement.at
        yield (x + left, y + top), group.size[0]
    for placement in filter(can_turn, course.placements):
        yield placement.at, placement.turned.width


def carried_squares(course: Course, rooms: Sequence[int]) -> dict[Square, tuple[Square, int]]:
    """Return for each printed square where turned rooms and boards have carried it, and by how many quarter turns.

    Squares that have not been turned are left out.
    """
    carried = {}
    for turns, ((x, y), size) in zip(rooms, _turning(course), strict=False):
        for i in range(size if turns else 0):
            for j in range(size):
                a, b = i, j
                for _ in range(turns):
                    a, b = size - 1 - b, a
                carried[x + i, y + j] = (x + a, y + b), turns
    return carried


def place_of(course: Course, number: int, rooms: Sequence[int] = ()) -> int:
    """Return the number of a square in the layout; hidden squares of ramps are mapped to the foot of their ramp.

    Hidden squares are numbered after those of the layout. The foot of a ramp moves when its room turns.
    """
    width, height = course.size
    if number < width * height:
        return number
    foot = Changeable.of(course).ramps[number - width * height]
    (x, y), _ = carried_squares(course, rooms).get(foot, (foot, 0))
    return y * width + x


def with_gun(course: Course, changes: Changes, square: Square, facing: int) -> Changes:
    """Return the changes after the turret gun that is now on a square has turned to a facing."""
    carried = carried_squares(course, changes.rooms)
    guns = list(changes.guns)
    for number, printed in enumerate(Changeable.of(course).guns[: len(guns)]):
        place, turns = carried.get(printed, (printed, 0))
        if place == square:
            guns[number] = (facing - turns) % 4
    return replace(changes, guns=tuple(guns))


def flag_squares(course: Course, changes: Changes) -> tuple[int, ...]:
    """Return the square numbers of the flags; rotating rooms carry their flags, turning boards leave them in place."""
    return changes.flags or _printed_flags(course, changes)


def _printed_flags(course: Course, changes: Changes) -> tuple[int, ...]:
    """Return where the flags are if nothing but rotating rooms has moved them, as square numbers."""
    carried = carried_squares(course, changes.rooms[: Changeable.of(course).rooms])
    places = (carried.get(square, (square, 0))[0] for square in course.flags)
    return tuple(y * course.size[0] + x for x, y in places)


def with_flags(course: Course, changes: Changes, squares: Sequence[int]) -> Changes:
    """Return the changes with the flags on the given square numbers."""
    flags = tuple(squares)
    return replace(changes, flags=() if flags == _printed_flags(course, changes) else flags)


def with_turned_room(changes: Changes, room: int) -> Changes:
    """Return the changes after a rotating room or turning board has made another quarter turn clockwise."""
    rooms = [*changes.rooms, *[0] * (room + 1 - len(changes.rooms))]
    rooms[room] = (rooms[room] + 1) % 4
    return replace(changes, rooms=tuple(rooms))


def current_course(course: Course, changes: Changes) -> Course:
    """Return the course in its current state: rooms and boards turned, belts and gears flipped, squares crumbled."""
    if changes == replace(AS_PRINTED, piston_up=changes.piston_up, risen=changes.risen):
        return course
    changeable = Changeable.of(course)
    width = course.size[0]
    crumbled = {changeable.crumbly[number] for number in changes.crumbled}
    guns = dict(zip(changeable.guns, changes.guns, strict=False))
    rooms, boards = iter(changes.rooms), iter(changes.rooms[changeable.rooms :])

    def in_current_state(placement: Placement) -> Placement:
        def changed(x: int, y: int, cell: Cell) -> Cell:
            square = x + placement.at[0], y + placement.at[1]
            return _changed(cell, lambda item: _item_now(item, changes.flip, square in crumbled, guns.get(square, -1)))

        board = placement.turned
        cells = tuple(tuple(changed(x, y, cell) for x, cell in enumerate(row)) for y, row in enumerate(board.cells))
        board = replace(board, cells=cells)
        for group in [group for group in board.groups if group.kind == "room"]:
            board = _turn_room(board, group, next(rooms, 0))
        for _ in range(next(boards, 0) if can_turn(placement) else 0):
            board = board.turned()
        return replace(placement, board=board, rotation=0)

    carried = carried_squares(course, changes.rooms[: changeable.rooms])  # turning boards leave their starts in place
    return replace(
        course,
        placements=tuple(map(in_current_state, course.placements)),
        flags=tuple((number % width, number // width) for number in flag_squares(course, changes)),
        starts={number: carried.get(square, (square, 0))[0] for number, square in course.starts.items()},
    )


def raised_squares(course: Course, changes: Changes) -> frozenset[Square]:
    """Return the squares whose piston or elevator is up; the course has to be in its current state."""

    def is_up(item: SquarePart) -> bool:
        if item.kind == "piston":
            return changes.piston_up >= 0 and item.colour == "ab"[changes.piston_up]
        return item.kind == "elevator" and changes.risen > 0 and item.phases >> changes.risen - 1 & 1 == 1

    return frozenset(square for square, placed in course.squares.items() if any(map(is_up, placed.cell.items)))


def _changed(cell: Cell, change: Callable[[SquarePart], SquarePart]) -> Cell:
    """Return a square with its items changed, and its token rewritten to match."""
    items = tuple(map(change, cell.items))
    return cell if items == cell.items else replace(cell, items=items, token=write_cell(items, cell.sides))


def _item_now(item: SquarePart, flip: int, crumbled: bool, gun: int) -> SquarePart:
    """Return an item in its current state: crumbled, aimed or flipped."""
    match item.kind:
        case "crumbly" if crumbled:
            return replace(item, text="X", word=_PIT)
        case "turret" if gun >= 0:
            return _reread(item, "t" + ARROWS[gun])
        case "flip_belt" if flip:
            return _reread(item, "g" + item.text[:0:-1])
        case "gear" if flip and item.text in _FLIPPED_GEARS:
            return _reread(item, _FLIPPED_GEARS[item.text])
    return item


def _reread(item: SquarePart, text: str) -> SquarePart:
    """Read an item from a string; it keeps the column of the given item."""
    return read_cell(TextPlace("", 0, item.column, text)).items[0]


def _turn_room(board: Board, room: Group, turns: int) -> Board:
    """Return the board with the contents of a room turned clockwise; the outline of the room stays in place."""
    (x, y), size = room.corner, room.size[0]
    inner = [group for group in board.groups if group is not room and set(group.squares) <= set(room.squares)]
    part = Board(
        "",
        size,
        size,
        tuple(row[x : x + size] for row in board.cells[y : y + size]),
        tuple(row[x : x + size] for row in board.levels[y : y + size]),
        tuple(_moved(group, -x, -y) for group in inner),
    )
    for _ in range(turns):
        part = part.turned()
    outer = [group for group in board.groups if group not in inner]
    return replace(
        board,
        cells=_pasted(board.cells, part.cells, x, y),
        levels=_pasted(board.levels, part.levels, x, y),
        groups=(*outer, *(_moved(group, x, y) for group in part.groups)),
    )


def _moved(group: Group, dx: int, dy: int) -> Group:
    """Return a group moved by (dx, dy) squares."""
    return replace(group, squares=tuple((x + dx, y + dy) for x, y in group.squares))


def _pasted(rows: Sequence[tuple[T, ...]], part: Sequence[tuple[T, ...]], x: int, y: int) -> tuple[tuple[T, ...], ...]:
    """Return the rows with a square part pasted over them; its north-west corner comes to (x, y)."""
    size = len(part)
    return tuple((*row[:x], *part[j - y], *row[x + size :]) if y <= j < y + size else row for j, row in enumerate(rows))
