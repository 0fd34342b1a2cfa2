"""Value iteration over the end states of a lone robot's programs with random hands.

Programs are sequences of card types. They are searched depth first, for all hands at once: whether a hand can play a
program depends only on the multiset of the program's cards, not on their order. `multisets` numbers all multisets and
tells which one results from adding a card; `hands_containing` tells which hands contain each multiset, as a mask with
one bit per hand.
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
MAX_HANDS = 64  # one for each bit of a uint64
INFINITE = 2**30  # larger than any value


@cache
def multisets() -> tuple[Array, Array]:
    """Return all multisets of at most five card types; multiset 0 is empty.

    Returns:
        `more`, int16, shape (multisets, 8): the multiset with one more card of a type, -1 for type 0 and beyond five
        cards; and the contents, int8, shape (multisets, 8): the number of cards of each type.
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


def hands_containing(counts: Array) -> Array:
    """Return which hands contain the cards of each multiset: uint64, shape (multisets, levels), one bit per hand.

    Args:
        counts: int8, shape (levels, hands, 8): the number of cards of each type in each hand, by level of damage. A
          hand has its most cards in the first level. There are at most `MAX_HANDS` hands.
    """
    contents = multisets()[1]
    held = (counts[None] >= contents[:, None, None]).all(axis=-1)
    bits: Array = (held * (np.uint64(1) << np.arange(counts.shape[1], dtype=np.uint64))).sum(axis=-1, dtype=np.uint64)
    return bits


@kernel
def ends_from(
    start: int, successors: Array, more: Array, holders: Array, flags: Array, to_flag: Array, flag: int, found: Array,
    ends: Array,
) -> int:  # fmt: skip
    """Find the distinct ends of all programs from a state, and which hands reach them.

    Args:
        start: The state.
        successors: int16, shape (states, 5, 8).
        more: int16, shape (multisets, 8); see `multisets`.
        holders: uint64, shape (multisets, levels); see `hands_containing`.
        flags: int64, shape (flags,): the squares of the flags.
        to_flag: int16, shape (states, 5): path distances to the flag before each phase.
        flag: The next flag, from 0; only programs that touch it count. If it is the number of flags, flags are ignored.
        found: uint64, shape (number, levels), all 0; overwritten by masks of the hands with a program of each end.
        ends: int64, (number,): overwritten. An end is encoded as the state, or the number of states for a destroyed
          robot, plus (the number of states + 1) times the number of flags touched. If a program touches the last flag,
          the index of its last phase takes the place of the state.

    Returns:
        The number of ends.
    """
    num_ends, racing = successors.shape[0] + 1, flag < flags.size
    state = np.empty(NUM_REGISTERS, np.int64)
    goal = np.empty(NUM_REGISTERS, np.int64)
    cards = np.zeros(NUM_REGISTERS, np.int64)
    kind = np.zeros(NUM_REGISTERS, np.int64)
    state[0], goal[0] = start, flag
    count, depth = 0, 0
    while depth >= 0:
        kind[depth] += 1
        if kind[depth] == more.shape[1]:
            depth -= 1
            continue
        held = int(more[cards[depth], kind[depth]])
        if holders[held, 0] == 0:
            continue
        after, wanted = int(successors[state[depth], depth, kind[depth]]), goal[depth]
        if racing and after >= 0 and after >> 2 == flags[wanted]:
            wanted += 1
        won = racing and wanted == flags.size
        if after >= 0 and depth < NUM_REGISTERS - 1 and not won:
            if not racing or wanted > flag or to_flag[after, depth + 1] < NUM_REGISTERS - depth:
                depth += 1
                state[depth], goal[depth], cards[depth], kind[depth] = after, wanted, held, 0
            continue
        if racing and wanted == flag:
            continue
        end = (wanted - flag) * num_ends + (depth if won else after if after >= 0 else num_ends - 1)
        if found[end, 0] == 0:
            ends[count] = end
            count += 1
        for level in range(holders.shape[1]):
            found[end, level] |= holders[held, level]
    return count


@kernel
def reachable_ends(
    successors: Array, more: Array, holders: Array, starts: Array, ends: Array, hands: Array
) -> int:
    """Find the distinct end states of programs from each state, and which hands reach them.

    The last state stands for a destroyed robot.

    Args:
        successors: int16, shape (states, 5, 8).
        more: int16, shape (multisets, 8); see `multisets`.
        holders: uint64, shape (multisets, levels); see `hands_containing`.
        starts: int64, shape (states + 1,): overwritten by the index where the ends of each state begin.
        ends: int16: overwritten, up to its length.
        hands: uint64, shape (levels, ends): overwritten by masks of the hands with a program of each end.

    Returns:
        The number of ends; if it exceeds the length of `ends`, call again with larger arrays.
    """
    num_states = successors.shape[0]
    found = np.zeros((num_states + 1, holders.shape[1]), np.uint64)
    here = np.empty(num_states + 1, np.int64)
    no_flags, anywhere = np.empty(0, np.int64), np.empty((0, 0), np.int16)
    total = 0
    for start in range(num_states):
        starts[start] = total
        count = ends_from(start, successors, more, holders, no_flags, anywhere, 0, found, here)
        for k in range(count):
            if total < ends.size:
                ends[total] = here[k]
                hands[:, total] = found[here[k]]
            found[here[k]] = 0
            total += 1
    starts[num_states] = total
    return total


@kernel
def touching_values(
    successors: Array, more: Array, holders: Array, flags: Array, to_flag: Array, turns: Array, flag: int,
    values: Array,
) -> None:  # fmt: skip
    """Compute the fewest expected turns of programs that touch the next flag, by state and hand.

    Args:
        successors: int16, shape (states, 5, 8).
        more: int16, shape (multisets, 8); see `multisets`.
        holders: uint64, shape (multisets, levels); see `hands_containing`.
        flags: int64, shape (flags,): the squares of the flags.
        to_flag: int16, shape (states, 5): path distances to the flag before each phase.
        turns: int32, shape (levels, flags + 1, states + 1): expected turns; only those for later flags are read.
        flag: The next flag, from 0.
        values: int32, shape (levels, states, hands): overwritten; `INFINITE` where no program touches the flag.
    """
    num_ends = successors.shape[0] + 1
    found = np.zeros(((flags.size - flag + 1) * num_ends, holders.shape[1]), np.uint64)
    ends = np.empty(found.shape[0], np.int64)
    values[:] = np.int32(INFINITE)
    for start in range(values.shape[1]):
        if to_flag[start, 0] > NUM_REGISTERS:
            continue
        for k in range(ends_from(start, successors, more, holders, flags, to_flag, flag, found, ends)):
            wanted, after = flag + ends[k] // num_ends, ends[k] % num_ends
            for level in range(holders.shape[1]):
                if wanted == flags.size:  # of the last turn, only the phases played count
                    value = TURN * (after + 1) // NUM_REGISTERS
                else:
                    value = TURN + int(turns[level, wanted, after])
                left = found[ends[k], level]
                found[ends[k], level] = 0
                while left:
                    hand = lowest_bit(left)
                    left = without_lowest(left)
                    values[level, start, hand] = min(values[level, start, hand], value)


@kernel
def improve(
    turns: Array, order: Array, starts: Array, ends: Array, hands: Array, best: Array, taken: Array
) -> int:
    """Sweep once over all states: set each value to one turn plus the mean over hands of their best end's value.

    Values only decrease, so an end is considered again only if its value has decreased and is below the best value of
    at least one of the state's hands.

    Args:
        turns: int32, shape (states + 1,), updated.
        order: int64, shape (states,): the states in the order of the sweep; those near the flag come first.
        starts: int64, shape (states + 1,), as `reachable_ends` writes them, for one level.
        ends: int16, shape (ends,), as `reachable_ends` writes them.
        hands: uint64, shape (ends,), as `reachable_ends` writes them.
        best: int32, shape (states, hands), updated: the best value found so far for each hand.
        taken: int32, shape (ends,), updated: the value of each end when it was last considered.

    Returns:
        The largest change of a value.
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
