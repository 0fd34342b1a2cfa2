"""Value iteration over the end states of a lone robot's programs with random hands.

Programs are sequences of card types. They are searched depth first, for all hands at once: whether a hand can play a
program depends only on the multiset of its cards, not on their order. `multisets` tells which multiset results from
adding a card to another one, and `who_holds` which hands contain a multiset, with one bit per hand.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, NUM_REGISTERS

Array = np.ndarray[Any, Any]

TURN = 256  # the unit of all values is 1/256 of a turn
MOST_HANDS = 64  # bits of a word
MUCH = 2**30  # more than any value


@cache
def multisets() -> tuple[Array, Array]:
    """Return all multisets of at most five cards by type; the first is empty.

    Returns:
        `more`, int16, shape (multisets, 8): the multiset with one more card of a type; -1 for type 0 and beyond five
        cards. And the contents, int8, shape (multisets, 8): the number of cards of each type.
    """
    num_types = len(CARD_TYPE_NAMES)
    number = {(0,) * num_types: 0}
    todo, more = list(number), []
    for contents in todo:  # the list grows in the loop
        row = [-1] * num_types
        for kind in range(1, num_types) if sum(contents) < NUM_REGISTERS else ():
            after = (*contents[:kind], contents[kind] + 1, *contents[kind + 1 :])
            if after not in number:
                number[after] = len(todo)
                todo.append(after)
            row[kind] = number[after]
        more.append(row)
    return np.array(more, np.int16), np.array(todo, np.int8)


def who_holds(counts: Array) -> Array:
    """Return which hands contain the cards of each multiset: uint64, shape (multisets, levels), one bit per hand.

    Args:
        counts: int8, shape (levels, hands, 8): the number of cards of each type in each hand. A hand of the first level
            contains the same hand of the other levels. At most `MOST_HANDS` hands.
    """
    contents = multisets()[1]
    held = (counts[None] >= contents[:, None, None]).all(axis=-1)
    bits: Array = (held * (np.uint64(1) << np.arange(counts.shape[1], dtype=np.uint64))).sum(axis=-1, dtype=np.uint64)
    return bits


@kernel
def reachable_ends(
    successors: Array, more: Array, holders: Array, starts: Array, ends: Array, hands: Array
) -> int:
    """Collect the distinct end states of programs from each state, and which hands reach them.

    The last state stands for a destroyed robot.

    Args:
        successors: int16, shape (states, 5, 8).
        more: int16, shape (multisets, 8), see `multisets`.
        holders: uint64, shape (multisets, levels), see `who_holds`.
        starts: int64, shape (states + 1,), written: where the ends of each state start.
        ends: int16, written up to its length.
        hands: uint64, shape (levels, ends), written: one bit for each hand with a program that ends there.

    Returns:
        The number of ends; if it exceeds the length of `ends`, call again with larger arrays.
    """
    num_states, num_levels = successors.shape[0], holders.shape[1]
    found = np.zeros((num_states + 1, num_levels), np.uint64)
    state = np.empty(NUM_REGISTERS, np.int64)
    cards = np.zeros(NUM_REGISTERS, np.int64)
    kind = np.empty(NUM_REGISTERS, np.int64)
    total = 0
    for start in range(num_states):
        state[0] = start
        starts[start] = first = total
        depth = 0
        kind[0] = 0
        while depth >= 0:
            kind[depth] += 1
            if kind[depth] == more.shape[1]:
                depth -= 1
                continue
            held = int(more[cards[depth], kind[depth]])
            if holders[held, 0] == 0:
                continue
            after = int(successors[state[depth], depth, kind[depth]])
            if after >= 0 and depth < NUM_REGISTERS - 1:
                depth += 1
                state[depth] = after
                cards[depth] = held
                kind[depth] = 0
                continue
            if after < 0:
                after = num_states
            if found[after, 0] == 0:
                if total < ends.size:
                    ends[total] = after
                total += 1
            for level in range(num_levels):
                found[after, level] |= holders[held, level]
        if total > ends.size:
            found[:] = 0
            continue
        for k in range(first, total):
            for level in range(num_levels):
                hands[level, k] = found[ends[k], level]
                found[ends[k], level] = 0
    starts[num_states] = total
    return total


@kernel
def touching_values(
    successors: Array,
    more: Array,
    holders: Array,
    flags: Array,
    to_flag: Array,
    turns: Array,
    flag: int,
    values: Array,
) -> None:
    """Compute the least expected turns among programs that touch the next flag, by state and hand.

    Args:
        successors: int16, shape (states, 5, 8).
        more: int16, shape (multisets, 8), see `multisets`.
        holders: uint64, shape (multisets, levels), see `who_holds`.
        flags: int64, shape (flags,): the squares of the flags.
        to_flag: int16, shape (states, 5): path distances to the flag before each phase.
        turns: int32, shape (levels, flags + 1, states + 1): expected turns; only those for later flags are read.
        flag: The next flag, from 0.
        values: int32, shape (levels, states, hands), written; a large value where no program touches the flag.
    """
    num_levels = holders.shape[1]
    state = np.empty(NUM_REGISTERS, np.int64)
    goal = np.empty(NUM_REGISTERS, np.int64)
    cards = np.zeros(NUM_REGISTERS, np.int64)
    kind = np.empty(NUM_REGISTERS, np.int64)
    # Programs that end alike count once: by next flag and end, those that end early by their phases.
    num_ends = successors.shape[0] + 1
    found = np.zeros(((flags.size + 1) * num_ends, num_levels), np.uint64)
    ends = np.empty((flags.size + 1) * num_ends, np.int64)
    values[:] = np.int32(MUCH)
    goal[0] = flag
    for start in range(values.shape[1]):
        if to_flag[start, 0] > NUM_REGISTERS:
            continue
        state[0] = start
        num_found = 0
        depth = 0
        kind[0] = 0
        while depth >= 0:
            kind[depth] += 1
            if kind[depth] == more.shape[1]:
                depth -= 1
                continue
            held = int(more[cards[depth], kind[depth]])
            if holders[held, 0] == 0:
                continue
            after = int(successors[state[depth], depth, kind[depth]])
            wanted = goal[depth]
            end = -1
            if after >= 0 and after >> 2 == flags[wanted]:
                wanted += 1
                if wanted == flags.size:
                    end = wanted * num_ends + depth
            if end < 0 and (after < 0 or depth == NUM_REGISTERS - 1):
                if wanted == flag:
                    continue
                end = wanted * num_ends + (after if after >= 0 else num_ends - 1)
            if end >= 0:
                if found[end, 0] == 0:
                    ends[num_found] = end
                    num_found += 1
                for level in range(num_levels):
                    found[end, level] |= holders[held, level]
            elif wanted > flag or to_flag[after, depth + 1] <= NUM_REGISTERS - depth - 1:
                depth += 1
                state[depth] = after
                goal[depth] = wanted
                cards[depth] = held
                kind[depth] = 0
        for k in range(num_found):
            wanted, after = ends[k] // num_ends, ends[k] % num_ends
            for level in range(num_levels):
                if wanted == flags.size:  # a turn that ends early counts by its phases
                    value = TURN * (after + 1) // NUM_REGISTERS
                else:
                    value = TURN + int(turns[level, wanted, after])
                bits = found[ends[k], level]
                found[ends[k], level] = 0
                for hand in range(values.shape[2]):
                    if bits >> np.uint64(hand) & np.uint64(1) and value < values[level, start, hand]:
                        values[level, start, hand] = value


@kernel
def improve(
    turns: Array, order: Array, starts: Array, ends: Array, hands: Array, best: Array, taken: Array
) -> int:
    """Sweep once over all states: set each value to the mean, over hands, of the best value that their programs reach.

    Values only decrease. So an end is read again only if its value has decreased and is below the worst best value of
    the state's hands.

    Args:
        turns: int32, shape (states + 1,), updated.
        order: int64, shape (states,): the states, starting with those that others depend on.
        starts: int64, shape (states + 1,), as `reachable_ends` writes them, for one level.
        ends: int16, shape (ends,), as `reachable_ends` writes them.
        hands: uint64, shape (ends,), as `reachable_ends` writes them.
        best: int32, shape (states, hands), updated: the best value that each hand's programs reach so far.
        taken: int32, shape (ends,), updated: the value of each end when it was read last.

    Returns:
        The largest change.
    """
    largest = 0
    num_hands = best.shape[1]
    for state in order:
        values = best[state]
        worst = values[0]
        for hand in range(1, num_hands):
            worst = max(worst, values[hand])
        for k in range(starts[state], starts[state + 1]):
            value = turns[ends[k]]
            if value < worst and value < taken[k]:
                taken[k] = value
                left = hands[k]
                while left:
                    hand = lowest_bit(left)
                    left = without_lowest(left)
                    values[hand] = min(values[hand], value)
        total = 0
        for hand in range(num_hands):
            total += int(values[hand])
        mean = TURN + total // num_hands
        if mean < turns[state]:
            largest = max(largest, int(turns[state]) - mean)
            turns[state] = mean
    return largest
