"""Boards with robots as text."""

from __future__ import annotations

from collections.abc import Sequence

from rr_gym.courses import Course
from rr_gym.courses.changes import as_it_lies, raised
from rr_gym.courses.draw import draw
from rr_gym.courses.signs import ARROWS
from rr_gym.render.pieces import Piece, changes_of, pieces_of
from rr_gym.rules.cards import card_name
from rr_gym.rules.constants import DIRECTION_NAMES
from rr_gym.rules.records import GameRecord


def ansi(record: GameRecord, course: Course, unicode: bool = True, colour: bool = False) -> str:
    """A game as text: the course with its robots, and a table with the state of each.

    On the board a robot is its number and its facing; a third letter says `v` for virtual, `z` for powered down or
    asleep, `c` for its copy and `+` where it shares its square with others.

    Args:
        record: One element of an array of dtype `GAME`.
        course: The course that it is played on.
        unicode: Use arrows and lines; plain ASCII otherwise.
        colour: Use the colours of terminals (ANSI escapes).
    """
    pieces, changes = pieces_of(record, course), changes_of(record, course)
    lying = as_it_lies(course, changes)
    state = "over" if record["over"] else f"turn {int(record['turn']) + 1}"
    board = draw(lying, unicode, colour, _marks(pieces, course, unicode), raised(lying, changes))
    return f"{course.name}, {state}\n{board}{_table(pieces, course, int(record['winners']))}"


def _marks(pieces: Sequence[Piece], course: Course, unicode: bool) -> dict[tuple[int, int], str]:
    marks: dict[tuple[int, int], str] = {}
    bodies = []
    for seat, piece in enumerate(pieces):
        if piece.alive:
            sign = "v" if piece.virtual else "z" if piece.down or piece.asleep else ""
            bodies.append((seat, piece.square, piece.facing, sign))
            if piece.copy_square >= 0:
                bodies.append((seat, piece.copy_square, piece.copy_facing, "c"))
    for seat, number, facing, sign in bodies:
        square = _place(number, course)
        taken = marks.get(square)
        marks[square] = f"{taken[:2]}+" if taken else f"{seat + 1}{ARROWS[unicode][facing]}{sign}"
    return marks


def _place(square: int, course: Course) -> tuple[int, int]:
    return square % course.size[0], square // course.size[0]


def _table(pieces: Sequence[Piece], course: Course, winners: int) -> str:
    rows = [("robot", "at", "facing", "damage", "lives", "flags", "registers (! locked)", "state")]
    for seat, piece in enumerate(pieces):
        x, y = _place(piece.square, course)
        states = {
            "won": winners >> seat & 1,
            "out": piece.out,
            "destroyed": not piece.alive and not piece.out,
            "virtual": piece.alive and piece.virtual,
            "powered down": piece.down,
            "powers down next": piece.announced,
            f"on level {piece.level}": piece.alive and piece.level,
            "flying": piece.flying,
            f"burning {piece.burning}": piece.burning,
            f"asleep {piece.asleep}": piece.asleep,
            "energized": piece.energized,
            "copy at {},{}".format(*_place(piece.copy_square, course)): piece.copy_square >= 0,
        }
        cards = [
            card_name(card) + "!" * (piece.locked >> r & 1) if card else "-" for r, card in enumerate(piece.registers)
        ]
        rows.append(
            (
                str(seat + 1),
                f"{x},{y}" if piece.alive else "-",
                DIRECTION_NAMES[piece.facing] if piece.alive else "-",
                str(piece.damage),
                str(piece.lives) if piece.lives >= 0 else "unlimited",
                f"{piece.flag}/{len(course.flags)}",
                " ".join(cards) if any(piece.registers) else "-",
                ", ".join(name for name, on in states.items() if on) or "-",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(f"{cell:{w}}" for cell, w in zip(row, widths, strict=True)) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)
