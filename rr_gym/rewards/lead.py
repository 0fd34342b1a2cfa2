"""How far each robot is ahead of its rivals, which the reward term `lead` is computed from (docs/environment.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.players.race_values import FLAG_COST, WIN, chance_to_be_first, turns_to_go
from rr_gym.players.racer import flags_stay
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.teams import mates
from rr_gym.solo.turn_tables import ExpectedTurns, expected_turns

Array = np.ndarray[Any, Any]


@kernel
def write_lead(game: GameRecord, table: Table, known: ExpectedTurns, out: Array) -> None:
    """Write the lead of every robot of a running game into `out`, float64, (8,); robots that are out get 0."""
    flag = 0 if flags_stay(game, table) else FLAG_COST
    need = np.zeros(out.size, np.int64)
    for i in range(game.num_robots):
        if not game.robots[i].out:
            need[i] = turns_to_go(game, table, known, flag, i, False)
    for i in range(game.num_robots):
        if game.robots[i].out:
            continue
        side = mates(game, i)
        rivals = 0
        for j in range(game.num_robots):
            if side >> j & 1:
                continue
            rivals += 1
            # Robots that are out are beaten.
            ahead = np.int64(WIN) if game.robots[j].out else chance_to_be_first(need[j] - need[i])
            out[i] += 2.0 * float(ahead) / WIN - 1.0
        if rivals:
            out[i] /= rivals


@kernel
def write_leads(
    games: Array, tables: Array, known: ExpectedTurns, course: int, mask: Array, out: Array
) -> None:
    """Write the leads of every running game that is selected by `mask` and played on `course` into `out`, (n, 8)."""
    for g in range(games.shape[0]):
        if mask[g] and games[g].course == course and not games[g].over:
            write_lead(games[g], tables[course], known, out[g])


def leads(arena: Arena, games: Array, mask: Array) -> Array:
    """Return how far every robot is ahead of its rivals, measured in expected turns.

    Args:
        arena: Where the games are played.
        games: (n,), dtype `GAME`.
        mask: (n,), bool: the games to evaluate; the others get 0.

    Returns:
        float64, (n, 8), from -1 to 1: the probability of reaching the last flag before a rival minus that of reaching
        it after the rival, averaged over rivals. 0 for robots that are out or alone, and when the game is over.
    """
    out = np.zeros((len(games), MAX_ROBOTS))
    for course in range(len(arena.courses)):
        write_leads(games, arena.tables, expected_turns(arena, course), course, mask, out)
    return out
