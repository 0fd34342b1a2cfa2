"""What the phases of a lone robot lead to: each is played by the rules once, and known from then on.

Programs are tried as types of cards. Where a type of card brings a lone robot depends on little: where it stands, how
damaged it is, what has become of the board. `state_key` makes one word of all that. What a type of card leads to from
such a state is remembered across programs, turns and games, so that most of a search goes from number to number. What
is not known yet is played, from the last game on the way that has been played.

A robot that is whole carries its damage, flags, archive and lives from state to state (`carried`): known is what a
phase adds to them. Where more depends on them, a phase or the end of a turn is known for a *load*: a state with what is
carried.
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
from rr_gym.players.lone_loads import ADDED_BITS, BY_LOAD, DESTROYED, WITHIN_REACH, after_destruction, load_added
from rr_gym.players.outcomes import OUTCOME
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.distances import BLANK
from rr_gym.rules.state.chance import GOLDEN, mix
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GAME, Orders, no_orders

Array = np.ndarray[Any, Any]

MOST_STATES = 1 << 19  # known of a course at a time
MOST_NEW = MOST_STATES // 4  # there is room for so many before a search begins
_PLACES = 2 * MOST_STATES  # of the hash table
NUM_KINDS = len(CARD_TYPE_NAMES)
MOST_PROGRAMS = NUM_KINDS**NUM_REGISTERS  # of types of cards
SLOT_BITS = 4  # of a packed program, for each register
LOCKED_SLOT = 15  # in a packed program: a register that has its card
UNKNOWN = -1  # no state: what it leads to is played each time


class KnownPhases(NamedTuple):
    """What is known of a course, and the memory of one search; kernels take it as it is.

    A state is a number, and so is a load: a state with what a robot carries. The arrays are written by one search at a
    time.

    Attributes:
        counts: int64, (2,): how many states and loads there are, and how many phases have been played.
        search: int64, (1,): the number of the search.
        places: int32, a hash table: state + 1, 0 where there is none.
        keys: uint64, by state: what it was found by.
        after: int32, (states, 8): of a state, the state + 1 after the next phase and, in the lowest bits, what it adds
            to what is carried, by type of card (0: none); 0 if that is not known, or `BY_LOAD`. Of a load, the
            load + 1.
        states: int32, by load: its state; `UNKNOWN` for states themselves.
        carried: int64, by load: what is carried.
        latest: int32, by state: the load with it that was looked for last.
        outcomes: Outcomes of states or loads after the last phase, without programs; `phases` is 0 where one is not
            known. Then room for others.
        fits: int64, by state: the number of the search to whose robot the outcome was fitted last; 0 if it is not
            known, or `BY_LOAD`.
        games: Shape (6,), dtype `GAME`: the game before the turn, and after each phase.
        words: uint64, (6, words): the same memory.
        orders: Shape (8,), dtype `FULL_ORDERS`: all defaults, besides programs and facings.
        ends: int32, by program that was tried: the state, or the row of `outcomes`, in which it ends.
        programs: int32, likewise: the slots of its cards in the hand, packed.
        ties: int64, room for choices that are equally good.
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
    """A new one. Memory is taken as states become known."""
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
    """The state with a key, which is added if it is new; `UNKNOWN` if there is no room for it."""
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
def find_load(known: KnownPhases, state: int, load: int) -> int:
    """The number of a state with what is carried, `UNKNOWN` if there is no room for it."""
    key: np.uint64 = mix(known.keys[state] + GOLDEN * np.uint64(load))
    found = int(find_state(known, key))
    if found >= 0:
        known.states[found] = state
        known.carried[found] = load
        known.latest[state] = found
    return found


@kernel
def look_up_load(known: KnownPhases, state: int, load: int, kind: int) -> int:
    """The load after a phase with a type of card from a load, `UNKNOWN` if that is not known."""
    found = int(find_load(known, state, load))
    return int(known.after[found, kind]) - 1 if found >= 0 else UNKNOWN


@kernel
def remember(
    known: KnownPhases, state: int, load: int, kind: int, after: int, then: int, for_all: bool, reach: bool
) -> None:
    """Know that a phase leads from a state and a load to others.

    `for_all`: from whatever is carried it leads to the same state, if no more than damage is added or a life lost, and
    nothing that is carried waits for that. `reach`: it ends within an arm's reach of what is touched.
    """
    destroyed = load != 0 and then != 0 and then == after_destruction(load)
    added = DESTROYED if destroyed else then - load
    if for_all and (destroyed or 0 <= added < DESTROYED):
        added |= WITHIN_REACH * reach
        if load_added(load, added) == then:
            known.after[state, kind] = (after + 1) << ADDED_BITS | added
            return
    if known.after[state, kind] == 0:
        known.after[state, kind] = BY_LOAD
    here, there = int(find_load(known, state, load)), int(find_load(known, after, then))
    if here >= 0 and there >= 0:
        known.after[here, kind] = there + 1


# What is known of courses

_KEPT = 16  # courses
_lock = threading.RLock()
_free: OrderedDict[tuple[int, int], list[KnownPhases]] = OrderedDict()  # by arena and course, the last used last
_arenas: set[int] = set()


def _forget(arena: int) -> None:
    with _lock:
        _arenas.discard(arena)
        for key in [key for key in list(_free) if key[0] == arena]:
            _free.pop(key, None)


@contextmanager
def known_phases(arena: Arena, course: int) -> Iterator[KnownPhases]:
    """What is known of a course of an arena, for one search at a time; another thread meanwhile gets its own."""
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
