"""A cache of a lone robot's phases: each is played by the rules once and looked up afterwards.

Programs are tried as sequences of card types. The result of a card type depends on little: the robot's position, its
damage, and changes of the board. `state_key` hashes all of that to one 64-bit word, the state. The result of each card
type in each state is cached across programs, turns and games, so that most of a search only follows indices. A phase
that is not in the cache is played by the rules.

Damage, flags, archive and lives are usually not part of the state but of the robot's carryover
(`rr_gym.solo.carryover`), and the cache stores what a phase adds to it. Where a phase or the end of a turn depends on
the carryover, it is cached for a *loaded state*: a state together with a carryover.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.compilation.records import Record, i4, i8, shape, u1, u8
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.chance import GOLDEN, mix
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GAME, OrdersRecord, no_orders
from rr_gym.solo.carryover import (
    ADDED,
    ADDED_BITS,
    BY_CARRYOVER,
    DESTROYED,
    WITHIN_REACH,
    after_destruction,
    carryover_after,
)
from rr_gym.solo.distances import BLANK
from rr_gym.solo.outcomes import OUTCOME, Outcome

Array = np.ndarray[Any, Any]

MAX_STATES = 1 << 19  # maximum number of cached states of a course
MIN_FREE = MAX_STATES // 4  # the cache is emptied before a search if it has room for fewer states than this
_PLACES = 2 * MAX_STATES  # size of the hash table
NUM_KINDS = len(CARD_TYPE_NAMES)
MAX_PROGRAMS = 4 * NUM_KINDS**NUM_REGISTERS  # facings and sequences of card types
STATES, PLAYED, SEARCH, OUTCOMES = range(4)  # indices of `KnownPhases.counts`
CARD_BITS = 8  # bits of each card in a packed program
UNKNOWN = -1  # not in the cache, so that phases from here on are played by the rules


class KnownState(Record):
    """An entry of the cache: a state, or a loaded state, with all known results."""

    key: u8  # hash by which it is found
    carryover: i8  # of a loaded state
    state: i4  # of a loaded state: the index of its state; `UNKNOWN` for a plain state
    outcome: Outcome  # after the last phase: the turn's outcome without the program; `phases` is 0 if unknown
    by_carryover: u1  # of a plain state: whether its outcome depends on more of the carryover than damage
    row: i4  # index in `KnownPhases.outcomes` where its outcome was last written,
    search: i8  # and the number of the search that wrote it
    # By type of card (0: none). Of a plain state: 0 if unknown, `BY_CARRYOVER`, or the next state + 1, shifted left by
    # `ADDED_BITS`, plus what the phase adds to the carryover. Of a loaded state: the next loaded state + 1, 0 if
    # unknown.
    after: RecordArray[i4] = shape(NUM_KINDS)


KNOWN_STATE = KnownState.dtype


class KnownPhases(NamedTuple):
    """The cached phases of a course and the working memory of one search, in the form for kernels.

    Plain and loaded states share one numbering. Only one search at a time may use an instance.

    Attributes:
        counts: int64, (4,): the number of plain and loaded states, the number of phases played, the number of the
          search, and the number of its outcomes.
        places: int32: a hash table with open addressing; state + 1, 0 for an empty slot.
        states: dtype `KNOWN_STATE`.
        games: Shape (6,), dtype `GAME`: the game before the turn, and after each phase.
        words: uint64, (6, words): the memory of `games` as words.
        orders: Shape (8,), dtype `FULL_ORDERS`: all defaults, besides programs and facings.
        outcomes: dtype `OUTCOME`: the outcomes of the last search, without programs; several programs may share one.
        ends: int32: for each program of the search, the index of its outcome.
        programs: int64: for each program, its cards, with `CARD_BITS` bits for each.
        facings: int8: for each program, the facing chosen before it, -1 for none.
        values: int64: scratch for the values of outcomes.
        ties: int64: scratch for choices that are equally good.
    """

    counts: Array
    places: Array
    states: RecordArray[KnownState]
    games: Array
    words: Array
    orders: RecordArray[OrdersRecord]
    outcomes: RecordArray[Outcome]
    ends: Array
    programs: Array
    facings: Array
    values: Array
    ties: Array


def empty_cache() -> KnownPhases:
    """Make an empty cache. The operating system provides its memory only as it is used."""
    games = np.zeros(NUM_REGISTERS + 1, GAME)
    games[:] = BLANK[0]
    states: Any = np.zeros(MAX_STATES, KNOWN_STATE)
    outcomes: Any = np.zeros(MAX_PROGRAMS, OUTCOME)
    return KnownPhases(
        counts=np.zeros(4, np.int64),
        places=np.zeros(_PLACES, np.int32),
        states=states,
        games=games,
        words=games.view(np.uint64).reshape(len(games), -1),
        orders=no_orders(MAX_ROBOTS, full=True),
        outcomes=outcomes,
        ends=np.zeros(MAX_PROGRAMS, np.int32),
        programs=np.zeros(MAX_PROGRAMS, np.int64),
        facings=np.zeros(MAX_PROGRAMS, np.int8),
        values=np.zeros(MAX_PROGRAMS, np.int64),
        ties=np.zeros(MAX_PROGRAMS, np.int64),
    )


@kernel
def find_state(known: KnownPhases, key: np.uint64) -> int:
    """Return the index of the state with a key, adding it if it is new; `UNKNOWN` if the cache is full."""
    place = np.int64(key & np.uint64(_PLACES - 1))
    while known.places[place]:
        state = known.places[place] - 1
        if known.states[state].key == key:
            return int(state)
        place = (place + 1) & (_PLACES - 1)
    state = int(known.counts[STATES])
    if state == MAX_STATES:
        return UNKNOWN
    known.counts[STATES] = state + 1
    known.places[place] = state + 1
    new = known.states[state]
    new.key = key
    new.state = UNKNOWN
    new.after[:] = 0
    new.outcome.phases = 0
    new.by_carryover = False
    new.search = 0
    return state


@kernel
def find_loaded_state(known: KnownPhases, state: int, carryover: int) -> int:
    """Return the index of a loaded state, adding it if it is new; `UNKNOWN` if the cache is full."""
    key: np.uint64 = mix(known.states[state].key + GOLDEN * np.uint64(carryover))
    found = int(find_state(known, key))
    if found >= 0:
        known.states[found].state = state
        known.states[found].carryover = carryover
    return found


@kernel
def look_up_phase(states: RecordArray[KnownState], state: int, carryover: int, kind: int) -> tuple[int, int]:
    """Return the state and carryover after a type of card; `UNKNOWN` if no result for all carryovers is cached.

    The kernel takes only the states, since passing all of `KnownPhases` is slow.
    """
    to = int(states[state].after[kind])
    then = carryover_after(carryover, to & ADDED) if to > 0 else BY_CARRYOVER
    return ((to >> ADDED_BITS) - 1, int(then)) if then != BY_CARRYOVER else (UNKNOWN, 0)


@kernel
def look_up_loaded_phase(known: KnownPhases, state: int, carryover: int, kind: int) -> tuple[int, int]:
    """Return the state and carryover after a type of card; `UNKNOWN` if no result for this carryover is cached."""
    if known.states[state].after[kind] != 0:
        here = int(find_loaded_state(known, state, carryover))
        to = int(known.states[here].after[kind]) - 1 if here >= 0 else UNKNOWN
        if to >= 0:
            return int(known.states[to].state), int(known.states[to].carryover)
    return UNKNOWN, 0


@kernel
def remember_phase(
    known: KnownPhases, state: int, carryover: int, kind: int, after: int, then: int, for_all: bool, reach: bool
) -> None:
    """Cache that a phase leads from a state and carryover to the state `after` and the carryover `then`.

    With `for_all`, the phase leads to the same state for every carryover, as long as it adds only damage or costs a
    life and no option in the carryover acts on that. With `reach`, the robot ends within reach of something that a
    Mechanical Arm could touch.
    """
    destroyed = carryover != 0 and then != 0 and then == after_destruction(carryover)
    added = DESTROYED if destroyed else then - carryover
    if for_all and (destroyed or 0 <= added < DESTROYED):
        added |= WITHIN_REACH * reach
        if carryover_after(carryover, added) == then:
            known.states[state].after[kind] = (after + 1) << ADDED_BITS | added
            return
    if known.states[state].after[kind] == 0:
        known.states[state].after[kind] = BY_CARRYOVER
    here, there = int(find_loaded_state(known, state, carryover)), int(find_loaded_state(known, after, then))
    if here >= 0 and there >= 0:
        known.states[here].after[kind] = there + 1


# Caches of courses

_MAX_COURSES = 16  # how many courses of an arena keep their caches
_lock = threading.Lock()
# Caches that no search is using, by course; the most recently used course comes last
_free: WeakKeyDictionary[Arena, dict[int, list[KnownPhases]]] = WeakKeyDictionary()


@contextmanager
def known_phases(arena: Arena, course: int) -> Iterator[KnownPhases]:
    """Borrow the cache of a course for one search; a concurrent search gets another cache."""
    with _lock:
        of_arena = _free.setdefault(arena, {})
        free = of_arena[course] = of_arena.pop(course, [])
        if len(of_arena) > _MAX_COURSES:
            del of_arena[next(iter(of_arena))]
        known = free.pop() if free else empty_cache()
    try:
        yield known
    finally:
        free.append(known)
