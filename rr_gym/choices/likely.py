"""Estimate where the other robots will be in each phase, from the paths of lone robots with random hands.

The programs of others are hidden. A racing robot is assumed to play what is best for it alone, so a sample of hands
shows where it may go. Paths are computed on first use and cached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.choices.columns import NUM_RELATIONS, RELATIONS
from rr_gym.choices.poses import STATE
from rr_gym.choices.relations import meets, other_number
from rr_gym.choices.tables import UNKNOWN, Foresight
from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.rules.floor.grid import STEP_X, STEP_Y
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.constants import BACK_UP, MOVE_1, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.solo.distances import DAMAGE_BITS
from rr_gym.solo.programs import NO_BOUND, NUM_KINDS, NUM_STOPS, STOP, begin, lost_turns, next_end, one_of
from rr_gym.solo.turn_tables import ExpectedTurns
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]

LIKELY_IN_WAY, LIKELY_MET, LIKELY_NEAR, LIKELY_SHOOTS, LIKELY_SHOT = (
    RELATIONS.index(name) for name in ("likely_in_way", "likely_met", "likely_near", "likely_shoots", "likely_shot")
)


@kernel
def find_path(known: ExpectedTurns, goal: int, state: int, hand: Array, path: Array) -> None:
    """Write a lone, undamaged robot's states after each phase of the best program from a hand.

    Args:
        known: The expected turns of the course.
        goal: The robot's next flag, from 0.
        state: The robot's state at the start of the turn.
        hand: int8, (8,): its cards by type.
        path: int16, (5,): overwritten; -1 from the phase on in which it is destroyed.
    """
    walk: Any = np.zeros(NUM_STOPS, STOP)
    for kind in range(1, NUM_KINDS):
        walk[0].hand += one_of(kind) * np.uint64(hand[kind])
    begin(walk, 0, state, goal, 0, lost_turns(known, goal, 0, -1))
    best, destroyed = NO_BOUND, known.turns.shape[2] - 1
    played = next_end(known, walk, 0, 1, NO_BOUND)
    while played:
        end = walk[played]
        turns = int(end.turns)
        if end.goal < known.flags.size:  # damage on the way is ignored
            turns = TURN + int(known.turns[0, end.goal, end.state if end.state >= 0 else destroyed])
        if turns < best:
            best = turns
            for phase in range(NUM_REGISTERS):
                path[phase] = walk[min(phase + 1, played)].state
        played = next_end(known, walk, 0, played, NO_BOUND)


@kernel
def find_paths(known: Foresight, goal: int, state: int) -> None:
    """Compute `known.likely[goal, state]` unless that has been done."""
    paths = known.likely[goal, state]
    if paths[0, 0] == UNKNOWN:
        for h in range(known.hands.shape[0]):
            find_path(known.expected, goal, state, known.hands[h], paths[h])


@kernel
def squares_ahead(table: Table, place: int, facing: int, other: int) -> int:
    """Return how many squares straight ahead another square lies; 0 if it does not lie straight ahead."""
    here, there = table.squares[place], table.squares[other]
    x, y = int(there.x) - int(here.x), int(there.y) - int(here.y)
    if x * STEP_Y[facing] - y * STEP_X[facing] != 0:
        return 0
    return int(max(0, x * STEP_X[facing] + y * STEP_Y[facing]))


@kernel
def add_meeting(
    table: Table, before: int, steps: int, after: int, other_before: int, other_after: int, weight: int, out: Array
) -> None:
    """Count how the seat's own robot and another robot meet in a phase, by relation.

    Args:
        table: The course.
        before: The state of the own robot before the phase.
        steps: By how many squares its card moves it; -1 for Back Up.
        after: Its state after the phase.
        other_before: The other robot's state before the phase, -1 off the board.
        other_after: Its state after the phase.
        weight: How many hands this meeting stands for.
        out: (NUM_RELATIONS,): counts of hands by relation; incremented.
    """
    squares = int(table.course.num_squares)
    if 0 <= other_before >> 2 < squares and steps:
        distance = squares_ahead(table, before >> 2, (before & 3) ^ (2 if steps < 0 else 0), other_before >> 2)
        out[LIKELY_IN_WAY] += weight * (0 < distance <= abs(steps))
    if other_after < 0 or other_after >> 2 >= squares:
        return
    own, other = after >> 2, other_after >> 2
    x = int(table.squares[other].x) - int(table.squares[own].x)
    y = int(table.squares[other].y) - int(table.squares[own].y)
    out[LIKELY_MET] += weight * (own == other)
    out[LIKELY_NEAR] += weight * (abs(x) + abs(y) <= 1)
    out[LIKELY_SHOOTS] += weight * (squares_ahead(table, other, other_after & 3, own) > 0)
    out[LIKELY_SHOT] += weight * (squares_ahead(table, own, after & 3, other) > 0)


@kernel
def write_likely(
    game: GameRecord, table: Table, known: Foresight, seat: int, register: int, before: Array, kind: int, after: Array,
    row: Array,
) -> None:  # fmt: skip
    """Write how likely the seat's robot is to meet each other robot after a choice.

    Args:
        game: What the seat is shown; the others stand where they are at the start of the turn.
        table: The course of the game.
        known: The tables of the course, with expected turns.
        seat: The seat that chooses.
        register: The register of the phase, from 0.
        before: The pose before the phase.
        kind: The type of the card.
        after: The pose after the phase.
        row: The relations in a row of `choices`; the likely ones must be 0.
    """
    squares = int(table.course.num_squares)
    start, end = int(before[STATE]), int(after[STATE])
    if game.robots[seat].virtual or min(start, end) < 0 or max(start, end) >> 2 >= squares:
        return
    steps = kind - MOVE_1 + 1 if kind >= MOVE_1 else -1 if kind == BACK_UP else 0
    hands = known.hands.shape[0]
    for i in range(game.num_robots):
        if not meets(game, seat, i):
            continue
        goal = goal_of(game, table, i)
        if game.robots[i].square < 0 or goal >= known.expected.flags.size:
            continue
        column = NUM_RELATIONS * other_number(game, seat, i)
        out = row[column : column + NUM_RELATIONS]
        state = int(standing_place(game, table, i)) * 4 + int(game.robots[i].facing)
        if game.robots[i].down:  # powered down: only the board moves it
            other_before = state
            for phase in range(register):
                other_before = state_without_card(known, other_before, phase)
            other_after = state_without_card(known, other_before, register)
            add_meeting(table, start, steps, end, other_before, other_after, hands, out)
            continue
        find_paths(known, goal, state)
        paths = known.likely[goal, state]
        for h in range(hands):
            other_before = int(paths[h, register - 1]) if register else state
            add_meeting(table, start, steps, end, other_before, int(paths[h, register]), 1, out)


@kernel
def state_without_card(known: Foresight, state: int, phase: int) -> int:
    """Return the state of a robot without a card after a phase, -1 off the board."""
    step = int(known.expected.steps[state, phase, 0]) if state >= 0 else -1
    return step >> DAMAGE_BITS if step >= 0 else -1
