"""Path distances: how many registers a robot needs to stand on each flag.

The rules of the game play single phases of a lone robot: from every square, with every facing, in every phase, with
every type of card. The results form a table of steps, so that walls, belts, pits and all other elements affect
distances exactly as they affect a game.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.rules.floor.ground import num_places, stand_on, standing_place
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import (
    BRIDGE_TOKEN,
    CARD_TYPE_NAMES,
    GOO_TOKEN,
    MINE_TOKEN,
    NUM_REGISTERS,
    PROXIMITY_TOKEN,
    TELEPORTER_TOKEN,
    UNLIMITED,
)
from rr_gym.rules.state.records import GAME, GameRecord, Log, new_log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.placing import set_up
from rr_gym.rules.turn.turn import register_phase

UNREACHABLE = 32767
DAMAGE_BITS = 4  # a step holds points of damage in its lowest bits, and the state after it in the bits above
DEAD = -1  # the step, and the state after it, if the robot is destroyed

# One card of every type; 0, for no card, comes first
SAMPLE_CARDS = np.array([np.flatnonzero(kind == CARD_TYPE)[0] for kind in range(len(CARD_TYPE_NAMES))], np.int8)

LYING_DEVICES = (BRIDGE_TOKEN, MINE_TOKEN, PROXIMITY_TOKEN, GOO_TOKEN, TELEPORTER_TOKEN)  # they lie on the floor

_CHANCE = (
    "deck_left", "discards_left", "option_deck_left", "option_discards_left", "turret_cards", "key", "salted_key",
)  # fmt: skip

_CACHED_COURSES = 64
_cache: OrderedDict[bytes, tuple[np.ndarray[Any, Any], ...]] = OrderedDict()


@kernel
def num_places_of(table: Table) -> int:
    """Return `num_places(table)`, for callers that are not kernels."""
    return num_places(table)


@kernel
def fill_steps(games: np.ndarray, words: np.ndarray, table: Table, log: Log, steps: np.ndarray) -> None:
    """Play every single phase of a lone robot.

    `games[0]` is the game from which each phase starts, and `games[1]` is scratch to play it on.
    """
    game = games[1]
    for state in range(steps.shape[0]):
        place = state >> 2
        if place < table.course.num_squares and (
            not table.squares[place].exists or table.squares[place].pit == ALL_PHASES
        ):
            continue
        for phase in range(NUM_REGISTERS):
            for kind in range(SAMPLE_CARDS.size):
                words[1] = words[0]
                robot = game.robots[0]
                robot.square = place
                robot.facing = state & 3
                robot.registers[phase] = SAMPLE_CARDS[kind]
                game.phase = phase + 1
                if not stand_on(game, table, 0, place):
                    continue
                register_phase(game, table, log)
                if robot.alive:
                    after = standing_place(game, table, 0) * 4 + int(robot.facing)
                    steps[state, phase, kind] = after << DAMAGE_BITS | min(int(robot.damage), (1 << DAMAGE_BITS) - 1)


def _blank() -> np.ndarray[Any, Any]:
    """Return a game with an empty board."""
    games = np.zeros(1, GAME)
    games["robots"]["square"] = -1
    return games


BLANK = _blank()


@kernel
def keep_lying_devices(lone: GameRecord, seat: int) -> None:
    """Keep only the devices that lie on the floor.

    The seat's robot is robot 0 in `lone`, so owners and the robots that devices spare are renumbered.
    """
    for k in range(lone.devices.size):
        device = lone.devices[k]
        own = device.owner == seat
        lies = False
        for kind in LYING_DEVICES:
            lies = lies or device.kind == kind
        if not lies or (device.virtual and not own):
            device.kind = 0
        device.owner = 0 if own else 1
        device.spares = device.spares >> seat & 1


@kernel
def isolate(game: GameRecord, seat: int, lones: np.ndarray) -> None:
    """Write into `lones[0]` the game with the seat's robot alone, as robot 0; see `alone`."""
    lones[0] = game
    lone = lones[0]
    lone.robots[0] = game.robots[seat]
    for i in range(1, lone.robots.size):
        lone.robots[i] = BLANK[0].robots[i]
    lone.num_robots = lone.num_bodies = 1
    lone.num_destroyed = 0
    lone.deck[:] = 0
    lone.deck_left = lone.deck_known = 0
    lone.discards[:] = 0
    lone.discards_left = 0
    lone.turret_cards[:] = 0
    lone.buzz_program[:] = 0
    lone.option_deck[:] = 0
    lone.option_deck_left = 0
    lone.key = lone.salted_key = lone.seed = 0
    lone.salt[:] = 0
    lone.draws[:] = 0
    if lone.num_devices:
        keep_lying_devices(lone, seat)
    lone.bombed = game.bombed >> seat & 1
    lone.homing_target = 0 if game.homing_target == seat else -1
    lone.intercept_target = 0 if game.intercept_target == seat else -1
    lone.superbot = 0 if game.superbot == seat else -1


def alone(game: GameRecord, seat: int) -> GameRecord:
    """Return a copy of the game with the seat's robot alone, as robot 0, and without cards that it cannot see.

    Only devices that lie on the floor stay.
    """
    lones = np.zeros(1, GAME)
    isolate(game, seat, lones)
    lone: GameRecord = lones[0]
    return lone


def lone_start(table: Table) -> np.ndarray[Any, Any]:
    """Return a game with a robot alone on a course, in the second turn, without damage, options or random numbers.

    Returns:
        Shape (2,), dtype `GAME`: the game, and scratch to play on.
    """
    games = np.zeros(2, GAME)
    set_up(games[0], table, new_log(on=False)[0], 0, 1, UNLIMITED, 0, 0, 0)
    games["robots"]["damage"][0] = 0
    games["robots"]["options"][0] = 0
    games["turn"] = 1  # elevators stand as in the turns after the first
    for name in _CHANCE:
        games[name] = 0
    return games


def _play_phases(table: Table) -> np.ndarray[Any, Any]:
    """Return the steps that `lone_steps` describes."""
    games = lone_start(table)
    words = games.view(np.uint64).reshape(2, -1)
    steps = np.full((num_places_of(table) * 4, NUM_REGISTERS, SAMPLE_CARDS.size), DEAD, np.int32)
    fill_steps(games, words, table, new_log(on=False)[0], steps)
    return steps


def _distances(successors: np.ndarray[Any, Any], flags: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the distances to flags, by value iteration over successors: int16, (num_flags, num_squares, 4, 5)."""
    num_squares = successors.shape[0]
    following = successors[..., 1:].reshape(num_squares * 4, NUM_REGISTERS, -1)
    # The last row stands for destroyed robots, since `DEAD` is -1.
    distance = np.full((len(flags), num_squares * 4 + 1, NUM_REGISTERS), UNREACHABLE, np.int16)
    for index, square in enumerate(flags):
        distance[index, square * 4 : square * 4 + 4] = 0
    while True:
        before = distance.copy()
        for phase in reversed(range(NUM_REGISTERS)):
            after = distance[:, :, (phase + 1) % NUM_REGISTERS]
            best = after[:, following[:, phase]].min(axis=-1)
            np.minimum(distance[:, :-1, phase], np.minimum(best, UNREACHABLE - 1) + 1, out=distance[:, :-1, phase])
        if np.array_equal(before, distance):
            return np.ascontiguousarray(distance[:, :-1]).reshape(len(flags), num_squares, 4, NUM_REGISTERS)


def _tables(table: Table) -> tuple[np.ndarray[Any, Any], ...]:
    """Return the steps and distances of a course with its settings; the last few courses are cached."""
    contents: Any = table
    names = getattr(getattr(contents, "dtype", None), "names", None) or ()
    if "course" not in names or contents.shape != ():
        raise RoboRallyError(
            f"table: {short_repr(contents)}: expected a course with its settings, an item of Arena.tables"
        )
    key = hashlib.blake2b(contents, digest_size=16).digest()
    if key in _cache:
        _cache.move_to_end(key)
        return _cache[key]
    steps = _play_phases(table)
    successors = (steps >> DAMAGE_BITS).astype(np.int16).reshape(-1, 4, *steps.shape[1:])  # the shift keeps `DEAD`
    distances = _distances(successors, table.course.flag_squares[: int(table.course.num_flags)].astype(np.int64))
    _cache[key] = found = steps, distances
    for array in found:
        array.flags.writeable = False
    if len(_cache) > _CACHED_COURSES:
        _cache.popitem(last=False)
    return found


def lone_steps(table: Table) -> np.ndarray[Any, Any]:
    """Return the results of all single phases of a lone robot; read-only.

    Args:
        table: A course compiled with its settings (an item of `Arena.tables`).

    Returns:
        int32, shape (states, 5, 8), by state (`standing_place` * 4 + facing), phase - 1 and card type (0: no card): the
        state after the phase, shifted left by `DAMAGE_BITS`, plus the points of damage taken; `DEAD` where the robot is
        destroyed. Nothing random happens.
    """
    return _tables(table)[0]


def phase_distances(table: Table) -> np.ndarray[Any, Any]:
    """Return the path distances before each phase.

    Args:
        table: A course compiled with its settings (an item of `Arena.tables`).

    Returns:
        int16, read-only, shape (num_flags, places, 4, 5), by flag - 1, place (`standing_place`), facing and phase - 1:
        the least number of registers, including this phase's, after which the robot can be on the flag at the end of a
        phase. Any card may be played in any register; damage and other robots are ignored. 0 on the flag, `UNREACHABLE`
        where there is no path. Where flags also count in passing (R-A12), this is an upper bound.
    """
    return _tables(table)[1]


def path_distances(table: Table) -> np.ndarray[Any, Any]:
    """Return the path distances at the start of a turn: `phase_distances` before phase 1.

    Args:
        table: A course compiled with its settings (an item of `Arena.tables`).

    Returns:
        int16, read-only, shape (num_flags, places, 4), by flag - 1, place (`standing_place`) and facing.
    """
    return phase_distances(table)[..., 0]
