"""The pose of a robot before and after the phase of its next register, as if it were alone on the board."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices.tables import Foresight
from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import RANDOMIZER
from rr_gym.encoding.act.plans import ASKED_REGISTER, CARD, PREVIEWED
from rr_gym.encoding.act.previews import preview_phase
from rr_gym.encoding.act.turn_decisions import DecisionRows, carry_out
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.forms import with_elements
from rr_gym.rules.driving.registers import replace_cards
from rr_gym.rules.floor.ground import flies, standing_place, stands_on
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, FATAL_DAMAGE, HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.solo.distances import DAMAGE_BITS, SAMPLE_CARDS
from rr_gym.solo.programs import POINTS_OF_STEP

Array = np.ndarray[Any, Any]

# Entries of a pose: the state (`standing_place * 4 + facing`), -1 off the board; the number of flags touched; the
# next flag, from 0; points of damage; the square; the floor level.
STATE, FLAGS, GOAL, POINTS, SQUARE, LEVEL, POSE_SIZE = range(7)
BEFORE, AFTER, TRIED, LONE = range(4)  # indices of `Trial.games`

DECK_KINDS = np.bincount(CARD_TYPE[1:], minlength=len(CARD_TYPE_NAMES)).astype(np.int64)


class Trial(NamedTuple):
    """Scratch records for playing one choice ahead.

    Attributes:
        games: (4,), dtype `GAME`: before the phase, after it, before it with the choice made, and with the robot alone.
        orders: (1,), dtype `FULL_ORDERS`.
    """

    games: Array
    orders: Array


@kernel
def phases_seen(plan: Array, stage: int) -> int:
    """Return how many phases are determined by the decisions before a stage."""
    count = 0
    for s in range(stage):
        count += plan[s, PREVIEWED] >= 0
    return count


@kernel
def read_pose(game: GameRecord, table: Table, seat: int, pose: Array) -> None:
    """Write the pose of a robot in a game."""
    robot = game.robots[seat]
    here = robot.alive != 0 and robot.square >= 0
    pose[STATE] = standing_place(game, table, seat) * 4 + int(robot.facing) if here else -1
    pose[FLAGS] = robot.flag
    pose[GOAL] = goal_of(game, table, seat)
    pose[POINTS] = robot.damage
    pose[SQUARE] = robot.square if here else -1
    pose[LEVEL] = robot.level


@kernel
def look_up(known: Foresight, pose: Array, register: int, kind: int, after: Array) -> None:
    """Write the pose after a phase, looked up in the tables of a course of the base game."""
    after[:] = pose
    if pose[STATE] < 0:
        return
    step = int(known.expected.steps[pose[STATE], register, kind])
    after[POINTS] += step & POINTS_OF_STEP
    if step < 0 or after[POINTS] >= FATAL_DAMAGE:
        after[STATE] = after[SQUARE] = -1
        return
    after[STATE] = step >> DAMAGE_BITS
    after[SQUARE] = after[STATE] >> 2
    if after[GOAL] < known.expected.flags.size and after[SQUARE] == known.expected.flags[after[GOAL]]:
        after[GOAL] += 1
        after[FLAGS] += 1


@with_elements(0)
def most_likely_card(game: GameRecord, table: Table, seat: int) -> int:
    """Return a card of the most frequent type among unseen cards if the robot is on a randomizer; otherwise 0."""
    robot = game.robots[seat]
    if not robot.alive or robot.down or not stands_on(game, table, seat, RANDOMIZER) or flies(game, table, seat):
        return 0
    count = DECK_KINDS.copy()
    for slot in range(HAND_SLOTS):
        count[CARD_TYPE[robot.hand[slot]]] -= 1
    for i in range(game.num_robots):
        for r in range(NUM_REGISTERS):
            if i == seat or game.robots[i].locked >> r & 1:
                count[CARD_TYPE[game.robots[i].registers[r]]] -= 1
    kind = 1
    for k in range(2, count.size):
        if count[k] > count[kind]:
            kind = k
    return int(SAMPLE_CARDS[kind])


@kernel
def play_phase_ahead(table: Table, seat: int, register: int, trial: Trial, log: Log) -> None:
    """Play a phase in `trial.games[AFTER]` as if the seat's robot were alone on the board."""
    game = trial.games[AFTER]
    robot = game.robots[seat]
    if game.over or not robot.alive or 0 < table.course.num_flags <= robot.flag:
        return
    game.phase = register + 1
    trial.games[LONE] = game
    preview_phase(game, table, seat, trial.orders[0], trial.games[LONE:], log)


@kernel
def catch_up(rows: DecisionRows, row: int, table: Table, phases: int, trial: Trial, log: Log) -> None:
    """Play the registers chosen so far.

    `trial.games[BEFORE]` becomes what the seat is shown, with its own robot moved by these registers.
    """
    trial.games[AFTER] = rows.seen[row]
    trial.orders[0] = rows.orders[row]
    for r in range(phases):
        play_phase_ahead(table, rows.at[row, 0], r, trial, log)
    trial.games[BEFORE] = trial.games[AFTER]


@kernel
def try_choice(
    rows: DecisionRows, row: int, table: Table, decision: Array, register: int, choice: int, trial: Trial, log: Log
) -> None:
    """Make a choice in a copy of `trial.games[BEFORE]` and play the phase of its register in `trial.games[AFTER]`.

    `trial.games[TRIED]` is the copy before the phase, and `trial.orders[0]` holds the decisions with the choice.
    """
    seat = rows.at[row, 0]
    per_game = rows.whole.shape[1]
    trial.games[AFTER] = trial.games[BEFORE]
    trial.orders[0] = rows.orders[row]
    game = trial.games[AFTER]
    hand = rows.hands[row // per_game, row % per_game]
    carry_out(game, table, seat, decision, choice, trial.orders[0], hand)
    trial.games[TRIED] = game
    card = most_likely_card(game, table, seat)
    if card:
        replace_cards(game, seat, register, card)
    play_phase_ahead(table, seat, register, trial, log)


@kernel
def register_of(decision: Array, phases: int) -> int:
    """Return the register, from 0, whose card or target a decision sets if it is the next register; otherwise -1."""
    return phases if decision[CARD] >= 0 or decision[ASKED_REGISTER] == phases + 1 else -1
