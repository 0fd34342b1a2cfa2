"""Draw boards with robots as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rr_gym.courses import Course
from rr_gym.courses.changes import current_course, raised_squares
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render.board.compact import draw_compact
from rr_gym.render.board.signs import ARROWS
from rr_gym.render.board.sketch import draw
from rr_gym.render.colours import TERMINAL_CHIPS
from rr_gym.render.fittings import SIDED
from rr_gym.render.phrases import DEVICE_WORDS, FLYING
from rr_gym.render.pieces import Piece, changes_of, pieces_of
from rr_gym.render.tokens import NOBODY, DeviceToken, Tokens, tokens_of
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import (
    DIRECTION_NAMES,
    GADGET_NAMES,
    MOVEMENT_OPTION_NAMES,
    NUM_REGISTERS,
    SHIELD_NAMES,
)
from rr_gym.rules.state.records import GameRecord
from rr_gym.text_layout import columns

Square = tuple[int, int]

# How many tokens, counters or shots a new option card holds, by its id
HOLDS = {card.id: card.holds for card in OPTION_CARDS}
# The sign of each kind of device; that of a flying device is a single letter, since its facing follows
DEVICE_SIGNS = {
    "bridge": "br", "mine": "mi", "proximity_mine": "pm", "goo": "go", "portable_teleporter": "pt",
    "scrambler_bomb": "sb", "big_one": "BO", "missile": "M", "drone": "D", "buzz_bomb": "Z",
}  # fmt: skip


def ansi(
    record: GameRecord, course: Course, unicode: bool = True, colour: bool = False, *, compact: bool = False
) -> str:
    """Draw one game as text: the course with its robots and devices, a table of the robots' state, and a legend.

    On the board a robot is drawn as its number and its facing. A third letter is `v` if the robot is virtual, `z` if it
    is powered down or asleep, `c` if it is the copy of a robot, and `+` if others are on the same square. A device is
    drawn as one or two letters (`DEVICE_SIGNS`) and the number of its owner, with the facing in between if it flies. In
    registers `+` comes before a second card, `*` before a gadget token and `~` before a movement option.

    Args:
        record: One element of an array of dtype `GAME`.
        course: The course that it is played on.
        unicode: Whether to use arrows and box-drawing lines; otherwise the text is plain ASCII.
        colour: Whether to use the colours of terminals (ANSI escapes).
        compact: Whether to draw each row of squares on one line instead of two, with walls at the foot of squares.
    """
    pieces, changes, tokens = pieces_of(record, course), changes_of(record, course), tokens_of(record, course)
    current = current_course(course, changes)
    state = "over" if record["over"] else f"turn {int(record['turn']) + 1}"
    (marks, tints), up = _marks(pieces, tokens, course, unicode), raised_squares(current, changes)
    if compact:
        width, height = course.size
        lines = draw_compact(current, unicode, colour, marks, up, tints, range(width), range(height))
        board = "".join(f"{line}\n" for line in lines)
    else:
        board = draw(current, unicode, colour, marks, up, tints)
    table = _table(pieces, tokens, course, int(record["winners"]))
    legend = "".join(f"{line}\n" for line in _legend(pieces, tokens, course, unicode))
    name = course.name if unicode else course.name.encode("ascii", "backslashreplace").decode()
    return f"{name}, {state}\n{board}{table}{legend}"


def robot_mark(
    seat: int, facing: int, unicode: bool, *, virtual: bool = False, still: bool = False, copy: bool = False
) -> str:
    """Return the sign of a robot, or of its copy, on a board; `still` means that it is powered down or asleep."""
    state = "c" if copy else "v" if virtual else "z" if still else ""
    return f"{seat + 1}{ARROWS[unicode][facing]}{state}"


def device_sign(kind: str, facing: int, owner: int | None, unicode: bool) -> str:
    """Return the sign of a device on a board; `owner` is a seat, or None if the device belongs to nobody."""
    return DEVICE_SIGNS[kind] + ARROWS[unicode][facing] * (kind in FLYING) + ("" if owner is None else str(owner + 1))


def marks_on_squares(robots: Iterable[tuple[Square, str]], devices: Mapping[Square, str]) -> dict[Square, str]:
    """Return the sign to show on each square; the first robot hides others and devices, and then ends with a `+`."""
    first: dict[Square, str] = {}
    for square, mark in robots:
        hides = square in first or square in devices
        first[square] = f"{first.get(square, mark)[:2]}+" if hides else mark
    return {**devices, **first}


def _sign(device: DeviceToken, unicode: bool) -> str:
    return device_sign(device.kind, device.facing, None if device.owner == NOBODY else device.owner, unicode)


def _marks(
    pieces: Sequence[Piece], tokens: Tokens, course: Course, unicode: bool
) -> tuple[dict[Square, str], dict[Square, str]]:
    """Return the signs of robots and devices by square, and the ANSI colours of the squares with robots."""
    devices = {_place(device.square, course): _sign(device, unicode) for device in tokens.devices}
    robots = []
    tints: dict[Square, str] = {}
    for seat, piece in enumerate(pieces):
        if piece.alive:
            still = bool(piece.down or piece.asleep)
            mark = robot_mark(seat, piece.facing, unicode, virtual=piece.virtual, still=still)
            own = [(_place(piece.square, course), mark)]
            if piece.copy_square >= 0:
                own.append((_place(piece.copy_square, course), robot_mark(seat, piece.copy_facing, unicode, copy=True)))
            for square, _ in own:
                tints.setdefault(square, TERMINAL_CHIPS[seat])
            robots += own
    return marks_on_squares(robots, devices), tints


def _place(square: int, course: Course) -> Square:
    return square % course.size[0], square // course.size[0]


def _table(pieces: Sequence[Piece], tokens: Tokens, course: Course, winners: int) -> str:
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
            f"team {piece.team}": piece.team,
            f"in goo {piece.goo}": piece.goo,
            f"carries flag {piece.carries}": piece.carries,
            "caught by a scrambler bomb": piece.bombed,
            "homing token": tokens.homing == seat,
            "interceptor token": tokens.interceptor == seat,
            "damping field": tokens.damping == seat,
            "SuperBot": tokens.superbot == seat,
        }
        cards = [_register(piece, r) for r in range(NUM_REGISTERS)]
        rows.append(
            (
                str(seat + 1),
                f"{x},{y}" if piece.alive else "-",
                DIRECTION_NAMES[piece.facing] if piece.alive else "-",
                str(piece.damage),
                str(piece.lives) if piece.lives >= 0 else "unlimited",
                f"{piece.flag}/{len(course.flags)}",
                " ".join(cards) if set(cards) != {"-"} else "-",
                ", ".join(name for name, on in states.items() if on) or "-",
            )
        )
    return "\n".join(columns(rows)) + "\n"


def _register(piece: Piece, r: int) -> str:
    cards = [card_name(card) for card in (piece.registers[r], piece.second[r]) if card]
    text = "+".join(cards) + "!" * (piece.locked >> r & 1 and bool(cards))
    gadget = f"*{GADGET_NAMES[piece.gadgets[r]]}" if piece.gadgets[r] else ""
    movement = f"~{MOVEMENT_OPTION_NAMES[piece.movement_options[r]]}" if piece.movement_options[r] else ""
    return text + gadget + movement or "-"


def _legend(pieces: Sequence[Piece], tokens: Tokens, course: Course, unicode: bool) -> Iterator[str]:
    """Yield lines that list each robot's options and explain the signs of devices and of flags that belong to teams."""
    for seat, piece in enumerate(pieces, start=1):
        if piece.options:
            owned = (_option(piece, option, left) for option, left in piece.options.items())
            yield f"options of robot {seat}: {', '.join(owned)}"
    for device in tokens.devices:
        owner = f" of robot {device.owner + 1}" if device.owner != NOBODY else ""
        place = "{},{}".format(*_place(device.square, course))
        aim = " flying to {},{}".format(*_place(device.target, course)) if device.target >= 0 else ""
        virtual = ", virtual" if device.virtual else ""
        yield f"{_sign(device, unicode)}: {DEVICE_WORDS[device.kind]}{owner} at {place}{aim}{virtual}"
    for flag, team in enumerate(tokens.flag_teams, start=1):
        if team:
            yield f"#{flag}: flag of team {team}"


def _option(piece: Piece, option: str, left: int) -> str:
    side = getattr(piece, option) if option in SIDED else 0
    return option + (f" {SHIELD_NAMES[side]}" if side else "") + (f" {left}" if left or HOLDS[option] else "")
