"""Likely orders of the other robots: programs that are good for each of them alone.

A robot chooses among programs of about the same value by random numbers drawn for it, its doubts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.bits import bytes_above, bytes_in, lowest_bit, without_lowest
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.chance import GOLDEN, mix, next_word
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, HAND_SLOTS, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import Game, Orders, Robot
from rr_gym.rules.state.table import Table
from rr_gym.solo.turn_tables import ExpectedTurns
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]

NUM_KINDS = len(CARD_TYPE_NAMES)
_CHOOSE = np.array([[math.comb(n, k) for k in range(NUM_REGISTERS + 1)] for n in range(NUM_REGISTERS + 1)], np.int64)
TYPE_BITS = 3  # per register of a packed program of card types
_SPREAD = np.array(  # the bits of a byte as the highest bits of eight
    [sum(1 << 8 * k + 7 for k in range(8) if mask >> k & 1) for mask in range(1 << NUM_KINDS)], np.uint64
)
_DOUBT = 63  # others take a program that is at most this much worse than their best
_PHASE = TURN // NUM_REGISTERS
_LAST = NUM_REGISTERS - 1
_MOST_OF_TWO = NUM_KINDS * NUM_KINDS  # more than any robot has programs for two registers
_AHEAD = 64  # numbers drawn ahead
_MOST = 4 * (NUM_KINDS - 1) ** NUM_REGISTERS + 2 * _AHEAD  # more than any robot has programs


class Doubts(NamedTuple):
    """The random numbers drawn for robots, cached because they are needed again.

    Attributes:
        words: uint64, (rows, 2): the random seed of each row, and its current random state.
        counts: int64, (rows,): how many numbers of the row have been drawn.
        drawn: uint8, (rows, numbers): from 0 to `_DOUBT`, in 1/256 of a turn.
    """

    words: Array
    counts: Array
    drawn: Array


def make_doubts(deals: int) -> Doubts:
    """Allocate the doubts of all robots on `deals` deals; numbers not yet drawn take no memory."""
    rows = deals * MAX_ROBOTS
    return Doubts(np.zeros((rows, 2), np.uint64), np.zeros(rows, np.int64), np.empty((rows, _MOST), np.uint8))


@kernel
def begin_doubts(doubts: Doubts, row: int, word: np.uint64) -> None:
    """Seed a row with a word; numbers already drawn from the same word are kept."""
    if doubts.words[row, 0] != word or doubts.counts[row] == 0:
        doubts.words[row, 0] = doubts.words[row, 1] = word
        doubts.counts[row] = 0


@kernel
def doubt_of(word: Any) -> int:
    """Return the doubt, from 0 to `_DOUBT`, that a random word (uint64) stands for."""
    return int(word >> np.uint64(32)) & _DOUBT


@kernel
def draw_doubts(doubts: Doubts, row: int, count: int) -> int:
    """Draw numbers of a row until there are at least `count`; return how many there are."""
    word = doubts.words[row, 1]
    for k in range(doubts.counts[row], count + _AHEAD):
        word = mix(next_word(word))
        doubts.drawn[row, k] = doubt_of(word)
    doubts.words[row, 1] = word
    doubts.counts[row] = count + _AHEAD
    return count + _AHEAD


@kernel
def draw_together(doubts: Doubts, rows: Array, counts: Array) -> None:
    """Draw the first numbers of the rows `rows`, (n,): at least `counts` of them, int64, (n,).

    Each number depends on the one before, which would stall the processor, so four rows are drawn side by side.
    """
    last = rows.size - 1
    for first in range(0, rows.size, 4):
        a, b = rows[first], rows[min(first + 1, last)]  # at the end some are drawn twice
        c, d = rows[min(first + 2, last)], rows[min(first + 3, last)]
        count = 0
        for k in range(first, min(first + 4, rows.size)):
            count = max(count, counts[k])
        word_a, word_b = doubts.words[a, 1], doubts.words[b, 1]
        word_c, word_d = doubts.words[c, 1], doubts.words[d, 1]
        for k in range(count):
            word_a, word_b = mix(next_word(word_a)), mix(next_word(word_b))
            word_c, word_d = mix(next_word(word_c)), mix(next_word(word_d))
            doubts.drawn[a, k] = doubt_of(word_a)
            doubts.drawn[b, k] = doubt_of(word_b)
            doubts.drawn[c, k] = doubt_of(word_c)
            doubts.drawn[d, k] = doubt_of(word_d)
        doubts.words[a, 1], doubts.words[b, 1] = word_a, word_b
        doubts.words[c, 1], doubts.words[d, 1] = word_c, word_d
        for k in range(first, min(first + 4, rows.size)):
            doubts.counts[rows[k]] = count


@kernel
def one_of(card: int) -> np.uint64:
    """Return one card of a type, as a word that counts cards with one byte per type."""
    return np.uint64(1) << np.uint64(8 * card)


@kernel
def cards_of(robot: Robot) -> np.uint64:
    """Return the cards of a hand, as a word that counts cards with one byte per type."""
    cards = np.uint64(0)
    for slot in range(HAND_SLOTS):
        card = int(CARD_TYPE[robot.hand[slot]])
        cards += one_of(card) * np.uint64(card > 0)
    return cards


@kernel
def most_programs(robot: Robot) -> int:
    """Return how many programs of card types a robot has, if none of them destroys it early."""
    cards: Any = cards_of(robot)
    opens = NUM_REGISTERS
    for r in range(NUM_REGISTERS):
        opens -= robot.locked >> r & 1
    ways = np.zeros(NUM_REGISTERS + 1, np.int64)  # with the types so far, by the number of their cards
    ways[0] = 1
    for kind in range(1, NUM_KINDS):
        held = int(cards >> np.uint64(8 * kind)) & 255
        for number in range(opens, 0, -1):
            for more in range(1, min(held, number) + 1):
                ways[number] += ways[number - more] * _CHOOSE[number, more]
    return int(ways[opens]) * (4 if robot.may_face else 1)


@kernel
def write_program(robot: Robot, kinds: Array, order: Orders) -> None:
    """Order cards of the given types, (5,), 0 for none, in the open registers, the first of each type in the hand."""
    used = 0
    for r in range(NUM_REGISTERS):
        order.program[r] = 0
        if kinds[r] and not robot.locked >> r & 1:
            for slot in range(HAND_SLOTS):
                if not used >> slot & 1 and CARD_TYPE[robot.hand[slot]] == kinds[r]:
                    order.program[r] = robot.hand[slot]
                    used |= 1 << slot
                    break


@kernel
def after_phase(known: ExpectedTurns, state: int, goal: int, register: int, card: int) -> tuple[int, int]:
    """Return the state of a lone robot after a phase, and its next flag; a destroyed robot gets the last state."""
    after = int(known.successors[state, register, card])
    if after < 0:
        return known.successors.shape[0], goal
    return after, goal + (goal < known.flags.size and after >> 2 == known.flags[goal])


@kernel
def programs_of_two(left: Any, hand: Any, held: Any, fixed: Array, fatal: int) -> int:
    """Count the programs for the last two registers.

    Args:
        left: The mask of the types that are still to be tried in the first of them.
        hand: The cards that are left before it.
        held: The mask of their types.
        fixed: uint64, (5,): for a locked register the mask of its card's type, else 0.
        fatal: Bit k: a card of type k in the first of them destroys the robot.
    """
    if fixed[_LAST]:
        return int(bytes_in(left))
    lives = left & ~_SPREAD[fatal]
    count = int(bytes_in(left & ~lives)) + int(bytes_in(lives)) * int(bytes_in(held))
    if fixed[_LAST - 1] == np.uint64(0):  # a card that is the only one of its type is not there for the second
        count -= int(bytes_in(lives & ~bytes_above(hand, 1)))
    return count


@kernel
def plan_alone(
    game: Game, table: Table, known: ExpectedTurns, seat: int, doubts: Doubts, row: int, order: Orders
) -> None:
    """Order a program that is about the best for a lone robot by expected turns; the doubts of `row` decide which one.

    Programs are searched depth first, the lowest type of card first, and each adds its own number of the row to its
    value. Cards are counted in a word with one byte per type; masks of types are the highest bits of such bytes.
    """
    robot = game.robots[seat]
    hands = np.zeros(NUM_REGISTERS, np.uint64)  # the cards left before each register
    untried = np.zeros(NUM_REGISTERS, np.uint64)  # masks of the types still to try, by register
    fixed = np.zeros(NUM_REGISTERS, np.uint64)  # masks of the card types in locked registers, else 0
    state = np.zeros(NUM_REGISTERS, np.int64)
    goal = np.zeros(NUM_REGISTERS, np.int64)
    programs = np.zeros(NUM_REGISTERS, np.int64)  # types of cards so far, packed
    hands[0] = cards_of(robot)
    for r in range(NUM_REGISTERS):
        if robot.locked >> r & 1:
            fixed[r] = one_of(int(CARD_TYPE[robot.registers[r]])) << np.uint64(7)
    drawn, flags, destroyed = doubts.drawn[row], known.flags.size, known.successors.shape[0]
    damage = min(robot.damage, known.turns.shape[0] - 1)
    values, least, least_of_two = known.turns[damage], known.least[damage, 0], known.least[damage, 1]
    first_goal = int(goal_of(game, table, seat))
    place = int(standing_place(game, table, seat))
    best, best_program = 2**30, 0
    tried, ready = 0, int(doubts.counts[row])
    for facing in range(4):
        if not robot.may_face and facing != robot.facing:
            continue
        state[0], goal[0] = place * 4 + facing, first_goal
        untried[0] = fixed[0] if fixed[0] else bytes_above(hands[0], 0)
        depth = 0
        while depth >= 0:
            left = untried[depth]
            if left == np.uint64(0):
                depth -= 1
                continue
            if tried + _MOST_OF_TWO > ready:
                ready = int(draw_doubts(doubts, row, tried + _MOST_OF_TWO))
            before, wanted, hand, program = state[depth], goal[depth], hands[depth], programs[depth]
            if depth < _LAST - 1:
                card = lowest_bit(left) >> 3
                untried[depth] = without_lowest(left)
                after, wanted = after_phase(known, before, wanted, depth, card)
                program |= card << TYPE_BITS * depth
                if after == destroyed or first_goal < wanted == flags:
                    value = int(values[wanted, after]) + _PHASE * (depth + 1) + int(drawn[tried])
                    tried += 1
                    if value < best:
                        best, best_program, order.facing = value, program, facing
                    continue
                if fixed[depth] == np.uint64(0):
                    hand -= one_of(card)
                depth += 1
                state[depth], goal[depth], hands[depth], programs[depth] = after, wanted, hand, program
                untried[depth] = fixed[depth] if fixed[depth] else bytes_above(hand, 0)
                continue
            # Two registers are left, for which `known.least` bounds the value with any cards.
            depth -= 1
            held = bytes_above(hand, 0)
            # Near the last flag programs may end early, so that their number is unknown; 0 means no bound.
            bound = int(least_of_two[wanted, before]) if wanted < flags - 1 else 0
            while left:
                if bound >= best:
                    tried += programs_of_two(left, hand, held, fixed, int(known.fatal[before]))
                    break
                card = lowest_bit(left) >> 3
                left = without_lowest(left)
                after, then = after_phase(known, before, wanted, _LAST - 1, card)
                longer = program | card << TYPE_BITS * (_LAST - 1)
                if after == destroyed or first_goal < then == flags:
                    value = int(values[then, after]) + _PHASE * _LAST + int(drawn[tried])
                    tried += 1
                    if value < best:
                        best, best_program, order.facing = value, longer, facing
                    continue
                rest = fixed[_LAST]
                if rest == np.uint64(0):
                    rest = held if fixed[_LAST - 1] else bytes_above(hand - one_of(card), 0)
                if least[then, after] >= best:
                    tried += bytes_in(rest)
                    continue
                while rest:
                    card = lowest_bit(rest) >> 3
                    rest = without_lowest(rest)
                    end, goal_at_end = after_phase(known, after, then, _LAST, card)
                    value = int(values[goal_at_end, end]) + _PHASE * NUM_REGISTERS + int(drawn[tried])
                    tried += 1
                    if value < best:
                        best, best_program, order.facing = value, longer | card << TYPE_BITS * _LAST, facing
    kinds = np.zeros(NUM_REGISTERS, np.int64)
    for r in range(NUM_REGISTERS):
        kinds[r] = best_program >> TYPE_BITS * r & NUM_KINDS - 1
    write_program(robot, kinds, order)


@kernel
def is_planned(game: Game, seat: int, robot: int) -> bool:
    """Tell whether a robot is not the seat's own and will be programmed."""
    return bool(robot != seat and game.robots[robot].alive and not game.robots[robot].down)


@kernel
def plan_others(
    games: Array, table: Table, known: ExpectedTurns, seat: int, word: np.uint64, first: int, doubts: Doubts,
    orders: Any,
) -> None:  # fmt: skip
    """Order programs for the other robots that are good for each of them alone.

    Args:
        games: (deals,), dtype `GAME`, from `redeal`.
        table: The course of the games.
        known: The expected turns of the course.
        seat: The seat to leave out.
        word: The source of randomness.
        first: The number of the first deal; each number has its own randomness.
        doubts: The doubts of some deals; this many deals are planned at a time.
        orders: (deals, 8), dtype `FULL_ORDERS`, with all defaults; written.
    """
    rows = doubts.counts.size
    fresh, counts = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    at_once = rows // MAX_ROBOTS
    for begin in range(0, games.shape[0], at_once):
        end, count = min(begin + at_once, games.shape[0]), 0
        for k in range(begin, end):
            seed: Any = mix(word + GOLDEN * np.uint64(first + k))
            for i in range(games[k].num_robots):
                if is_planned(games[k], seat, i):
                    row = ((first + k) * MAX_ROBOTS + i) % rows
                    begin_doubts(doubts, row, mix(seed + np.uint64(i + 1)))
                    if doubts.counts[row] == 0:
                        fresh[count] = row
                        counts[count] = most_programs(games[k].robots[i]) + _MOST_OF_TWO
                        count += 1
        draw_together(doubts, fresh[:count], counts)
        for k in range(begin, end):
            for i in range(games[k].num_robots):
                if is_planned(games[k], seat, i):
                    row = ((first + k) * MAX_ROBOTS + i) % rows
                    plan_alone(games[k], table, known, i, doubts, row, orders[k, i])
