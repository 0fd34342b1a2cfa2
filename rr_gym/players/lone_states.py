"""What makes a state of a lone robot: one word of all that matters to its phases to come, and to the end of the turn.

Two games with the same word lead to games with the same word, by the same types of cards. What matters is listed here
the other way round: whatever is not known to be of no account is part of the word.

Points of damage, flags touched, the archive and lives decide little of what a phase does to a robot that is whole: it
carries them along (`carried`). They are no part of the word then, and what phases add to them is known besides.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel, with_elements, with_expansions
from rr_gym.courses.tables.ground import HAS_MIRRORS
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.state.constants import (
    BY_CLEANUP,
    DISPLACED,
    FATAL_DAMAGE,
    NUM_OPTIONS,
    NUM_REGISTERS,
    ON,
    RACE,
    TOUCH_END,
)
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    CONVERTER,
    DOUBLE_BARRELED_LASER,
    GYROSCOPIC_STABILIZER,
    MECHANICAL_ARM,
    POWER_DOWN_SHIELD,
    SHIELD,
    SUPERIOR_ARCHIVE,
)
from rr_gym.rules.state.records import GAME, ROBOT, Game, GameCaches, GameScratch, RobotCopy, RobotScratch
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sites import wrenches_under
from rr_gym.rules.turn.touch_checkpoints import on_checkpoint

Array = np.ndarray[Any, Any]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

# What no phase reads of the turns and phases before it, or `state_key` asks for only where it matters
_ROBOT_PAST = (
    "registers", "hand", "out_turn", "out_phase", "shields", "fired", "fired_at", "fired_to", "modified", "flywheel",
    "conditional", "heading", "marks", "lives", "options", "bio", *RobotCopy.fields, *RobotScratch.fields,
)  # fmt: skip
_GAME_PAST = (
    "course", "num_robots", "start_lives", "turn", "index", "episode", "culprit", "turret_facing", "payload", "pile_of",
    "option_discards", "option_discards_left", "secret", "buzz_program", "discards_left", "flip_blocked",
    *GameScratch.fields, *GameCaches.fields,
)  # fmt: skip
# What stays during a turn without chance
_ROBOT_STAYS = ("orders",)
_GAME_STAYS = ("seed", "salt", "key", "salted_key", "option_deck")
# What the base game changes of a lone robot, and of its game
_ROBOT_BASE = (
    "square", "archive", "alive", "virtual", "down", "facing", "damage", "flag", "out", "announced", "may_face",
    "fresh", "destroyed",
)  # fmt: skip
_GAME_BASE = ("phase", "over", "winners", "num_destroyed")
# Options that act on a lone robot without orders, besides those that are given up for damage
_ACTING = np.uint64(sum(1 << option for option in (
    ABLATIVE_COAT, CONVERTER, GYROSCOPIC_STABILIZER, MECHANICAL_ARM, POWER_DOWN_SHIELD, SHIELD, SUPERIOR_ARCHIVE,
)))  # fmt: skip
_REFLECTED = np.uint64(1 << DOUBLE_BARRELED_LASER)  # acts on the robot that fires it into a mirror
# No phase minds less, whatever it locks; with so much the next point is the end, or costs an option (R-O0.30)
MUCH_DAMAGE = FATAL_DAMAGE - 1
_ARM = np.uint64(1 << MECHANICAL_ARM)
# What a robot may carry along, besides lives; which registers are locked is of no account then
_CARRIED = ("archive", "archive_level", "damage", "flag", "locked")
_DAMAGE_BITS = 4  # the lowest ones of what is carried
_LIVES = 32  # where lives stand in it
_ENDLESS = 255  # lives
_IS_CARRIED = 1 << 40
_DESTROYED = 1 << 41


def _bytes_of(game: Iterable[str], robot: Iterable[str]) -> Array:
    """Which bytes of a game, and of its first robot, the fields take: uint8, all bits set in those."""
    taken = np.zeros(GAME.itemsize, np.uint8)
    robots = GAME.fields["robots"][1]  # type: ignore[index]
    for fields, names, start in ((GAME.fields, game, 0), (ROBOT.fields, robot, robots)):
        for name in names:
            dtype, place = fields[name][:2]  # type: ignore[index]
            taken[start + place : start + place + dtype.itemsize] = 255
    return taken


def _words_of(taken: Array) -> tuple[Array, Array]:
    """The words with such bytes, and their masks: int64 and uint64, (n,)."""
    masks = taken.view(np.uint64)
    return np.flatnonzero(masks), masks[masks > 0]


def _names(dtype: np.dtype[Any], *without: str) -> list[str]:
    return [name for name in dtype.names or () if name not in without]


# Of a game without devices: what is copied from phase to phase, and what makes a state
COPIED = _words_of(_bytes_of(_names(GAME, "robots", "deck", "discards", "devices", "blasts"), _names(ROBOT)))[0]
_OF_GAME = _names(GAME, "robots", "deck", "discards", "devices", *_GAME_PAST, *_GAME_STAYS)
_OF_ROBOT = _names(ROBOT, *_ROBOT_PAST, *_ROBOT_STAYS)
_STATE, _STATE_MASKS = _words_of(_bytes_of(_OF_GAME, _OF_ROBOT))
_REST, _REST_MASKS = _words_of(_bytes_of(_OF_GAME, [name for name in _OF_ROBOT if name not in _CARRIED]))
_STAYS, _STAYS_MASKS = _words_of(_bytes_of(_GAME_STAYS, _ROBOT_STAYS))
_COPY = _words_of(_bytes_of([], RobotCopy.fields))
_DEVICES = _words_of(_bytes_of(["devices"], []))
_PILES = _words_of(_bytes_of(["pile_of"], []))
BASE_COPIED = _words_of(_bytes_of([*_GAME_BASE, "step"], _names(ROBOT)))[0]
_BASE_STATE, _BASE_STATE_MASKS = _words_of(_bytes_of(_GAME_BASE, _ROBOT_BASE))
_BASE_REST, _BASE_REST_MASKS = _words_of(_bytes_of(_GAME_BASE, [name for name in _ROBOT_BASE if name not in _CARRIED]))


@kernel
def hash_words(words: Array, which: Array, masks: Array, key: np.uint64) -> np.uint64:
    """One word of some words and a key."""
    key = np.uint64(key)
    for k in range(which.size):
        key = (key ^ (words[which[k]] & masks[k])) * _FACTOR
        key ^= key >> _SHIFT
    return key


@kernel
def base_state_key(game: Game, words: Array, table: Table, key: np.uint64, load: int) -> np.uint64:
    """A lone robot of the base game changes nothing but itself; of its lives only the last one matters."""
    if load:
        return hash_words(words, _BASE_REST, _BASE_REST_MASKS, ~np.uint64(key))
    key = np.uint64(key) ^ np.uint64(16 * (game.robots[0].lives == 1))
    return hash_words(words, _BASE_STATE, _BASE_STATE_MASKS, key)


@with_elements(False)
def reflects_shots(game: Game, table: Table) -> bool:
    """Mirrors throw a robot's own shots back at it (R-E63)."""
    return features_of(table) & HAS_MIRRORS != 0


@with_elements(False)
def returns_to_danger(game: Game, table: Table) -> bool:
    """An archive may have become a pit (R-E22)."""
    return True


@kernel
def has_options(game: Game, table: Table) -> bool:
    """The robot may lose or use one, or gets one of a pile."""
    return game.robots[0].options != np.uint64(0) or table.settings.scavenger > 0


@kernel
def minds_options(game: Game, table: Table) -> bool:
    """All options may matter, because one may be given up for damage, or comes from a pile on the floor.

    What a chop shop fills up matters no more than before, and what is drawn is drawn by chance.
    """
    return game.robots[0].damage >= MUCH_DAMAGE or table.settings.scavenger > 0


@kernel
def options_key(game: Game, words: Array, table: Table, key: np.uint64) -> np.uint64:
    """The options that matter and what is left in them; whether one, or a card, may be drawn of the discards."""
    robot = game.robots[0]
    key = np.uint64(key) ^ np.uint64(16 * (game.option_discards_left > 0) + 32 * (game.discards_left > 0))
    if not has_options(game, table):
        return key
    options = np.uint64(0)
    if robot.alive:
        options = robot.options & (_ACTING | _REFLECTED if reflects_shots(game, table) else _ACTING)
    if minds_options(game, table):
        options = robot.options
        key = (key ^ np.uint64(robot.bio + 1)) * _FACTOR
        if table.settings.scavenger > 0:
            key = hash_words(words, _PILES[0], _PILES[1], key)
    key = (key ^ options) * _FACTOR
    key ^= key >> _SHIFT
    for k in range(NUM_OPTIONS):
        if options >> np.uint64(k) & np.uint64(1) != np.uint64(0):
            key = (key ^ np.uint64(int(game.payload[k]) + 128)) * _FACTOR
            key ^= key >> _SHIFT
    return key


# What a robot carries along


@kernel
def base_is_whole(game: Game, table: Table) -> bool:
    """No phase minds how many points of damage a robot has, nor what it has touched before it stands there.

    It does not mind the first points, and it touches flags where it stands at the end of a phase. A destroyed one that
    comes back does not mind anything.
    """
    robot = game.robots[0]
    if table.settings.flag_touch != TOUCH_END:
        return False
    return bool(robot.damage < MUCH_DAMAGE) if robot.alive else bool(robot.out == 0)


@with_expansions(base_is_whole)
def is_whole(game: Game, table: Table) -> bool:
    """Likewise where nothing else depends on them: no device or copy, no arm that reaches out for flags, no flag that
    moves, no option that may be given up.
    """
    robot, settings = game.robots[0], table.settings
    if game.num_devices or robot.has_copy or robot.options & _ARM != np.uint64(0) or settings.game != RACE:
        return False
    if settings.superbot == ON or settings.moving_flags == ON or settings.rotate_board_on_flag == ON:
        return False
    if settings.sit_out or (has_options(game, table) and minds_options(game, table)):
        return False
    return bool(base_is_whole(game, table))


@kernel
def carried(game: Game, table: Table) -> int:
    """What a lone robot carries along, as one number: damage in the lowest four bits; 0 where all of it matters."""
    if not is_whole(game, table):
        return 0
    robot = game.robots[0]
    place = (int(robot.archive_level) << 16 | int(robot.archive)) & 0xFFFFFF
    load = (int(robot.lives) & _ENDLESS) << _LIVES | place << 8 | int(robot.flag) << _DAMAGE_BITS
    return int(_IS_CARRIED | load | int(robot.damage) if robot.alive else _IS_CARRIED | _DESTROYED | load)


@kernel
def damage_of(load: int) -> int:
    """The points of damage in what is carried."""
    return load & ((1 << _DAMAGE_BITS) - 1)


@kernel
def after_destruction(load: int) -> int:
    """What a robot carries once it is destroyed; 0 if it has lost its last life."""
    lives = load >> _LIVES & _ENDLESS
    if lives == 1:
        return 0
    lost = (1 << _LIVES) * (lives != _ENDLESS)
    return int(load - damage_of(load) - lost + _DESTROYED)


@kernel
def touched_of(load: int) -> int:
    """All that is carried but damage."""
    return load >> _DAMAGE_BITS


@kernel
def leads_all_there(before: Game, table: Table, after: Game) -> bool:
    """Whether a phase leads to the same state whatever is carried.

    No damage came before the end of the robot, or what it has touched makes no difference where it stands now.
    """
    if after.robots[0].alive:
        return not on_checkpoint(after, table, 0)
    return bool(before.robots[0].damage == after.robots[0].damage)


@kernel
def ends_turn_alone(game: Game, table: Table) -> bool:
    """After the last phase: no flag or site is under the robot, and it will not land on one."""
    robot = game.robots[0]
    if game.over or not robot.alive or robot.flying or on_checkpoint(game, table, 0):
        return False
    return bool(wrenches_under(game, table, 0) == 0)


# States


@with_expansions(base_state_key)
def state_key(game: Game, words: Array, table: Table, key: np.uint64, load: int) -> np.uint64:
    """One word of all that matters to the phases to come, and to the end of the turn.

    Args:
        game: A lone robot's, between two phases.
        words: The same memory as words.
        table: Its course.
        key: Of what stays during the turn (`turn_key`).
        load: What the robot carries along (`carried`), which is no part of the word.
    """
    robot = game.robots[0]
    if load:
        key = hash_words(words, _REST, _REST_MASKS, ~np.uint64(key))
    else:
        key = hash_words(words, _STATE, _STATE_MASKS, key)
        # Where a robot that comes back may be destroyed again, it may lose two lives.
        all_count = game.num_devices or returns_to_danger(game, table)
        lives = int(robot.lives) if all_count else int(robot.lives == 1)
        key = (key ^ np.uint64(lives + 1)) * _FACTOR
    key = options_key(game, words, table, key)
    # Marks are of one phase; those of the last one matter to the end of the turn.
    marks = int(robot.marks) if game.phase == NUM_REGISTERS else int(robot.marks & DISPLACED)
    if robot.flying or marks or robot.on_ramp or robot.has_copy:
        key = (key ^ np.uint64(16 * marks + robot.heading + 1)) * _FACTOR
    if robot.has_copy:
        key = hash_words(words, _COPY[0], _COPY[1], key)
    if game.num_devices:
        key = hash_words(words, _DEVICES[0], _DEVICES[1], key)
    return key


@with_expansions(True)
def leads_there(before: Game, table: Table, after: Game) -> bool:
    """Whether a phase leads from every game of a state to the same one.

    Where all options begin to matter, it depends on those that did not matter before. (No phase repairs damage.)
    """
    return not has_options(before, table) or minds_options(before, table) or not minds_options(after, table)


@with_expansions(True)
def ends_there(damage: int, table: Table, after: Game) -> bool:
    """Likewise for the end of the turn: a robot with so much damage, -1 if it was off the board, was not hurt by it."""
    robot = after.robots[0]
    unhurt = damage < 0 or (robot.destroyed == 0 and robot.damage <= damage)
    return bool(unhurt or table.settings.option_cards != ON)


@kernel
def base_turn_key(game: Game, words: Array, table: Table, facing: int) -> np.uint64:
    """The facing after a return (R-A13.8)."""
    chosen = facing + 1 if table.settings.reentry_facing == BY_CLEANUP else 0
    return np.uint64(chosen * 2 + 1)


@with_expansions(base_turn_key)
def turn_key(game: Game, words: Array, table: Table, facing: int) -> np.uint64:
    """What matters besides states and stays during a turn: also that elevators have moved before."""
    key = np.uint64(base_turn_key(game, words, table, facing)) + np.uint64(game.turn > 0)
    return hash_words(words, _STAYS, _STAYS_MASKS, key)


@with_expansions(False)
def is_open(game: Game, table: Table) -> bool:
    """More than the state may decide what comes: chance, discards drawn again, registers to come (R-E50), devices."""
    if game.deck_left or game.robots[0].energized or game.num_bodies > 1:
        return True
    for k in range(game.draws.size):
        if game.draws[k]:
            return True
    return False
