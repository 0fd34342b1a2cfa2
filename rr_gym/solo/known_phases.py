"""A cache of the phases of a lone robot: each is played by the rules once and looked up from then on.

Programs are tried as types of cards. Where a type of card brings a lone robot depends on little: its position, its
damage, and changes of the board. `state_key` hashes all that into one word. The result of a type of card in a state is
cached across programs, turns and games, so that most of a search only follows indices. A phase that is not cached is
played, from the last game on the way that has been played.

A robot that is whole carries its damage, flags, archive and lives from state to state (`carried`): the cache holds what
a phase adds to this carryover. Where more depends on it, a phase or the end of a turn is cached for a *loaded state*: a
state together with a carryover.
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

MOST_STATES = 1 << 19  # cached for a course at a time
MOST_NEW = MOST_STATES // 4  # a search begins with room for at least this many
_PLACES = 2 * MOST_STATES  # size of the hash table
NUM_KINDS = len(CARD_TYPE_NAMES)
MOST_PROGRAMS = 4 * NUM_KINDS**NUM_REGISTERS  # facings and sequences of card types
STATES, PLAYED, SEARCH, OUTCOMES = range(4)  # of `KnownPhases.counts`
CARD_BITS = 8  # of a packed program
UNKNOWN = -1  # not cached: what follows is played each time


class KnownState(Record):
    """A state of a lone robot, or a loaded state, with all that is known of it."""

    key: u8  # in the hash table
    carried: i8  # of a loaded state: its carryover
    state: i4  # of a loaded state: its state; `UNKNOWN` for states themselves
    outcome: Outcome  # after the last phase, without a program; `phases` is 0 if it is not known
    by_carryover: u1  # of a state: whether its outcome depends on more of the carryover than on damage
    row: i4  # where the outcome was written last,
    search: i8  # and in which search
    # By type of card (0: none). Of a state: the state + 1 after the next phase and, in the lowest bits, what the phase
    # adds to the carryover; 0 if that is not known, or `BY_CARRYOVER`. Of a loaded state: the next loaded state + 1.
    after: RecordArray[i4] = shape(NUM_KINDS)


KNOWN_STATE = KnownState.dtype


class KnownPhases(NamedTuple):
    """The cached phases of a course, and the memory of one search, in the form that kernels take.

    States and loaded states share one numbering. The arrays are written by one search at a time.

    Attributes:
        counts: int64, (4,): how many states and loaded states there are, how many phases have been played, the number
            of the search, and how many outcomes it has.
        places: int32, a hash table: state + 1, 0 for an empty place.
        states: dtype `KNOWN_STATE`.
        games: Shape (6,), dtype `GAME`: the game before the turn, and after each phase.
        words: uint64, (6, words): the memory of `games` as words.
        orders: Shape (8,), dtype `FULL_ORDERS`: all defaults, besides programs and facings.
        outcomes: dtype `OUTCOME`: those of the last search, without programs. Programs may share one.
        ends: int32: by program that has been tried: the row of its outcome.
        programs: int64: its cards, with `CARD_BITS` bits for each.
        facings: int8: the facing chosen before it, -1 for none.
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
    """Make an empty cache. The operating system provides its memory as states are added."""
    games = np.zeros(NUM_REGISTERS + 1, GAME)
    games[:] = BLANK[0]
    states: Any = np.zeros(MOST_STATES, KNOWN_STATE)
    outcomes: Any = np.zeros(MOST_PROGRAMS, OUTCOME)
    return KnownPhases(
        counts=np.zeros(4, np.int64),
        places=np.zeros(_PLACES, np.int32),
        states=states,
        games=games,
        words=games.view(np.uint64).reshape(len(games), -1),
        orders=no_orders(MAX_ROBOTS, full=True),
        outcomes=outcomes,
        ends=np.zeros(MOST_PROGRAMS, np.int32),
        programs=np.zeros(MOST_PROGRAMS, np.int64),
        facings=np.zeros(MOST_PROGRAMS, np.int8),
        values=np.zeros(MOST_PROGRAMS, np.int64),
        ties=np.zeros(MOST_PROGRAMS, np.int64),
    )


@kernel
def find_state(known: KnownPhases, key: np.uint64) -> int:
    """Return the state with a key, which is added if it is new; `UNKNOWN` if the cache is full."""
    place = np.int64(key & np.uint64(_PLACES - 1))
    while known.places[place]:
        state = known.places[place] - 1
        if known.states[state].key == key:
            return int(state)
        place = (place + 1) & (_PLACES - 1)
    state = int(known.counts[STATES])
    if state == MOST_STATES:
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
    """Return the loaded state of a state and a carryover, added if new; `UNKNOWN` if the cache is full."""
    key: np.uint64 = mix(known.states[state].key + GOLDEN * np.uint64(carryover))
    found = int(find_state(known, key))
    if found >= 0:
        known.states[found].state = state
        known.states[found].carried = carryover
    return found


@kernel
def look_up_phase(states: RecordArray[KnownState], state: int, carryover: int, kind: int) -> tuple[int, int]:
    """Return the state and the carryover after a type of card; `UNKNOWN` if it is not known for all carryovers.

    This takes the states alone, since passing all of `KnownPhases` is slow.
    """
    to = int(states[state].after[kind])
    then = carryover_after(carryover, to & ADDED) if to > 0 else BY_CARRYOVER
    return ((to >> ADDED_BITS) - 1, int(then)) if then != BY_CARRYOVER else (UNKNOWN, 0)


@kernel
def look_up_loaded_phase(known: KnownPhases, state: int, carryover: int, kind: int) -> tuple[int, int]:
    """Return the state and the carryover after a type of card; `UNKNOWN` if it is not known for this carryover."""
    if known.states[state].after[kind] != 0:
        here = int(find_loaded_state(known, state, carryover))
        to = int(known.states[here].after[kind]) - 1 if here >= 0 else UNKNOWN
        if to >= 0:
            return int(known.states[to].state), int(known.states[to].carried)
    return UNKNOWN, 0


@kernel
def remember_phase(
    known: KnownPhases, state: int, carryover: int, kind: int, after: int, then: int, for_all: bool, reach: bool
) -> None:
    """Cache that a phase leads from a state and a carryover to others.

    `for_all` tells that the phase leads to the same state from any carryover, provided that it adds no more than damage
    or a lost life and that no carried option reacts to this. `reach` tells that the robot ends within an arm's reach of
    something it can touch.
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

_KEPT = 16  # courses of an arena
_lock = threading.Lock()
# Caches that no search uses, by course, the last used last
_free: WeakKeyDictionary[Arena, dict[int, list[KnownPhases]]] = WeakKeyDictionary()


@contextmanager
def known_phases(arena: Arena, course: int) -> Iterator[KnownPhases]:
    """Lend the cache of a course to one search at a time; a concurrent search gets a cache of its own."""
    with _lock:
        of_arena = _free.setdefault(arena, {})
        free = of_arena[course] = of_arena.pop(course, [])
        if len(of_arena) > _KEPT:
            del of_arena[next(iter(of_arena))]
        known = free.pop() if free else empty_cache()
    try:
        yield known
    finally:
        free.append(known)
