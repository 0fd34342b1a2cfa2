"""Value iteration over the end states of a lone robot's programs with random hands.

All kernels go depth first through the card types of a hand; `counts` says how many of each type it has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.constants import NUM_REGISTERS

Array = np.ndarray[Any, Any]

TURN = 256  # the unit of all values is 1/256 of a turn


@kernel
def next_kind(kind: Array, left: Array, depth: int) -> bool:
    """Put the next type of card that is left at a depth of a program, from 0 for none; False where there is none."""
    if kind[depth]:
        left[kind[depth]] += 1
    kind[depth] += 1
    while kind[depth] < left.size and left[kind[depth]] == 0:
        kind[depth] += 1
    if kind[depth] == left.size:
        return False
    left[kind[depth]] -= 1
    return True


@kernel
def reachable_ends(successors: Array, counts: Array, starts: Array, ends: Array) -> int:
    """The distinct end states of each hand's programs, from each state; the last state means destroyed.

    Args:
        successors: int16, shape (states, 5, 8).
        counts: int8, shape (hands, 8).
        starts: int64, shape (states, hands + 1), written: where the ends of each hand start.
        ends: int16, written up to its length.

    Returns:
        The number of ends; if `ends` has not enough room for them, they must be collected again.
    """
    num_states, num_hands = successors.shape[0], counts.shape[0]
    seen = np.full(num_states + 1, -1, np.int64)
    state = np.empty(NUM_REGISTERS + 1, np.int64)
    kind = np.empty(NUM_REGISTERS, np.int64)
    left = np.empty(counts.shape[1], np.int64)
    total = 0
    for start in range(num_states):
        state[0] = start
        for hand in range(num_hands):
            starts[start, hand] = total
            mark = start * num_hands + hand
            left[:] = counts[hand]
            depth = 0
            kind[0] = 0
            while depth >= 0:
                if not next_kind(kind, left, depth):
                    depth -= 1
                    continue
                after = int(successors[state[depth], depth, kind[depth]])
                if after >= 0 and depth < NUM_REGISTERS - 1:
                    depth += 1
                    state[depth] = after
                    kind[depth] = 0
                    continue
                if after < 0:
                    after = num_states
                if seen[after] != mark:
                    seen[after] = mark
                    if total < ends.size:
                        ends[total] = after
                    total += 1
        starts[start, num_hands] = total
    return total


@kernel
def touching_values(
    successors: Array,
    counts: Array,
    flags: Array,
    to_flag: Array,
    turns: Array,
    flag: int,
    values: Array,
) -> None:
    """The least expected turns of programs that touch the next flag, by state and hand.

    Args:
        successors: int16, shape (states, 5, 8).
        counts: int8, shape (hands, 8).
        flags: int64, shape (flags,): their squares.
        to_flag: int16, shape (states, 5): path distances to the flag before each phase.
        turns: int32, shape (flags + 1, states + 1): expected turns; those of the flags after this one are used.
        flag: The next flag, from 0.
        values: int32, shape (states, hands), written; a large value where no program touches the flag.
    """
    state = np.empty(NUM_REGISTERS + 1, np.int64)
    goal = np.empty(NUM_REGISTERS + 1, np.int64)
    kind = np.empty(NUM_REGISTERS, np.int64)
    left = np.empty(counts.shape[1], np.int64)
    values[:] = np.int32(2**30)
    goal[0] = flag
    for start in range(values.shape[0]):
        if to_flag[start, 0] > NUM_REGISTERS:
            continue
        state[0] = start
        for hand in range(values.shape[1]):
            left[:] = counts[hand]
            best = 2**30
            depth = 0
            kind[0] = 0
            while depth >= 0:
                if not next_kind(kind, left, depth):
                    depth -= 1
                    continue
                after = int(successors[state[depth], depth, kind[depth]])
                wanted = goal[depth]
                if after >= 0 and after >> 2 == flags[wanted]:
                    wanted += 1
                    if wanted == flags.size:  # a turn that ends early counts by its phases
                        best = min(best, TURN * (depth + 1) // NUM_REGISTERS)
                        continue
                depth += 1
                if after < 0 or depth == NUM_REGISTERS:
                    if wanted > flag:
                        best = min(best, TURN + turns[wanted, after])  # -1: the last entry, destroyed
                    depth -= 1
                elif wanted > flag or to_flag[after, depth] <= NUM_REGISTERS - depth:
                    state[depth] = after
                    goal[depth] = wanted
                    kind[depth] = 0
                else:
                    depth -= 1
            values[start, hand] = best


@kernel
def improve(turns: Array, order: Array, starts: Array, ends: Array, touching: Array) -> int:
    """One sweep: every state's value becomes the mean, over the hands, of the best value that their programs reach.

    Args:
        turns: int32, shape (states + 1,), updated; they only decrease.
        order: int64, shape (states,): the states, starting with those that others depend on.
        starts: int64, shape (states, hands + 1), as `reachable_ends` writes them.
        ends: int16, likewise.
        touching: int32, shape (states, hands), as `touching_values` writes them.

    Returns:
        The largest change.
    """
    largest = 0
    num_hands = touching.shape[1]
    for state in order:
        total = 0
        for hand in range(num_hands):
            best = touching[state, hand] - TURN
            for k in range(starts[state, hand], starts[state, hand + 1]):
                value = turns[ends[k]]
                if value < best:
                    best = value
            total += best
        value = TURN + total // num_hands
        if value < turns[state]:
            largest = max(largest, turns[state] - value)
            turns[state] = value
    return int(largest)
