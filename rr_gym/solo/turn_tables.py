"""Expected turns: how many turns a lone robot needs, with random hands, to touch all remaining flags.

`rr_gym.solo.distances` tabulates single phases of a lone robot from all states. A turn is five of them, so the outcome
of a program follows from table lookups. Value iteration over random hands then gives the expected turns of each state:
one turn, plus the mean over hands of the best value that the hand's programs reach. All numbers are integers in units
of 1/256 turn.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.progress import waiting
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.floor.ground import stand_on
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.chance import shuffle
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, DECK_SIZE, FATAL_DAMAGE, HAND_SIZE, NUM_REGISTERS, ON
from rr_gym.rules.state.records import Log, OrdersRecord, new_log, no_orders
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sites import repair_robots
from rr_gym.solo.distances import DAMAGE_BITS, lone_start, lone_steps, num_places_of, phase_distances
from rr_gym.solo.value_iteration import TURN, hands_containing, improve, multisets, reachable_ends, touching_values

Array = np.ndarray[Any, Any]

FARTHEST = 64 * TURN  # upper limit of expected turns
# Other costs, in units of 1/256 turn
LIFE = TURN  # cost of a lost life, besides the way back
DAMAGED = np.array([0, 1, 2, 3, 4, 5, 7, 9, 12, 16, 16], np.int64) * (TURN // 16)  # damage, besides fewer cards
RETURN_DAMAGE = 2  # points of damage of robots that re-enter
STEP = TURN // 4  # cost of each square of distance if no route is known
LEVELS = (0, 2, 4)  # points of damage for which values are computed; values for others are interpolated or extrapolated
LATER_POWER_DOWN = TURN // 8  # cost of powering down one turn later
_FEWER_CARDS = TURN // 8  # the least cost of each point of damage beyond the last level
_DECKS = 6  # number of sampled decks, from each of which nine hands of nine cards are dealt
_MANY_STATES = 1600  # courses with more states get fewer sampled hands
_SWEEPS = 80  # at most this many sweeps of value iteration
_PRECISION = 1  # value iteration stops when no value changes by more
_CACHED_COURSES = 32


class ExpectedTurns(NamedTuple):
    """The tables of one course with its settings, in units of 1/256 turn, in the form for kernels.

    States are `standing_place * 4 + facing`; one more state at the end stands for a robot that has just been destroyed.
    Flags count from 0; values beyond the last flag are 0.

    Attributes:
        turns: int32, shape (10, flags + 1, states + 1), by damage, next flag and state at the start of a turn.
        down: int32, shape (flags + 1, states + 1): the same for an undamaged robot that is powered down in the coming
          turn.
        steps: int32, shape (states, 5, 8): the results of single phases; see `lone_steps`.
        flags: int64, shape (flags,): the squares of the flags.
        repaired: int8, shape (places, 10): damage after the repairs at the end of a turn, by damage before them.
        least: int32, shape (10, flags + 1, states), by damage, next flag and state before the last phase: the fewest
          expected turns, including this one and the cost of damage, with any card that does not destroy the robot.
    """

    turns: Array
    down: Array
    steps: Array
    flags: Array
    repaired: Array
    least: Array


def sample_hands(decks: int) -> Array:
    """Return a fixed sample of random hands: int8, shape (9 * decks, 9), card types.

    The nine hands of a deck have no card in common, so they represent all hands better than independent hands.
    """
    hands = []
    word = np.uint64(1)
    for _ in range(decks):
        deck = np.arange(1, DECK_SIZE + 1)
        word = np.uint64(shuffle(deck, DECK_SIZE, word))
        hands.append(CARD_TYPE[deck[: HAND_SIZE * 9]].reshape(9, HAND_SIZE))
    return np.concatenate(hands)


def card_counts(hands: Array) -> Array:
    """Return how many cards of each type hands have: int8, shape (hands, 8)."""
    counts: Array = (hands[:, :, None] == np.arange(len(CARD_TYPE_NAMES))).sum(axis=1)
    return counts.astype(np.int8)


def _iterate(successors: Array, counts: Array, flags: Array, distances: Array, returns: list[Array]) -> Array:
    """Compute expected turns by value iteration: int32, shape (levels of damage, flags + 1, states + 1)."""
    num_states, (num_levels, num_hands) = len(successors), counts.shape[:2]
    more, holders = multisets()[0], hands_containing(counts)
    starts, ends, hands = _all_ends(successors, more, holders)
    by_level = [_ends_of_level(starts, ends, level) for level in hands]
    turns = np.zeros((num_levels, len(flags) + 1, num_states + 1), np.int32)
    touching = np.empty((num_levels, num_states, num_hands), np.int32)
    for flag in reversed(range(len(flags))):
        to_flag = distances[flag].reshape(num_states, NUM_REGISTERS)
        touching_values(successors, more, holders, flags, to_flag, turns, flag, touching)
        order = np.argsort(to_flag[:, 0], kind="stable")
        for level, values in enumerate(turns[:, flag]):
            values[:] = FARTHEST
            best = np.minimum(touching[level] - TURN, FARTHEST)
            taken = np.full(len(by_level[level][1]), FARTHEST, np.int32)
            for _ in range(_SWEEPS):
                places = values[:-1].reshape(-1, 4)[returns[flag]]
                values[-1] = min(int(places.min(axis=1).max(initial=0)) + LIFE, FARTHEST)
                if improve(values, order, *by_level[level], best, taken) <= _PRECISION:
                    break
    return turns


def _all_ends(successors: Array, more: Array, holders: Array) -> tuple[Array, Array, Array]:
    """Return `starts`, `ends` and `hands` of all programs; see `reachable_ends`."""
    num_states, num_levels = len(successors), holders.shape[1]
    starts = np.zeros(num_states + 1, np.int64)
    ends, hands = np.empty(0, np.int16), np.empty((num_levels, 0), np.uint64)
    total = num_states * 300  # enough for most courses
    while total > len(ends):
        ends, hands = np.empty(total, np.int16), np.empty((num_levels, total), np.uint64)
        total = reachable_ends(successors, more, holders, starts, ends, hands)
    return starts, ends[:total], hands[:, :total]


def _ends_of_level(starts: Array, ends: Array, hands: Array) -> tuple[Array, Array, Array]:
    """Return `starts`, `ends` and `hands` restricted to the ends that some hand of a level reaches."""
    reached = hands > 0
    before = np.concatenate([[0], reached.cumsum()])
    return before[starts], ends[reached], hands[reached]


def _return_places(table: Table, flags: Array) -> list[Array]:
    """Return by next flag the squares where a destroyed robot may re-enter.

    These are the square of the previous flag or, before the first flag, all start squares.
    """
    starts = table.course.starts[table.course.starts >= 0].astype(np.int64)
    return [flags[flag - 1 : flag] if flag else starts for flag in range(len(flags))]


def _standing_still(successors: Array) -> Array:
    """Return the state after a turn without cards, by the state before it: int64, shape (states + 1,)."""
    still = np.concatenate([successors[:, :, 0], np.full((1, NUM_REGISTERS), -1, np.int16)]).astype(np.int64)
    state = np.arange(len(still))
    for phase in range(NUM_REGISTERS):
        state = still[state, phase]
    return state


def _by_damage(levels: Array) -> Array:
    """Extend expected turns from `LEVELS` to all points of damage, by linear interpolation and extrapolation."""
    turns = np.empty((FATAL_DAMAGE, *levels.shape[1:]), np.int32)
    for damage, values in zip(LEVELS, levels, strict=True):
        turns[damage] = values
    for damage in (1, 3):
        turns[damage] = (turns[damage - 1] + turns[damage + 1]) // 2
    last = LEVELS[-1]
    step = np.where(turns[0] > 0, np.maximum((turns[last] - turns[last - 2]) // 2, _FEWER_CARDS), 0)
    for damage in range(last + 1, FATAL_DAMAGE):
        turns[damage] = turns[last] + (damage - last) * step
    return turns


@kernel
def fill_repairs(
    games: Array, words: Array, table: Table, orders: RecordArray[OrdersRecord], log: Log, damage: Array
) -> None:
    """Write the damage after the repairs at the end of a turn, by place and damage before them: (places, 10)."""
    game = games[1]
    for place in range(damage.shape[0]):
        for points in range(damage.shape[1]):
            damage[place, points] = points
            if place < table.course.num_squares and not table.squares[place].exists:
                continue
            words[1] = words[0]
            robot = game.robots[0]
            robot.square = place
            robot.damage = points
            if stand_on(game, table, 0, place):
                repair_robots(game, table, orders, log)
                damage[place, points] = robot.damage


def repairs(table: Table) -> Array:
    """Return the damage after the repairs at the end of a turn, `ExpectedTurns.repaired`."""
    games = lone_start(table)
    words = games.view(np.uint64).reshape(2, -1)
    damage = np.zeros((num_places_of(table), FATAL_DAMAGE), np.int8)
    fill_repairs(games, words, table, no_orders(8, full=True), new_log(on=False)[0], damage)
    return damage


def fewest_turns_at_end(turns: Array, steps: Array, flags: Array, repaired: Array) -> Array:
    """Return the array `ExpectedTurns.least`."""
    least = np.zeros((FATAL_DAMAGE, len(flags) + 1, len(steps)), np.int32)
    step = steps[:, NUM_REGISTERS - 1]
    after = step >> DAMAGE_BITS
    for damage in range(FATAL_DAMAGE):
        hurt = damage + (step & (1 << DAMAGE_BITS) - 1)
        destroyed = (step < 0) | (hurt >= FATAL_DAMAGE)
        left = repaired[after >> 2, np.minimum(hurt, FATAL_DAMAGE - 1)]
        for goal in range(len(flags) + 1):
            wanted = goal + (after >> 2 == flags[goal]) if goal < len(flags) else goal
            cost = np.where((wanted > goal) & (wanted == len(flags)), 0, DAMAGED[left])
            least[damage, goal] = np.where(destroyed, FARTHEST, turns[left, wanted, after] + cost).min(axis=-1)
    return TURN + least


def phase_tables(table: Table) -> ExpectedTurns:
    """Return the tables of single phases of a course; the tables of expected turns are empty."""
    steps, repaired = lone_steps(table), repairs(table)
    flags = table.course.flag_squares[: int(table.course.num_flags)].astype(np.int64)
    turns = np.zeros((0, 0, 0), np.int32)
    return _read_only(ExpectedTurns(turns, np.zeros((0, 0), np.int32), steps, flags, repaired, turns))


def compute(table: Table) -> ExpectedTurns:
    """Compute the expected turns of a compiled course (an item of `Arena.tables`), without caching."""
    known = phase_tables(table)
    flags, steps = known.flags.copy(), known.steps  # a copy, since kernels are compiled for writable flags
    successors = (steps >> DAMAGE_BITS).astype(np.int16)  # -1 for a destroyed robot
    distances = phase_distances(table)
    decks = max(1, _DECKS * _MANY_STATES // max(_MANY_STATES, len(successors)))
    hands = sample_hands(decks)
    returns = _return_places(table, flags)
    with waiting("expected turns of the course"):
        counts = np.stack([card_counts(hands[:, : HAND_SIZE - damage]) for damage in LEVELS])
        turns = _by_damage(_iterate(successors, counts, flags, distances, returns))
    down = np.ascontiguousarray(TURN + turns[0][:, _standing_still(successors)])
    down[-1] = 0
    if table.settings.power_down == ON:
        np.minimum(turns, TURN + LATER_POWER_DOWN + turns[0], out=turns)
    least = fewest_turns_at_end(turns, steps, flags, known.repaired)
    return _read_only(known._replace(turns=turns, down=down, least=least))


def _read_only(found: ExpectedTurns) -> ExpectedTurns:
    for array in found:
        array.flags.writeable = False
    return found


_cache: OrderedDict[bytes, ExpectedTurns] = OrderedDict()
_of_arenas: WeakKeyDictionary[Arena, dict[int, ExpectedTurns]] = WeakKeyDictionary()


def expected_turns(arena: Arena, course: int = 0) -> ExpectedTurns:
    """Return the expected turns of a course of an arena; the last few courses are cached.

    A lone robot starts a turn in a state and races to its last flag; of the last turn, only the phases until it arrives
    count. Its hands are a fixed random sample from a full deck; with damage it has fewer cards. Values are computed for
    0, 2 and 4 points of damage; more damage is extrapolated, but costs at most a turn powered down. Destroyed robots
    re-enter on the previous flag, or on the worst start square, at the additional cost `LIFE`. Other robots, damage by
    the board, repairs and locked registers are ignored. Board elements that move, turn or crumble stay as at the start
    of a game, and flags count only at the end of a phase.

    Args:
        arena: The arena.
        course: The number of the course in the arena.
    """
    known = _of_arenas.setdefault(arena, {})
    if course not in known:
        key = hashlib.blake2b(arena.tables[course], digest_size=16).digest()
        if key not in _cache:
            _cache[key] = compute(arena.tables[course])
        _cache.move_to_end(key)
        if len(_cache) > _CACHED_COURSES:
            _cache.popitem(last=False)
        known[course] = _cache[key]
    return known[course]
