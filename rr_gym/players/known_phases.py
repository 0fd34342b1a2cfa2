"""What the phases of a lone robot lead to: each is played by the rules once, and known from then on.

Programs are tried as types of cards. Where a type of card brings a lone robot depends on little: where it stands, how
damaged it is, what has become of the board. `state_key` makes one word of all that. What a type of card leads to from
such a state is remembered across programs, turns and games, so that most of a search goes from number to number. What
is not known yet is played, from the last game on the way that has been played.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.kernels import kernel, with_expansions
from rr_gym.players.lone_states import BASE_COPIED, COPIED, is_open, leads_there, state_key, turn_key
from rr_gym.players.outcomes import OUTCOME, write_outcome
from rr_gym.records import Array as RecordArray
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.distances import BLANK, isolate
from rr_gym.rules.robot.health import NUM_LOCKED
from rr_gym.rules.state.cards import CARD_TYPE, FIRST_MOVEMENT
from rr_gym.rules.state.chance import mix
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, HAND_SLOTS, MAX_ROBOTS, NUM_REGISTERS, ON
from rr_gym.rules.state.records import GAME, Game, Log, Orders, no_orders
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.turn import register_phase

Array = np.ndarray[Any, Any]

MOST_STATES = 1 << 19  # known of a course at a time
_MOST_NEW = MOST_STATES // 4  # there is room for so many before a search begins
_PLACES = 2 * MOST_STATES  # of the hash table
NUM_KINDS = len(CARD_TYPE_NAMES)
MOST_PROGRAMS = NUM_KINDS**NUM_REGISTERS  # of types of cards
SLOT_BITS = 4  # of a packed program, for each register
LOCKED_SLOT = 15  # in a packed program: a register that has its card
RANDOM_CARDS = -1  # no program can be tried
UNKNOWN = -1  # no state: what it leads to is played each time
_CARDS = (1 << HAND_SLOTS) - 1
_LOWEST = np.array([0, *((mask & -mask).bit_length() - 1 for mask in range(1, _CARDS + 1))], np.int8)


class KnownPhases(NamedTuple):
    """What is known of a course, and the memory of one search; kernels take it as it is.

    A state is a number. The arrays are written by one search at a time.

    Attributes:
        counts: int64, (2,): how many states there are, and how many phases have been played.
        places: int32, a hash table: state + 1, 0 where there is none.
        keys: uint64, by state: what it was found by.
        after: int32, (states, 8): state + 1 after the next phase, by type of card (0: none); 0 if that is not known.
        outcomes: Outcomes of states after the last phase, without programs; `phases` is 0 where one is not known. Then
            room for those of `UNKNOWN` states.
        games: Shape (6,), dtype `GAME`: the game before the turn, and after each phase.
        words: uint64, (6, words): the same memory.
        orders: Shape (8,), dtype `FULL_ORDERS`: all defaults, besides programs and facings.
        ends: int32, by program that was tried: the state, or the row of `outcomes`, in which it ends.
        programs: int32, likewise: the slots of its cards in the hand, packed.
        ties: int64, room for choices that are equally good.
    """

    counts: Array
    places: Array
    keys: Array
    after: Array
    outcomes: Array
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
        places=np.zeros(_PLACES, np.int32),
        keys=np.zeros(MOST_STATES, np.uint64),
        after=np.zeros((MOST_STATES, NUM_KINDS), np.int32),
        outcomes=np.zeros(MOST_STATES + MOST_PROGRAMS, OUTCOME),
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
    return state


@kernel
def state_of(known: KnownPhases, depth: int, table: Table, key: np.uint64) -> int:
    """The state of a game after so many phases, `UNKNOWN` where more than that matters."""
    game = known.games[depth]
    if is_open(game, table):
        return UNKNOWN
    return int(find_state(known, mix(state_key(game, known.words[depth], table, key))))


# Games


@kernel
def base_copy_on(known: KnownPhases, table: Table, depth: int) -> None:
    """What the base game changes."""
    words = known.words
    for k in BASE_COPIED:
        words[depth + 1, k] = words[depth, k]


@with_expansions(base_copy_on)
def copy_on(known: KnownPhases, table: Table, depth: int) -> None:
    """The game before a phase becomes the one that the phase is played on."""
    game, words = known.games[depth], known.words
    beyond = known.games[depth + 1]
    if game.num_devices or game.num_bodies > 1 or beyond.num_bodies > 1 or game.discards_left or game.deck_left:
        for k in range(words.shape[1]):
            words[depth + 1, k] = words[depth, k]
    else:
        for k in COPIED:
            words[depth + 1, k] = words[depth, k]


@kernel
def play_on(known: KnownPhases, table: Table, log: Log, cards: Array, depth: int) -> None:
    """Play the phase after so many others, with its card; that of a locked register is where it belongs."""
    copy_on(known, table, depth)
    game = known.games[depth + 1]
    if cards[depth]:
        game.robots[0].registers[depth] = cards[depth]
    if not game.over:
        game.phase = depth + 1
        register_phase(game, table, log)
        known.counts[1] += 1


@kernel
def begin_turn(known: KnownPhases, table: Table, log: Log, game: Game, seat: int, facing: int) -> int:
    """Put the seat's robot alone on the floor and program it; a facing of -1 is its own. Writes `games[0]`.

    Returns its locked registers, all of them if it has no cards; `RANDOM_CARDS` for fewer cards than open registers.
    """
    first = known.games[0]
    isolate(game, seat, known.games)
    robot = first.robots[0]
    cards = 0
    for slot in range(HAND_SLOTS):
        cards += robot.hand[slot] > 0
    kept = int(robot.locked) if cards and robot.alive and not robot.down else (1 << NUM_REGISTERS) - 1
    if cards < NUM_REGISTERS - NUM_LOCKED[kept]:
        return RANDOM_CARDS
    # With some program ordered, no random card is drawn, as with every program that is tried.
    slot = 0
    for i in range(MAX_ROBOTS):
        known.orders[i].facing = facing
    for r in range(NUM_REGISTERS):
        known.orders[0].program[r] = 0
        if not kept >> r & 1:
            known.orders[0].program[r] = robot.hand[slot]
            slot += 1
    program(known.games[0], table, known.orders, log)
    if known.counts[0] == 0:
        for depth in range(NUM_REGISTERS):
            known.games[depth + 1] = known.games[0]  # what stays in all games on the course
    return kept


@kernel
def try_programs_alone(known: KnownPhases, table: Table, log: Log, game: Game, seat: int, facing: int) -> int:
    """Try all programs of types of cards for a lone robot, with the highest card of each type.

    Args:
        known: `ends` and `programs` are written.
        table: The course.
        log: One that is off.
        game: Between the deal and the orders; only what the seat sees matters.
        seat: Whose programs are tried.
        facing: The one that it chooses, -1 for none.

    Returns:
        The number of programs; none for fewer cards than registers, since the rest is random. Of each, the row of
        `outcomes` stands in `ends`.
    """
    if known.counts[0] > MOST_STATES - _MOST_NEW:
        known.places[:] = 0
        known.counts[0] = 0
    kept = begin_turn(known, table, log, game, seat, facing)
    if kept == RANDOM_CARDS:
        return 0
    hand = game.robots[seat].hand
    kinds = np.zeros(HAND_SLOTS, np.int64)
    follows = np.zeros(HAND_SLOTS, np.int64)  # the bit of the next card of the same type
    left = np.zeros(NUM_REGISTERS + 1, np.int64)  # the slots of the cards that come next, one of each type
    untried = np.zeros(NUM_REGISTERS + 1, np.int64)
    state = np.zeros(NUM_REGISTERS + 1, np.int64)
    cards = np.zeros(NUM_REGISTERS, np.int64)
    last = np.full(NUM_KINDS, -1, np.int64)
    moves = 0
    for slot in range(HAND_SLOTS):
        card = int(hand[slot])
        if card:
            kind = int(CARD_TYPE[card])
            kinds[slot] = kind
            moves |= (1 << slot) * (card >= FIRST_MOVEMENT)
            if last[kind] >= 0:
                follows[last[kind]] = 1 << slot
            else:
                left[0] |= 1 << slot
            last[kind] = slot
    key = turn_key(game, table, facing)
    state[0] = state_of(known, 0, table, key)
    untried[0] = 1 if kept & 1 else left[0]
    if table.settings.first_card_moves == ON and game.turn == 0 and not kept & 1:
        untried[0] &= moves
    count, depth, played = 0, 0, 0
    packed = 0
    while depth >= 0:
        if untried[depth] == 0:
            depth -= 1
            continue
        rest = left[depth]
        packed &= (1 << SLOT_BITS * depth) - 1
        if kept >> depth & 1:
            untried[depth] = 0
            kind = int(CARD_TYPE[known.games[0].robots[0].registers[depth]])
            cards[depth] = 0
            packed |= LOCKED_SLOT << SLOT_BITS * depth
        else:
            slot = int(_LOWEST[untried[depth]])
            untried[depth] &= untried[depth] - 1
            rest = rest ^ (1 << slot) | follows[slot]
            kind = kinds[slot]
            cards[depth] = hand[slot]
            packed |= slot << SLOT_BITS * depth
        played = min(played, depth)
        before = state[depth]
        after = known.after[before, kind] - 1 if before >= 0 else UNKNOWN
        if after < 0:
            while played <= depth:
                play_on(known, table, log, cards, played)
                played += 1
            after = state_of(known, played, table, key)
            if before >= 0 and leads_there(known.games[depth], table, known.games[depth + 1]):
                known.after[before, kind] = after + 1
        depth += 1
        if depth < NUM_REGISTERS:
            state[depth] = after
            left[depth] = rest
            untried[depth] = 1 if kept >> depth & 1 else rest
            continue
        row = after if after >= 0 else MOST_STATES + count
        if after < 0 or known.outcomes[row].phases == 0:
            while played < NUM_REGISTERS:
                play_on(known, table, log, cards, played)
                played += 1
            write_outcome(known.games[played], table, known.orders, log, 0, known.outcomes[row])
            played = NUM_REGISTERS - 1
        known.ends[count] = row
        known.programs[count] = packed
        count += 1
        depth -= 1
    return count


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
