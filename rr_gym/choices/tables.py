"""Tables of a course for looking up choices: each phase of a lone robot, and the distance that then remains."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices.columns import NO_LOOKAHEAD, PATHS
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.solo.distances import phase_distances
from rr_gym.solo.turn_tables import ExpectedTurns, card_counts, expected_turns, phase_tables, sample_hands

Array = np.ndarray[Any, Any]

UNKNOWN = -2  # in paths not computed yet


class Foresight(NamedTuple):
    """Precomputed tables of a course for kernels. Tables that the lookahead does not need are empty.

    States are `standing_place * 4 + facing`; flags count from 0.

    Attributes:
        expected: The results of single phases of a lone robot, and its expected turns.
        distances: int16, (flags, states, 5): registers to a flag from before each phase.
        hands: int8, (9, 8): sampled hands, by type of card.
        likely: int16, (flags, states, 9, 5): the states after each phase of a lone robot that races with each of these
            hands, by its next flag and its state at the start of the turn; `UNKNOWN` until first needed.
    """

    expected: ExpectedTurns
    distances: Array
    hands: Array
    likely: Array


def foresight(arena: Arena, course: int, lookahead: int) -> Foresight:
    """Compute the tables of a course of an arena.

    Args:
        arena: The arena.
        course: The number of the course in the arena.
        lookahead: An index of `LOOKAHEADS`, which determines what is computed.
    """
    table = arena.tables[course]
    expected = expected_turns(arena, course) if lookahead > PATHS else phase_tables(table)
    shape = len(expected.flags), len(expected.steps)
    # Writable and read-only arrays are different types for Numba: all of these are writable, even the empty ones.
    distances = np.zeros((0, 0, 0), np.int16)
    hands, likely = np.zeros((0, 0), np.int8), np.zeros((0, 0, 0, 0), np.int16)
    if lookahead > NO_LOOKAHEAD:
        distances = phase_distances(table).reshape(*shape, NUM_REGISTERS).copy()
    if lookahead > PATHS:
        hands = card_counts(sample_hands(1))
        likely = np.full((*shape, len(hands), NUM_REGISTERS), UNKNOWN, np.int16)
    return Foresight(expected, distances, hands, likely)
