"""Expected turns satisfy their Bellman equation, computed in plain Python, and are plausible on small floors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from random_play import FLOOR

from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import HAND_SIZE
from rr_gym.solo.distances import DAMAGE_BITS
from rr_gym.solo.turn_tables import (
    FARTHEST,
    LATER_POWER_DOWN,
    LIFE,
    ExpectedTurns,
    compute,
    expected_turns,
    sample_hands,
)
from rr_gym.solo.value_iteration import hands_containing, multisets, reachable_ends

TURN = 256
pytestmark = pytest.mark.skipif(not COMPILED, reason="value iteration takes minutes in interpreted code")


def of(course: Course, **settings: str) -> ExpectedTurns:
    return expected_turns(Arena(course, settings))


def end_of(known: ExpectedTurns, state: int, flag: int, program: tuple[int, ...]) -> int:
    """Return the cost of one program by the table of phases, in 1/256 of a turn."""
    for phase, kind in enumerate(program):
        state = int(known.steps[state, phase, kind]) >> DAMAGE_BITS
        if state < 0:
            break
        if state // 4 == known.flags[flag]:
            flag += 1
            if flag == len(known.flags):
                return TURN * (phase + 1) // 5
    return TURN + int(known.turns[4, flag, state])


def test_values_are_one_turn_more_than_the_mean_of_the_best() -> None:
    known = of(FLOOR, power_down="off")
    hands = [set(itertools.permutations(hand[: HAND_SIZE - 4].tolist(), 5)) for hand in sample_hands(6)]
    for state in (0, 13, 30, 57, 90, 101):
        for flag in range(3):
            best = [min(end_of(known, state, flag, program) for program in programs) for programs in hands]
            assert abs(int(known.turns[4, flag, state]) - sum(best) // len(best)) <= 2


def test_more_damage_costs_more_and_more_flags_take_longer() -> None:
    turns = of(FLOOR, power_down="off").turns[:, :-1]
    assert (np.diff(turns, axis=0) >= 0).all()
    rested = of(FLOOR).turns
    assert (rested <= TURN + LATER_POWER_DOWN + rested[0]).all()
    assert (rested[0] <= of(FLOOR, power_down="off").turns[0]).all()
    assert (turns[0, 0] > turns[0, 2]).mean() > 0.9


def test_down_is_a_turn_without_cards() -> None:
    known = of(Course.from_board("grid:\n@1 . . . . . #1\n> > > > > > .\n"))
    standing, carried = 3 * 4 + 1, (7 + 1) * 4 + 1
    assert known.down[0, standing] == TURN + known.turns[0, 0, standing]
    assert known.down[0, carried] == TURN + known.turns[0, 0, carried + 5 * 4]


def test_a_robot_beside_the_flag_needs_less_than_a_turn() -> None:
    known = of(Course.from_board("grid:\n" + "\n".join([". . . . ."] * 2 + [". . #1 . @1"] + [". . . . ."] * 2)))
    turns = known.turns[0, 0, :-1].reshape(5, 5, 4)
    assert (turns[2, 3] < TURN).all()
    assert turns[2, 3, 3] < turns[2, 3, 1]  # with the flag ahead rather than behind
    assert (turns <= 3 * TURN).all()
    # Rotating the start around the flag changes nothing, except for rotations in the sampled hands.
    np.testing.assert_allclose(np.roll(np.rot90(turns, -1), 1, axis=2), turns, atol=TURN // 8)
    assert known.turns[0, 0, -1] == turns[2, 4].min() + LIFE
    assert not known.turns[:, 1].any()


def test_a_flag_behind_walls_is_far() -> None:
    known = of(Course.from_board("grid:\n@1 #1/nesw .\n. . .\n"))
    assert (known.turns[0, 0, :4] == FARTHEST).all()


def test_tables_are_kept_and_read_only() -> None:
    first = of(FLOOR)
    assert of(FLOOR) is first
    assert of(FLOOR, lives="1") is not first
    with pytest.raises(ValueError, match="read-only"):
        first.turns[0, 0, 0] = 0
    np.testing.assert_array_equal(compute(Arena(FLOOR).tables[0]).turns, first.turns)


def test_a_course_without_flags() -> None:
    known = of(Course.from_board("grid:\n@1 .\n"))
    assert known.turns.shape == (10, 1, 9)
    assert not known.turns.any()


def test_hands_are_dealt_from_whole_decks() -> None:
    hands = sample_hands(2)
    assert hands.shape == (18, 9)
    counts = np.bincount(hands.ravel(), minlength=8)
    assert counts[0] == 0
    assert (np.abs(counts[1:] - 2 * np.array([6, 18, 18, 6, 18, 12, 6])) <= 6).all()
    np.testing.assert_array_equal(sample_hands(1), hands[:9])


@pytest.mark.parametrize("room", [0, 100, 10_000])
def test_ends_of_all_hands_are_found_at_once_whatever_room_there_is(room: int) -> None:
    successors = (of(FLOOR).steps >> DAMAGE_BITS).astype(np.int16)
    hands = sample_hands(2)
    counts = (hands[:, :, None] == np.arange(8)).sum(axis=1).astype(np.int8)
    more, holders = multisets()[0], hands_containing(counts[None])
    starts = np.zeros(len(successors) + 1, np.int64)
    ends, who = np.empty(room, np.int16), np.empty((1, room), np.uint64)
    total = reachable_ends(successors, more, holders, starts, ends, who)
    if room < total:
        ends, who = np.empty(total, np.int16), np.empty((1, total), np.uint64)
        assert reachable_ends(successors, more, holders, starts, ends, who) == total
    for state in (0, 57):
        mine = slice(starts[state], starts[state + 1])
        for hand in (0, 11):
            expected = {played(successors, state, program) for program in set(itertools.permutations(hands[hand], 5))}
            assert set(ends[mine][who[0, mine] >> np.uint64(hand) & np.uint64(1) == 1].tolist()) == expected


def played(successors: np.ndarray, state: int, program: tuple[int, ...]) -> int:
    """Return the state in which a program ends; the last state of the table if it destroys its robot."""
    for phase, kind in enumerate(program):
        state = int(successors[state, phase, kind])
        if state < 0:
            return len(successors)
    return state
