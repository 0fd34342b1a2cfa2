"""The best completion of a program over all card types of a hand in all open registers, found by table look-ups."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.choices.columns import NEVER
from rr_gym.choices.tables import KIND_BITS, LOST, LOW, RETURN_DAMAGE, Foresight
from rr_gym.compilation.kernels import kernel
from rr_gym.rules.arena.distances import DAMAGE_BITS
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, FATAL_DAMAGE, HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import Robot
from rr_gym.solo.turn_tables import LIFE
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]

NUM_KINDS = len(CARD_TYPE_NAMES)
OPEN = -1  # a register that a card of the hand will fill
KIND_MASK = (1 << KIND_BITS) - 1


@kernel
def collect_cards(robot: Robot, left: Array, fixed: Array) -> None:
    """Write the cards of a hand by type to `left`, int64, (8,), and card types in registers to `fixed`, int64, (5,).

    Registers that a card of the hand will fill get `OPEN`.
    """
    left[:] = 0
    for slot in range(HAND_SLOTS):
        left[CARD_TYPE[robot.hand[slot]]] += 1
    left[0] = 0
    for r in range(NUM_REGISTERS):
        lies = robot.locked >> r & 1 or (robot.hand[0] == 0 and robot.registers[r] > 0)
        fixed[r] = 0 if robot.down else CARD_TYPE[robot.registers[r]] if lies else OPEN


@kernel
def lost_turns(known: Foresight, goal: int, lives: int, archive: int) -> int:
    """Return the expected turns after a turn in which the robot is destroyed.

    They count from its archive or, if that is -1, from its last flag; `NEVER` if this was its last life.
    """
    if lives == 1:
        return NEVER
    if archive < 0:
        return int(known.turns[RETURN_DAMAGE, goal][-1])
    best = NEVER
    for facing in range(4):
        best = min(best, int(known.turns[RETURN_DAMAGE, goal, 4 * archive + facing]))
    return best + LIFE


@kernel
def next_kind(kinds: Array, left: Array, fixed: Array, depth: int) -> bool:
    """Put the next type of card into a register of a program; return False if there is none.

    A value of 0 in `kinds` means that none was tried yet. A register that already has its card has one type; if no card
    is left for a register, it stays empty.
    """
    kind = kinds[depth]
    if fixed[depth] >= 0:
        kinds[depth] = fixed[depth] + NUM_KINDS  # values from NUM_KINDS on mean that it was tried
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
def turns_at_end(known: Foresight, state: int, goal: int, points: int) -> int:
    """Return the expected turns, including this one, of a robot that ends a turn in a state, before repairs."""
    return TURN + int(known.turns[known.repaired[state >> 2, points], goal, state])


@kernel
def turns_after(known: Foresight, state: int, depth: int, kind: int, goal: int, points: int, lost: int) -> int:
    """Return the expected turns, including this one, if the last card of a turn, in register `depth` + 1, is of a type.

    `lost` is the expected turns after the robot's destruction.
    """
    step = int(known.steps[state, depth, kind])
    hurt = points + (step & LOW)
    if step < 0 or hurt >= FATAL_DAMAGE:
        return TURN + lost
    after = step >> DAMAGE_BITS
    return int(turns_at_end(known, after, goal + (after >> 2 == known.flags[goal]), hurt))


@kernel
def last_register(
    known: Foresight, state: int, goal: int, points: int, left: Array, fixed: Array, lost: int
) -> int:
    """Return the least expected turns over the cards for the last register."""
    last = NUM_REGISTERS - 1
    if fixed[last] >= 0:
        return int(turns_after(known, state, last, int(fixed[last]), goal, points, lost))
    best = NEVER
    nothing = True
    for rank in range(NUM_KINDS - 1):
        entry = int(known.last[points, goal, state, rank])
        if left[entry & KIND_MASK]:
            nothing = False
            value = entry >> KIND_BITS
            if value < LOST:
                best = min(best, value)
                if best <= TURN + lost:
                    return best
            else:
                return min(best, TURN + lost)
    return int(turns_after(known, state, last, 0, goal, points, lost)) if nothing else best


@kernel
def best_turns(
    known: Foresight, state: int, goal: int, damage: int, stage: int, left: Array, fixed: Array, lost: int, best: Array
) -> None:
    """Write the least expected turns, including this one, by the type of card that is played next.

    Args:
        known: The tables of the course, with turns.
        state: The robot's state before the next register.
        goal: Its next flag, from 0; there must be one.
        damage: Its points of damage.
        stage: The next register, from 0.
        left: int64, (8,): how many cards of each type are left; the same again on return.
        fixed: int64, (5,): the type of the card in a register, or `OPEN`.
        lost: `lost_turns` before it touches another flag.
        best: int64, (8,): written, in 1/256; `NEVER` or more for types that cannot be played.
    """
    last = NUM_REGISTERS - 1
    for kind in range(NUM_KINDS):
        best[kind] = NEVER
    kinds = np.zeros(NUM_REGISTERS, np.int64)
    states = np.empty(NUM_REGISTERS, np.int64)
    goals = np.empty(NUM_REGISTERS, np.int64)
    points = np.empty(NUM_REGISTERS, np.int64)
    prices = np.empty(NUM_REGISTERS, np.int64)
    states[stage] = state
    goals[stage] = goal
    points[stage] = damage
    prices[stage] = lost
    depth = stage
    while depth >= stage:
        if not next_kind(kinds, left, fixed, depth):
            depth -= 1
            continue
        kind = kinds[depth] % NUM_KINDS
        wanted = goals[depth]
        price = prices[depth]
        if depth == last:  # the last register is also the next one
            best[kind] = turns_after(known, states[depth], depth, kind, wanted, points[depth], price)
            continue
        first = kinds[stage] % NUM_KINDS
        step = int(known.steps[states[depth], depth, kind])
        hurt = points[depth] + (step & LOW)
        if step < 0 or hurt >= FATAL_DAMAGE:
            best[first] = min(best[first], TURN + price)
            continue
        after = step >> DAMAGE_BITS
        if after >> 2 == known.flags[wanted]:
            wanted += 1
            if wanted == known.flags.size:
                best[first] = min(best[first], TURN * (depth + 1) // NUM_REGISTERS)
                continue
            price = np.int64(known.turns[RETURN_DAMAGE, wanted][-1])
        if depth == last - 1:
            value = last_register(known, after, wanted, hurt, left, fixed, price)
            best[first] = min(best[first], np.int64(value))
            continue
        depth += 1
        states[depth] = after
        goals[depth] = wanted
        points[depth] = hurt
        prices[depth] = price
        kinds[depth] = 0
