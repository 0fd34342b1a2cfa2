"""A player that heads for the next flag as if it were alone on the board."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.errors import RoboRallyError, short_repr, whole_number
from rr_gym.players.batches import decide, write_choice
from rr_gym.players.protocol import BatchPlayer
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import FATAL_DAMAGE
from rr_gym.rules.state.records import Log
from rr_gym.rules.state.table import Table
from rr_gym.solo.distances import UNREACHABLE, phase_distances
from rr_gym.solo.known_phases import OUTCOMES, KnownPhases
from rr_gym.solo.outcomes import Outcome
from rr_gym.solo.search import try_programs_alone

Array = np.ndarray[Any, Any]


@kernel
def rank(outcome: Outcome, distances: Array) -> np.int64:
    """Return a score by which outcomes are ranked, the best highest.

    Winning counts most, then flags touched, then not being destroyed, then few registers to the next flag, then little
    damage; each criterion breaks ties of those before.
    """
    to_go = np.int64(UNREACHABLE)
    if outcome.goal >= distances.shape[0]:
        to_go = np.int64(0)
    elif outcome.square >= 0:
        to_go = np.int64(distances[outcome.goal, outcome.place, outcome.facing, 0])
    score = np.int64(outcome.won) * 16 + outcome.flag
    score = score * 2 + outcome.alive
    score = score * (UNREACHABLE + 1) + UNREACHABLE - to_go
    return np.int64(score * (FATAL_DAMAGE + 1) + FATAL_DAMAGE - outcome.damage)


@kernel
def head_for_flags(
    games: Array,
    numbers: Array,
    table: Table,
    known: KnownPhases,
    log: Log,
    distances: Array,
    power_down_at: int,
    seat: int,
    seed: np.uint64,
    orders: Array,
    first: int,
    last: int,
) -> None:
    """Write the orders of `GreedyPlayer` for the games of a course with the indices from `first` to `last` - 1.

    Args:
        games: Shape (all,), dtype `GAME`; only what the seat sees is read.
        numbers: int64: the indices of the games on this course.
        table: The course.
        known: What is known about phases on it.
        log: A log that is off.
        distances: int16; see `phase_distances`.
        power_down_at: Points of damage from which on a power-down is announced.
        seat: The seat.
        seed: The seed of the player.
        orders: Shape of `games`, dtype `FULL_ORDERS`; written.
        first: The first position in `numbers`.
        last: One past the last position in `numbers`.
    """
    for g in range(first, last):
        game, order = games[numbers[g]], orders[numbers[g]]
        robot = game.robots[seat]
        if not robot.alive or game.over:
            continue
        if robot.down:
            order.stay_down = robot.damage >= power_down_at
            continue
        best, ties = np.int64(-1), 0
        programs = try_programs_alone(known, table, log, game, seat)
        for row in range(known.counts[OUTCOMES]):
            known.values[row] = rank(known.outcomes[row], distances)
            best = max(best, known.values[row])
        for k in range(programs):
            row = known.ends[k]
            if known.values[row] == best:
                known.ties[ties] = 2 * k + (known.outcomes[row].damage >= power_down_at)
                ties += 1
        write_choice(known, game, ties, seat, seed, order)


class GreedyPlayer(BatchPlayer):
    """Plays the program that is best for a robot alone on the board; the seed breaks ties.

    All programs of its hand are simulated by the rules of the game, with the other robots removed, and ranked by
    `rank`. Where the facing may be chosen (U28), all four are tried. It announces a power-down when its best program
    leaves it with `power_down_at` or more points of damage, and stays down while it has that many. It uses option cards
    that work by themselves, and stores its best unused cards.

    Args:
        power_down_at: Points of damage, 1 to 10; 10 for never.
        threads: How many threads share a batch; decisions do not depend on it.
    """

    name = "greedy"

    def __init__(self, power_down_at: int = 5, threads: int = 1) -> None:
        if not isinstance(power_down_at, int) or not 1 <= power_down_at <= FATAL_DAMAGE:
            raise RoboRallyError(f"power_down_at: {short_repr(power_down_at)}: expected 1 to {FATAL_DAMAGE}")
        self.power_down_at = power_down_at
        self.threads = whole_number("threads", threads, 1)

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """Return the orders of one seat in a batch; see `Player.act`."""

        def what_is_known(course: int) -> tuple[Any, ...]:
            return phase_distances(arena.tables[course]), self.power_down_at

        return decide(head_for_flags, what_is_known, arena, games, seat, self.seed, self.threads)
