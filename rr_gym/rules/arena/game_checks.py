"""Refuse games from users if a number that is used as an index is out of the range of its field.

`rr_gym.rules.arena.ranges.RANGES` holds the range of each field. Kernels made from that table check batches in a small
fraction of the time of a turn; if they find a problem, `find_out_of_range` describes it.
"""

# mutants: no rules: tests/rules/test_game_checks.py
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import COMPILED, kernel
from rr_gym.errors import RoboRallyError
from rr_gym.rules.arena.ranges import PLACE, RANGES, SQUARE, Violation, find_out_of_range
from rr_gym.rules.arena.threads import in_parts
from rr_gym.rules.state.constants import (
    BIG_ONE_BODY,
    MAX_BODIES,
    MAX_DEVICES,
    MAX_FLAGS,
    NO_DEVICE,
    NUM_OPTIONS,
)
from rr_gym.rules.state.records import DEVICE, GAME, ROBOT, GameRecord

Array = np.ndarray[Any, Any]

MASKS = ("robots.options", "secret")  # 64-bit masks whose bits are indices
BLOCK = 16  # bytes that a processor compares at once
ALL = 0xFFFF


def _at(name: str, dtype: np.dtype[Any] = GAME) -> int:
    """Return the offset of a field in a record, in bytes."""
    return int(dtype.fields[name][1])  # type: ignore[index]


def _whole_blocks(size: int) -> int:
    """Return a number of bytes, rounded up to whole blocks."""
    return -(-size // BLOCK) * BLOCK


SIZE, ROBOT_SIZE, DEVICE_SIZE = GAME.itemsize, ROBOT.itemsize, DEVICE.itemsize
COUNTS, DECK, DISCARDS, BODIES = _at("deck_left"), _at("deck"), _at("discards"), _at("num_bodies")
ROBOTS, FLAGS, OWNERS, DEVICES = _at("robots"), _at("flag_squares"), _at("flag_owner"), _at("devices")
SCRATCH, CACHES = _at("flips"), SIZE - _whole_blocks(SIZE - _at("order"))
BEFORE_BLASTS = _whole_blocks(_at("blasts") - SCRATCH)
IN_BASE_GAMES = _at("orders", ROBOT)  # bytes of a robot from here on are used only by option cards and elements
COPY = ROBOT_SIZE - _whole_blocks(ROBOT_SIZE - _at("has_copy", ROBOT))  # of a robot: the blocks after its decisions
BASE_BLOCKS, REST = _whole_blocks(IN_BASE_GAMES), _whole_blocks(DEVICES - FLAGS)


def _numbers(path: str) -> Iterator[tuple[int, np.dtype[Any]]]:
    """Yield the byte offset and the dtype of every number of a field, given by its path in `RANGES`."""
    places, dtype = [0], GAME
    for name in path.split("."):
        start = _at(name, dtype)
        dtype = dtype.fields[name][0]  # type: ignore[index]
        count = int(np.prod(dtype.shape))
        dtype = dtype.base
        places = [place + start + k * dtype.itemsize for place in places for k in range(count)]
    return ((place, dtype) for place in places)


def _words(path: str, size: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the limits of a number of more than one byte that is used as an index, or of a mask of indices.

    Yields:
        The index of one of its 16-bit words, the lowest value, the size of the range above it, and `ALL` if the number
        of the last place is to be added to that size, otherwise 0.
    """
    limits = RANGES[path]
    if limits in (SQUARE, PLACE):
        yield (0, 0, 0, ALL) if limits == SQUARE else (0, ALL, 1, ALL)
    elif path in MASKS:
        high = int(limits[1])
        yield from ((k, 0, most, 0) for k in range(size // 2) if (most := high >> 16 * k & ALL) < ALL)


def _tables() -> tuple[Array, Array, dict[int, Array]]:
    """Return `RANGES` in the form that kernels need.

    Returns:
        For each byte the lowest value and the size of its range; bytes that are not checked one by one have the full
        range. Then, by the byte offset of the game (0) or of an array of records in it, the limits of words, (n, 4),
        see `_words`.
    """
    least, span = np.zeros(SIZE + BLOCK, np.uint8), np.full(SIZE + BLOCK, 255, np.uint8)
    arrays = {ROBOTS: (FLAGS, ROBOT_SIZE), DEVICES: (SCRATCH, DEVICE_SIZE)}
    words: dict[int, list[tuple[int, ...]]] = {0: [], **{start: [] for start in arrays}}
    for path, limits in RANGES.items():
        for place, dtype in _numbers(path):
            if dtype.itemsize == 1:
                low, high = limits  # type: ignore[str-unpack]
                least[place], span[place] = int(low) & 255, int(high) - int(low)
                continue
            start = next((s for s, (end, _) in arrays.items() if s <= place < end), 0)
            if path.startswith("blasts"):
                continue  # there are none between turns
            if not start or place < start + arrays[start][1]:
                words[start] += [((place - start) // 2 + k, *word) for k, *word in _words(path, dtype.itemsize)]
    return least, span, {start: np.array(sorted(found), np.int64) for start, found in words.items()}


LEAST, SPAN, _by_start = _tables()
GAME_WORDS, ROBOT_WORDS, DEVICE_WORDS = (_by_start[start] for start in (0, ROBOTS, DEVICES))
BASE_GAME_WORDS = int((GAME_WORDS[:, 0] < OWNERS // 2).sum())
BASE_ROBOT_WORDS = int((ROBOT_WORDS[:, 0] < IN_BASE_GAMES // 2).sum())


@kernel
def bytes_outside(row: Array, start: int, like: int, count: int) -> int:
    """Return 1 if any of `count` bytes from `start` on is out of range, otherwise 0.

    The limits are those of the bytes from `like` on.
    """
    found = np.uint8(0)
    for k in range(count):
        found = np.uint8(found | np.uint8(np.uint8(row[start + k] - LEAST[like + k]) > SPAN[like + k]))
    return int(found)


@kernel
def words_outside(row: Array, start: int, words: Array, count: int, last: int) -> int:
    """Return 1 if any of the first `count` words, of a record that begins at byte `start`, is out of range; else 0."""
    found = 0
    first = start // 2
    for k in range(count):
        beyond = (int(row[first + words[k, 0]]) - words[k, 1]) & ALL
        found |= int(beyond > words[k, 2] + (words[k, 3] & last))
    return found


@kernel
def fixed_outside(row: Array, words: Array, last: int, whole: bool) -> int:
    """Return 1 if a number that every game has is out of range, otherwise 0.

    Piles and robots are checked by other kernels.
    """
    found = bytes_outside(row, 0, 0, BLOCK) | bytes_outside(row, COUNTS, COUNTS, BLOCK)
    found |= bytes_outside(row, BODIES, BODIES, 1)
    if whole:
        found |= words_outside(words, 0, GAME_WORDS, GAME_WORDS.shape[0], last)
        found |= bytes_outside(row, FLAGS, FLAGS, REST)
        found |= bytes_outside(row, SCRATCH, SCRATCH, BEFORE_BLASTS)
        found |= bytes_outside(row, CACHES, CACHES, SIZE - CACHES)
    else:
        found |= words_outside(words, 0, GAME_WORDS, BASE_GAME_WORDS, last)
    return found


@kernel
def robot_outside(row: Array, words: Array, place: int, last: int, whole: bool) -> int:
    """Return 1 if a number of the robot that begins at byte `place` is out of range, otherwise 0.

    The decisions of a turn are not checked, since they are written again before anything reads them.
    """
    found = bytes_outside(row, place, ROBOTS, BASE_BLOCKS)
    if whole:
        found |= bytes_outside(row, place + COPY, ROBOTS + COPY, ROBOT_SIZE - COPY)
        found |= words_outside(words, place, ROBOT_WORDS, ROBOT_WORDS.shape[0], last)
    else:
        found |= words_outside(words, place, ROBOT_WORDS, BASE_ROBOT_WORDS, last)
    return found


@kernel
def plays(game: GameRecord, body: int) -> bool:
    """Tell whether a body belongs to a robot of the game, or to The Big One while that is on the board."""
    return body < game.num_robots or (body == BIG_ONE_BODY and game.num_bodies > BIG_ONE_BODY)


# Relations that must hold between numbers; each concerns a robot, a flag, an option or a device with the index {k}
RELATIONS = (
    "num_bodies: {game[num_bodies]}: expected {game[num_robots]}, or 9 with The Big One on the board",
    "robots[{k}].alive: {robot[alive]}: expected 0: no such robot plays",
    "robots[{k}].square: {robot[square]}: expected a square: the robot is on the board",
    "robots[{k}].flag: {robot[flag]}: expected a whole number from 0 to {flags}, the flags of the course",
    "robots[{k}].carries: {robot[carries]}: expected a whole number from 0 to {flags}, the flags of the course",
    "robots[{k}].copy_square: {robot[copy_square]}: expected a square: there is a copy",
    "robots[{k}].copy_birth: {robot[copy_birth]}: expected a square: there is a copy",
    "flag_squares[{k}]: {flag}: expected a square: the course has this flag",
    "pile_of[{k}]: {pile}: expected a whole number from 0 to {flags}, the flags of the course",
    "devices[{k}].square: {device[square]}: expected a square: the device is on the board",
)
(
    BODIES_COUNT, NO_ROBOT, STANDS, FLAG, CARRIES, COPY_STANDS, COPY_BORN, FLAG_LIES, PILE, DEVICE_LIES,
) = range(len(RELATIONS))  # fmt: skip
KINDS = 16  # more than the number of relations; a code is a relation + KINDS * index


@kernel
def broken_relation(game: GameRecord, num_flags: int, whole: bool) -> int:
    """Return the code of a relation that does not hold (relation + `KINDS` * index); -1 if all hold.

    All numbers must be in range. If `whole` is not set, for base games, bodies that do not play are not checked, since
    nothing reads them.
    """
    if game.num_bodies != game.num_robots and not (whole and game.num_bodies == BIG_ONE_BODY + 1):
        return BODIES_COUNT
    for k in range(num_flags if num_flags <= MAX_FLAGS else 0):  # it is larger if the course is unknown
        if game.flag_squares[k] < 0:
            return FLAG_LIES + KINDS * k
    for i in range(MAX_BODIES if whole else game.num_robots):
        robot = game.robots[i]
        if not plays(game, i):
            if robot.alive:
                return NO_ROBOT + KINDS * i
            continue
        if robot.alive and robot.square < 0:
            return STANDS + KINDS * i
        if robot.flag > num_flags:
            return FLAG + KINDS * i
        if whole:
            if robot.carries > num_flags:
                return CARRIES + KINDS * i
            if robot.has_copy and robot.copy_square < 0:
                return COPY_STANDS + KINDS * i
            if robot.has_copy and robot.copy_birth < 0:
                return COPY_BORN + KINDS * i
    if whole:
        for k in range(NUM_OPTIONS):
            if game.pile_of[k] > num_flags:
                return PILE + KINDS * k
        for k in range(game.num_devices):
            if game.devices[k].kind != NO_DEVICE and game.devices[k].square < 0:
                return DEVICE_LIES + KINDS * k
    return -1


def relation_text(games: Array, limits: Array, code: int) -> str:
    """Describe in words a code from `broken_relation`, for a game of shape (1,)."""
    relation, k = code % KINDS, code // KINDS
    game: Any = games[0]
    return RELATIONS[relation].format(
        k=k,
        flags=limits[game["course"], 1],
        game=game,
        robot=game["robots"][min(k, MAX_BODIES - 1)],
        flag=game["flag_squares"][min(k, MAX_FLAGS - 1)],
        pile=game["pile_of"][min(k, NUM_OPTIONS - 1)],
        device=game["devices"][min(k, MAX_DEVICES - 1)],
    )


@kernel
def first_unfit(games: Array, limits: Array, whole: bool, first: int, end: int) -> int:
    """Return the first game with a number that is out of range or does not fit the others; -1 for none.

    Unused numbers are not checked, such as those of seats without a robot. If `whole` is not set, for base games,
    fields of options and elements are not checked either.
    """
    bytes_of_all, words_of_all = games.view(np.uint8), games.view(np.uint16)
    for g in range(first, end):
        game = games[g]
        if not 0 <= game.course < limits.shape[0]:
            return g
        last, num_flags = int(limits[game.course, 0]), int(limits[game.course, 1])
        row, words = bytes_of_all[g * SIZE : (g + 1) * SIZE], words_of_all[g * SIZE // 2 : (g + 1) * SIZE // 2]
        if fixed_outside(row, words, last, whole):
            return g
        found = bytes_outside(row, DECK, DECK, (game.deck_left + BLOCK - 1) // BLOCK * BLOCK)
        found |= bytes_outside(row, DISCARDS, DISCARDS, (game.discards_left + BLOCK - 1) // BLOCK * BLOCK)
        for i in range(game.num_robots):
            found |= robot_outside(row, words, ROBOTS + i * ROBOT_SIZE, last, whole)
        if whole:
            if game.num_bodies > BIG_ONE_BODY:
                found |= robot_outside(row, words, ROBOTS + BIG_ONE_BODY * ROBOT_SIZE, last, whole)
            for i in range(game.num_devices):
                place = DEVICES + i * DEVICE_SIZE
                found |= bytes_outside(row, place, DEVICES, DEVICE_SIZE)
                found |= words_outside(words, place, DEVICE_WORDS, DEVICE_WORDS.shape[0], last)
        if found or broken_relation(game, num_flags, whole) >= 0:
            return g
    return -1


@kernel
def relation_of(games: Array, limits: Array, whole: bool) -> int:
    """Return `broken_relation` of the first game of a batch."""
    return broken_relation(games[0], int(limits[games[0].course, 1]), whole)


def find_unfit(games: Array, limits: Array, whole: bool = True, threads: int = 1) -> Violation | None:
    """Find the first game with a number that is out of range or does not fit the others, and describe the number.

    Args:
        games: Shape (n,), dtype `GAME`; unchanged.
        limits: The limits of each course (`rr_gym.rules.arena.ranges.course_limits`).
        whole: Whether to check everything; if False, only fields that are used without option cards and elements.
        threads: How many threads share the batch.

    Returns:
        The game, and a message with the field, the value and what was expected; None if all games can be played.
    """
    numbers: Iterable[int] = range(len(games))
    in_one_piece = games if games.flags.c_contiguous else np.ascontiguousarray(games)
    if COMPILED:
        found: list[int] = []

        def look(begin: int, end: int) -> None:
            if (wrong := first_unfit(in_one_piece, limits, whole, begin, end)) >= 0:
                found.append(wrong)

        in_parts(look, len(games), threads)
        numbers = [min(found)] if found else ()
    for number in numbers:
        game = in_one_piece[number : number + 1]
        for problem in find_out_of_range(game, limits):
            return Violation(number, problem.text)
        if (code := relation_of(game, limits, whole)) >= 0:
            return Violation(number, relation_text(game, limits, code))
    return None


def check_games(games: Array, limits: Array, error: type[RoboRallyError], whole: bool = True, threads: int = 1) -> None:
    """Raise an error if a game has a number that is out of range or does not fit the others; see `find_unfit`.

    Raises:
        RoboRallyError: Of the class `error`. It names the first game, its field, the value and what was expected.
    """
    if unfit := find_unfit(games, limits, whole, threads):
        raise error(f"games: game {unfit.game}: {unfit.text}")
