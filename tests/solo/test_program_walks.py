"""Walks over tables find all programs of a lone robot, with the values of their final states."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from rr_gym.solo.distances import DAMAGE_BITS
from rr_gym.solo.programs import NO_BOUND, NUM_STOPS, STOP, begin, next_end, one_of
from rr_gym.solo.turn_tables import DAMAGED, ExpectedTurns, fewest_turns_at_end

Array = np.ndarray[Any, Any]

STATES, LOST = 24, 1500
FLAGS = np.array([2, 5])


@pytest.fixture(scope="module")
def known() -> ExpectedTurns:
    """Return tables with random numbers, in which some phases damage robots and some destroy them."""
    rng = np.random.default_rng(1)
    after, points = rng.integers(-1, STATES, (STATES, 5, 8)), rng.integers(0, 4, (STATES, 5, 8))
    steps = np.where(after < 0, -1, after << DAMAGE_BITS | points).astype(np.int32)
    repaired = np.minimum(np.arange(10), rng.integers(0, 10, (STATES // 4, 10))).astype(np.int8)
    turns = rng.integers(0, 3000, (10, 3, STATES + 1)).astype(np.int32)
    turns[:, 2] = 0
    return ExpectedTurns(turns, turns[0], steps, FLAGS, repaired, fewest_turns_at_end(turns, steps, FLAGS, repaired))


def end_of(known: ExpectedTurns, state: int, damage: int, register: int, kinds: tuple[int, ...]) -> tuple[int, int]:
    """Return the expected turns after a program, and how many registers are played."""
    goal, lost = 0, LOST
    for r, kind in enumerate(kinds, register):
        step = int(known.steps[state, r, kind])
        damage += step & 15
        if step < 0 or damage > 9:
            return 256 + lost, r + 1
        state = step >> DAMAGE_BITS
        if state >> 2 == FLAGS[goal]:
            goal += 1
            if goal == len(FLAGS):
                return 256 * (r + 1) // 5, r + 1
            lost = int(known.turns[2, goal, -1] + DAMAGED[2])
    damage = int(known.repaired[state >> 2, damage])
    return 256 + int(known.turns[damage, goal, state] + DAMAGED[damage]), 5


@pytest.mark.parametrize(
    ("register", "hand", "last"),
    [(0, [1, 1, 2, 4, 5, 6], 0), (0, [1, 3, 3, 7, 7], 3), (2, [2, 2, 5], 0), (3, [6], 0), (1, [], 0), (4, [1, 7], 0)],
)
@pytest.mark.parametrize("bound", [NO_BOUND, 1400])
def test_programs_are_all_that_the_hand_allows(
    known: ExpectedTurns, register: int, hand: list[int], last: int, bound: int
) -> None:
    """`last` is the type of the card that lies in the last register, 0 for none."""
    for state in range(0, STATES, 5):
        walk = np.zeros(NUM_STOPS, STOP)
        walk["hand"] = sum(one_of(kind) for kind in hand)
        walk[4]["fixed"] = one_of(last) << np.uint64(7) if last else 0
        begin(walk, register, state, 0, 3, LOST)
        found: dict[tuple[int, ...], int] = {}
        played = next_end(known, walk, register, register + 1, bound)
        while played:
            kinds = tuple(walk["kind"][register:played].tolist())
            assert kinds not in found
            found[kinds] = int(walk[played]["turns"])
            played = next_end(known, walk, register, played, bound)
        expected = {}
        opens = 5 - register - (last > 0)
        for drawn in set(permutations(hand, min(opens, len(hand)))):
            program = drawn + (0,) * (opens - len(drawn)) + (last,) * (last > 0)
            turns, played = end_of(known, state, 3, register, program)
            expected[program[: played - register]] = turns
        assert {kinds for kinds, turns in expected.items() if turns < bound} <= set(found)
        assert found.items() <= expected.items()
