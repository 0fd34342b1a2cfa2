"""Depth-first search over the programs of a lone robot, by the tables of a course.

A program is built register by register. A `Stop` describes the robot before each register, and `next_end` advances the
search to the end of the next program. Only the types of cards matter: a hand is a 64-bit word with one byte per type,
which counts its cards, and a set of types is a word with the highest bit of each type's byte set.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array, Record, i8, u8
from rr_gym.rules.state.bits import bytes_above, lowest_bit, without_lowest
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, FATAL_DAMAGE, HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import Robot
from rr_gym.solo.distances import DAMAGE_BITS
from rr_gym.solo.turn_tables import DAMAGED, LIFE, RETURN_DAMAGE, ExpectedTurns
from rr_gym.solo.value_iteration import TURN

NUM_KINDS = len(CARD_TYPE_NAMES)
NEVER = 1 << 28  # expected turns after the last life is lost, in units of 1/256 turn
NO_BOUND = 1 << 30  # larger than the expected turns of any program
_LAST = NUM_REGISTERS - 1
POINTS_OF_STEP = (1 << DAMAGE_BITS) - 1  # the bits of a step that hold points of damage


class Stop(Record):
    """A node of the search: a lone robot before a register of its program, or after the last one played."""

    hand: u8  # the cards that are left, counted by type
    fixed: u8  # as a set: the type of the card that is already in the register; empty if a card in the hand fills it
    untried: u8  # as a set: the types that are still to be tried in the register
    kind: i8  # the type that is being tried
    state: i8  # place * 4 + facing; -1 once it is destroyed
    goal: i8  # its next flag, from 0
    damage: i8
    lost: i8  # the expected turns that follow if it is destroyed here (`lost_turns`)
    turns: i8  # at the end of a program: the expected turns, including this one, in 1/256


STOP = Stop.dtype
NUM_STOPS = NUM_REGISTERS + 1


@kernel
def one_of(kind: int) -> Any:
    """Return the hand that has one card of a type, as a word (uint64)."""
    return np.uint64(1) << np.uint64(8 * kind)


@kernel
def held(hand: Any, kind: int) -> int:
    """Return how many cards of a type a hand contains."""
    return int(hand >> np.uint64(8 * kind)) & 255


@kernel
def packed_kinds(walk: Array[Stop], played: int) -> int:
    """Return the types of the first `played` cards, packed into one number."""
    packed = 0
    for r in range(played):
        packed = packed * NUM_KINDS + int(walk[r].kind)
    return packed


@kernel
def take_hand(walk: Array[Stop], robot: Robot) -> None:
    """Write a robot's hand, and the types of cards already in its registers, into the stops."""
    hand = np.uint64(0)
    for slot in range(HAND_SLOTS):
        kind = int(CARD_TYPE[robot.hand[slot]])
        hand += one_of(kind) * np.uint64(kind > 0)
    for r in range(NUM_REGISTERS):
        walk[r].hand = hand
        lies = robot.locked >> r & 1 or (robot.hand[0] == 0 and robot.registers[r] > 0)
        kind = 0 if robot.down else int(CARD_TYPE[robot.registers[r]])
        walk[r].fixed = one_of(kind) << np.uint64(7) if robot.down or lies else np.uint64(0)


@kernel
def begin(walk: Array[Stop], register: int, state: int, goal: int, damage: int, lost: int) -> None:
    """Start a search over all programs from a register on, with the hand stored in its stop."""
    here = walk[register]
    here.state, here.goal, here.damage, here.lost = state, goal, min(damage, FATAL_DAMAGE - 1), lost
    list_kinds(here)


@kernel
def list_kinds(here: Stop) -> None:
    """Set the types to try in a register: that of its fixed card, those in the hand, or "no card" if there is none."""
    here.untried = here.fixed if here.fixed else bytes_above(here.hand, 0)
    if here.untried == np.uint64(0):
        here.untried = np.uint64(128)


@kernel
def next_end(known: ExpectedTurns, walk: Array[Stop], register: int, played: int, bound: int) -> int:
    """Advance the search to the end of the next program.

    Args:
        known: The expected turns of the course.
        walk: The stops of the program, begun with `begin`; `walk[played]` becomes its end.
        register: The first register of the search.
        played: The result of the last call; `register` + 1 for the first call.
        bound: Programs with this many expected turns or more may be skipped.

    Returns:
        How many registers are played until the robot is destroyed, has touched the last flag, or has played all; 0 if
        there are no further programs.
    """
    depth = played - 1
    while depth >= register:
        here = walk[depth]
        if here.untried == np.uint64(0):
            depth -= 1
            continue
        here.kind = lowest_bit(here.untried) >> 3
        here.untried = without_lowest(here.untried)
        there = walk[depth + 1]
        if play_register(known, depth, here, there):
            return int(depth + 1)
        least = known.least[there.damage, there.goal, there.state] if depth + 1 == _LAST else 0
        if least < bound or TURN + there.lost < bound:
            depth += 1
            there.hand = here.hand if here.fixed else here.hand - one_of(int(here.kind)) * np.uint64(here.kind > 0)
            list_kinds(there)
    return 0


@kernel
def play_register(known: ExpectedTurns, register: int, here: Stop, there: Stop) -> bool:
    """Look up the result of the card type tried in a register; return whether the program ends there."""
    step = int(known.steps[here.state, register, here.kind])
    damage = int(here.damage) + (step & POINTS_OF_STEP)
    goal, lost = int(here.goal), int(here.lost)
    there.damage, there.goal, there.lost = damage, goal, lost
    if step < 0 or damage >= FATAL_DAMAGE:
        there.state = -1
        there.turns = TURN + lost
        return True
    state = step >> DAMAGE_BITS
    there.state = state
    if goal < known.flags.size and state >> 2 == known.flags[goal]:
        there.goal = goal + 1
        if goal + 1 == known.flags.size:
            there.turns = TURN * (register + 1) // NUM_REGISTERS
            return True
        if lost != NEVER:
            there.lost = lost_turns(known, goal + 1, 0, -1)
    if register == _LAST:
        there.turns = turns_at_end(known, state, int(there.goal), damage)
        return True
    return False


@kernel
def turns_at_end(known: ExpectedTurns, state: int, goal: int, damage: int) -> int:
    """Return the expected turns, including this one, of a robot that ends the turn in a state, before repairs."""
    left = known.repaired[state >> 2, damage]
    return int(TURN + known.turns[left, goal, state] + DAMAGED[left])


@kernel
def lost_turns(known: ExpectedTurns, goal: int, lives: int, archive: int) -> int:
    """Return the expected number of turns after a turn in which the robot is destroyed.

    The robot re-enters on its archive or, if `archive` is -1, on its last flag. The result is `NEVER` if this was its
    last life.
    """
    if lives == 1:
        return NEVER
    turns = int(known.turns[RETURN_DAMAGE, goal, known.turns.shape[2] - 1])
    if archive >= 0:
        turns = NEVER
        for facing in range(4):
            turns = min(turns, LIFE + int(known.turns[RETURN_DAMAGE, goal, 4 * archive + facing]))
    return int(turns + DAMAGED[RETURN_DAMAGE])
