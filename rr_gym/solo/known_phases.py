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
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.distances import BLANK
from rr_gym.rules.state.chance import GOLDEN, mix
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GAME, Orders, no_orders
from rr_gym.solo.carryover import (
    ADDED_BITS,
    BY_CARRYOVER,
    DESTROYED,
    WITHIN_REACH,
    after_destruction,
    carryover_after,
)
from rr_gym.solo.outcomes import OUTCOME

Array = np.ndarray[Any, Any]

MOST_STATES = 1 << 19  # cached for a course at a time
MOST_NEW = MOST_STATES // 4  # a search begins with room for at least so many
_PLACES = 2 * MOST_STATES  # size of the hash table
NUM_KINDS = len(CARD_TYPE_NAMES)
MOST_PROGRAMS = NUM_KINDS**NUM_REGISTERS  # sequences of card types
SLOT_BITS = 4  # per register of a packed program
LOCKED_SLOT = 15  # in a packed program: a register that has its card
UNKNOWN = -1  # not cached: what follows is played each time


class KnownPhases(NamedTuple):
    """The cached phases of a course, and the scratch memory of one search, in the form that kernels take.

    States and loaded states share one numbering. The arrays are written by one search at a time.

    Attributes:
        counts: int64, (2,): the number of states and loaded states, and the number of phases played.
        search: int64, (1,): the number of the search.
        places: int32, a hash table: state + 1, 0 for an empty place.
        keys: uint64, by state: its key in the hash table.
        after: int32, (states, 8), by type of card (0: none). For a state: the state + 1 after the next phase and, in
            the lowest bits, what the phase adds to the carryover; 0 if that is not known, or `BY_CARRYOVER`. For a
            loaded state: the loaded state + 1 after the phase.
        states: int32, by loaded state: its state; `UNKNOWN` for states themselves.
        carried: int64, by loaded state: its carryover.
        latest: int32, by state: the loaded state with it that was looked up last.
        outcomes: Outcomes after the last phase, by state or loaded state, without programs; `phases` is 0 if not known.
            Followed by rows for the outcomes of a search that are cached for no state.
        fits: int64, by state: the number of the search to whose robot the outcome was adapted last; 0 if it is not
            known, or `BY_CARRYOVER`.
        games: Shape (6,), dtype `GAME`: the game before the turn, and after each phase.
        words: uint64, (6, words): the memory of `games` as words.
        orders: Shape (8,), dtype `FULL_ORDERS`: all defaults, besides programs and facings.
        ends: int32, by tried program: the state, or the row of `outcomes`, in which it ends.
        programs: int32, by tried program: the slots of its cards in the hand, packed.
        ties: int64: scratch for choices that are equally good.
    """

    counts: Array
    search: Array
    places: Array
    keys: Array
    after: Array
    states: Array
    carried: Array
    latest: Array
    outcomes: Array
    fits: Array
    games: Array
    words: Array
    orders: RecordArray[Orders]
    ends: Array
    programs: Array
    ties: Array


def nothing_known() -> KnownPhases:
    """Make an empty cache. The operating system provides its memory as states are added."""
    games = np.zeros(NUM_REGISTERS + 1, GAME)
    games[:] = BLANK[0]
    return KnownPhases(
        counts=np.zeros(2, np.int64),
        search=np.zeros(1, np.int64),
        places=np.zeros(_PLACES, np.int32),
        keys=np.zeros(MOST_STATES, np.uint64),
        after=np.zeros((MOST_STATES, NUM_KINDS), np.int32),
        states=np.zeros(MOST_STATES, np.int32),
        carried=np.zeros(MOST_STATES, np.int64),
        latest=np.zeros(MOST_STATES, np.int32),
        outcomes=np.zeros(MOST_STATES + MOST_PROGRAMS, OUTCOME),
        fits=np.zeros(MOST_STATES, np.int64),
        games=games,
        words=games.view(np.uint64).reshape(len(games), -1),
        orders=no_orders(MAX_ROBOTS, full=True),
        ends=np.zeros(MOST_PROGRAMS, np.int32),
        programs=np.zeros(MOST_PROGRAMS, np.int32),
        ties=np.zeros(4 * MOST_PROGRAMS, np.int64),
    )


@kernel
def find_state(known: KnownPhases, key: np.uint64) -> int:
    """Return the state with a key, which is added if it is new; `UNKNOWN` if the cache is full."""
    place = np.int64(key & np.uint64(_PLACES - 1))
    while known.places[place]:
        state = known.places[place] - 1
        if known.keys[state] == key:
            return int(state)
        place = (place + 1) & (_PLACES - 1)
    state = int(known.counts[0])
    if state == MOST_STATES:
        return UNKNOWN
    known.counts[0] = state + 1
    known.places[place] = state + 1
    known.keys[state] = key
    known.after[state, :] = 0
    known.outcomes[state].phases = 0
    known.fits[state] = 0
    known.states[state] = UNKNOWN
    known.latest[state] = 0
    return state


@kernel
def find_loaded_state(known: KnownPhases, state: int, carryover: int) -> int:
    """Return the loaded state of a state and a carryover, added if new; `UNKNOWN` if the cache is full."""
    key: np.uint64 = mix(known.keys[state] + GOLDEN * np.uint64(carryover))
    found = int(find_state(known, key))
    if found >= 0:
        known.states[found] = state
        known.carried[found] = carryover
        known.latest[state] = found
    return found


@kernel
def look_up_loaded_state(known: KnownPhases, state: int, carryover: int, kind: int) -> int:
    """Return the loaded state after a type of card, from a state with a carryover; `UNKNOWN` if it is not cached."""
    found = int(find_loaded_state(known, state, carryover))
    return int(known.after[found, kind]) - 1 if found >= 0 else UNKNOWN


@kernel
def remember(
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
            known.after[state, kind] = (after + 1) << ADDED_BITS | added
            return
    if known.after[state, kind] == 0:
        known.after[state, kind] = BY_CARRYOVER
    here, there = int(find_loaded_state(known, state, carryover)), int(find_loaded_state(known, after, then))
    if here >= 0 and there >= 0:
        known.after[here, kind] = there + 1


# Caches of courses

_KEPT = 16  # courses
_lock = threading.RLock()
# Caches that no search uses, by arena and course, the last used last
_free: OrderedDict[tuple[int, int], list[KnownPhases]] = OrderedDict()
_arenas: set[int] = set()


def _forget(arena: int) -> None:
    with _lock:
        _arenas.discard(arena)
        for key in [key for key in list(_free) if key[0] == arena]:
            _free.pop(key, None)


@contextmanager
def known_phases(arena: Arena, course: int) -> Iterator[KnownPhases]:
    """Lend the cache of a course to one search at a time; a concurrent search gets a cache of its own."""
    key = id(arena), course
    with _lock:
        if id(arena) not in _arenas:
            _arenas.add(id(arena))
            weakref.finalize(arena, _forget, id(arena)).atexit = False
        free = _free.setdefault(key, [])
        _free.move_to_end(key)
        if len(_free) > _KEPT:
            _free.popitem(last=False)
        known = free.pop() if free else None
    known = known or nothing_known()
    try:
        yield known
    finally:
        free.append(known)
