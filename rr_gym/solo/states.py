"""The state of a lone robot: a 64-bit hash of everything that affects its later phases and the end of the turn.

From two games with the same hash, the same types of cards lead to games with the same hash. The fields listed here are
known not to matter. Everything else is part of the hash, except for the robot's carryover (`rr_gym.solo.carryover`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements, with_expansions
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.constants import BY_CLEANUP, DISPLACED, NUM_REGISTERS, ON, OPTIONS_DRAWN
from rr_gym.rules.state.records import GAME, ROBOT, GameRecord, RobotCopy
from rr_gym.rules.state.scratch import GameCaches, GameScratch, RobotScratch
from rr_gym.rules.state.table import Table
from rr_gym.solo.carryover import CARRIED
from rr_gym.solo.options import acting_options, all_options_matter, has_drawn, has_options, waiting_options

Array = np.ndarray[Any, Any]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

# Fields that later phases do not read, or that `state_key` includes only where they matter
_ROBOT_PAST = (
    "registers", "hand", "out_turn", "out_phase", "shields", "fired", "fired_at", "fired_to", "modified", "flywheel",
    "conditional", "heading", "marks", "lit_on", "lives", "options", "bio", *RobotCopy.fields, *RobotScratch.fields,
)  # fmt: skip
_GAME_PAST = (
    "course", "num_robots", "start_lives", "turn", "index", "episode", "culprit", "turret_facing", "payload", "pile_of",
    "option_discards", "option_discards_left", "secret", "buzz_program", "discards_left", "flip_blocked",
    *GameScratch.fields, *GameCaches.fields,
)  # fmt: skip
# Fields that do not change during a turn without chance (see `turn_key`)
_ROBOT_STAYS = ("orders",)
_GAME_STAYS = ("seed", "salt", "key", "salted_key", "option_deck")


def _bytes_of(game: Iterable[str], robot: Iterable[str]) -> Array:
    """Return a mask of the bytes of GAME that given fields of the game and its first robot take: uint8, 255 or 0."""
    taken = np.zeros(GAME.itemsize, np.uint8)
    robots = GAME.fields["robots"][1]  # type: ignore[index]
    for fields, names, start in ((GAME.fields, game, 0), (ROBOT.fields, robot, robots)):
        for name in names:
            dtype, place = fields[name][:2]  # type: ignore[index]
            taken[start + place : start + place + dtype.itemsize] = 255
    return taken


def _words_of(taken: Array) -> tuple[Array, Array]:
    """Convert a mask of bytes to the indices of nonzero 64-bit words and their masks: int64 and uint64, (n,)."""
    masks = taken.view(np.uint64)
    return np.flatnonzero(masks), masks[masks > 0]


def _names(dtype: np.dtype[Any], *without: str) -> list[str]:
    return [name for name in dtype.names or () if name not in without]


# The words of a game that make up a state, and those of its special cases
_OF_GAME = _names(GAME, "robots", "deck", "discards", "devices", *_GAME_PAST, *_GAME_STAYS)
_OF_ROBOT = _names(ROBOT, *_ROBOT_PAST, *_ROBOT_STAYS)
_STATE, _STATE_MASKS = _words_of(_bytes_of(_OF_GAME, _OF_ROBOT))
_REST, _REST_MASKS = _words_of(_bytes_of(_OF_GAME, [name for name in _OF_ROBOT if name not in CARRIED]))
_STAYS, _STAYS_MASKS = _words_of(_bytes_of(_GAME_STAYS, _ROBOT_STAYS))
_COPY = _words_of(_bytes_of([], RobotCopy.fields))
_DEVICES = _words_of(_bytes_of(["devices"], []))
_DRAWN = _words_of(_bytes_of([name for name in GAME.names or () if name == "draws" or name.startswith("option_")], []))
_PILES = _words_of(_bytes_of(["pile_of"], []))


@kernel
def hash_words(words: Array, which: Array, masks: Array, key: np.uint64) -> np.uint64:
    """Return a hash of a key and of the words `which`, each combined with its mask."""
    key = np.uint64(key)
    for k in range(which.size):
        key = (key ^ (words[which[k]] & masks[k])) * _FACTOR
        key ^= key >> _SHIFT
    return key


@with_elements(False)
def returns_to_danger(game: GameRecord, table: Table) -> bool:
    """Tell whether a robot may re-enter on a square that destroys it.

    An archive may have become a pit (R-E22).
    """
    return True


@kernel
def options_key(game: GameRecord, words: Array, table: Table, key: np.uint64, carryover: int) -> np.uint64:
    """Add the options that matter, their counters, and whether there are discards to draw from to the hash."""
    robot = game.robots[0]
    key = np.uint64(key) ^ np.uint64(16 * (game.option_discards_left > 0) + 32 * (game.discards_left > 0))
    if has_drawn(game):
        key = hash_words(words, _DRAWN[0], _DRAWN[1], key)
    if not has_options(game, table):
        return key
    options: Any = acting_options(game, table)
    if carryover:
        options &= ~waiting_options(game, table)
    elif all_options_matter(game, table):
        options = robot.options
        key = (key ^ np.uint64(robot.bio + 1)) * _FACTOR
        if table.settings.scavenger > 0:
            key = hash_words(words, _PILES[0], _PILES[1], key)
    key = (key ^ options) * _FACTOR
    key ^= key >> _SHIFT
    while options != np.uint64(0):
        key = (key ^ np.uint64(int(game.payload[lowest_bit(options)]) + 128)) * _FACTOR
        key ^= key >> _SHIFT
        options = without_lowest(options)
    return key


# States


@kernel
def state_key(game: GameRecord, words: Array, table: Table, key: np.uint64, carryover: int) -> np.uint64:
    """Return a hash of everything that affects later phases and the end of the turn.

    Args:
        game: The game of a lone robot, between two phases.
        words: The memory of the game as uint64 words.
        table: The course.
        key: The hash of what does not change during the turn (`turn_key`).
        carryover: The robot's carryover (`carryover_of`), which is not part of the hash.
    """
    robot = game.robots[0]
    if carryover:
        key = hash_words(words, _REST, _REST_MASKS, ~np.uint64(key))
    else:
        key = hash_words(words, _STATE, _STATE_MASKS, key)
        # Where a robot that re-enters may be destroyed again, it may lose two lives.
        all_count = game.num_devices or returns_to_danger(game, table)
        lives = int(robot.lives) if all_count else int(robot.lives == 1)
        key = (key ^ np.uint64(lives + 1)) * _FACTOR
    key = options_key(game, words, table, key, carryover)
    # Marks last for one phase; only those of the last phase matter at the end of the turn.
    marks = int(robot.marks) if game.phase == NUM_REGISTERS else int(robot.marks & DISPLACED)
    if robot.flying or marks or robot.on_ramp or robot.has_copy:
        key = (key ^ np.uint64(16 * marks + robot.heading + 1)) * _FACTOR
    if robot.has_copy:
        key = hash_words(words, _COPY[0], _COPY[1], key)
    if game.num_devices:
        key = hash_words(words, _DEVICES[0], _DEVICES[1], key)
    return key


@with_expansions(True)
def leads_to_one_state(before: GameRecord, table: Table, after: GameRecord) -> bool:
    """Tell whether a phase leads from all games of a state to the same state.

    It does not if options that are not part of the first state begin to matter, or if the first option is drawn, since
    that depends on the discards. (No phase repairs damage.)
    """
    if has_drawn(after) and not has_drawn(before):
        return False
    return not has_options(before, table) or all_options_matter(before, table) or not all_options_matter(after, table)


@with_expansions(True)
def ends_in_one_outcome(damage: int, table: Table, after: GameRecord) -> bool:
    """Tell whether the end of the turn leads from all games of a state to the same outcome.

    It does, unless it harms the robot in a game with option cards. `damage` is the damage before the end of the turn,
    -1 off the board.
    """
    robot = after.robots[0]
    unhurt = damage < 0 or (robot.destroyed == 0 and robot.damage <= damage)
    return bool(unhurt or table.settings.option_cards != ON)


@kernel
def turn_key(game: GameRecord, words: Array, table: Table, facing: int) -> np.uint64:
    """Return a hash of everything that matters and does not change during a turn.

    It includes the facing that the robot chose for its re-entry (R-A13.8), and whether this is the first turn, before
    which elevators have not moved.
    """
    chosen = facing + 1 if table.settings.reentry_facing == BY_CLEANUP else 0
    key = np.uint64(chosen * 2 + (game.turn > 0))
    return hash_words(words, _STAYS, _STAYS_MASKS, key)


@with_expansions(False)
def is_uncacheable(game: GameRecord, table: Table) -> bool:
    """Tell whether the future depends on more than the state, so that nothing can be cached.

    It does with chance, reshuffled discards, energized robots, which read later registers (R-E50), and devices.
    """
    if game.deck_left or game.robots[0].energized or game.num_bodies > 1:
        return True
    for k in range(game.draws.size):
        if game.draws[k] and k != OPTIONS_DRAWN:
            return True
    return False
