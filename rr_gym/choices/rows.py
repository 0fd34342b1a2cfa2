"""Write the observations `choices` and `prospects` for the current decision of every row of a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices import columns as at
from rr_gym.choices.columns import FAR_AWAY, NEVER, NUM_CHOICE_FEATURES, PATHS, TRIAL_COLUMNS, TRIALS, TURNS
from rr_gym.choices.likely import write_likely
from rr_gym.choices.poses import (
    AFTER,
    BEFORE,
    FLAGS,
    GOAL,
    POINTS,
    POSE_SIZE,
    SQUARE,
    STATE,
    TRIED,
    Trial,
    catch_up,
    look_up,
    phases_seen,
    read_pose,
    register_of,
    try_choice,
)
from rr_gym.choices.relations import write_relations
from rr_gym.choices.tables import Foresight
from rr_gym.choices.trials import TrialResults, TrialScratch, try_programs_of, write_chances
from rr_gym.choices.turns_ahead import RowScratch, turns_from
from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.act import components as kinds
from rr_gym.encoding.act.plans import ASKED, ASKED_REGISTER, CARD, WHAT
from rr_gym.encoding.act.turn_decisions import DecisionRows, write_step_mask
from rr_gym.encoding.observe.frame import frame_of, offset
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.players.racer import flags_stay
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.solo.programs import (
    NUM_KINDS,
    NUM_STOPS,
    STOP,
    held,
    lost_turns,
    take_hand,
)
from rr_gym.solo.turn_tables import DAMAGED
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]


class Facts(NamedTuple):
    """The tables to write, int16.

    Attributes:
        choices: (n, choices, columns).
        prospects: (n, robots, columns).
    """

    choices: Array
    prospects: Array


@kernel
def registers_from(known: Foresight, pose: Array, goal: int, stage: int) -> int:
    """Return the distance to a flag, in registers, from a pose before a register; 0 if all flags are touched."""
    if pose[STATE] < 0:
        return FAR_AWAY
    if goal >= known.expected.flags.size:
        return 0
    return min(FAR_AWAY, int(known.distances[goal, pose[STATE], stage % NUM_REGISTERS]))


@kernel
def write_pose(shown: GameRecord, table: Table, seat: int, before: Array, after: Array, out: Array) -> None:
    """Write the columns that describe the effect of a phase on the robot."""
    robot = shown.robots[seat]
    if before[STATE] < 0:
        return
    out[at.PLAYED] = 1
    if after[STATE] < 0:
        out[at.DESTROYED] = 1
        return
    out[at.FORWARD], out[at.RIGHT] = offset(shown, table, frame_of(shown, table, robot), int(after[SQUARE]))
    out[at.FACING] = (after[STATE] - robot.facing) & 3
    out[at.DAMAGE] = max(0, after[POINTS] - before[POINTS])
    out[at.FLAG] = after[FLAGS] > before[FLAGS]


@kernel
def write_registers(known: Foresight, before: Array, stage: int, after: Array, out: Array) -> None:
    """Write the distance to the flag after a choice, and by how many registers the choice shortens it."""
    out[at.TO_GO] = registers_from(known, after, int(after[GOAL]), stage + 1)
    if after[STATE] >= 0 and before[STATE] >= 0:
        there = 0 if after[GOAL] != before[GOAL] else int(out[at.TO_GO])
        out[at.GAINED] = registers_from(known, before, int(before[GOAL]), stage) - there


@kernel
def write_turns_behind(choices: Array) -> int:
    """Write by how many turns each legal choice is worse than the best; return the expected turns of the best."""
    best = np.int16(NEVER)
    for c in range(choices.shape[0]):
        if choices[c, at.LEGAL]:
            best = min(best, choices[c, at.TURNS_TO_GO])
    for c in range(choices.shape[0]):
        if choices[c, at.LEGAL]:
            choices[c, at.TURNS_BEHIND] = choices[c, at.TURNS_TO_GO] - best
    return int(best)


@kernel
def write_prospects(
    game: GameRecord, table: Table, seat: int, level: int, known: Foresight, out: Array
) -> None:
    """Write how far the other robots have to go from where they stand."""
    if level < PATHS or not flags_stay(game, table):
        return
    for j in range(1, out.shape[0]):
        i = (seat + j) % game.num_robots
        robot = game.robots[i]
        goal = goal_of(game, table, i)
        if not robot.alive or robot.square < 0 or goal >= known.expected.flags.size:
            continue
        place = int(standing_place(game, table, i)) * 4
        registers, turns = FAR_AWAY, NEVER
        for facing in range(4):
            if facing == robot.facing or robot.may_face:
                registers = min(registers, int(known.distances[goal, place + facing, 0]))
                if level >= TURNS and robot.down:
                    turns = min(turns, int(known.expected.down[goal, place + facing]))
                elif level >= TURNS:
                    to_go = known.expected.turns[robot.damage, goal, place + facing]
                    turns = min(turns, int(to_go + DAMAGED[robot.damage]))
        out[j, 0] = registers
        out[j, 1] = turns if level >= TURNS else 0


@kernel
def write_legal(decision: Array, legal: Array, choices: Array) -> None:
    """Write which choices are legal, and what they decide on."""
    for c in range(choices.shape[0]):
        if legal[c]:
            choices[c, at.LEGAL] = 1
            choices[c, at.DECISION] = decision[ASKED]
            choices[c, at.REGISTER] = decision[ASKED_REGISTER]
            choices[c, at.CHOICE] = c


@kernel
def write_cards(
    rows: DecisionRows, row: int, table: Table, decision: Array, register: int, first_relation: int, level: int,
    exact: bool, known: Foresight, trial: Trial, scratch: RowScratch, lost: int, legal: Array, log: Log, choices: Array,
) -> None:  # fmt: skip
    """Write where the choices lead that play the card of a register.

    `scratch.poses[0]` is the pose before the register, `scratch.walk` holds the cards, `first_relation` is the first
    column of `write_relations`, and `lost` is what `lost_turns` says before another flag is touched. All other
    arguments are those of `write_row`.
    """
    shown, seat = rows.seen[row], int(rows.at[row, 0])
    robot = shown.robots[seat]
    before, after = scratch.poses[0], scratch.poses[1]
    scratch.first[:] = -1
    for c in range(choices.shape[0]):
        if not legal[c]:
            continue
        out = choices[c]
        kind = 0
        if decision[CARD] >= 0:
            card = 0
            if not robot.down:
                opens = not robot.locked >> register & 1 and robot.hand[0] > 0
                card = int(robot.hand[c] if opens else robot.registers[register])
            kind = int(CARD_TYPE[card])
            out[at.TYPE] = kind
            out[at.PRIORITY] = 10 * card
            if scratch.first[kind] >= 0:  # cards of one type have the same result
                out[at.COPIES:] = choices[scratch.first[kind], at.COPIES:]
                continue
            scratch.first[kind] = c
            out[at.COPIES] = held(scratch.walk[0].hand, kind)
        else:
            kind = int(CARD_TYPE[robot.registers[register]])
        others = out[first_relation:]
        if exact:
            look_up(known, before, register, kind, after)
            write_relations(shown, table, seat, before, kind, after, others)
            if level >= TURNS:
                write_likely(shown, table, known, seat, register, before, kind, after, others)
        else:
            try_choice(rows, row, table, decision, register, c, trial, log)
            read_pose(trial.games[AFTER], table, seat, after)
            write_relations(trial.games[AFTER], table, seat, before, kind, after, others)
            if level >= TURNS:
                write_likely(trial.games[AFTER], table, known, seat, register, before, kind, after, others)
        write_pose(shown, table, seat, before, after, out)
        if level >= PATHS:
            write_registers(known, before, register, after, out)
        if level >= TURNS and not exact:
            take_hand(scratch.walk, trial.games[TRIED].robots[seat])
            turns = turns_from(known.expected, after, register + 1, lost, scratch)
            out[at.TURNS_TO_GO] = min(turns, NEVER)
    if level >= TURNS and exact:
        done = before[STATE] < 0 or before[GOAL] >= known.expected.flags.size  # destroyed, or all flags are touched
        turns = turns_from(known.expected, before, register, lost, scratch)
        for c in range(choices.shape[0]):
            if legal[c]:
                choices[c, at.TURNS_TO_GO] = min(NEVER, turns if done else int(scratch.best[choices[c, at.TYPE]]))


@kernel
def write_turns_aside(
    rest: bool, phases: int, level: int, known: Foresight, scratch: RowScratch, lost: int, legal: Array, choices: Array
) -> None:
    """Write where the choices of a facing or, with `rest`, of a power-down lead; see `write_cards`."""
    before, after = scratch.poses[0], scratch.poses[1]
    for c in range(choices.shape[0]):
        if not legal[c]:
            continue
        out = choices[c]
        after[:] = before
        if not rest and before[STATE] >= 0:
            after[STATE] = before[STATE] & ~3 | (before[STATE] + c) & 3
            out[at.FACING] = c
        if level >= PATHS:
            out[at.TO_GO] = registers_from(known, after, int(after[GOAL]), phases)
        if level >= TURNS and rest and c == 1 and after[STATE] >= 0 and after[GOAL] < known.expected.flags.size:
            out[at.TURNS_TO_GO] = min(NEVER, TURN + int(known.expected.down[after[GOAL], after[STATE]]))
        elif level >= TURNS:
            turns = turns_from(known.expected, after, phases, lost, scratch)
            out[at.TURNS_TO_GO] = min(NEVER, turns)


@kernel
def write_row(
    rows: DecisionRows, row: int, table: Table, plan: Array, preview: bool, level: int, exact: bool, known: Foresight,
    results: TrialResults, trial: Trial, trial_scratch: TrialScratch, scratch: RowScratch,
    legal: Array, log: Log, choices: Array, prospects: Array,
) -> None:  # fmt: skip
    """Write the tables of one row; arguments as in `write_facts`."""
    choices[:] = 0
    prospects[:] = 0
    first_relation = NUM_CHOICE_FEATURES + TRIAL_COLUMNS * (level >= TRIALS)
    per_game = rows.whole.shape[1]
    g, k = row // per_game, row % per_game
    stage = min(int(rows.stages[g]), plan.shape[0] - 1)
    decision = plan[stage]
    shown = rows.seen[row]
    seat = int(rows.at[row, 0])
    robot = shown.robots[seat]
    write_step_mask(shown, table, seat, decision, rows.whole[g, k], rows.orders[row], legal)
    write_legal(decision, legal, choices)
    write_prospects(shown, table, seat, level, known, prospects)
    phases = phases_seen(plan, stage)
    if shown.over or not (robot.alive or phases > 0):
        return
    before = scratch.poses[0]
    ahead = 0 if preview else phases
    if exact and ahead == 0:
        body = robot
        read_pose(shown, table, seat, before)
    else:
        catch_up(rows, row, table, ahead, trial, log)
        body = trial.games[BEFORE].robots[seat]
        read_pose(trial.games[BEFORE], table, seat, before)
    take_hand(scratch.walk, robot)
    if level >= PATHS and not flags_stay(shown, table):
        level = 0
    lost = 0
    if level >= TURNS:
        lives = int(body.lives)
        if not body.alive and lives >= 0:  # the preview has taken one life
            lives += 1
        goal = min(int(before[GOAL]), int(known.expected.flags.size))
        lost = lost_turns(known.expected, goal, lives, int(body.archive))
    if level >= PATHS:
        prospects[0, 0] = registers_from(known, before, int(before[GOAL]), phases)
    register = register_of(decision, phases)
    rest = decision[WHAT] == kinds.POWER_DOWN
    aside = rest or decision[WHAT] == kinds.FACING
    if register >= 0:
        write_cards(
            rows, row, table, decision, register, first_relation, level, exact, known, trial, scratch, lost, legal, log,
            choices,
        )  # fmt: skip
    elif aside:
        write_turns_aside(rest, phases, level, known, scratch, lost, legal, choices)
    if level >= TURNS:
        best = write_turns_behind(choices)
        if register < 0 and not aside:
            best = min(NEVER, turns_from(known.expected, before, phases, lost, scratch))
        prospects[0, 1] = best
    if level >= TRIALS:
        try_programs_of(rows, row, table, known.expected, log, trial_scratch, results)
        write_chances(rows, row, plan, stage, phases, results, choices, prospects)


@kernel
def write_facts(
    tables: Array, plan: Array, rows: DecisionRows, numbers: Array, preview: bool, level: int, exact: bool,
    known: Foresight, results: TrialResults, trial: Trial, trial_scratch: TrialScratch, log: Log,
    out: Facts,
) -> None:  # fmt: skip
    """Write the tables of the given rows, all of them on one course.

    Args:
        tables: Tables of the arena.
        plan: `plan_of` the layout.
        rows: The turns that are being decided; not modified.
        numbers: (n,), int64: the rows to write.
        preview: Whether seats are shown the previewed pose.
        level: The lookahead, an index of `LOOKAHEADS`.
        exact: Whether a phase of a lone robot can be looked up in tables and need not be played.
        known: The tables of the course.
        results: The trial results of all rows.
        trial: Scratch records to play on.
        trial_scratch: Scratch arrays to try programs.
        log: A log that is off.
        out: Written: entry i is that of row `numbers[i]`.
    """
    walk: Any = np.zeros(NUM_STOPS, STOP)
    best, first = np.zeros(NUM_KINDS, np.int64), np.zeros(NUM_KINDS, np.int64)
    scratch = RowScratch(np.zeros((2, POSE_SIZE), np.int64), walk, best, first)
    legal = np.zeros(rows.whole.shape[3], np.int8)
    for i in range(numbers.size):
        row = int(numbers[i])
        table = tables[rows.seen[row].course]
        write_row(
            rows, row, table, plan, preview, level, exact, known, results, trial, trial_scratch, scratch,
            legal, log, out.choices[i], out.prospects[i],
        )  # fmt: skip
