"""Try all programs of a lone robot: cached phases are looked up, and all others are played by the rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.encoding.teams import flags_done
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.robot.health import NUM_LOCKED
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.cards import CARD_TYPE, FIRST_MOVEMENT
from rr_gym.rules.state.chance import mix
from rr_gym.rules.state.constants import HAND_SLOTS, MAX_ROBOTS, NUM_REGISTERS, ON
from rr_gym.rules.state.records import GameRecord, Log, new_log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.placing import distance_to_flag
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.turn import register_phase
from rr_gym.solo.carryover import carryover_of, damage_of, ends_turn_alone, leads_to_one_state_for_all, touched_of
from rr_gym.solo.distances import isolate
from rr_gym.solo.known_phases import (
    CARD_BITS,
    MAX_STATES,
    MIN_FREE,
    NUM_KINDS,
    OUTCOMES,
    PLAYED,
    SEARCH,
    STATES,
    UNKNOWN,
    KnownPhases,
    KnownState,
    find_loaded_state,
    find_state,
    known_phases,
    look_up_loaded_phase,
    look_up_phase,
    remember_phase,
)
from rr_gym.solo.options import arm_may_touch, options_rest, watch_options
from rr_gym.solo.outcomes import Outcome, write_outcome
from rr_gym.solo.states import (
    ends_in_one_outcome,
    is_uncacheable,
    leads_to_one_state,
    state_key,
    turn_key,
)

Array = np.ndarray[Any, Any]

_LAST = NUM_REGISTERS - 1
RANDOM_CARDS = -1  # some cards would be drawn at random, so no program can be tried
_SILENT = new_log(on=False)[0]


# Playing


@kernel
def play_on(known: KnownPhases, table: Table, log: Log, cards: Array, depth: int) -> None:
    """Play the phase of register `depth` with its card; 0 leaves the card of a locked register in place."""
    known.words[depth + 1] = known.words[depth]
    game = known.games[depth + 1]
    if cards[depth]:
        game.robots[0].registers[depth] = cards[depth]
    watch_options(game, table)
    if not game.over:
        game.phase = depth + 1
        register_phase(game, table, log)
        known.counts[PLAYED] += 1


@kernel
def begin_turn(known: KnownPhases, table: Table, log: Log, game: GameRecord, seat: int, facing: int) -> int:
    """Isolate the seat's robot in `games[0]` and program it; with the facing -1 it keeps its own.

    Return the mask of its locked registers, all bits if it has no cards; `RANDOM_CARDS` if it has fewer cards than open
    registers.
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
    # Order an arbitrary program, so that no random cards are drawn; the search tries only complete programs.
    slot = 0
    for i in range(MAX_ROBOTS):
        known.orders[i].facing = facing
    for r in range(NUM_REGISTERS):
        known.orders[0].program[r] = 0
        if not kept >> r & 1:
            known.orders[0].program[r] = robot.hand[slot]
            slot += 1
    program(known.games[0], table, known.orders, log)
    return kept


@kernel
def state_of(known: KnownPhases, depth: int, table: Table, key: np.uint64, carryover: int) -> int:
    """Return the state of the game after `depth` phases, given its carryover; `UNKNOWN` if it cannot be cached."""
    game = known.games[depth]
    if is_uncacheable(game, table):
        return UNKNOWN
    return int(find_state(known, mix(state_key(game, known.words[depth], table, key, carryover))))


# Outcomes


@kernel
def look_up_outcome(
    states: RecordArray[KnownState], state: int, carryover: int, touched: int, goal: int, flag: int,
    outcomes: RecordArray[Outcome], counts: Array,
) -> int:  # fmt: skip
    """Return the index of a state's outcome; `UNKNOWN` if it is not cached for a robot with this goal and flags."""
    if state < 0 or states[state].outcome.phases == 0:
        return UNKNOWN
    here = states[state]
    damage = int(here.outcome.damage)
    if carryover:
        damage = damage_of(carryover)
        if touched_of(carryover) != touched or here.by_carryover or here.outcome.goal != goal:
            return UNKNOWN
        if here.outcome.flag != flag:
            return UNKNOWN
    if here.search != counts[SEARCH] or outcomes[here.row].damage != damage:
        here.search, here.row = counts[SEARCH], counts[OUTCOMES]
        counts[OUTCOMES] += 1
        outcomes[here.row] = here.outcome
        outcomes[here.row].damage = damage
    return int(here.row)


@kernel
def end_turn_alone(
    known: KnownPhases, table: Table, log: Log, cards: Array, played: int, state: int, carryover: int, touched: int
) -> int:
    """Write a new outcome after the last phase; the end of the turn is played by the rules if it is not cached.

    Args:
        known: The cache, with the games after the phases that have been played.
        table: The course.
        log: A log that is off.
        cards: The cards of the program.
        played: How many of its phases have been played.
        state: The state after the last phase.
        carryover: The carryover after the last phase.
        touched: `touched_of` the carryover before the turn.

    Returns:
        How many phases have been played in the end.
    """
    row, place = known.counts[OUTCOMES], state
    known.counts[OUTCOMES] += 1
    if state >= 0 and carryover:
        of_state = known.states[state]
        if touched_of(carryover) != touched or of_state.by_carryover:
            place = int(find_loaded_state(known, state, carryover))
        elif of_state.outcome.phases:
            adapt_outcome(known.games[0], table, of_state.outcome)
            known.outcomes[row] = of_state.outcome
            known.outcomes[row].damage = damage_of(carryover)
            return played
    if place >= 0 and known.states[place].outcome.phases:
        known.outcomes[row] = known.states[place].outcome
        return played
    while played < NUM_REGISTERS:
        play_on(known, table, log, cards, played)
        played += 1
    game = known.games[NUM_REGISTERS]
    robot = game.robots[0]
    alone = ends_turn_alone(game, table)
    damage = int(robot.damage) if robot.alive else -1
    watch_options(game, table)
    write_outcome(game, table, known.orders, log, 0, known.outcomes[row])
    if place < 0 or not ends_in_one_outcome(damage, table, game):
        return played
    if carryover and place == state:
        unhurt = robot.destroyed == 0 and robot.damage == damage_of(carryover)
        if not (alone and unhurt and options_rest(game, table) and flags_stay(game, known.games[0])):
            known.states[state].by_carryover = True
            place = int(find_loaded_state(known, state, carryover))
    if place >= 0:
        known.states[place].outcome = known.outcomes[row]
    return played


@kernel
def flags_stay(one: GameRecord, other: GameRecord) -> bool:
    """Tell whether all flags are on the same squares in both games."""
    for k in range(one.flag_squares.size):
        if one.flag_squares[k] != other.flag_squares[k]:
            return False
    return True


@kernel
def adapt_outcome(game: GameRecord, table: Table, outcome: Outcome) -> None:
    """Adapt a cached outcome to a robot that touches nothing in this turn, given the game before the turn."""
    goal, flag = goal_of(game, table, 0), flags_done(game, table, 0)
    if outcome.goal != goal or outcome.flag != flag:
        outcome.goal, outcome.flag = goal, flag
        outcome.steps = distance_to_flag(game, table, outcome.square, goal)


# Programs


@kernel
def try_programs_alone(known: KnownPhases, table: Table, log: Log, game: GameRecord, seat: int) -> int:
    """Try all programs of a lone robot, as sequences of card types, with every facing that it may choose.

    Args:
        known: The cache; `outcomes`, `ends`, `programs` and `facings` are written.
        table: The course.
        log: A log that is off.
        game: The game, between the deal and the orders; only what the seat sees is read.
        seat: The seat whose programs are tried.

    Returns:
        The number of programs; 0 if there are fewer cards than registers, since the rest is random.
    """
    if known.counts[STATES] > MAX_STATES - MIN_FREE:
        known.places[:] = 0
        known.counts[STATES] = 0
    known.counts[SEARCH] += 1
    known.counts[OUTCOMES] = 0
    if not game.robots[seat].may_face:
        return int(try_facing(known, table, log, game, seat, -1, 0))
    count = 0
    for facing in range(4):
        count = try_facing(known, table, log, game, seat, facing, count)
    return int(count)


@kernel
def try_known_cards(
    states: RecordArray[KnownState], state: int, carryover: int, touched: int, goal: int, flag: int, hand: Array,
    packed: int, untried: Any, outcomes: RecordArray[Outcome], counts: Array, ends: Array, programs: Array,
    count: int,
) -> tuple[int, Any]:  # fmt: skip
    """Try cards in the last register as long as their results are cached, as most are.

    `packed` holds the cards before it. Return the new number of programs, and the mask of the slots left to try.
    """
    while untried != np.uint64(0):
        card = int(hand[lowest_bit(untried)])
        after, then = look_up_phase(states, state, carryover, int(CARD_TYPE[card]))
        row = look_up_outcome(states, after, then, touched, goal, flag, outcomes, counts)
        if row == UNKNOWN:
            break
        ends[count] = row
        programs[count] = packed | card << CARD_BITS * _LAST
        count += 1
        untried = without_lowest(untried)
    return count, untried


@kernel
def try_facing(known: KnownPhases, table: Table, log: Log, game: GameRecord, seat: int, facing: int, count: int) -> int:
    """Try all programs with one facing, each with the highest cards of its types; return the new number of programs."""
    first = count
    kept = begin_turn(known, table, log, game, seat, facing)
    if kept == RANDOM_CARDS:
        return count
    hand, registers = game.robots[seat].hand, game.robots[seat].registers
    follows = np.zeros(HAND_SLOTS, np.uint64)  # by slot: the mask of the slot with the next card of the same type
    untried = np.zeros(NUM_REGISTERS, np.uint64)
    left = np.zeros(NUM_REGISTERS + 1, np.uint64)  # slots with the first unused card of each type, before each register
    state = np.zeros(NUM_REGISTERS + 1, np.int64)
    carryover = np.zeros(NUM_REGISTERS + 1, np.int64)
    cards = np.zeros(NUM_REGISTERS, np.int64)
    packed = 0  # the program so far
    states, outcomes, counts, ends, programs = known.states, known.outcomes, known.counts, known.ends, known.programs
    goal, flag = int(goal_of(known.games[0], table, 0)), int(flags_done(known.games[0], table, 0))
    left[0] = first_cards(hand, follows)
    key = turn_key(known.games[0], known.words[0], table, facing)
    carryover[0] = carryover_of(known.games[0], table)
    state[0] = state_of(known, 0, table, key, carryover[0])
    touched = int(touched_of(carryover[0]))
    untried[0] = left[0]
    if table.settings.first_card_moves == ON and game.turn == 0:
        untried[0] &= movements(hand)
    depth, played = 0, 0
    if kept & 1:
        untried[0] = np.uint64(1)
    while depth >= 0:
        if depth == _LAST and state[depth] >= 0 and not kept >> depth & 1:
            packed &= (1 << CARD_BITS * _LAST) - 1
            here, then, slots = state[depth], carryover[depth], untried[depth]
            count, untried[depth] = try_known_cards(
                states, here, then, touched, goal, flag, hand, packed, slots, outcomes, counts, ends, programs, count
            )
        if untried[depth] == np.uint64(0):
            depth -= 1
            continue
        packed &= (1 << CARD_BITS * depth) - 1
        slot = lowest_bit(untried[depth])
        untried[depth] = without_lowest(untried[depth])
        played = min(played, depth)
        left[depth + 1] = left[depth]
        if kept >> depth & 1:
            cards[depth] = 0
            card = int(registers[depth])
            kind = int(CARD_TYPE[known.games[0].robots[0].registers[depth]])
        else:
            cards[depth] = card = int(hand[slot])
            kind = int(CARD_TYPE[card])
            left[depth + 1] ^= np.uint64(1) << np.uint64(slot) | follows[slot]
        packed |= card << CARD_BITS * depth
        after, then = UNKNOWN, 0
        if state[depth] >= 0:
            after, then = look_up_phase(states, state[depth], carryover[depth], kind)
            if after < 0:
                after, then = look_up_loaded_phase(known, state[depth], carryover[depth], kind)
        if after < 0:
            while played <= depth:
                play_on(known, table, log, cards, played)
                played += 1
            then = int(carryover_of(known.games[played], table))
            after = int(state_of(known, played, table, key, then))
            if state[depth] >= 0 and after >= 0:
                note_phase(known, table, depth, state[depth], carryover[depth], kind, after, then)
        depth += 1
        if depth < NUM_REGISTERS:
            state[depth], carryover[depth] = after, then
            untried[depth] = np.uint64(1) if kept >> depth & 1 else left[depth]
            continue
        ends[count] = counts[OUTCOMES]
        played = end_turn_alone(known, table, log, cards, played, after, then, touched)
        programs[count] = packed
        count += 1
        depth -= 1
    known.facings[first:count] = facing
    return count


@kernel
def first_cards(hand: Array, follows: Array) -> np.uint64:
    """Return the mask of slots with the first card of each type; write masks of the next cards to `follows`."""
    first = np.uint64(0)
    last = np.full(NUM_KINDS, -1, np.int64)
    for slot in range(HAND_SLOTS):
        kind = int(CARD_TYPE[hand[slot]])
        if kind == 0:
            continue
        if last[kind] >= 0:
            follows[last[kind]] = np.uint64(1) << np.uint64(slot)
        else:
            first |= np.uint64(1) << np.uint64(slot)
        last[kind] = slot
    return first


@kernel
def movements(hand: Array) -> np.uint64:
    """Return the mask of slots with movement cards."""
    mask = np.uint64(0)
    for slot in range(HAND_SLOTS):
        mask |= np.uint64(hand[slot] >= FIRST_MOVEMENT) << np.uint64(slot)
    return mask


@kernel
def note_phase(
    known: KnownPhases, table: Table, depth: int, state: int, carryover: int, kind: int, after: int, then: int
) -> None:
    """Cache a played phase unless its result may differ between games of the same state."""
    before, now = known.games[depth], known.games[depth + 1]
    if leads_to_one_state(before, table, now):
        for_all = then == 0 or leads_to_one_state_for_all(before, table, now)
        remember_phase(
            known, state, carryover, kind, after, then, for_all, for_all and arm_may_touch(now, table)
        )


def lone_outcomes(arena: Arena, game: GameRecord, seat: int) -> tuple[Any, Array]:
    """Return the outcomes of all programs of a lone robot, each with the highest cards of its types.

    Args:
        arena: The arena of the game.
        game: The game, between the deal and the orders; only what the seat sees is read.
        seat: The seat whose programs are tried.

    Returns:
        Shape (n,), dtype `OUTCOME`, and int64, shape (n,): the facing chosen for each if the robot may choose it (U28),
        otherwise -1. Both are empty if there are fewer cards than open registers, since the rest would be random.
    """
    course = int(game.course)
    with known_phases(arena, course) as known:
        count = try_programs_alone(known, arena.tables[course], _SILENT, game, seat)
        outcomes = known.outcomes[known.ends[:count]]
        shifts = CARD_BITS * np.arange(NUM_REGISTERS)
        outcomes["program"] = known.programs[:count, None] >> shifts & (1 << CARD_BITS) - 1
        return outcomes, known.facings[:count].astype(np.int64)
