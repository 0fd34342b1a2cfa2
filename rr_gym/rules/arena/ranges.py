"""The range of values of each field of a game record between two turns.

Kernels rely on these ranges: they use squares, cards, options and other numbers as indices without checks. So games
from files or users are checked first (`rr_gym.rules.arena.game_checks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.records import PADDING
from rr_gym.rules.devices.devices import GOO_SQUARES
from rr_gym.rules.driving.ice import TOP_SPEED
from rr_gym.rules.options.supply import BY_BREAKER
from rr_gym.rules.state.constants import (
    BLAST_NAMES,
    BOOSTED,
    BY_COPTER,
    DAMPENING,
    DECK_SIZE,
    DEVICE_NAMES,
    FIRE_INTERCEPTOR,
    FLOWN,
    HOLDS_FIRE,
    MAX_BODIES,
    MAX_DEVICES,
    MAX_FLAGS,
    MAX_ROBOTS,
    NUM_OPTIONS,
    NUM_REGISTERS,
    SHIELD_USED,
    STEP_NAMES,
    UNLIMITED,
)
from rr_gym.rules.state.order_table import FIELDS
from rr_gym.rules.state.records import GAME, Decisions
from rr_gym.rules.state.scratch import Caches

Array = np.ndarray[Any, Any]
Range = tuple[int, int]

BYTE = (-128, 127)
YES = (0, 1)
MAX_SPEED = 10  # on the ring of a particle accelerator
CARD, REGISTER, DIRECTION = (0, DECK_SIZE), (0, NUM_REGISTERS), (0, 3)
BODY, SEAT, OPTION = (-1, MAX_BODIES - 1), (-1, MAX_ROBOTS - 1), (-1, NUM_OPTIONS - 1)
LEVEL = (-20, 20)  # of floors, and of robots that fly or fall between them
HEADING = (-1, 7)  # 4 to 7 are diagonals (on ice and rings); -1 if nothing has moved the robot
SIDES = (0, 4)  # 0 for off, otherwise 1 + side
MARKS = (0, 2 * BOOSTED - 1)
TURN = (0, (1 << 30) - 1)
WORD = (0, 2**64 - 1)
COUNT = (0, 2**32 - 1)
# Ranges that depend on the arena: a square of the course; a square or -1; the index of a course
SQUARE, PLACE, COURSE = "square", "place", "course"

_ROBOT: dict[str, Range | str] = {
    "square": PLACE, "archive": SQUARE, "alive": YES, "virtual": YES, "down": (0, BY_BREAKER), "facing": DIRECTION,
    "level": LEVEL, "damage": (0, 127), "locked": (0, 31), "flag": (0, MAX_FLAGS), "registers": CARD, "hand": CARD,
    "lives": (UNLIMITED, 127), "out": YES, "announced": (0, BY_BREAKER), "may_face": YES, "fresh": YES,
    "pusher_square": PLACE, "destroyed": (0, 2 * MAX_ROBOTS), "out_phase": REGISTER, "out_turn": TURN,
    "team": (0, MAX_ROBOTS), "archive_level": LEVEL, "flying": (0, BY_COPTER), "on_ramp": YES, "marks": MARKS,
    "shields": (0, 2 * SHIELD_USED - 1), "asleep": REGISTER, "energized": REGISTER, "pointer": REGISTER,
    "burning": (0, 127), "speed": (0, MAX_SPEED), "goo": (0, GOO_SQUARES), "velocity": (-TOP_SPEED, TOP_SPEED),
    "heading": HEADING, "target": PLACE, "origin": PLACE, "leaving": HEADING, "drop": BYTE, "on_ice": YES,
    "has_copy": YES, "copy_square": PLACE, "copy_birth": PLACE, "copy_side": DIRECTION, "copy_level": LEVEL,
    "copy_facing": DIRECTION, "copy_heading": HEADING, "copy_flying": (0, BY_COPTER), "copy_marks": MARKS,
    "copy_virtual": YES, "copy_alive": YES, "copy_speed": (0, MAX_SPEED), "reset": (0, MAX_ROBOTS),
    "second": CARD, "copied": (-1, DECK_SIZE), "conditional": CARD, "flywheel": CARD, "copter": CARD,
    "options": (0, (1 << NUM_OPTIONS) - 1), "bio": OPTION, "flags_met": (0, 255), "rewired": (0, 2 * FLOWN - 1),
    "fired": (HOLDS_FIRE, FIRE_INTERCEPTOR), "fired_at": BODY, "fired_to": HEADING,
    "modified": (0, 2 * DAMPENING - 1), "sits_out": (0, 10), "carries": (0, MAX_FLAGS),
    "lit_on": (0, 2**15 - 1),
    **{f"orders.{name}": FIELDS[name].range for name in Decisions.fields},
}  # fmt: skip
_DEVICE: dict[str, Range | str] = {
    "kind": (0, len(DEVICE_NAMES) - 1), "owner": SEAT, "square": PLACE, "target": PLACE, "priority": (0, 1000),
    "level": LEVEL, "facing": DIRECTION, "power": (0, 127), "virtual": YES, "spares": (0, 2**16 - 1),
    "left": (0, GOO_SQUARES),
}  # fmt: skip
_BLAST: dict[str, Range | str] = {
    "square": PLACE, "level": LEVEL, "power": (0, 127), "owner": SEAT, "kind": (0, len(BLAST_NAMES) - 1), "only": SEAT,
}  # fmt: skip
RANGES: dict[str, Range | str] = {
    "course": COURSE, "num_robots": (1, MAX_ROBOTS), "phase": REGISTER, "step": (0, len(STEP_NAMES) - 1), "over": YES,
    "winners": (0, 255), "num_destroyed": (0, 2 * MAX_ROBOTS), "start_lives": (UNLIMITED, 127), "turn": TURN,
    "seed": WORD, "salt": WORD, "salted_key": WORD, "index": COUNT, "episode": COUNT, "key": WORD, "draws": COUNT,
    "deck_left": CARD, "deck_known": CARD, "discards_left": CARD, "deck": CARD, "discards": CARD,
    "num_bodies": (1, MAX_BODIES), **{f"robots.{name}": limits for name, limits in _ROBOT.items()},
    "flag_squares": PLACE, "flag_owner": (0, MAX_ROBOTS), "flip": YES, "flip_pending": YES, "flip_blocked": YES,
    "barrier_broken": YES, "piston_up": YES, "flips": (0, 0), "copies_act": (0, 0), "crumbled": WORD,
    "rooms": DIRECTION, "turret_facing": DIRECTION, "turret_cards": CARD, "devices_act": (0, 0), "hidden": (0, 0),
    "thrown": (0, 0), "thrown_to": (0, 0),
    "option_deck_left": (0, NUM_OPTIONS), "option_discards_left": (0, NUM_OPTIONS),
    "option_deck": (0, NUM_OPTIONS - 1), "option_discards": (0, NUM_OPTIONS - 1), "payload": BYTE,
    "pile_of": (0, MAX_FLAGS), "secret": (0, (1 << NUM_OPTIONS) - 1),
    "buzz_program": CARD, "homing_target": SEAT, "intercept_target": SEAT, "radio_owner": SEAT, "radio_target": SEAT,
    "damping": SEAT, "superbot": SEAT, "shares_hands": YES, "culprit": SEAT, "boards_touched": (0, 255),
    "bombed": (0, 255), "rammed": (0, 255), "push.length": (0, 0), "push.robots": (0, 0), "push.repelled": (0, 0),
    "line.length": (0, 0), "line.robots": (0, 0), "heaviest": (0, 0),
    "num_blasts": (0, 0), "order": (0, 0), "order_now": (0, 0), "precedence": (0, 0),
    **{f"blasts.{name}": limits for name, limits in _BLAST.items()},
    "asked": (0, 127), "asked_register": REGISTER,
    **{f"caches.{name}": (0, 0) for name in Caches.fields},
    "num_devices": (0, MAX_DEVICES),
    **{f"devices.{name}": limits for name, limits in _DEVICE.items()},
}  # fmt: skip


class Violation(NamedTuple):
    """A problem in one game of a batch: its index, and a description."""

    game: int
    text: str


def course_limits(tables: Array) -> Array:
    """Return for each course the last place where a robot can stand and the number of flags: shape (courses, 2)."""
    expansions = "extras" in (tables.dtype.names or ())
    count = tables["extras"]["num_standing"] if expansions else tables["course"]["num_squares"]
    return np.stack([count - 1, tables["course"]["num_flags"]], axis=1).astype(np.uint16)


# The limits of unknown courses: any place and any number of flags is allowed
ANYWHERE = np.full((1 << 15, 2), ((1 << 16) - 2, (1 << 16) - 1), np.uint16)


def find_out_of_range(games: Array, limits_of: Array, fields: Iterable[str] = RANGES) -> list[Violation]:
    """Return every number of every game that is not within the range of its field.

    Args:
        games: Shape (n,), dtype `GAME`, between two turns or over; unchanged.
        limits_of: The limits of each course (`course_limits`).
        fields: The fields to look at.

    Returns:
        One violation for each number, with its field, its value and what was expected; for a game on a course that does
        not exist, only that.
    """
    wrong = (games["course"] < 0) | (games["course"] >= len(limits_of))
    if wrong.any():
        return _outside(games, "course", np.array(0), np.array(len(limits_of) - 1))
    place = limits_of.astype(np.int64)[games["course"], 0]
    by_course = {SQUARE: (0, place), PLACE: (-1, place), COURSE: (0, len(limits_of) - 1)}
    found = []
    for path in fields:
        limits = RANGES[path]
        low, high = by_course[limits] if isinstance(limits, str) else limits
        found += _outside(games, path, np.asarray(low), np.asarray(high))
    return found


def _outside(games: Array, path: str, low: Array, high: Array) -> list[Violation]:
    """Return the numbers of one field that are below `low` or above `high`.

    Each bound is one number for all games, or one for each game.
    """
    values, names = games, []
    for name in path.split("."):
        names.append((name, values[name].ndim - values.ndim))
        values = values[name]
    low, high = (bound.reshape(bound.shape + (1,) * (values.ndim - 1) if bound.ndim else ()) for bound in (low, high))
    return [
        Violation(
            int(place[0]),
            f"{_place(names, place[1:])}: {values[tuple(place)]}: expected a whole number from "
            f"{low.ravel()[place[0] if low.ndim else 0]} to {high.ravel()[place[0] if high.ndim else 0]}",
        )
        for place in np.argwhere((values < low) | (values > high))
    ]


def _place(names: list[tuple[str, int]], indices: Array) -> str:
    """Return the name of a field with its indices, such as ``robots[2].registers[0]``."""
    left = indices.tolist()
    parts = []
    for name, axes in names:
        parts.append(name + "".join(f"[{index}]" for index in left[:axes]))
        left = left[axes:]
    return ".".join(parts)


def fields_of(dtype: np.dtype[Any] = GAME) -> Mapping[str, np.dtype[Any]]:
    """Return the paths of all numbers of a record, as used in `RANGES`, with their dtypes."""
    found: dict[str, np.dtype[Any]] = {}
    for name in dtype.names or ():
        part = dtype[name].base
        found |= {f"{name}.{path}": leaf for path, leaf in fields_of(part).items()} if part.names else {name: part}
    return found


# Padding between fields must be 0.
RANGES |= {path: (0, 0) for path in fields_of() if path.rpartition(".")[2].startswith(PADDING)}
