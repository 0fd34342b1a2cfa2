"""Plain objects that hold what pictures show of a game, made from its record or rebuilt from its events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rr_gym.courses import Course
from rr_gym.courses.changes import Changeable, Changes, place_of, with_flags
from rr_gym.errors import printable
from rr_gym.rules.floor.elevator_state import last_phase
from rr_gym.rules.state.constants import C13, NUM_REGISTERS, SPARED
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.plain import plain_fields
from rr_gym.rules.state.records import GameRecord, Robot

LONGEST_NAME = 32  # characters of a player's name in tables and lines

# The plain Python function, since the compiled one takes only records.
_last_phase: Callable[..., int] = getattr(last_phase, "__wrapped__", last_phase)


def _by_register() -> list[int]:
    return [0] * NUM_REGISTERS


@dataclass(slots=True)
class Piece:
    """One robot as every player sees it, including its program.

    Squares are square numbers (y * width + x), -1 off the board. Facings are 0-3 for n, e, s, w. `registers` holds card
    ids, 0 for an empty register; bit r of `locked` is register r + 1. `burning` is damage per phase, `asleep` the
    number of phases left. `copy_square` is -1 without a copy. `team` and `carries` (the number of a flag) are 0 for
    none. `goo` is the number of squares of movement until the goo around the robot breaks. `bombed` means that a
    scrambler bomb has caught the robot, `spared` that it re-enters without damage. `options` maps the ids of its option
    cards to the tokens or counters left on each. `shield`, `reflector` and `turret` are indices of SHIELD_NAMES, 0 for
    off. The other lists have an entry for each register: `second` is the second card, `copied` the card that Radio
    Control has put over the register (-1 for none), `gadgets` and `movement_options` what was programmed there, as
    indices of GADGET_NAMES and MOVEMENT_OPTION_NAMES.
    """

    square: int = -1
    facing: int = 0
    archive: int = -1
    alive: bool = True
    out: bool = False
    virtual: bool = False
    down: bool = False
    announced: bool = False
    damage: int = 0
    lives: int = -1
    flag: int = 0
    locked: int = 0
    level: int = 0
    flying: bool = False
    burning: int = 0
    asleep: int = 0
    energized: bool = False
    copy_square: int = -1
    copy_facing: int = 0
    team: int = 0
    carries: int = 0
    goo: int = 0
    bombed: bool = False
    spared: bool = False
    shield: int = 0
    reflector: int = 0
    turret: int = 0
    registers: list[int] = field(default_factory=_by_register)
    second: list[int] = field(default_factory=_by_register)
    copied: list[int] = field(default_factory=_by_register)
    gadgets: list[int] = field(default_factory=_by_register)
    movement_options: list[int] = field(default_factory=_by_register)
    options: dict[str, int] = field(default_factory=dict)


def pieces_of(game: GameRecord, course: Course | None = None) -> list[Piece]:
    """Return the robots of one game in seat order.

    Args:
        game: One element of an array of dtype `GAME`.
        course: The course that it is played on; if given, robots on ramps are placed on the foot of their ramp.
    """

    def place(square: int) -> int:
        return place_of(course, square, game["rooms"].tolist()) if course else square

    return [
        Piece(
            **plain_fields(robot, Piece)
            | {
                "square": place(int(robot["square"])),
                "copy_square": place(int(robot["copy_square"])) if robot["has_copy"] else -1,
                "copy_facing": int(robot["copy_facing"]) if robot["has_copy"] else 0,
                "bombed": bool(game["bombed"] >> seat & 1),
                "spared": bool(robot["rewired"] & SPARED),
                "registers": robot["registers"].tolist(),
                "second": robot["second"].tolist(),
                "copied": robot["copied"].tolist(),
                "gadgets": robot["orders"]["gadget"].tolist() if game["phase"] else _by_register(),
                "movement_options": robot["orders"]["movement_option"].tolist() if game["phase"] else _by_register(),
                "options": {
                    name: int(game["payload"][option])
                    for option, name in enumerate(OPTION_NAMES)
                    if int(robot["options"]) >> option & 1
                },
            }
            | _sides(game, robot)
        )
        for seat, robot in enumerate(game["robots"][: int(game["num_robots"])])
    ]


def _sides(game: GameRecord, robot: Robot) -> dict[str, int]:
    """Return the sides to which a robot has turned its Shield, Reflector and Turret in the current phase, by name.

    Options that it does not own are left out. The result is empty between turns, and for a robot that is destroyed or
    powered down.
    """
    r = int(game["phase"]) - 1
    if r < 0 or not robot["alive"] or robot["down"]:
        return {}
    orders, owned = robot["orders"], int(robot["options"])
    sides = {"shield": orders["shield"][r], "reflector": orders["reflector"], "turret": 1 + orders["turret"][r]}
    return {name: int(side) for name, side in sides.items() if owned >> OPTION_NAMES.index(name) & 1}


@dataclass(frozen=True, slots=True)
class _Moment:
    turn: int
    phase: int
    step: int


def risen(turn: int, phase: int, step: int) -> int:
    """Return the phase in which elevators moved last, 0 before the first time; `step` is an index of STEP_NAMES."""
    return int(_last_phase(_Moment(turn, phase, step), step >= C13))


def changes_of(game: GameRecord, course: Course) -> Changes:
    """Return the changes that a game has made to its course.

    These are turned rooms, raised pistons, crumbled squares and moved flags.

    Args:
        game: One element of an array of dtype `GAME`.
        course: The course that it is played on.
    """
    changeable = Changeable.of(course)
    bits = [int(word) for word in game["crumbled"]]
    changes = changeable.only(
        Changes(
            rooms=tuple(game["rooms"].tolist()),
            flip=int(game["flip"]),
            piston_up=int(game["piston_up"]),
            crumbled=tuple(n for n in range(len(changeable.crumbly)) if bits[n >> 6] >> (n & 63) & 1),
            guns=tuple(game["turret_facing"].tolist()),
            risen=risen(int(game["turn"]), int(game["phase"]), int(game["step"])),
        )
    )
    return with_flags(course, changes, game["flag_squares"][: len(course.flags)].tolist())


def brief_labels(players: Sequence[str]) -> list[str]:
    """Return `labels` of at most `LONGEST_NAME` characters for tables and lines.

    Longer names are shortened in the middle.
    """
    names = map(printable, players)
    end = LONGEST_NAME // 2
    return labels([n if len(n) <= LONGEST_NAME else f"{n[: LONGEST_NAME - end - 3]}...{n[-end:]}" for n in names])


def labels(players: Sequence[str]) -> list[str]:
    """Return a distinct name for each robot, in seat order: a name that several players share gets the seat's number.

    The names are `printable`, since tables and pictures contain them.
    """
    names = list(map(printable, players))
    numbered = [f"{name} {seat}" for seat, name in enumerate(names, start=1)]
    distinct = [name if names.count(name) == 1 else number for name, number in zip(names, numbered, strict=True)]
    return distinct if len({*distinct}) == len(distinct) else numbered
