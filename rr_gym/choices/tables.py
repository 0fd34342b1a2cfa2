"""Tables of a course in which choices are looked up: every phase of a lone robot, and how far it then has to go."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices.columns import NO_LOOKAHEAD, PATHS, TRIALS
from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.distances import (
    DAMAGE_BITS,
    SAMPLE_CARDS,
    lone_start,
    lone_steps,
    num_places_of,
    phase_distances,
)
from rr_gym.rules.floor.ground import stand_on
from rr_gym.rules.state.constants import FATAL_DAMAGE, NUM_REGISTERS
from rr_gym.rules.state.records import Log, Orders, new_log, no_orders
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.sites import repair_robots
from rr_gym.solo.turn_tables import DAMAGED, ExpectedTurns, card_counts, expected_turns, sample_hands
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]

LOW = (1 << DAMAGE_BITS) - 1  # the bits of a step that hold points of damage
KIND_BITS = 3  # the bits of an entry of `Foresight.last` that hold the type of card
LOST = 1 << 20  # the turns of a destroyed robot in such an entry, since the real cost depends on its lives
RETURN_DAMAGE = 2  # points of damage of robots that come back
UNKNOWN = -2  # in paths not computed yet


class Foresight(NamedTuple):
    """Precomputed tables of a course, in the form that kernels take. Tables that the lookahead does not need are empty.

    States are `standing_place * 4 + facing`; flags count from 0.

    Attributes:
        steps: int32, (states, 5, 8): every phase of a lone robot, see `lone_steps`.
        distances: int16, (flags, states, 5): registers to a flag from before each phase.
        turns: int32, (10, flags + 1, states + 1): expected turns to the last flag in 1/256 from the start of a turn, by
            damage and next flag, plus the cost of damage. The last state is a robot that comes back where it touched
            its last flag.
        down: int32, (flags + 1, states + 1): the same for a robot that is powered down in that turn.
        repaired: int8, (places, 10): damage after the repairs at the end of a turn, by damage before them.
        last: int32, (10, flags, states, 7), by damage, next flag and state before the last register: one entry for each
            type of card, best first. An entry is the expected turns with that card, including this one, shifted by
            `KIND_BITS`, plus the type.
        flags: int64, (flags,): the squares of the flags.
        hands: int8, (9, 8): sampled hands, by type of card.
        likely: int16, (flags, states, 9, 5): the states after each phase of a lone robot that races with each of these
            hands, by its next flag and its state at the start of the turn; `UNKNOWN` until first needed.
        expected: The expected turns as players use them, for trials.
    """

    steps: Array
    distances: Array
    turns: Array
    down: Array
    repaired: Array
    last: Array
    flags: Array
    hands: Array
    likely: Array
    expected: ExpectedTurns


@kernel
def fill_repairs(
    games: Array, words: Array, table: Table, orders: RecordArray[Orders], log: Log, damage: Array
) -> None:
    """Write the damage that is left at the end of a turn, by place and damage before it: (places, 10)."""
    game = games[1]
    for place in range(damage.shape[0]):
        for points in range(damage.shape[1]):
            damage[place, points] = points
            if place < table.course.num_squares and not table.squares[place].exists:
                continue
            words[1] = words[0]
            robot = game.robots[0]
            robot.square = place
            robot.damage = points
            if stand_on(game, table, 0, place):
                repair_robots(game, table, orders, log)
                damage[place, points] = robot.damage


def _repaired(table: Table) -> Array:
    """Return the damage after repairs, `Foresight.repaired`: int8, (places, 10)."""
    games = lone_start(table)
    words = games.view(np.uint64).reshape(2, -1)
    damage = np.zeros((num_places_of(table), FATAL_DAMAGE), np.int8)
    fill_repairs(games, words, table, no_orders(8, full=True), new_log(on=False)[0], damage)
    return damage


@kernel
def fill_last(steps: Array, turns: Array, repaired: Array, flags: Array, last: Array) -> None:
    """Rank the cards for the last register into `last`, which is `Foresight.last`."""
    for points in range(last.shape[0]):
        for goal in range(last.shape[1]):
            for state in range(last.shape[2]):
                ranks = last[points, goal, state]
                for kind in range(1, ranks.size + 1):
                    step = int(steps[state, NUM_REGISTERS - 1, kind])
                    hurt = points + (step & LOW)
                    after = step >> DAMAGE_BITS
                    if step < 0 or hurt >= FATAL_DAMAGE:
                        value = LOST
                    else:
                        left = repaired[after >> 2, hurt]
                        value = TURN + int(turns[left, goal + (after >> 2 == flags[goal]), after])
                    entry = value << KIND_BITS | kind
                    rank = kind - 1
                    while rank > 0 and ranks[rank - 1] > entry:
                        ranks[rank] = ranks[rank - 1]
                        rank -= 1
                    ranks[rank] = entry


def foresight(arena: Arena, course: int, lookahead: int) -> Foresight:
    """Compute the tables of a course of an arena.

    Args:
        arena: The arena.
        course: The number of the course in the arena.
        lookahead: An index of `LOOKAHEADS`, which determines what is computed.
    """
    table = arena.tables[course]
    # Writable and read-only arrays are different types for Numba: all of these are writable, even the empty ones.
    steps, repaired = lone_steps(table).copy(), _repaired(table)
    flags = table.course.flag_squares[: int(table.course.num_flags)].astype(np.int64)
    distances = np.zeros((0, 0, 0), np.int16)
    turns, down = np.zeros((0, 0, 0), np.int32), np.zeros((0, 0), np.int32)
    last = np.zeros((0, 0, 0, 0), np.int32)
    hands, likely = np.zeros((0, 0), np.int8), np.zeros((0, 0, 0, 0), np.int16)
    if lookahead > NO_LOOKAHEAD:
        distances = phase_distances(table).reshape(len(flags), len(steps), NUM_REGISTERS).copy()
    if lookahead > PATHS:
        known = expected_turns(arena, course)
        turns, down = known.turns + DAMAGED[:FATAL_DAMAGE, None, None].astype(np.int32), known.down.copy()
        turns[:, -1] = 0  # all flags are touched
        last = np.zeros((FATAL_DAMAGE, len(flags), len(steps), SAMPLE_CARDS.size - 1), np.int32)
        fill_last(steps, turns, repaired, flags, last)
        hands = card_counts(sample_hands(1))
        likely = np.full((len(flags), len(steps), len(hands), NUM_REGISTERS), UNKNOWN, np.int16)
    expected = expected_turns(arena, course) if lookahead >= TRIALS else _nothing_expected()
    return Foresight(steps, distances, turns, down, repaired, last, flags, hands, likely, expected)


def _nothing_expected() -> ExpectedTurns:
    """Return empty expected turns, with the array types that kernels expect."""
    empty = (
        np.zeros((0, 0, 0), np.int32), np.zeros((0, 0), np.int32), np.zeros((0, 0, 0), np.int16), np.zeros(0, np.int64),
        np.zeros((0, 0, 0, 0), np.int32), np.zeros(0, np.uint8),
    )  # fmt: skip
    for array in empty:
        array.flags.writeable = False
    return ExpectedTurns(*empty)
