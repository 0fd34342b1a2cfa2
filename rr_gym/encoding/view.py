"""What a seat sees, in plain Python: for people, programs and logs. Learning agents get arrays instead."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rr_gym.courses.changes import Changeable, place_of
from rr_gym.courses.course import Course
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
        level: Of the floor on which it stands; 0 on courses of one level.
        on_ramp: It is on the ramp that rises from its square.
        flying: An antigrav field holds it in the air.
        asleep: Phases that it still sleeps through.
        burning: Points of damage at the start of every phase.
        speed: On the ring of a particle accelerator.
        copy: (x, y) of its copy; None without one.
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
    level: int
    on_ramp: bool
    flying: bool
    asleep: int
    burning: int
    speed: int
    copy: Square | None


@dataclass(frozen=True, slots=True)
class BoardView:
    """What the game has changed of the course. What the course does not have is empty, None or False.

    Attributes:
        rooms: Quarter turns clockwise of the rotating rooms, in the order of the course.
        flip: State of flip belts and gears, 0 or 1.
        flip_owed: A light barrier that was broken will flip them.
        piston_up: ``"a"`` or ``"b"``: the colour of the pistons that are up.
        crumbled: Crumbly squares that are pits now.
        guns: Facings of the turret guns, row by row, as if rooms had not turned.
    """

    rooms: tuple[int, ...]
    flip: int | None
    flip_owed: bool
    piston_up: str | None
    crumbled: tuple[Square, ...]
    guns: tuple[str, ...]


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
        board: What has changed of the course.
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
    board: BoardView
    over: bool
    winners: tuple[int, ...]

    @property
    def own(self) -> RobotView:
        """The own robot."""
        return self.robots[self.seat]

    def to_json(self) -> dict[str, Any]:
        """The same in types that JSON has."""
        return asdict(self)


def view_of(game: GameRecord, seat: int, course: Course) -> View:
    """The view of a seat.

    Args:
        game: The game.
        seat: 0 to num_robots - 1.
        course: The course that it is played on.
    """
    width = course.size[0]
    flags = tuple(square_of(int(flag), width) for flag in game["flag_squares"][: len(course.flags)])
    robots = tuple(_robot(game, i, course) for i in range(int(game["num_robots"])))
    return View(
        seat=seat,
        course=course.id,
        size=course.size,
        turn=int(game["turn"]),
        flags=flags,
        hand=hand_of(game, seat),
        robots=robots,
        board=_board(game, course),
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


def _board(game: GameRecord, course: Course) -> BoardView:
    has = Changeable.of(course)
    words = [int(word) for word in game["crumbled"]]
    return BoardView(
        rooms=tuple(game["rooms"].tolist()[: has.rooms]),
        flip=int(game["flip"]) if has.flips else None,
        flip_owed=bool(game["flip_pending"] or game["barrier_broken"]),
        piston_up="ab"[game["piston_up"]] if has.pistons else None,
        crumbled=tuple(square for n, square in enumerate(has.crumbly) if words[n >> 6] >> (n & 63) & 1),
        guns=tuple(DIRECTION_NAMES[facing] for facing in game["turret_facing"].tolist()[: len(has.guns)]),
    )


def _robot(game: GameRecord, seat: int, course: Course) -> RobotView:
    robot = game["robots"][seat]
    width, height = course.size
    rooms = game["rooms"].tolist()
    locked = [bool(robot["locked"] >> r & 1) for r in range(NUM_REGISTERS)]
    cards = (card_name(int(card)) if shut else None for card, shut in zip(robot["registers"], locked, strict=True))

    def square(number: int) -> Square:
        return square_of(place_of(course, number, rooms), width)

    return RobotView(
        seat=seat,
        square=square(int(robot["square"])) if robot["square"] >= 0 else None,
        facing=DIRECTION_NAMES[robot["facing"]],
        damage=int(robot["damage"]),
        lives=None if robot["lives"] == UNLIMITED else int(robot["lives"]),
        flag=int(robot["flag"]),
        archive=square(int(robot["archive"])),
        registers=tuple(cards),
        virtual=bool(robot["virtual"]),
        down=bool(robot["down"]),
        announced=bool(robot["announced"]),
        may_face=bool(robot["may_face"]),
        out=bool(robot["out"]),
        level=int(robot["level"]),
        on_ramp=bool(robot["square"] >= width * height),
        flying=bool(robot["flying"]),
        asleep=int(robot["asleep"]),
        burning=int(robot["burning"]),
        speed=int(robot["speed"]),
        copy=square(int(robot["copy_square"])) if robot["has_copy"] else None,
    )
