"""The best completion of a program: all types of cards of a hand in all open registers, by tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.choices.columns import NEVER
from rr_gym.choices.tables import DAMAGE_BITS, Foresight
from rr_gym.compilation.kernels import kernel
from rr_gym.players.iteration import TURN
from rr_gym.players.turn_tables import LIFE
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, FATAL_DAMAGE, NUM_REGISTERS

Array = np.ndarray[Any, Any]

NUM_KINDS = len(CARD_TYPE_NAMES)
OPEN = -1  # a register that a card of the hand will fill
RETURN_DAMAGE = 2  # of robots that come back
_LOW = (1 << DAMAGE_BITS) - 1


@kernel
def lost_turns(known: Foresight, goal: int, lives: int, archive: int) -> int:
    """The cost of being destroyed, after the turn: the way back from the archive, or from the last flag where that is -1."""
    if lives == 1:
        return NEVER
    if archive < 0:
        return int(known.costs[RETURN_DAMAGE, goal, -1])
    best = NEVER
    for facing in range(4):
        best = min(best, int(known.costs[RETURN_DAMAGE, goal, 4 * archive + facing]))
    return best + LIFE


@kernel
def next_kind(kinds: Array, left: Array, fixed: Array, depth: int) -> bool:
    """Put the next type of card into a register of a program, from 0 for none yet; False where there is none.

    A register that has its card has one type; one for which no card is left stays without.
    """
    kind = kinds[depth]
    if fixed[depth] >= 0:
        kinds[depth] = fixed[depth] + NUM_KINDS  # which also says that it was tried
        return bool(kind == 0)
    if 0 < kind < NUM_KINDS:
        left[kind] += 1
    first = kind == 0
    kind += 1
    while kind < NUM_KINDS and left[kind] == 0:
        kind += 1
    if kind < NUM_KINDS:
        left[kind] -= 1
        kinds[depth] = kind
        return True
    kinds[depth] = NUM_KINDS
    return bool(first)


@kernel
def best_turns(
    known: Foresight, state: int, goal: int, damage: int, stage: int, left: Array, fixed: Array, lost: int, best: Array
) -> None:
    """The least expected turns, this one included, by the type of card that is played next.

    Args:
        known: The tables of the course, with turns.
        state: Of the robot before the next register.
        goal: Its next flag, from 0; there is one.
        damage: Its points.
        stage: The next register, from 0.
        left: int64, (8,): how many cards of each type are left; as it was when this returns.
        fixed: int64, (5,): the type of card that lies in a register, or `OPEN`.
        lost: `lost_turns` before it touches another flag.
        best: int64, (8,): written, in 1/256; `NEVER` for types that cannot be played.
    """
    num_flags = known.flags.size
    for kind in range(NUM_KINDS):
        best[kind] = NEVER
    kinds = np.zeros(NUM_REGISTERS, np.int64)
    states = np.empty(NUM_REGISTERS, np.int64)
    goals = np.empty(NUM_REGISTERS, np.int64)
    points = np.empty(NUM_REGISTERS, np.int64)
    states[stage] = state
    goals[stage] = goal
    points[stage] = damage
    least = np.int64(NEVER)  # of the type in the first register
    depth = stage
    while depth >= stage:
        if depth == stage and kinds[depth]:
            first = kinds[depth] % NUM_KINDS
            best[first] = min(best[first], least)
            least = np.int64(NEVER)
        if not next_kind(kinds, left, fixed, depth):
            depth -= 1
            continue
        wanted = goals[depth]
        step = int(known.steps[states[depth], depth, kinds[depth] % NUM_KINDS])
        hurt = points[depth] + (step & _LOW)
        if step < 0 or hurt >= FATAL_DAMAGE:
            value = TURN + (lost if wanted == goal else int(known.costs[RETURN_DAMAGE, wanted, -1]))
            least = min(least, np.int64(value))
            continue
        after = step >> DAMAGE_BITS
        if after >> 2 == known.flags[wanted]:
            wanted += 1
            if wanted == num_flags:
                least = min(least, np.int64(TURN * (depth + 1) // NUM_REGISTERS))
                continue
        if depth == NUM_REGISTERS - 1:
            least = min(least, np.int64(TURN + known.costs[hurt, wanted, after]))
            continue
        depth += 1
        states[depth] = after
        goals[depth] = wanted
        points[depth] = hurt
        kinds[depth] = 0
