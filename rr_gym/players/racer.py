"""A player that minimises the expected turns to its last flag as if no other robot were in its way."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.errors import whole_number
from rr_gym.players.batches import decide, write_choice
from rr_gym.players.protocol import BatchPlayer
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import FATAL_DAMAGE, NUM_REGISTERS, ON, RACE
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.solo.known_phases import OUTCOMES, KnownPhases
from rr_gym.solo.outcomes import Outcome
from rr_gym.solo.search import try_programs_alone
from rr_gym.solo.turn_tables import DAMAGED, FARTHEST, LIFE, STEP, ExpectedTurns, expected_turns
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]

ELIMINATION_COST = 4 * FARTHEST  # the cost of elimination
FLAG_VALUE = FARTHEST  # the value of a flag if expected turns do not include it


@kernel
def flags_stay(game: GameRecord, table: Table) -> bool:
    """Tell whether expected turns hold across flags: in a race in which flags are where they were at the start."""
    settings = table.settings
    for k in range(table.course.num_flags):
        if game.flag_squares[k] != table.course.flag_squares[k]:
            return False
    return settings.game == RACE and settings.moving_flags != ON and settings.rotate_board_on_flag != ON


@kernel
def cost(turns: ExpectedTurns, outcome: Outcome, lives: int, flag: int) -> tuple[int, int]:
    """Return the turns to go, in 1/256, from where an outcome ends.

    Args:
        turns: The expected turns of the course.
        outcome: The outcome.
        lives: The robot's lives before the turn; -1 if unlimited.
        flag: The additional value of a flag.

    Returns:
        The turns without a power-down, and those with one announced for the next turn.
    """
    if outcome.won:
        early = TURN * (int(outcome.phases) - NUM_REGISTERS) // NUM_REGISTERS - ELIMINATION_COST
        return early, early
    damage = min(int(outcome.damage), FATAL_DAMAGE - 1)
    goal = int(outcome.goal)
    on = outcome.square >= 0
    state = int(outcome.place) * 4 + int(outcome.facing) if on else turns.down.shape[1] - 1
    play, rest = np.int64(turns.turns[damage, goal, state]), np.int64(turns.down[goal, state])
    if on and not outcome.alive:
        for facing in range(4):  # after re-entry it may choose any facing
            play = min(play, np.int64(turns.turns[damage, goal, state & ~3 | facing]))
            rest = min(rest, np.int64(turns.down[goal, state & ~3 | facing]))
    if play >= FARTHEST:  # If no route is known, as to flags that belts carry, nearer is better.
        astray = STEP * int(outcome.steps)
        play += astray
        rest += astray
    lost = -flag * int(outcome.flag)
    if not outcome.alive:
        lost += ELIMINATION_COST if lives == 1 else LIFE
    return int(play + lost + DAMAGED[outcome.damage]), int(rest + lost)


@kernel
def write_costs(turns: ExpectedTurns, outcomes: Array, lives: int, flag: int, play: Array, rest: Array) -> None:
    """Write the `cost` of several outcomes into `play` and `rest`, int64, (n,)."""
    for k in range(outcomes.size):
        play[k], rest[k] = cost(turns, outcomes[k], lives, flag)


@kernel
def race_on(
    games: Array,
    numbers: Array,
    table: Table,
    known: KnownPhases,
    log: Log,
    turns: ExpectedTurns,
    seat: int,
    seed: np.uint64,
    orders: Array,
    first: int,
    last: int,
) -> None:
    """Write the orders of `RacerPlayer` for the games of a course with the indices from `first` to `last` - 1.

    Args:
        games: Shape (all,), dtype `GAME`; only what the seat sees is read.
        numbers: int64: the indices of the games on this course.
        table: The course.
        known: What is known about phases on it.
        log: A log that is off.
        turns: The expected turns of the course.
        seat: The seat.
        seed: The seed of the player.
        orders: Shape of `games`, dtype `FULL_ORDERS`; written.
        first: The first position in `numbers`.
        last: One past the last position in `numbers`.
    """
    for g in range(first, last):
        game = games[numbers[g]]
        robot = game.robots[seat]
        if not robot.alive or robot.down or game.over:
            continue  # it never stays down: what harms it while it is down would harm it again
        flag = 0 if flags_stay(game, table) else FLAG_VALUE
        best, ties = 2**62, 0
        programs = try_programs_alone(known, table, log, game, seat)
        for row in range(known.counts[OUTCOMES]):
            play, rest = cost(turns, known.outcomes[row], robot.lives, flag)
            rests = rest < play and table.settings.power_down == ON
            known.values[row] = 2 * (rest if rests else play) + rests
            best = min(best, known.values[row] >> 1)
        for k in range(programs):
            value = known.values[known.ends[k]]
            if value >> 1 == best:
                known.ties[ties] = 2 * k + (value & 1)
                ties += 1
        write_choice(known, game, ties, seat, seed, orders[numbers[g]])


class RacerPlayer(BatchPlayer):
    """Plays the program after which a lone robot would have touched all flags soonest.

    All programs of its hand are simulated by the rules of the game, with the other robots removed, and valued by the
    expected turns from where they end (`rr_gym.solo.turn_tables`), with the cost of damage and destruction in turns.
    It announces a power-down of one turn when that saves turns. Where the facing may be chosen (U28), all four are
    tried. It uses option cards that work by themselves, and stores its best unused cards.

    Args:
        threads: How many threads share a batch; decisions do not depend on it.
    """

    name = "racer"

    def __init__(self, threads: int = 1) -> None:
        self.threads = whole_number("threads", threads, 1)

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """Return the orders of one seat in a batch; see `Player.act`."""

        def what_is_known(course: int) -> tuple[Any, ...]:
            return (expected_turns(arena, course),)

        return decide(race_on, what_is_known, arena, games, seat, self.seed, self.threads)
