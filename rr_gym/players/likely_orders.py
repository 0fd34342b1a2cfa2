"""What others are likely to order: programs that are good for each of them alone.

Among programs that are about as good for it a robot chooses by numbers drawn for it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.players.iteration import TURN
from rr_gym.players.turn_tables import ExpectedTurns
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.chance import GOLDEN, mix, next_word
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, HAND_SLOTS, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import Game, Orders, Robot
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

NUM_KINDS = len(CARD_TYPE_NAMES)
LOWEST_BIT = np.array([0, *((mask & -mask).bit_length() - 1 for mask in range(1, 1 << NUM_KINDS))], np.int64)
_BITS = np.array([mask.bit_count() for mask in range(1 << NUM_KINDS)], np.int64)
_DOUBT = 63  # others take a program that is at most this much worse than their best
_PHASE = TURN // NUM_REGISTERS
_LAST = NUM_REGISTERS - 1
_MOST_OF_TWO = NUM_KINDS * NUM_KINDS  # more than any robot has programs for two registers
_AHEAD = 64  # numbers drawn at once
_MOST = 4 * (NUM_KINDS - 1) ** NUM_REGISTERS + 2 * _AHEAD  # more than any robot has programs


class Doubts(NamedTuple):
    """The numbers that have been drawn for robots, kept because they are asked for again.

    Attributes:
        words: uint64, (rows, 2): the source of each row, and its last word.
        counts: int64, (rows,): how many numbers have been drawn of it.
        drawn: uint8, (rows, numbers): from 0 to `_DOUBT`, in 1/256 of a turn.
    """

    words: Array
    counts: Array
    drawn: Array


def make_doubts(deals: int) -> Doubts:
    """Room for the numbers of all robots on so many deals; what has not been drawn takes no memory."""
    rows = deals * MAX_ROBOTS
    return Doubts(np.zeros((rows, 2), np.uint64), np.zeros(rows, np.int64), np.empty((rows, _MOST), np.uint8))


@kernel
def begin_doubts(doubts: Doubts, row: int, word: np.uint64) -> None:
    """Let a row hold the numbers of a source."""
    if doubts.words[row, 0] != word or doubts.counts[row] == 0:
        doubts.words[row, 0] = doubts.words[row, 1] = word
        doubts.counts[row] = 0


@kernel
def draw_doubts(doubts: Doubts, row: int, count: int) -> int:
    """Draw at least so many numbers of a row. How many there are then."""
    word = doubts.words[row, 1]
    for k in range(doubts.counts[row], count + _AHEAD):
        word = mix(next_word(word))
        doubts.drawn[row, k] = int(word >> np.uint64(32)) & _DOUBT
    doubts.words[row, 1] = word
    doubts.counts[row] = count + _AHEAD
    return count + _AHEAD


@kernel
def write_program(robot: Robot, kinds: Array, order: Orders) -> None:
    """Order cards of types, (5,) and 0 for none, for the open registers: of each type the first in the hand."""
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
def plan_alone(
    game: Game, table: Table, known: ExpectedTurns, seat: int, doubts: Doubts, row: int, order: Orders
) -> None:
    """Order a program that is roughly the best for a lone robot, by expected turns; which one, a row of doubts says.

    Programs are gone through depth first, the lowest type of card first; each has its number of the row.
    """
    robot = game.robots[seat]
    count = np.zeros(NUM_KINDS, np.int64)
    kind = np.zeros(NUM_REGISTERS, np.int64)
    chosen = np.zeros(NUM_REGISTERS, np.int64)
    untried = np.zeros(NUM_REGISTERS, np.int64)  # masks of types of cards
    state = np.zeros(NUM_REGISTERS, np.int64)
    goal = np.zeros(NUM_REGISTERS, np.int64)
    fixed = np.zeros(NUM_REGISTERS, np.int64)  # likewise, of locked registers
    in_hand, single = 0, 0  # likewise, of those that are left, and of which one card is left
    for slot in range(HAND_SLOTS):
        card = int(CARD_TYPE[robot.hand[slot]])
        if card:
            count[card] += 1
            in_hand |= 1 << card
    for card in range(1, NUM_KINDS):
        single |= (1 << card) * (count[card] == 1)
    for r in range(NUM_REGISTERS):
        if robot.locked >> r & 1:
            fixed[r] = 1 << int(CARD_TYPE[robot.registers[r]])
    successors, flags, drawn = known.successors, known.flags, doubts.drawn[row]
    damage = min(robot.damage, known.turns.shape[0] - 1)
    values, least, least_of_two = known.turns[damage], known.least[damage, 0], known.least[damage, 1]
    destroyed = values.shape[1] - 1
    goal[0] = goal_of(game, table, seat)
    place = standing_place(game, table, seat)
    best = 2**30
    tried, ready = 0, int(doubts.counts[row])
    for facing in range(4):
        if not robot.may_face and facing != robot.facing:
            continue
        state[0] = place * 4 + facing
        depth = 0
        untried[0] = fixed[0] if fixed[0] else in_hand
        while depth >= 0:
            if untried[depth] == 0:
                depth -= 1
                if depth >= 0 and not fixed[depth]:  # its card goes back
                    card = kind[depth]
                    count[card] += 1
                    in_hand |= 1 << card
                    single = single & ~(1 << card) | (1 << card) * (count[card] == 1)
                continue
            if tried + _MOST_OF_TWO > ready:
                ready = int(draw_doubts(doubts, row, tried + _MOST_OF_TWO))
            if (
                depth == _LAST - 1
                and goal[depth] < flags.size - 1
                and least_of_two[goal[depth], state[depth]] >= best
            ):
                left = untried[depth]
                untried[depth] = 0
                if fixed[_LAST]:
                    tried += _BITS[left]
                    continue
                lives = left & ~int(known.fatal[state[depth]])
                tried += _BITS[left & ~lives] + _BITS[lives] * _BITS[in_hand]
                if not fixed[depth]:
                    tried -= _BITS[lives & single]
                continue
            card = LOWEST_BIT[untried[depth]]
            untried[depth] &= untried[depth] - 1
            kind[depth] = card
            after = int(successors[state[depth], depth, card])
            wanted = goal[depth]
            if after >= 0 and wanted < flags.size and after >> 2 == flags[wanted]:
                wanted += 1
            played = depth + 1
            if after < 0 or not (wanted < flags.size or wanted == goal[0]):
                value = int(values[wanted, after if after >= 0 else destroyed]) + _PHASE * played + int(drawn[tried])
                tried += 1
                if value < best:
                    best = value
                    order.facing = facing
                    chosen[:] = 0
                    for r in range(played):
                        chosen[r] = kind[r]
                continue
            left = fixed[played]
            if left == 0:
                left = in_hand if fixed[depth] else in_hand & ~(single & 1 << card)
            if played < _LAST:
                if not fixed[depth]:
                    count[card] -= 1
                    in_hand &= ~(single & 1 << card)
                    single = single & ~(1 << card) | (1 << card) * (count[card] == 1)
                depth = played
                state[depth] = after
                goal[depth] = wanted
                untried[depth] = left
                continue
            if least[wanted, after] >= best:
                tried += _BITS[left]
                continue
            while left:
                card = LOWEST_BIT[left]
                left &= left - 1
                end = int(successors[after, _LAST, card])
                touched = end >= 0 and wanted < flags.size and end >> 2 == flags[wanted]
                value = int(values[wanted + touched, end if end >= 0 else destroyed]) + _PHASE * NUM_REGISTERS
                value += int(drawn[tried])
                tried += 1
                if value < best:
                    best = value
                    order.facing = facing
                    for r in range(_LAST):
                        chosen[r] = kind[r]
                    chosen[_LAST] = card
    write_program(robot, chosen, order)


@kernel
def plan_others(
    games: Array, table: Table, known: ExpectedTurns, seat: int, word: np.uint64, first: int, doubts: Doubts,
    orders: Any,
) -> None:  # fmt: skip
    """Order programs for the others that are good for each of them alone.

    Args:
        games: (deals,), dtype `GAME`, from `redeal`.
        table: Their course.
        known: The expected turns of the course.
        seat: Whose programs are left out.
        word: The source of randomness.
        first: The number of the first deal; each number has its own.
        doubts: Of as many deals as there is room for.
        orders: (deals, 8), dtype `FULL_ORDERS`, with all defaults: written.
    """
    rows = doubts.counts.size
    for k in range(games.shape[0]):
        seed: Any = mix(word + GOLDEN * np.uint64(first + k))
        for i in range(games[k].num_robots):
            robot = games[k].robots[i]
            if i != seat and robot.alive and not robot.down:
                row = ((first + k) * MAX_ROBOTS + i) % rows
                begin_doubts(doubts, row, mix(seed + np.uint64(i + 1)))
                plan_alone(games[k], table, known, i, doubts, row, orders[k, i])
