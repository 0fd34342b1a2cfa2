"""What a seat sees, in plain Python: for people, programs and logs. Learning agents get arrays instead."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rr_gym.rules.cards import card_name
from rr_gym.rules.constants import DIRECTION_NAMES, NUM_REGISTERS, UNLIMITED
from rr_gym.rules.records import GameRecord

Square = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RobotView:
    """What everybody may know of a robot.

    Attributes:
        seat: Its seat.
        square: (x, y) from the north-west corner; None while it is off the board.
        facing: ``"n"``, ``"e"``, ``"s"`` or ``"w"``.
        damage: 0-9.
        lives: Left, the one on the board included; None without limit.
        flag: How many flags it has touched.
        archive: Where it comes back.
        registers: Five entries: the card of a locked register, else None.
        virtual: It has not become real yet.
        down: It is powered down.
        announced: It powers down next turn.
        may_face: Its next orders may set its facing.
        out: It is eliminated.
    """

    seat: int
    square: Square | None
    facing: str
    damage: int
    lives: int | None
    flag: int
    archive: Square
    registers: tuple[str | None, ...]
    virtual: bool
    down: bool
    announced: bool
    may_face: bool
    out: bool


@dataclass(frozen=True, slots=True)
class View:
    """A game as one seat sees it.

    Attributes:
        seat: Whose view it is.
        course: The course's id.
        size: Width and height of the course.
        turn: 0 in the first turn.
        flags: Squares of flag 1, 2, ...
        hand: The own cards, highest priority first.
        robots: All robots, by seat.
        over: The game has ended.
        winners: Their seats.
    """

    seat: int
    course: str
    size: tuple[int, int]
    turn: int
    flags: tuple[Square, ...]
    hand: tuple[str, ...]
    robots: tuple[RobotView, ...]
    over: bool
    winners: tuple[int, ...]

    @property
    def own(self) -> RobotView:
        """The own robot."""
        return self.robots[self.seat]

    def to_json(self) -> dict[str, Any]:
        """The same in types that JSON has."""
        return asdict(self)


def view_of(game: GameRecord, seat: int, course: str, size: tuple[int, int], num_flags: int) -> View:
    """The view of a seat.

    Args:
        game: The game.
        seat: 0 to num_robots - 1.
        course: The course's id.
        size: Its width and height.
        num_flags: How many flags it has.
    """
    width = size[0]
    flags = tuple(square_of(int(flag), width) for flag in game["flag_squares"][:num_flags])
    robots = tuple(_robot(game["robots"][i], i, width) for i in range(int(game["num_robots"])))
    return View(
        seat=seat,
        course=course,
        size=size,
        turn=int(game["turn"]),
        flags=flags,
        hand=hand_of(game, seat),
        robots=robots,
        over=bool(game["over"]),
        winners=seats_of(int(game["winners"])),
    )


def square_of(number: int, width: int) -> Square:
    """(x, y) of a square's number."""
    return number % width, number // width


def seats_of(mask: int) -> tuple[int, ...]:
    """The seats whose bits are set."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def hand_of(game: GameRecord, seat: int) -> tuple[str, ...]:
    """The names of a seat's cards, highest priority first."""
    return tuple(card_name(int(card)) for card in game["robots"][seat]["hand"] if card)


def _robot(robot: Any, seat: int, width: int) -> RobotView:
    locked = [bool(robot["locked"] >> r & 1) for r in range(NUM_REGISTERS)]
    cards = (card_name(int(card)) if shut else None for card, shut in zip(robot["registers"], locked, strict=True))
    return RobotView(
        seat=seat,
        square=square_of(int(robot["square"]), width) if robot["square"] >= 0 else None,
        facing=DIRECTION_NAMES[robot["facing"]],
        damage=int(robot["damage"]),
        lives=None if robot["lives"] == UNLIMITED else int(robot["lives"]),
        flag=int(robot["flag"]),
        archive=square_of(int(robot["archive"]), width),
        registers=tuple(cards),
        virtual=bool(robot["virtual"]),
        down=bool(robot["down"]),
        announced=bool(robot["announced"]),
        may_face=bool(robot["may_face"]),
        out=bool(robot["out"]),
    )
