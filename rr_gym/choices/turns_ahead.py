"""The fewest expected turns from a pose within a turn, by the cards that are left."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices.columns import NEVER
from rr_gym.choices.poses import GOAL, POINTS, STATE
from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.solo.programs import Stop, begin, next_end, turns_at_end
from rr_gym.solo.turn_tables import ExpectedTurns
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]


class RowScratch(NamedTuple):
    """Scratch arrays for one row, overwritten for every row.

    Attributes:
        poses: int64, (2, POSE_SIZE): before and after a phase.
        walk: (6,), dtype `STOP`: the cards of the hand, and those in registers.
        best: int64, (8,): the result of `best_turns`.
        first: int64, (8,): the first choice of each type of card, -1 for none.
    """

    poses: Array
    walk: RecordArray[Stop]
    best: Array
    first: Array


@kernel
def best_turns(
    known: ExpectedTurns, walk: RecordArray[Stop], register: int, state: int, goal: int, damage: int, lost: int,
    best: Array,
) -> None:  # fmt: skip
    """Write the fewest expected turns, including this one, by the type of card that is played next.

    Args:
        known: The expected turns of the course.
        walk: The robot's cards; see `take_hand`.
        register: The next register, from 0.
        state: The robot's state before it.
        goal: Its next flag, from 0; there must be one.
        damage: Its points of damage.
        lost: `lost_turns` before it touches another flag.
        best: int64, (8,): written, in 1/256; `NEVER` or more for types that cannot be played.
    """
    best[:] = NEVER
    begin(walk, register, state, goal, damage, lost)
    untried = walk[register].untried
    while untried:
        kind = lowest_bit(untried) >> 3
        rest = without_lowest(untried)
        walk[register].untried = untried ^ rest
        untried = rest
        played = next_end(known, walk, register, register + 1, best[kind])
        while played:
            best[kind] = min(best[kind], walk[played].turns)
            played = next_end(known, walk, register, played, best[kind])


@kernel
def smallest(best: Array) -> int:
    """Return the smallest of some numbers, at most `NEVER`."""
    value = NEVER
    for k in range(best.size):
        value = min(value, int(best[k]))
    return value


@kernel
def turns_from(
    known: ExpectedTurns, pose: Array, stage: int, lost: int, scratch: RowScratch
) -> int:
    """Return the fewest expected turns, including this one, from a pose before a register or after the last one."""
    if pose[STATE] < 0:
        return TURN + lost
    if pose[GOAL] >= known.flags.size:
        return TURN * stage // NUM_REGISTERS
    state, goal, damage = int(pose[STATE]), int(pose[GOAL]), int(pose[POINTS])
    if stage == NUM_REGISTERS:
        return int(turns_at_end(known, state, goal, damage))
    best_turns(known, scratch.walk, stage, state, goal, damage, lost, scratch.best)
    return int(smallest(scratch.best))
