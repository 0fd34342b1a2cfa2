"""Trials of whole turns: play the best programs of a robot against likely programs of the others.

The tables of a course ignore the other robots. Here the best programs are played for a whole turn by the rules, on
copies of the game with hidden cards dealt again. Each other robot plays what would be best for it if it were alone, as
in `PlannerPlayer`. Trials are played once per turn. Each choice then gets the value of the best tried program that
begins with it. The game after the turn is valued by expected turns, or with the lookahead `trials+value` by a small
network (`rr_gym.players.pair_network`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices.columns import (
    CERTAIN,
    CHANCE,
    CHANCE_BEHIND,
    LEGAL,
    TRIAL_PROSPECT,
    TRIALS,
    TRIED,
    TYPE,
    VALUED_TRIALS,
)
from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.encoding.act import components as kinds_of
from rr_gym.encoding.act.plans import CARD, PLACE, WHAT
from rr_gym.encoding.act.turn_decisions import DecisionRows
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.players.likely_orders import plan_others, write_program
from rr_gym.players.pair_network import PairNetwork, no_network, shipped_network
from rr_gym.players.playouts import redeal, try_orders
from rr_gym.players.race_values import WIN
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.chance import mix
from rr_gym.rules.state.constants import BEST_CARD, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GAME, GameRecord, Log, no_orders
from rr_gym.rules.state.table import Table
from rr_gym.solo.programs import NO_BOUND, NUM_STOPS, STOP, Stop, begin, lost_turns, next_end, take_hand
from rr_gym.solo.turn_tables import ExpectedTurns

Array = np.ndarray[Any, Any]

MAX_SAME_END = 3  # at most this many tried programs may end in the same state
UNTRIED = -1
_FACING, _WON = NUM_REGISTERS, 1 << 40  # index of the facing in a program; marks the end of a program that wins


class Effort(NamedTuple):
    """How many programs and deals are tried.

    Attributes:
        programs: The maximum number of programs to try.
        deals: Deals on which all of them are tried.
        best: How many of the best programs are tried on further deals.
        more_deals: The number of these further deals.
    """

    programs: int
    deals: int
    best: int
    more_deals: int


THOROUGH = Effort(24, 4, 8, 10)  # 176 simulated turns
THOROUGH_VALUED = Effort(24, 4, 8, 8)  # 160; with the network they take about as long
QUICK = Effort(12, 1, 4, 3)  # 24 simulated turns


class TrialResults(NamedTuple):
    """The results of trials, row by row.

    Attributes:
        turns: int64, (rows,): the turn of the results, as counted by `DecisionRows.begun`.
        counts: int64, (rows,): the number of programs.
        programs: int8, (rows, programs, 6): types of cards by register, then the facing (0-3).
        chances: int16, (rows, programs): the estimated probability of finishing first, in units of 1 / `CERTAIN`.
    """

    turns: Array
    counts: Array
    programs: Array
    chances: Array


class TrialScratch(NamedTuple):
    """Scratch arrays to try programs, overwritten for every row.

    Attributes:
        root: (1,), dtype `GAME`: the game at the start of the turn.
        deals: (deals,), dtype `GAME`: copies of the game with hidden cards dealt again.
        others: (deals, 8), dtype `FULL_ORDERS`: the orders of all seats.
        candidates: (programs,), dtype `FULL_ORDERS`: the orders to try.
        blank: (1,), dtype `FULL_ORDERS`: orders with all defaults.
        values: int64, (programs,): the expected turns of a lone robot with each program, in units of 1/256, ascending.
        ends: int64, (programs,): the state in which a lone robot would end, with its next flag and its damage.
        scores: int64, (programs,): values summed over deals.
        left: int64, (programs,): the indices of programs still tried.
        walk: (6,), dtype `STOP`: the stops of a program.
        effort: How many programs and deals to try.
        network: Values the games after the turn; empty to value them by expected turns.
    """

    root: Array
    deals: Array
    others: Array
    candidates: Array
    blank: Array
    values: Array
    ends: Array
    scores: Array
    left: Array
    walk: RecordArray[Stop]
    effort: Effort
    network: PairNetwork


def make_trial_results(num_rows: int, level: int, effort: Effort) -> TrialResults:
    """Allocate empty trial results; they have no rows if the lookahead is below `TRIALS`."""
    rows = num_rows if level >= TRIALS else 0
    return TrialResults(
        np.full(rows, UNTRIED, np.int64), np.zeros(rows, np.int64),
        np.zeros((rows, effort.programs, NUM_REGISTERS + 1), np.int8), np.zeros((rows, effort.programs), np.int16),
    )  # fmt: skip


def thorough(level: int) -> Effort:
    """Return how many programs and deals are tried unless somebody asks for fewer, by the lookahead."""
    return THOROUGH_VALUED if level >= VALUED_TRIALS else THOROUGH


def make_trial_scratch(level: int, effort: Effort) -> TrialScratch:
    """Allocate the scratch arrays to try programs, one row after the other."""
    deals = max(effort.deals, effort.more_deals)
    values, ends, scores, left = np.zeros((4, effort.programs), np.int64)
    walk: Any = np.zeros(NUM_STOPS, STOP)
    return TrialScratch(
        np.zeros(1, GAME), np.zeros(deals, GAME), no_orders(deals, MAX_ROBOTS, full=True),
        no_orders(effort.programs, full=True), no_orders(1, full=True), values, ends, scores, left, walk, effort,
        shipped_network() if level >= VALUED_TRIALS else no_network(),
    )  # fmt: skip


@kernel
def rank_program(
    known: ExpectedTurns, walk: RecordArray[Stop], played: int, scratch: TrialScratch, count: int, programs: Array
) -> int:
    """Insert a program among the best unless too many of them end in the same state; return their number."""
    last = walk[played]
    end = int(last.state if last.state < 0 else last.state | last.goal << 20 | last.damage << 24)
    if last.goal == known.flags.size:
        end = _WON + played
    same_end = 0
    for k in range(count):
        same_end += scratch.ends[k] == end
    if last.turns >= worst_ranked(scratch, count) or same_end >= MAX_SAME_END:
        return count
    most = scratch.effort.programs
    k = min(count, most - 1)
    while k > 0 and scratch.values[k - 1] > last.turns:
        scratch.values[k] = scratch.values[k - 1]
        scratch.ends[k] = scratch.ends[k - 1]
        programs[k] = programs[k - 1]
        k -= 1
    scratch.values[k] = last.turns
    scratch.ends[k] = end
    for r in range(NUM_REGISTERS):
        programs[k, r] = walk[r].kind if r < played else 0
    programs[k, _FACING] = walk[0].state & 3
    return min(count + 1, most)


@kernel
def worst_ranked(scratch: TrialScratch, count: int) -> int:
    """Return the expected turns that a program must stay below to enter the best so far."""
    return int(scratch.values[count - 1]) if count == scratch.effort.programs else NO_BOUND


@kernel
def find_programs(
    game: GameRecord, table: Table, known: ExpectedTurns, seat: int, scratch: TrialScratch, programs: Array
) -> int:
    """Write the best programs of a robot as if it were alone, over all facings it may choose; return their number."""
    robot, walk = game.robots[seat], scratch.walk
    take_hand(walk, robot)
    place = int(standing_place(game, table, seat))
    goal = int(goal_of(game, table, seat))
    lost = lost_turns(known, goal, int(robot.lives), int(robot.archive))
    count = 0
    for facing in range(4):
        if facing == robot.facing or robot.may_face:
            begin(walk, 0, place * 4 + facing, goal, int(robot.damage), lost)
            played = next_end(known, walk, 0, 1, worst_ranked(scratch, count))
            while played:
                count = rank_program(known, walk, played, scratch, count, programs)
                played = next_end(known, walk, 0, played, worst_ranked(scratch, count))
    return count


@kernel
def try_on_deals(
    table: Table, known: ExpectedTurns, seat: int, word: np.uint64, first: int, deals: int, left: Array, log: Log,
    scratch: TrialScratch,
) -> None:  # fmt: skip
    """Try the programs `left` on `deals` deals, numbered from `first`."""
    games, others = scratch.deals[:deals], scratch.others[:deals]
    for d in range(deals):
        for i in range(others.shape[1]):
            others[d, i] = scratch.blank[0]
    redeal(scratch.root[0], seat, word, first, games)
    plan_others(games, table, known, seat, word, first, others)
    try_orders(games, others, table, known, scratch.network, 0, log, seat, scratch.candidates, left, scratch.scores)


@kernel
def try_programs_of(
    rows: DecisionRows,
    row: int,
    table: Table,
    known: ExpectedTurns,
    log: Log,
    scratch: TrialScratch,
    results: TrialResults,
) -> None:
    """Try the programs of a row's current turn unless they have been tried already."""
    if results.turns[row] == rows.begun[row]:
        return
    results.turns[row] = rows.begun[row]
    results.counts[row] = 0
    seat = int(rows.at[row, 0])
    scratch.root[0] = rows.seen[row]
    root = scratch.root[0]
    root.robots[seat] = rows.bodies[row]
    root.phase = 0
    robot = root.robots[seat]
    playing = not root.over and robot.alive and not robot.down and robot.hand[0] > 0 and robot.square >= 0
    if not playing or goal_of(root, table, seat) >= known.flags.size:
        return
    programs = results.programs[row]
    count = find_programs(root, table, known, seat, scratch, programs)
    results.counts[row] = count
    for k in range(count):
        candidate = scratch.candidates[k]
        scratch.candidates[k] = scratch.blank[0]
        write_program(robot, programs[k], candidate)
        candidate.facing = programs[k, _FACING]
        if robot.options:
            candidate.conditional = candidate.flywheel = BEST_CARD
        scratch.scores[k] = 0
        scratch.left[k] = k
    deals, best, more = scratch.effort.deals, scratch.effort.best, scratch.effort.more_deals
    # Seeded by public facts only, so that the same position always gets the same value.
    word = mix(np.uint64(root.turn) << np.uint64(8) | np.uint64(seat))
    try_on_deals(table, known, seat, word, 0, deals, scratch.left[:count], log, scratch)
    for k in range(min(best, count)):  # sort the best to the front
        for other in range(k + 1, count):
            if scratch.scores[scratch.left[other]] > scratch.scores[scratch.left[k]]:
                scratch.left[k], scratch.left[other] = scratch.left[other], scratch.left[k]
    if count > best:
        try_on_deals(table, known, seat, word, deals, more, scratch.left[:best], log, scratch)
    for k in range(count):
        program = scratch.left[k]
        turns = deals + more if k < best < count else deals
        results.chances[row, program] = scratch.scores[program] * CERTAIN // (WIN * turns)


@kernel
def begins_with(program: Array, shown: Array, registers: int, facing: int) -> bool:
    """Tell whether a tried program begins with the cards in the first registers and has the facing (-1 for any)."""
    if facing >= 0 and program[_FACING] != facing:
        return False
    for r in range(registers):
        if program[r] != CARD_TYPE[shown[r]]:
            return False
    return True


@kernel
def chosen_facing(rows: DecisionRows, row: int, plan: Array, stage: int) -> int:
    """Return the facing (0-3) that was chosen before a decision; -1 if there was none to choose."""
    per_game = rows.whole.shape[1]
    for s in range(stage):
        if plan[s, WHAT] == kinds_of.FACING:
            turned = rows.actions[row // per_game, row % per_game, plan[s, PLACE]]
            return int(rows.bodies[row].facing + turned) & 3
    return -1


@kernel
def best_chance(results: TrialResults, row: int, registers: Array, chosen: int, facing: int, kind: int) -> int:
    """Return the best chance among the tried programs that begin with the choices so far; `UNTRIED` if there are none.

    Args:
        results: The results of trials.
        row: The row.
        registers: The cards in its registers.
        chosen: How many of them have been chosen.
        facing: The facing that has been chosen, or -1.
        kind: The type of card in the next register, or -1 for any.
    """
    best = UNTRIED
    for k in range(results.counts[row]):
        program = results.programs[row, k]
        if begins_with(program, registers, chosen, facing) and (kind < 0 or program[chosen] == kind):
            best = max(best, int(results.chances[row, k]))
    return best


@kernel
def write_chances(
    rows: DecisionRows,
    row: int,
    plan: Array,
    stage: int,
    phases: int,
    results: TrialResults,
    choices: Array,
    prospects: Array,
) -> None:
    """Write the results of trials for each choice of a card or facing, and for the decisions so far.

    Args:
        rows: The turns that are being decided.
        row: One of them.
        plan: `plan_of` the layout.
        stage: The index of its current decision.
        phases: Registers whose cards have been chosen.
        results: The results of trials.
        choices: The row's table `choices`, with all other columns written.
        prospects: The row's table `prospects`, with all other columns written.
    """
    decision = plan[stage]
    shown = rows.seen[row].robots[rows.at[row, 0]]
    facing = chosen_facing(rows, row, plan, stage)
    best = best_chance(results, row, shown.registers, phases, facing, -1)
    if best == UNTRIED:
        return
    prospects[0, TRIAL_PROSPECT] = best
    turns = decision[WHAT] == kinds_of.FACING
    if decision[CARD] < 0 and not turns:
        return
    for c in range(choices.shape[0]):
        if choices[c, LEGAL]:
            turned = (int(rows.bodies[row].facing) + c) & 3 if turns else facing
            kind = -1 if turns else int(choices[c, TYPE])
            chance = best_chance(results, row, shown.registers, phases, turned, kind)
            choices[c, TRIED] = chance != UNTRIED
            choices[c, CHANCE] = max(0, chance)
            choices[c, CHANCE_BEHIND] = best - max(0, chance)
