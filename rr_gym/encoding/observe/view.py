"""A game as one seat sees it, in plain Python, for people, programs and logs. Learning agents get arrays instead."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rr_gym.courses.changes import Changeable, place_of
from rr_gym.courses.course import Course
from rr_gym.rules.arena.hidden import hides_option, knows_hand
from rr_gym.rules.options.buzz_bombs import knows_bomb
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import DEVICE_NAMES, DIRECTION_NAMES, NUM_REGISTERS, UNLIMITED
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.plain import plain_fields
from rr_gym.rules.state.records import GameRecord

Square = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RobotView:
    """What every player may know about a robot.

    Attributes:
        seat: The seat of the robot.
        square: (x, y) from the north-west corner; None while it is off the board.
        facing: ``"n"``, ``"e"``, ``"s"`` or ``"w"``.
        damage: 0-9.
        lives: Lives left, including the one on the board; None if unlimited.
        flag: How many flags it has touched.
        archive: The square of its archive marker, where it comes back if it is destroyed.
        registers: Five entries: the card if the register is locked, otherwise None.
        virtual: Whether it is still virtual.
        down: Whether it is powered down.
        announced: Whether it powers down next turn.
        may_face: Whether its next orders may set its facing.
        out: Whether it is eliminated.
        level: The level of the floor on which it stands; 0 on courses of one level.
        on_ramp: Whether it is on the ramp that rises from its square.
        flying: Whether an antigrav field holds it in the air.
        asleep: Phases that it still sleeps through.
        burning: Points of damage that it takes at the start of every phase.
        speed: Its speed on the ring of a particle accelerator, in squares per phase.
        copy: (x, y) of its copy; None without one.
        team: The number of its team, 0 without one.
        options: Its option cards by name, each with the number of tokens, counters or shots left on it, 0 if the card
          has none. Cards of another side that have not been revealed are left out.
        goo: Squares of movement that it still takes to break the goo that holds it; 0 when it is free.
        tokens: Which of the tokens ``"homing"`` and ``"interceptor"`` lie on it.
        bombed: Whether a scrambler bomb has hit it in this turn.
        superbot: Whether it is the SuperBot.
        carries: The flag that it carries, 0 for none.
        sits_out: Turns that it still stays off the board.
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
    team: int
    options: dict[str, int]
    goo: int
    tokens: tuple[str, ...]
    bombed: bool
    superbot: bool
    carries: int
    sits_out: int


@dataclass(frozen=True, slots=True)
class DeviceView:
    """A device on the board.

    Attributes:
        kind: ``"bridge"``, ``"mine"``, ``"proximity_mine"``, ``"goo"``, ``"portable_teleporter"``,
            ``"scrambler_bomb"``, ``"big_one"``, ``"missile"``, ``"drone"`` or ``"buzz_bomb"``.
        square: (x, y).
        level: The level of the floor on which it is.
        facing: ``"n"``, ``"e"``, ``"s"`` or ``"w"``.
        owner: The seat that launched it; None if it belongs to nobody.
        power: The power of its explosion.
        left: Squares of movement that it still takes to break the goo; 0 for other devices.
        virtual: Whether it acts only on its owner.
        target: The square that a drone flies to.
    """

    kind: str
    square: Square
    level: int
    facing: str
    owner: int | None
    power: int
    left: int
    virtual: bool
    target: Square | None


@dataclass(frozen=True, slots=True)
class BoardView:
    """The changes of the course in this game. A field is empty, None or False if the course lacks such elements.

    Attributes:
        rooms: How many quarter turns clockwise each rotating room has turned, in the order of the course.
        flip: The state of the flip belts and gears, 0 or 1.
        flip_owed: Whether they are about to flip, because a robot has broken a light barrier.
        piston_up: The colour of the pistons that are up, ``"a"`` or ``"b"``.
        crumbled: The crumbly squares that have become pits.
        guns: The facings of the turret guns, row by row on the original map, not counting turns of their rooms.
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
        seat: The seat whose view this is.
        course: The id of the course.
        size: Width and height of the course.
        turn: The number of the turn, from 0.
        flags: The squares of flags 1, 2, ...
        hand: The cards in the seat's hand, highest priority first.
        robots: All robots, by seat.
        board: The parts of the course that change.
        devices: All devices on the board.
        flag_owners: In the game flag toggle, the team that holds each flag; otherwise 0.
        stored: The card that is stored on the seat's Flywheel; None if there is none.
        bomb: The cards dealt to the buzz bomb that this seat programs, in the order of the deal.
        mates: The hands of teammates by seat, if teams share their hands.
        over: Whether the game has ended.
        winners: The seats of the winners.
    """

    seat: int
    course: str
    size: tuple[int, int]
    turn: int
    flags: tuple[Square, ...]
    hand: tuple[str, ...]
    robots: tuple[RobotView, ...]
    board: BoardView
    devices: tuple[DeviceView, ...]
    flag_owners: tuple[int, ...]
    stored: str | None
    bomb: tuple[str, ...]
    mates: dict[int, tuple[str, ...]]
    over: bool
    winners: tuple[int, ...]

    @property
    def own(self) -> RobotView:
        """Return the robot of the seat whose view this is."""
        return self.robots[self.seat]

    def to_json(self) -> dict[str, Any]:
        """Return the view in types that JSON has."""
        return asdict(self)

    def as_text(self, course: Course | None = None) -> str:
        """Describe the view in short sentences, for example for a language model.

        `rr_gym.play.prompt` makes a description that also says what each card would do.

        Args:
            course: The course of the game, to add its map as tokens of the format RRB1; None for no map.
        """
        from rr_gym.encoding.observe.view_text import text_of

        return text_of(self, course)


def view_of(game: GameRecord, seat: int, course: Course) -> View:
    """Return the view of a seat.

    Args:
        game: The game.
        seat: 0 to num_robots - 1.
        course: The course that it is played on.
    """
    width = course.size[0]
    flags = tuple(square_of(int(flag), width) for flag in game["flag_squares"][: len(course.flags)])
    seats = range(int(game["num_robots"]))
    robots = tuple(_robot(game, i, seat, course) for i in seats)
    stored = int(game["robots"][seat]["flywheel"])
    bomb = game["buzz_program"] if knows_bomb(game, seat) else ()
    return View(
        seat=seat,
        course=course.id,
        size=course.size,
        turn=int(game["turn"]),
        flags=flags,
        hand=hand_of(game, seat),
        robots=robots,
        board=_board(game, course),
        devices=tuple(_device(game, k, course) for k in range(game["num_devices"]) if game["devices"][k]["kind"]),
        flag_owners=tuple(game["flag_owner"].tolist()[: len(flags)]),
        stored=card_name(stored) if stored else None,
        bomb=tuple(card_name(int(card)) for card in bomb if card),
        mates={i: hand_of(game, i) for i in seats if i != seat and knows_hand(game, seat, i)},
        over=bool(game["over"]),
        winners=seats_of(int(game["winners"])),
    )


def square_of(number: int, width: int) -> Square:
    """Convert the number of a square to (x, y)."""
    return number % width, number // width


def seats_of(mask: int) -> tuple[int, ...]:
    """Return the seats whose bits are set in a mask."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def hand_of(game: GameRecord, seat: int) -> tuple[str, ...]:
    """Return the names of a seat's cards, highest priority first."""
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


def _device(game: GameRecord, slot: int, course: Course) -> DeviceView:
    device, rooms, width = game["devices"][slot], game["rooms"].tolist(), course.size[0]
    return DeviceView(
        kind=DEVICE_NAMES[device["kind"]],
        square=square_of(place_of(course, int(device["square"]), rooms), width),
        facing=DIRECTION_NAMES[device["facing"]],
        owner=int(device["owner"]) if device["owner"] >= 0 else None,
        target=square_of(int(device["target"]), width) if device["target"] >= 0 else None,
        **plain_fields(device, DeviceView),
    )


def _options(game: GameRecord, seat: int, viewer: int) -> dict[str, int]:
    owned = int(game["robots"][seat]["options"])
    seen = [k for k in range(len(OPTION_NAMES)) if owned >> k & 1 and not hides_option(game, viewer, seat, k)]
    return {OPTION_NAMES[k]: int(game["payload"][k]) for k in seen}


def _robot(game: GameRecord, seat: int, viewer: int, course: Course) -> RobotView:
    robot = game["robots"][seat]
    width, height = course.size
    rooms = game["rooms"].tolist()
    locked = [bool(robot["locked"] >> r & 1) for r in range(NUM_REGISTERS)]
    cards = (card_name(int(card)) if shut else None for card, shut in zip(robot["registers"], locked, strict=True))

    def square(number: int) -> Square:
        return square_of(place_of(course, number, rooms), width)

    return RobotView(
        **plain_fields(robot, RobotView)
        | {
            "seat": seat,
            "square": square(int(robot["square"])) if robot["square"] >= 0 else None,
            "facing": DIRECTION_NAMES[robot["facing"]],
            "lives": None if robot["lives"] == UNLIMITED else int(robot["lives"]),
            "archive": square(int(robot["archive"])),
            "registers": tuple(cards),
            "on_ramp": bool(robot["square"] >= width * height),
            "copy": square(int(robot["copy_square"])) if robot["has_copy"] else None,
            "options": _options(game, seat, viewer),
            "tokens": tuple(name for name in ("homing", "interceptor") if game[_TARGETS[name]] == seat),
            "bombed": bool(game["bombed"] >> seat & 1),
            "superbot": bool(game["superbot"] == seat),
        }
    )


_TARGETS = {"homing": "homing_target", "interceptor": "intercept_target"}
