"""Tries all programs of a lone robot: phases that are cached are looked up, the others are played by the rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.encoding.teams import flags_done
from rr_gym.forms import with_expansions
from rr_gym.rules.arena.distances import isolate
from rr_gym.rules.robot.health import NUM_LOCKED
from rr_gym.rules.state.cards import CARD_TYPE, FIRST_MOVEMENT
from rr_gym.rules.state.chance import mix
from rr_gym.rules.state.constants import HAND_SLOTS, MAX_ROBOTS, NUM_REGISTERS, ON
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.placing import distance_to_flag
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.turn import register_phase
from rr_gym.solo.carryover import (
    ADDED_BITS,
    BY_CARRYOVER,
    DESTROYED,
    carried,
    carryover_after,
    damage_of,
    ends_turn_alone,
    leads_all_there,
    touched_of,
    waits_for,
)
from rr_gym.solo.known_phases import (
    LOCKED_SLOT,
    MOST_NEW,
    MOST_STATES,
    NUM_KINDS,
    SLOT_BITS,
    UNKNOWN,
    KnownPhases,
    find_loaded_state,
    find_state,
    look_up_loaded_state,
    remember,
)
from rr_gym.solo.options import MUCH_DAMAGE, arm_may_touch, options_rest, watch_options
from rr_gym.solo.outcomes import Outcome, write_outcome
from rr_gym.solo.states import (
    BASE_COPIED,
    COPIED,
    ends_there,
    is_open,
    leads_there,
    state_key,
    turn_key,
)

Array = np.ndarray[Any, Any]

RANDOM_CARDS = -1  # cards are drawn at random, so that no program can be tried
_ADDED = (1 << ADDED_BITS) - 1
_CARDS = (1 << HAND_SLOTS) - 1
_LOWEST = np.array([0, *((mask & -mask).bit_length() - 1 for mask in range(1, _CARDS + 1))], np.int8)


# Playing


@kernel
def base_copy_on(known: KnownPhases, table: Table, depth: int) -> None:
    """Copy to the next phase the words that the base game changes."""
    words = known.words
    for k in BASE_COPIED:
        words[depth + 1, k] = words[depth, k]


@with_expansions(base_copy_on)
def copy_on(known: KnownPhases, table: Table, depth: int) -> None:
    """Copy the game before a phase to the one that the phase will be played on."""
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
    """Play the phase after `depth` others, with its card; the card of a locked register is already in place."""
    copy_on(known, table, depth)
    game = known.games[depth + 1]
    if cards[depth]:
        game.robots[0].registers[depth] = cards[depth]
    watch_options(game, table)
    if not game.over:
        game.phase = depth + 1
        register_phase(game, table, log)
        known.counts[1] += 1


@kernel
def begin_turn(known: KnownPhases, table: Table, log: Log, game: Game, seat: int, facing: int) -> int:
    """Place the seat's robot alone on the floor in `games[0]` and program it; with a facing of -1 it keeps its own.

    Returns the mask of its locked registers, with all bits set if it has no cards; `RANDOM_CARDS` if it has fewer cards
    than open registers.
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
            known.games[depth + 1] = known.games[0]  # what is the same in all games on the course
    return kept


@kernel
def state_of(known: KnownPhases, depth: int, table: Table, key: np.uint64, carryover: int) -> int:
    """Return the state of a game after `depth` phases, given its carryover; `UNKNOWN` if more than that matters."""
    game = known.games[depth]
    if is_open(game, table):
        return UNKNOWN
    return int(find_state(known, mix(state_key(game, known.words[depth], table, key, carryover))))


# Outcomes


@kernel
def flags_stay(one: Game, other: Game) -> bool:
    """Tell whether all flags are on the same squares in both games."""
    for k in range(one.flag_squares.size):
        if one.flag_squares[k] != other.flag_squares[k]:
            return False
    return True


@kernel
def fit(outcome: Outcome, game: Game, table: Table, carryover: int) -> None:
    """Adapt a cached outcome to a robot with a carryover that touches nothing in this turn.

    `game` is the game before the turn.
    """
    goal = goal_of(game, table, 0)
    outcome.damage = damage_of(carryover)
    outcome.flag = flags_done(game, table, 0)
    outcome.goal = goal
    outcome.steps = distance_to_flag(game, table, outcome.square, goal)


@kernel
def fitted(
    outcomes: Array, fits: Array, game: Game, table: Table, search: int, state: int, carryover: int, row: int
) -> int:
    """Return the row of a state's outcome, adapted to a carryover.

    It is the row of the state itself or, if that was already adapted to another damage in this search, a copy in `row`.
    """
    if fits[state] != search:
        fits[state] = search
        fit(outcomes[state], game, table, carryover)
    elif outcomes[state].damage != damage_of(carryover):
        outcomes[row] = outcomes[state]
        outcomes[row].damage = damage_of(carryover)
        return row
    return state


@kernel
def find_outcome(
    known: KnownPhases, table: Table, log: Log, cards: Array, played: int, state: int, carryover: int, alike: bool,
    row: int,
) -> tuple[int, int]:  # fmt: skip
    """Return the outcome after the last phase, played by the rules if it is not cached.

    Args:
        known: The cache, with the games that have been played.
        table: The course.
        log: A log that is off.
        cards: The cards of the program.
        played: How many of its phases have been played.
        state: The state after the last phase.
        carryover: What is carried then.
        alike: Whether that is what was carried before the turn, except for damage.
        row: The row of `outcomes` for an outcome that can be cached for no state.

    Returns:
        The row of the outcome in `outcomes`, and how many phases have been played now.
    """
    fits = int(known.fits[state]) if state >= 0 and alike else BY_CARRYOVER
    if fits > 0:
        search = int(known.search[0])
        return int(fitted(known.outcomes, known.fits, known.games[0], table, search, state, carryover, row)), played
    new = fits == 0
    place = row
    if state >= 0 and not new:
        found = state if carryover == 0 else int(find_loaded_state(known, state, carryover))
        if found >= 0:
            place = found
            if known.outcomes[place].phases:
                return place, played
    while played < NUM_REGISTERS:
        play_on(known, table, log, cards, played)
        played += 1
    game = known.games[NUM_REGISTERS]
    robot = game.robots[0]
    alone = new and ends_turn_alone(game, table)
    damage = int(robot.damage) if robot.alive else -1
    watch_options(game, table)
    write_outcome(game, table, known.orders, log, 0, known.outcomes[row])
    if not ends_there(damage, table, game):
        return row, played
    if new:
        unhurt = robot.destroyed == 0 and robot.damage == damage_of(carryover)
        alone = alone and unhurt and options_rest(game, table) and flags_stay(game, known.games[0])
        known.fits[state] = known.search[0] if alone else BY_CARRYOVER
        place = state if alone else int(find_loaded_state(known, state, carryover))
        if place < 0:
            return row, played
    known.outcomes[place] = known.outcomes[row]
    return place, played


# Programs


@kernel
def try_programs_alone(known: KnownPhases, table: Table, log: Log, game: Game, seat: int, facing: int) -> int:
    """Try all programs of card types for a lone robot, each with the highest cards of its types.

    Args:
        known: The cache; `ends` and `programs` are written.
        table: The course.
        log: A log that is off.
        game: Between the deal and the orders; only what the seat sees is read.
        seat: The seat whose programs are tried.
        facing: The facing that it chooses, -1 for none.

    Returns:
        The number of programs, for each of which `ends` has the row of its outcome in `outcomes`; 0 if there are fewer
        cards than registers, since the rest is random.
    """
    if known.counts[0] > MOST_STATES - MOST_NEW:
        known.places[:] = 0
        known.counts[0] = 0
    search = int(known.search[0]) + 1
    known.search[0] = search
    kept = begin_turn(known, table, log, game, seat, facing)
    if kept == RANDOM_CARDS:
        return 0
    hand = game.robots[seat].hand
    kinds = np.zeros(HAND_SLOTS, np.int64)
    follows = np.zeros(HAND_SLOTS, np.int64)  # the bit of the next card of the same type
    left = np.zeros(NUM_REGISTERS + 1, np.int64)  # the slots of the cards that come next, one of each type
    untried = np.zeros(NUM_REGISTERS + 1, np.int64)
    state = np.zeros(NUM_REGISTERS + 1, np.int64)
    carryover = np.zeros(NUM_REGISTERS + 1, np.int64)
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
    key = turn_key(known.games[0], known.words[0], table, facing)
    carryover[0] = carried(known.games[0], table)
    touched = int(touched_of(carryover[0]))
    state[0] = state_of(known, 0, table, key, carryover[0])
    untried[0] = 1 if kept & 1 else left[0]
    if table.settings.first_card_moves == ON and game.turn == 0 and not kept & 1:
        untried[0] &= moves
    count, depth, played = 0, 0, 0
    packed = 0
    while depth >= 0:
        if untried[depth] == 0:
            depth -= 1
            continue
        packed &= (1 << SLOT_BITS * depth) - 1
        before, carryover_before = state[depth], carryover[depth]
        if depth == NUM_REGISTERS - 1 and before >= 0 and not kept >> depth & 1:
            # Most programs end here, all cached. This is inlined, since passing `known` to a function is slow.
            alike = carryover_before != 0 and touched_of(carryover_before) == touched
            waits = int(waits_for(carryover_before))
            while untried[depth]:
                slot = int(_LOWEST[untried[depth]])
                to = int(known.after[before, kinds[slot]])
                points = to & DESTROYED
                if to <= 0 or to & waits or points == DESTROYED or damage_of(carryover_before) + points >= MUCH_DAMAGE:
                    break
                then = carryover_before + points
                place = (to >> ADDED_BITS) - 1
                if alike:
                    if known.fits[place] <= 0:
                        break
                    row = MOST_STATES + count
                    place = fitted(known.outcomes, known.fits, known.games[0], table, search, place, then, row)
                else:
                    if then != 0:
                        after = place
                        place = int(known.latest[after])
                        if known.states[place] != after or known.carried[place] != then:
                            break
                    if known.outcomes[place].phases == 0:
                        break
                untried[depth] &= untried[depth] - 1
                known.ends[count] = place
                known.programs[count] = packed | slot << SLOT_BITS * depth
                count += 1
            if untried[depth] == 0:
                depth -= 1
                continue
        rest = left[depth]
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
        after, then = UNKNOWN, 0
        if before >= 0:
            to = int(known.after[before, kind])
            if to > 0:
                then = int(carryover_after(carryover_before, to & _ADDED))
                after = (to >> ADDED_BITS) - 1 if then != BY_CARRYOVER else UNKNOWN
            if after < 0 and to != 0:
                to = int(look_up_loaded_state(known, before, carryover_before, kind))
                if to >= 0:
                    after, then = int(known.states[to]), int(known.carried[to])
        if after < 0:
            while played <= depth:
                play_on(known, table, log, cards, played)
                played += 1
            now = known.games[played]
            then = carried(now, table)
            after = state_of(known, played, table, key, then)
            if before >= 0 and after >= 0 and leads_there(known.games[depth], table, now):
                for_all = then == 0 or leads_all_there(known.games[depth], table, now)
                reach = for_all and arm_may_touch(now, table)
                remember(known, before, carryover_before, kind, after, then, for_all, reach)
        depth += 1
        if depth < NUM_REGISTERS:
            state[depth] = after
            carryover[depth] = then
            left[depth] = rest
            untried[depth] = 1 if kept >> depth & 1 else rest
            continue
        alike = then != 0 and touched_of(then) == touched
        place, played = find_outcome(known, table, log, cards, played, after, then, alike, MOST_STATES + count)
        played = min(played, NUM_REGISTERS - 1)
        known.ends[count] = place
        known.programs[count] = packed
        count += 1
        depth -= 1
    return count
